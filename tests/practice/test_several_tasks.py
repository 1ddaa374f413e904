"""Sessions on several tasks: one intention for all, weighted rewards, and stated starts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from counts import count
from random_tasks import alone, random_tasks
from runs import events, same

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError, TaskError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.rule import StartPath
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.domain import in_scene, load_task
from deliberate_practice.practice.earning import measured_earnings, reward_of
from deliberate_practice.practice.intention import Intention, intention
from deliberate_practice.practice.journal.events import decode, encode
from deliberate_practice.practice.robot import Earnings, Result, Trial
from deliberate_practice.practice.run import run
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.robots.curves import CurveRobot, true_competence
from deliberate_practice.robots.filming import film
from deliberate_practice.strategies.strategy import STRATEGIES
from deliberate_practice.task.model import ServedTask, Start, Task, holds
from deliberate_practice.task.toml_reader import read_task
from deliberate_practice.testing.robots import check_robot

ROOT = Path(__file__).parents[2]
CUPS = read_task(ROOT / "examples" / "two_tasks.toml")
MENDING = read_task(ROOT / "tests" / "golden" / "mending.toml")


def test_a_rule_for_all_tasks_earns_the_weighted_mean_of_their_rules() -> None:
    rng = np.random.default_rng(9)
    for _ in range(count(200)):
        task = random_tasks(rng, product_form=True)
        believed = rng.random(len(task.policies))
        true = dict(zip(task.policies, rng.random(len(task.policies)).tolist(), strict=True))
        tasks = alone(task)
        total = math.fsum(one.weight for one in task.tasks)
        rewards = [one.weight * _reward(tasks[one.name], believed, true) for one in task.tasks]
        expected = math.fsum(rewards) / total
        assert _reward(task, believed, true) == pytest.approx(expected, abs=1e-12)


def _reward(task: Task, believed: FloatArray, true: dict[str, float]) -> float:
    """The reward of the rule that is optimal for what is believed."""
    try:
        grounded = ground(task)
    except TaskError:  # no goal can be reached
        return 0.0
    return reward_of(grounded, solve(grounded, believed).actions, true)


def test_practice_of_two_tasks_pays(db: Path) -> None:
    done = run(CUPS, "curves", 40, name="cups", seed=1, journal=db)
    assert done.spent == 40
    assert done.reward_before is not None
    assert done.reward_after is not None
    assert done.reward_after > done.reward_before
    assert [path.task for path in done.plans] == ["serve", "tidy", "tidy"]
    assert done.plan in [path.skills for path in done.plans]
    assert done.goal is not None
    assert done.goal.startswith("serve: tray and tidy: ")
    true = {
        name: true_competence(policy, done.attempts[name]) for name, policy in CUPS.policies.items()
    }
    assert done.reward_after == pytest.approx(_followed(done.plans, true))


def _followed(paths: Sequence[StartPath], true: dict[str, float]) -> float:
    """The reward of following each plan, where a skill that stays is tried until it works."""
    total = 0.0
    for path in paths:
        reward = path.probability * path.reward
        for name in path.skills:
            skill = CUPS.skill(name)
            f, gamma = true[skill.policy], CUPS.discount
            stays = skill.failure == "stay"
            reward *= gamma * f / (1 - gamma * (1 - f)) if stays else gamma * f
        total += reward
    return total


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_every_strategy_practises_from_stated_starts(db: Path, strategy: str) -> None:
    with start_session(db, strategy, CUPS, 8, strategy) as session:
        while trial := session.ask():
            _check_start(CUPS, trial)
            session.tell(trial.id, "success")
        assert session.state.spent == 8


def _check_start(task: Task, trial: Trial) -> None:
    """The route and the attempt can be executed from the start, in the task's own words."""
    state = dict(trial.approach.start)
    assert state in [dict(start.state) for start in task.start_states]
    for step in trial.steps:
        skill = task.skill(step.skill)
        assert holds(skill.precondition, state)
        assert not isinstance(skill.effect, str | Sequence)
        state |= skill.effect


def test_free_approaches_have_no_start_and_one_start_needs_none(db: Path) -> None:
    with start_session(db, "free", CUPS, 8, approach="free") as session:
        trial = session.ask()
        assert trial is not None
        assert (trial.approach.route, trial.approach.start) == ((), {})
    with start_session(db, "one", load_task("breakfast"), 8) as session:
        trial = session.ask()
        assert trial is not None
        assert trial.approach.start == {}
    with start_session(db, "two", MENDING, 8) as session:
        trial = session.ask()
        assert trial is not None
        assert trial.approach.start in [{"cup": cup, "lid": "off"} for cup in ("shelf", "floor")]


def test_every_skill_of_every_task_can_be_evaluated(db: Path) -> None:
    with start_session(db, "asked", CUPS, 8) as session:
        for skill in CUPS.skills:
            trial = session.ask(evaluate=skill.name)
            assert trial is not None
            _check_start(CUPS, trial)
            session.tell(trial.id, "success")


class Stopped(Exception):
    """Somebody pulled the plug."""


def test_stopped_and_resumed_it_is_the_same_session(db: Path) -> None:
    whole = run(CUPS, "curves", 18, name="whole", seed=4, journal=db)

    def stop(session: Session, trial: Trial, result: Result) -> None:
        if trial.id in (3, 11):
            raise Stopped

    for resume in (False, True):
        with pytest.raises(Stopped):
            run(CUPS, "curves", 18, name="parts", seed=4, journal=db, resume=resume, progress=stop)
    parts = run(CUPS, "curves", name="parts", journal=db, resume=True)
    assert same(parts, whole)
    assert events(db, "parts") == events(db, "whole")


def test_another_weight_is_another_task(db: Path) -> None:
    run(CUPS, "curves", 2, name="cups", journal=db)
    other = replace(CUPS, tasks=[replace(CUPS.tasks[0], weight=2), CUPS.tasks[1]])
    with pytest.raises(ArgumentError, match="started on another task"):
        run(other, "curves", name="cups", journal=db, resume=True)


def test_the_journal_keeps_starts_and_reads_events_that_have_none(db: Path) -> None:
    with start_session(db, "kept", CUPS, 8) as session:
        session.ask()
        for event, _ in session.history():
            kind, text = encode(event)
            assert decode(kind, text) == event
            start = '"start": {"cup": "shelf"}'
            assert start in text
            before = decode(kind, text.replace(f", {start}", ""))
            assert before != event


class Coins:
    """Succeeds by a coin of its own for each skill that is attempted."""

    def __init__(self, lucky: set[str]) -> None:
        self.lucky = lucky
        self.trials: list[Trial] = []

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        self.trials += trials
        return [Result("success" if t.skill in self.lucky else "failure") for t in trials]

    def earn(self, aim: Intention, executions: int) -> Earnings:
        return measured_earnings(self, aim, executions)


def test_measured_rewards_are_weighted_by_the_starts(db: Path) -> None:
    with start_session(db, "measured", CUPS, 8) as session:
        aim = intention(session.ground, session.state)
    robot = Coins({"PlaceOnTray"})
    earned = measured_earnings(robot, aim, 40)
    assert len(earned.successes) == 40
    assert len({trial.id for trial in robot.trials}) == 40
    counts = {path.start["cup"]: 0 for path in aim.starts}
    for trial in robot.trials:
        counts[trial.approach.start["cup"]] += 1
    shares = {path.start["cup"]: 40 * path.probability for path in aim.starts}
    assert all(abs(counts[cup] - shares[cup]) <= 1 for cup in counts)
    reached = [path for path in aim.starts if path.skills[-1] == "PlaceOnTray"]
    assert reached
    expected = sum(path.probability * path.reward for path in reached)
    assert earned.undiscounted == pytest.approx(expected)
    assert earned.reward == pytest.approx(CUPS.discount**2 * expected)
    assert earned.interval is not None
    assert earned.interval[0] < earned.reward <= earned.interval[1]
    few = measured_earnings(Coins(set()), aim, 2)  # fewer executions than starts
    assert (few.reward, len(few.successes)) == (0.0, 2)


def test_the_interval_covers_the_exact_reward_about_as_often_as_it_says(db: Path) -> None:
    with start_session(db, "measured", CUPS, 8) as session:
        aim = intention(session.ground, session.state)
    rng = np.random.default_rng(2)
    chances = {path.start["cup"]: rng.uniform(0.2, 0.8) for path in aim.starts}
    exact = sum(
        path.probability * path.reward * CUPS.discount ** len(path.skills) * chances[cup]
        for path in aim.starts
        for cup in [path.start["cup"]]
    )

    class Chances(Coins):
        """Succeeds as often as the start decides."""

        def run(self, trials: Sequence[Trial]) -> list[Result]:
            lucky = [rng.random() < chances[trial.approach.start["cup"]] for trial in trials]
            return [Result("success" if luck else "failure") for luck in lucky]

    covered = 0
    for _ in range(300):
        interval = measured_earnings(Chances(set()), aim, 60).interval
        assert interval is not None
        covered += interval[0] <= exact <= interval[1]
    assert 0.9 <= covered / 300 <= 1.0


def test_robots_are_checked_on_several_tasks() -> None:
    check_robot(CurveRobot(CUPS), CUPS)


def test_a_film_shows_one_plan_and_says_so(db: Path, tmp_path: Path) -> None:
    run(CUPS, "curves", 2, name="cups", journal=db)
    with pytest.raises(ArgumentError, match=r"session 'cups' has 3 plans.*one plan"):
        film("cups", tmp_path / "film.mp4", journal=db)


def test_tasks_of_a_domain_begin_where_its_scene_begins() -> None:
    breakfast = load_task("breakfast")
    toast, oatmeal = (ServedTask(goal.name, [goal]) for goal in breakfast.goals)
    both = replace(breakfast, goals=(), tasks=[toast, oatmeal])
    assert in_scene(both, "mujoco").tasks == both.tasks
    elsewhere = replace(oatmeal, starts=[Start(1.0, {"bread": "toaster"})])
    with pytest.raises(ArgumentError, match="one of its tasks starts elsewhere"):
        in_scene(replace(both, tasks=[toast, elsewhere]), "mujoco")
