"""Breakfast through the session's robot: the camera sees, and success is read off physics."""

from __future__ import annotations

from functools import partial

import pytest
from graphics import needs_gl
from simulated_trials import executed, filmed_to_the_end, trial

from deliberate_practice.domains.breakfast.skills import FORCE_LIMIT, good
from deliberate_practice.practice.domain import make_robot, practised_task
from deliberate_practice.practice.earning import start_seeds
from deliberate_practice.robots.mujoco.robot import MujocoRobot

pytestmark = [pytest.mark.slow, needs_gl]

TASK = practised_task("breakfast", "mujoco")
OATMEAL = ("OpenMicrowave", "PickBowl", "PlaceBowl", "CloseMicrowave")
GOOD = {name: good(name) for name in TASK.policies}
_trial = partial(trial, GOOD)


@pytest.fixture(scope="module")
def robot() -> MujocoRobot:
    made = make_robot("mujoco", TASK, 0)
    assert isinstance(made, MujocoRobot)
    return made


def test_three_skills_can_be_learned_and_four_work_already() -> None:
    learned = [skill.name for skill in TASK.skills if skill.parameters]
    assert learned == ["StartToaster", "OpenMicrowave", "CloseMicrowave"]
    for skill in TASK.skills:
        assert len(skill.parameters) in (0, 2, 3)
        practised = TASK.policies[skill.policy].practisable
        assert practised == bool(skill.parameters)
        assert practised or float(skill.competence or 0) >= 0.95
    assert TASK.priors == "accurate"


def test_an_episode_executes_the_approach_first(robot: MujocoRobot) -> None:
    done = robot.run([_trial("CloseMicrowave", 3, OATMEAL[:-1])])[0]
    assert done.outcome == "success"
    assert 0 < done.measurements["force"] < FORCE_LIMIT
    assert done.score is not None
    assert done.score < 0
    beside = {**good("OpenMicrowave"), "side": 0.07}
    failed = robot.run([_trial("CloseMicrowave", 3, OATMEAL[:-1], {"OpenMicrowave": beside})])[0]
    assert (failed.outcome, failed.at) == ("unreached", "OpenMicrowave")


def test_plans_are_executed_and_filmed(robot: MujocoRobot) -> None:
    seeds = start_seeds(2)
    assert executed(robot, OATMEAL, GOOD, seeds) == [4, 4]
    found = filmed_to_the_end(robot, OATMEAL, GOOD, seeds[0])
    assert (found["bowl"], found["door"]) == ("microwave", "closed")


def test_side_by_side_as_one_by_one_on_any_number_of_threads(robot: MujocoRobot) -> None:
    trials = [
        _trial("CloseMicrowave", seed, changed={"CloseMicrowave": {"side": s, "push": 0.02}})
        for seed, s in enumerate((0.0, 0.04, 0.08))
    ]
    alone = [robot.run([trial])[0] for trial in trials]
    assert robot.run(trials) == alone
    assert {result.outcome for result in alone} == {"success", "failure"}
    two = make_robot("mujoco", TASK, 0, threads=2)
    assert isinstance(two, MujocoRobot)
    assert two.run(trials) == alone
