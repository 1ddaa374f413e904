"""The robot with hidden regions: its stated competence is what happens, and it can be learned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import make_robot
from deliberate_practice.practice.earning import KnownRobot, exact_reward
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.robot import Trial
from deliberate_practice.practice.session import start_session
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
    skill = "Pull" if approach else "Push"
    deployed = {"Push": {"x": 0.5, "y": 0.5}} if approach else {}
    return Trial(seed, skill, skill, "explore", True, parameters, approach, deployed, {}, seed)


def test_stated_competence_is_what_happens() -> None:
    robot = RegionRobot(TASK, seed=1, noise=0.4)
    for parameters in ({"x": 0.5, "y": 0.5}, {"x": 0.6, "y": 0.55}, {"x": 0.42, "y": 0.4}):
        results = [robot.run(_trial(parameters, seed)) for seed in range(2000)]
        rate = np.mean([result.outcome == "success" for result in results])
        assert rate == pytest.approx(robot.competence("Push", parameters), abs=0.035)


def test_without_noise_a_region_is_hit_or_missed() -> None:
    robot = RegionRobot(TASK, noise=0.0, displacement=0.5)
    assert robot.competence("Push", {"x": 0.5, "y": 0.5}) == 1.0
    assert robot.competence("Push", {"x": 0.9, "y": 0.9}) == 0.0
    assert robot.run(_trial({"x": 0.5, "y": 0.5}, 3)).outcome == "success"


def test_the_approach_runs_deployed_parameters() -> None:
    near = RegionRobot(TASK, noise=0.0, displacement=0.5)
    assert near.run(_trial({"x": 0.5, "y": 0.5}, 0, ("Push",))).outcome == "success"
    far = RegionRobot(TASK, noise=0.0, displacement=2.5)
    assert far.run(_trial({"x": 0.5, "y": 0.5}, 0, ("Push",))).at == "Push"


def test_policies_without_parameters_follow_their_curves() -> None:
    plain = Skill("Push", {"at": "A"}, {"at": "C"}, competence=1.0)
    task = Task("plain", {"at": ["A", "C"]}, [Goal("C", 1.0, {"at": "C"})], [plain])
    robot = RegionRobot(task)
    assert robot.competences({}, {"Push": {}}) == {"Push": 1.0}
    assert robot.run(_trial({}, 0)).outcome == "success"


def test_practice_raises_what_the_robot_really_earns(tmp_path: Path) -> None:
    before, after = [], []
    for seed in range(5):
        session = start_session(
            tmp_path / "j.db", f"s{seed}", TASK, 150, "deliberate", "bayes", seed
        )
        robot = RegionRobot(TASK, seed)
        before.append(exact_reward(session.ground, robot, session.beginning()))
        practise(session, robot)
        after.append(exact_reward(session.ground, robot, session.state))
    assert np.mean(before) < 0.05
    assert np.mean(after) > 0.5


def test_robots_by_name() -> None:
    deployed = {name: {"x": 0.5, "y": 0.5} for name in ("Push", "Pull")}
    for name in ("curves", "regions"):
        robot = make_robot(name, TASK, 0)
        assert isinstance(robot, KnownRobot)
        assert robot.competences({}, deployed).keys() == {"Push", "Pull"}
    with pytest.raises(ArgumentError, match="'real' is not one of: curves, regions, mujoco"):
        make_robot("real", TASK, 0)
    with pytest.raises(ArgumentError, match="no simulated scene for task"):
        make_robot("mujoco", TASK, 0)
