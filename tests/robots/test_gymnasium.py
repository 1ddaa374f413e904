"""Gymnasium environments as robots: in this process, and in a Python without our package."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from old_python import oldest_python
from served import Served

from deliberate_practice import testing
from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.practice.episode import run_episode
from deliberate_practice.practice.robot import Approach, Result, Step, Trial
from deliberate_practice.practice.run import run
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.practice.showing.trial_data import needed, trial_data, trial_from
from deliberate_practice.robots import deliberate_gym
from deliberate_practice.robots.deliberate_gym import Gym, GymError, first_state, walk
from deliberate_practice.robots.gymnasium import GymRobot
from deliberate_practice.service import deliberate_client
from deliberate_practice.task.toml_reader import parse_task

gymnasium = pytest.importorskip("gymnasium")

SKILL = """
[[skills]]
name = "{name}"
precondition = {{ block = "{before}" }}
effect = {{ block = "{after}" }}
{more}
competence = 0.3
curve = {{ kind = "exponential", rate = 0.05, ceiling = 0.95 }}
parameters = [{{ name = "push", mean = 0.5, sd = 0.3, low = 0.0, high = 1.0 }}]
"""
VARIABLES = 'name = "shove"\nvariables = { block = ["near", "middle", "far"] }\n'
GOAL = 'goals = [{ name = "far", reward = 1.0, when = { block = "far" } }]\n'


def shove(more: str = "") -> Any:
    first = SKILL.format(name="First", before="near", after="middle", more=more)
    second = SKILL.format(name="Second", before="middle", after="far", more=more)
    return parse_task(VARIABLES + GOAL + first + second)


TASK = shove()
GOALS = {"First": 1.0, "Second": 2.0}


class Block:
    """An environment of a few lines: actions add up to a place, with some noise."""

    def __init__(self, length: int = 1_000) -> None:
        self.length, self.resets = length, list[tuple[int, Any]]()

    def reset(self, *, seed: int, options: Any = None) -> tuple[float, dict[str, Any]]:
        import numpy as np

        self.resets.append((seed, options))
        self.rng, self.steps = np.random.default_rng(seed), 0
        self.place = float((options or {}).get("place", 0.0))
        return self.place, {}

    def step(self, action: float) -> tuple[float, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        self.place += action + 0.02 * float(self.rng.standard_normal())
        info = {"place": self.place, "done": self.place >= 1.0}
        return self.place, 0.0, False, self.steps >= self.length, info


def push(skill: str, parameters: Mapping[str, float], place: Any, info: Any) -> float:
    return parameters["push"] / 4


def there(skill: str, place: Any, info: Any) -> bool:
    return bool(place >= GOALS[skill])


def begin(state: Mapping[str, str]) -> dict[str, float]:
    return {"place": {"middle": 1.0}.get(state.get("block", ""), 0.0)}


def robot(**more: Any) -> GymRobot:
    options = {"reset": begin, "limit": 8, **more}
    return GymRobot(
        TASK, options.pop("env", Block()), push, options.pop("success", there), **options
    )


def trial(skill: str = "Second", parameters: float = 1.0, route: bool = True) -> Trial:
    steps = (Step("First", {"push": 1.0}),) if route else ()
    return Trial(1, Approach(steps), Step(skill, {"push": parameters}), "explore", 7)


def test_it_keeps_the_promises_of_a_robot() -> None:
    testing.check_robot(robot(), TASK)


def test_it_practises_and_measures_its_plan() -> None:
    done = run(TASK, robot(), 40, journal=None, executions=20)
    assert done.spent == 40
    assert done.reward_after is not None
    assert done.reward_before is not None
    assert done.reward_after >= done.reward_before
    assert done.deployed["Second"]["push"] > 0.5


def test_an_episode_is_reset_once_with_its_seed_and_its_abstract_state() -> None:
    env = Block()
    there = robot(env=env)
    assert there.run([trial()])[0].outcome == "success"
    assert there.run([trial(route=False)])[0].outcome == "success"
    assert env.resets == [(7, {"place": 0.0}), (7, {"place": 1.0})]


def test_an_attempt_has_its_actions_and_its_score() -> None:
    (result,) = robot(score="place").run([trial(parameters=0.1, route=False)])
    assert (result.outcome, result.measurements) == ("failure", {"actions": 8.0})
    assert result.score == pytest.approx(1.2, abs=0.15)
    (unreached,) = robot(limit=2).run([trial()])
    assert unreached == Result("unreached", "First")


def test_a_generator_ends_a_skill_by_itself() -> None:
    seen = []

    def twice(skill: str, parameters: Mapping[str, float], place: Any, info: Any) -> Any:
        for _ in range(2):
            place, info = yield parameters["push"]
            seen.append((place, info["place"]))

    ending = GymRobot(TASK, Block(), twice, lambda skill, place, info: place > 5, reset=begin)
    (result,) = ending.run([trial(route=False)])
    assert (result.outcome, result.measurements["actions"]) == ("failure", 2)
    assert len(seen) == 2
    assert all(place == told for place, told in seen)


def test_an_environment_that_ends_the_episode_ends_the_skill() -> None:
    (result,) = robot(env=Block(length=6)).run([trial()])
    assert (result.outcome, result.measurements["actions"]) == ("failure", 1)
    with pytest.raises(GymError, match=r"before 'Second' began; make it with max_episode_steps=-1"):
        robot(env=Block(length=5)).run([trial()])


def test_stations_are_reset_when_they_are_needed() -> None:
    envs = {"First": Block(), "Second": Block()}
    stations = robot(env=envs, success="done", reset=None)
    assert stations.run([trial()])[0].outcome == "success"
    assert [env.resets for env in envs.values()] == [[(7, None)], [(7, None)]]


def test_a_robot_that_observes_recovers() -> None:
    task = shove('failure = "stay"')
    env = Block()

    def state(place: Any, info: Any) -> dict[str, str]:
        return {"block": "far" if place >= 2 else "middle" if place >= 1 else "near"}

    observing = GymRobot(task, env, push, there, reset=begin, observe=state, limit=3)
    testing.check_robot(observing, task)
    done = run(task, observing, 12, journal=None, executions=10, learner="cma-es")
    assert done.reward_after == pytest.approx(0.99**7, abs=0.2)
    assert not hasattr(robot(), "follow")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"success": "solved"}, "success: info has no 'solved'; it has place, done. Name one of"),
        ({"reset": None}, "'Second' begins with .*give reset=, or practise with approach='exec"),
    ],
)
def test_faults_of_an_episode_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((PartFailed, ArgumentError), match=message):
        run(TASK, robot(**arguments), 40, journal=None, approach="free", executions=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"env": {"First": Block()}}, "env: skill 'Second' is not one of: First"),
        ({"env": "Lunar-v99"}, "env: 'Lunar-v99' cannot be made: .*Lunar"),
        ({"make": {"gravity": 1}}, "make: it belongs to an environment that is given by its id"),
        ({"limit": 0}, "limit: 0"),
        ({"env": {"First": 0, "Second": 0}, "observe": lambda *_: None}, "observe: it needs one"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        robot(**arguments)


def test_without_gymnasium_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(ArgumentError) as refused:
        robot(env="CartPole-v1")
    assert str(refused.value).endswith(f"run: {install_command('gym')}")


# The file that goes to a robot's computer.

FILE = Path(deliberate_gym.__file__)
STATES = [{"block": value} for value in ("near", "middle", "far")]


@st.composite
def described(draw: st.DrawFn) -> dict[str, Any]:
    """A trial as JSON, with a route or a rule, which may make no sense."""

    def step() -> dict[str, Any]:
        return {"skill": draw(st.sampled_from(["A", "B"])), "parameters": {}, "practised": 0}

    count = draw(st.integers(0, 3))
    endings = st.sampled_from(["end", "retry", "continue"])
    route = [{**step(), "on_failure": draw(endings)} for _ in range(count)]
    ruled = draw(st.lists(st.sampled_from(STATES), unique_by=str))
    return {
        **step(),
        "id": 1,
        "mode": "explore",
        "seed": 1,
        "precondition": {"block": draw(st.sampled_from([["far"], ["middle", "far"]]))},
        "approach": {
            "route": route,
            "rule": [{"when": state, **step()} for state in ruled],
            "limit": draw(st.integers(0, 5)),
        },
    }


@given(described(), st.lists(st.booleans()), st.lists(st.none() | st.sampled_from(STATES)))
@settings(max_examples=300)
def test_the_file_walks_as_the_package_does(
    data: dict[str, Any], outcomes: list[bool], states: list[Any]
) -> None:
    def scripted() -> tuple[list[str], Callable[[Any], bool], Callable[[], Any] | None]:
        left, seen, asked = iter(outcomes), iter(states), list[str]()

        def execute(step: Any) -> bool:
            asked.append(step["skill"] if isinstance(step, dict) else step.skill)
            return next(left, True)

        return asked, execute, (lambda: next(seen, None)) if states else None

    here, execute, observe = scripted()
    expected = run_episode(trial_from(data), execute, observe)
    elsewhere, execute, observe = scripted()
    told = walk(data, execute, observe)
    executed = told.get("executed")
    assert Result(
        told["outcome"], told.get("at"), executed=None if executed is None else tuple(executed)
    ) == expected  # fmt: skip
    assert here == elsewhere


def test_a_free_trial_begins_at_its_precondition() -> None:
    needed = {"precondition": {"block": ["middle", "far"]}}
    free = {**needed, "approach": {"route": [], "rule": []}}
    assert first_state(free) == {"block": "middle"}
    assert first_state({**free, "start": {"block": "far", "lamp": "on"}}) == {
        "block": "far",
        "lamp": "on",
    }
    assert first_state({**needed, "approach": {"route": [1], "rule": []}}) == {}


SHELF = """
name = "shelf"
variables = {{ cup = {values} }}
goals = [{{ name = "up", reward = 1.0, when = {{ cup = "shelf" }} }}]
[[skills]]
name = "Lift"
precondition = {{ cup = ["table", "floor"] }}
effect = {{ cup = "shelf" }}
competence = 0.3
curve = {{ kind = "exponential", rate = 0.05, ceiling = 0.95 }}
"""


def lift_from(start: str) -> Any:
    values = sorted(["floor", "table", "shelf"], key=lambda value: value != start)
    return parse_task(SHELF.format(values=json.dumps(values)))


@pytest.mark.parametrize("approach", ["execute", "free"])
@pytest.mark.parametrize("start", ["floor", "table"])
def test_practice_and_measurement_begin_at_the_start_where_it_is_allowed(
    start: str, approach: Any
) -> None:
    task, begun = lift_from(start), []

    def note(state: Mapping[str, str]) -> None:
        begun.append(state.get("cup"))

    lifting = GymRobot(task, Block(), lambda *_: 0.5, lambda *_: True, reset=note)
    run(task, lifting, 3, journal=None, approach=approach, executions=2)
    assert set(begun) == {start}


@pytest.mark.parametrize("start", ["floor", "table"])
def test_the_file_begins_at_the_start_where_it_is_allowed(start: str, tmp_path: Path) -> None:
    with start_session(tmp_path / "j.db", "s", lift_from(start), 3) as session:
        asked = session.ask()
        assert asked is not None
        data = trial_data(session.state, session.state.records[asked.id])
    assert first_state(data) == {"cup": start}


def test_elsewhere_the_first_value_that_is_allowed_is_taken() -> None:
    task = lift_from("shelf")
    env, begun = Block(), list[Any]()
    lifting = GymRobot(task, env, push, lambda *_: True, reset=begun.append)
    lifting.run([Trial(1, Approach(), Step("Lift", {"push": 1.0}), "deploy", 7)])
    assert begun == [{"cup": "table"}]
    assert needed(task, "Lift") == {"cup": ["table", "floor"]}


def test_the_file_needs_python_3_8_alone() -> None:
    tree = ast.parse(FILE.read_text(encoding="utf-8"), feature_version=(3, 8))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"__future__", "types", "typing"}
    with pytest.raises(GymError, match="one environment for all skills"):
        Gym({}, push, "done", observe=lambda *_: None)


ROBOT = """
import sys
sys.path.insert(0, {folder!r})
import deliberate_client, deliberate_gym, random

class Block:
    def reset(self, seed, options=None):
        self.place, self.rng = options["place"], random.Random(seed)
        return self.place, {{}}
    def step(self, action):
        self.place += action + self.rng.gauss(0, 0.02)
        return self.place, 0.0, False, False, {{}}

gym = deliberate_gym.Gym(
    Block(),
    lambda skill, parameters, place, info: parameters["push"] / 4,
    lambda skill, place, info: place >= dict(First=1, Second=2)[skill],
    reset=lambda state: dict(place=dict(middle=1.0).get(state.get("block"), 0.0)),
    score=lambda skill, place, info: place,
    limit=8,
)
deliberate_client.practise({url!r}, "shove", gym.run, token={token!r}, folder={folder!r})
"""


def test_an_old_python_without_our_package_practises(tmp_path: Path) -> None:
    served = Served(tmp_path / "lab.db")
    try:
        served.start("shove", VARIABLES + GOAL + _skills(), 30, gate="never")
        for file in (FILE, Path(deliberate_client.__file__)):
            shutil.copy(file, tmp_path)
        code = ROBOT.format(folder=str(tmp_path), url=served.url, token=served.token("robot"))
        command = [oldest_python(), "-I", "-S", "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        shown = served.admin.get("/api/sessions/shove").json()
    finally:
        served.close()
    assert (shown["spent"], done.stderr.count("trial ")) == (30, 30)
    outcomes = {row["outcome"] for row in shown["trials"]}
    assert {"success", "failure"} <= outcomes <= {"success", "failure", "unreached"}
    reached = [row for row in shown["trials"] if row["outcome"] != "unreached"]
    assert all(row["score"] is not None for row in reached)


def _skills() -> str:
    pairs = [("First", "near", "middle"), ("Second", "middle", "far")]
    return "".join(SKILL.format(name=n, before=b, after=a, more="") for n, b, a in pairs)
