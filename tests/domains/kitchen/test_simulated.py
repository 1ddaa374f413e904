"""Kitchen in physics through the eyes of a session: episodes, starts, films, journals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import executed, filmed_to_the_end, steps

pytest.importorskip("mujoco")

from deliberate_practice.domains.kitchen.skills import good, policy
from deliberate_practice.domains.kitchen.task import SKILLS, VARIABLES
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.domain import make_robot, practised_task
from deliberate_practice.practice.earning import measured_earnings
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.robot import Approach, Step, Trial
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.robots.mujoco.robot import MujocoRobot

pytestmark = pytest.mark.slow

TASK = practised_task("kitchen", "mujoco")
PHYSICAL = practised_task("kitchen:failures=physical", "mujoco")
GOOD = {name: good(name) for name in SKILLS}
TEA = ("Turn(top)", "Push(kettle)")


@pytest.fixture(scope="module")
def robot() -> MujocoRobot:
    made = make_robot("mujoco", TASK, 0)
    assert isinstance(made, MujocoRobot)
    return made


def test_every_policy_can_be_learned() -> None:
    assert TASK.priors == PHYSICAL.priors == "accurate"
    assert {skill.policy for skill in TASK.skills} == set(TASK.policies)
    for skill in TASK.skills:
        assert 4 <= len(skill.parameters) <= 6
        assert skill.policy == policy(skill.name)
        assert float(skill.competence or 0) <= 0.1


def test_a_plan_is_filmed_with_a_camera_for_every_skill(robot: MujocoRobot) -> None:
    found = filmed_to_the_end(robot, TEA, GOOD, 5)
    assert (found["top"], found["kettle"]) == ("on", "top")


def test_unreachable_samples_are_refused_before_anything_moves(robot: MujocoRobot) -> None:
    hinge = "Open(hinge)"
    far = {**good(hinge), "side": -0.07, "yaw": -1.0, "swing": 1.87}
    trial = Trial(1, Approach(), Step(hinge, far), "explore", 1)
    assert robot.run([trial])[0].outcome == "refused"


def test_the_published_success_is_measured_beside_ours(robot: MujocoRobot) -> None:
    """A slide that is pushed a quarter of its way is done there, and a failure here."""
    slide = "Slide(cabinet)"
    short, whole = (
        robot.run([Trial(1, Approach(), Step(slide, {**good(slide), "push": far}), "explore", 1)])[
            0
        ]
        for far in (0.2, 0.355)
    )
    assert (short.outcome, short.measurements["published"]) == ("failure", 1.0)
    assert (whole.outcome, whole.measurements["published"]) == ("success", 1.0)


def test_a_reflex_stop_is_a_failure(robot: MujocoRobot) -> None:
    turn = "Turn(top)"
    rough = {**good(turn), "height": 0.0, "depth": 0.03, "stiffness": 11.0, "duration": -1.0}
    results = robot.run(
        [Trial(n, Approach(), Step(turn, rough), "explore", n) for n in range(1, 5)]
    )
    stopped = [result for result in results if result.measurements.get("stopped")]
    assert stopped
    assert all(result.outcome == "failure" for result in stopped)


def test_an_episode_begins_in_the_start_that_it_names() -> None:
    made = make_robot("mujoco", PHYSICAL, 0)
    assert isinstance(made, MujocoRobot)
    first = {name: values[0] for name, values in VARIABLES.items()}
    push = Step("Push(kettle)", good("Push(kettle)"))
    lit = Approach((Step("Turn(bottom)", good("Turn(bottom)")),), {**first, "top": "on"})
    dark = replace(lit, start=first)
    assert [
        made.run([Trial(1, approach, push, "deploy", 7)])[0].outcome for approach in (lit, dark)
    ] == ["success", "success"]
    done = made.follow([], 5, [7], {**first, "microwave": "open", "slide": "open"})
    assert done[0].state == {**first, "microwave": "open", "slide": "open"}


def test_the_reward_counts_every_start(tmp_path: Path) -> None:
    """From a lit burner the kettle alone makes tea."""
    made = make_robot("mujoco", PHYSICAL, 0)
    with start_session(tmp_path / "j.db", "s", PHYSICAL, 6, robot="mujoco") as session:
        aim = intention(session.ground, session.state)
    known = np.array(
        [1.0 if u in ("Turn", "Push(kettle)") else 0.0 for u in aim.ground.policy_names]
    )
    deployed = {name: Step(name, GOOD[name]) for name in aim.steps}
    aim = replace(aim, rule=solve(aim.ground, known).actions, steps=deployed)
    earned = measured_earnings(made, aim, 5)
    assert earned.reward > 1.9
    assert ground(PHYSICAL).start.max() < 1.0


def test_wrong_options_of_the_scene_are_refused() -> None:
    for name in ("mujoco:noise=-1", "mujoco:timestep=0.1"):
        with pytest.raises(ArgumentError):
            make_robot(name, TASK, 0)
    with pytest.raises(ArgumentError, match="noise, timestep"):
        make_robot("mujoco:friction=2", TASK, 0)


def test_the_same_seed_gives_the_same_journal(tmp_path: Path) -> None:
    told = []
    for name in ("one", "two"):
        with start_session(
            tmp_path / "j.db", name, PHYSICAL, 8, "uniform", seed=4, robot="mujoco"
        ) as session:
            practise(session, make_robot("mujoco", PHYSICAL, 4))
            told.append([(r.trial, r.result) for r in session.trials()])
    assert told[0] == told[1]
    assert len(told[0]) == 8


def test_plans_are_executed_until_the_first_failure(robot: MujocoRobot) -> None:
    clumsy = {**GOOD, "Turn(top)": {**good("Turn(top)"), "push": 0.03}}
    assert executed(robot, TEA, clumsy, [1]) == [0]
    assert executed(robot, TEA, GOOD, [1]) == [2]
    assert [step.skill for step in steps(TEA, GOOD)] == list(TEA)
