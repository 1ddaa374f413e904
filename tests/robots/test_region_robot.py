"""The robot with hidden regions: its stated competence is what happens, and it can be learned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.practice.domain import make_robot
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.robot import (
    ROBOTS,
    Approach,
    EarningRobot,
    Step,
    Trial,
    register_robot,
)
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.robots.regions import RegionRobot
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Parameter, Skill

PARAMETERS = [Parameter(name, 0.5, 0.1, 0.0, 1.0) for name in ("x", "y")]
SKILLS = [
    Skill(
        name,
        {"at": before},
        {"at": after},
        competence=0.1,
        curve=PiecewiseLinear(rate=0.02),
        parameters=PARAMETERS,
    )
    for name, before, after in (("Push", "A", "B"), ("Pull", "B", "C"))
]
TASK = Task("slide", {"at": ["A", "B", "C"]}, [Goal("C", 1.0, {"at": "C"})], SKILLS)


def _trial(parameters: dict[str, float], seed: int, approach: tuple[str, ...] = ()) -> Trial:
    route = tuple(Step(name, {"x": 0.5, "y": 0.5}) for name in approach)
    attempt = Step("Pull" if approach else "Push", parameters)
    return Trial(seed, Approach(route), attempt, "explore", seed)


def test_stated_competence_is_what_happens() -> None:
    robot = RegionRobot(TASK, seed=1, noise=0.4)
    for parameters in ({"x": 0.5, "y": 0.5}, {"x": 0.6, "y": 0.55}, {"x": 0.42, "y": 0.4}):
        results = robot.run([_trial(parameters, seed) for seed in range(2000)])
        rate = np.mean([result.outcome == "success" for result in results])
        assert rate == pytest.approx(robot.competence("Push", parameters), abs=0.035)


def test_without_noise_a_region_is_hit_or_missed() -> None:
    robot = RegionRobot(TASK, noise=0.0, displacement=0.5)
    assert robot.competence("Push", {"x": 0.5, "y": 0.5}) == 1.0
    assert robot.competence("Push", {"x": 0.9, "y": 0.9}) == 0.0
    assert robot.run([_trial({"x": 0.5, "y": 0.5}, 3)])[0].outcome == "success"


def test_the_approach_runs_deployed_parameters() -> None:
    near = RegionRobot(TASK, noise=0.0, displacement=0.5)
    assert near.run([_trial({"x": 0.5, "y": 0.5}, 0, ("Push",))])[0].outcome == "success"
    far = RegionRobot(TASK, noise=0.0, displacement=2.5)
    assert far.run([_trial({"x": 0.5, "y": 0.5}, 0, ("Push",))])[0].at == "Push"


def test_policies_without_parameters_follow_their_curves(tmp_path: Path) -> None:
    plain = Skill("Push", {"at": "A"}, {"at": "C"}, competence=1.0)
    goal = Goal("C", 1.0, {"at": "C"})
    task = Task("plain", {"at": ["A", "C"]}, [goal], [plain], discount=0.99)
    robot = RegionRobot(task)
    with start_session(tmp_path / "j.db", "s", task, 0) as session:
        earned = robot.earn(intention(session.ground, session.state), 100)
    assert earned.reward == pytest.approx(0.99)
    assert earned.undiscounted == 1.0
    assert robot.run([_trial({}, 0)])[0].outcome == "success"


def test_practice_raises_what_the_robot_really_earns(tmp_path: Path) -> None:
    before, after = [], []
    for seed in range(5):
        session = start_session(
            tmp_path / "j.db", f"s{seed}", TASK, 150, "deliberate", "bayes", seed
        )
        robot = RegionRobot(TASK, seed)
        before.append(robot.earn(intention(session.ground, session.state), 100).undiscounted)
        practise(session, robot)
        after.append(robot.earn(intention(session.ground, session.state), 100).undiscounted)
    assert np.mean(before) < 0.05
    assert np.mean(after) > 0.5


def test_robots_by_name(tmp_path: Path) -> None:
    with start_session(tmp_path / "j.db", "s", TASK, 0) as session:
        aim = intention(session.ground, session.state)
    for name in ("curves", "regions"):
        robot = make_robot(name, TASK, 0)
        assert isinstance(robot, EarningRobot)
        assert 0 <= robot.earn(aim, 100).reward < 1
    with pytest.raises(ArgumentError, match="'real' is not one of: curves, regions, mujoco"):
        make_robot("real", TASK, 0)
    with pytest.raises(ArgumentError, match="task 'slide' has no simulated scene"):
        make_robot("mujoco", TASK, 0)


def test_options_by_name() -> None:
    robot = make_robot("regions:noise=0.0,displacement=0.5,radius=2", TASK, 0)
    assert robot.run([_trial({"x": 0.5, "y": 0.5}, 3)])[0].outcome == "success"
    far = make_robot("regions:noise=0,displacement=2,radius=0.5", TASK, 0)
    assert far.run([_trial({"x": 0.5, "y": 0.5}, 3)])[0].outcome == "failure"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("regions:noise=abc", "noise: 'abc' is not valid; give a number of at least 0"),
        ("regions:noise=-0.1", r"noise: -0\.1 is not valid"),
        ("regions:radius=true", "radius: True is not valid"),
        ("regions:displacement=nan", "displacement: nan is not valid"),
        ("regions:radius=inf", "radius: inf is not valid"),
        ("regions:seed=3", "option 'seed' is not one of: radius, displacement, noise"),
        ("curves:noise=0.1", r"option 'noise' is not one of: \(there are none\)"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make_robot(text, TASK, 0)


def test_a_robot_that_cannot_be_made_is_named() -> None:
    def broken(task: Task, seed: int, threads: int) -> RegionRobot:
        raise OSError("no such port")

    register_robot("broken", broken)
    try:
        with pytest.raises(PartFailed, match="robot broken raised OSError: no such port"):
            make_robot("broken", TASK, 0)
    finally:
        ROBOTS.unregister("broken")
