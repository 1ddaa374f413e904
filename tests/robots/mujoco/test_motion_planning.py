"""Plans lead around obstacles, are free of collisions, and depend on their question alone."""

from __future__ import annotations

import hashlib
import itertools
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from obstacle_course import LEFT, RIGHT, course, start

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.robots.mujoco.collisions import CollisionChecker
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.motion_planning import (
    MotionPlanner,
    NoPath,
    PlannerUnavailable,
    plan_path,
)
from deliberate_practice.robots.mujoco.panda import READY

HOME = np.array(READY)
TESTS = Path(__file__).parents[2]
ELSEWHERE = """
import hashlib
from obstacle_course import LEFT, RIGHT, course, start
from deliberate_practice.robots.mujoco.collisions import CollisionChecker
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.motion_planning import plan_path
checker = CollisionChecker(Arm(course()))
checker.look(start(checker.arm.model))
print(hashlib.sha256(plan_path(checker, LEFT, RIGHT, seed=7).tobytes()).hexdigest())
"""


@pytest.fixture
def checker() -> CollisionChecker:
    arm = Arm(course())
    checker = CollisionChecker(arm)
    checker.look(start(arm.model))
    return checker


def _all_free(checker: CollisionChecker, path: FloatArray) -> bool:
    fractions = np.linspace(0.0, 1.0, 300)[:, None]
    return all(
        checker.free(q) for a, b in itertools.pairwise(path) for q in a + fractions * (b - a)
    )


def test_where_nothing_is_in_between_the_way_is_straight(checker: CollisionChecker) -> None:
    assert plan_path(checker, LEFT, HOME) == pytest.approx(np.stack([LEFT, HOME]))


@pytest.mark.parametrize("seed", range(5))
def test_a_path_leads_around_the_wall(checker: CollisionChecker, seed: int) -> None:
    assert not _all_free(checker, np.stack([LEFT, RIGHT]))
    path = plan_path(checker, LEFT, RIGHT, seed)
    assert len(path) > 2
    assert (path[0] == LEFT).all()
    assert (path[-1] == RIGHT).all()
    assert (path >= checker.arm.low).all()
    assert (path <= checker.arm.high).all()
    fine = CollisionChecker(checker.arm, clearance=0.001)  # between two checks a little is lost
    fine.look(start(checker.arm.model))
    assert _all_free(fine, path)


def test_the_same_seed_has_the_same_path_in_any_process(checker: CollisionChecker) -> None:
    first = plan_path(checker, LEFT, RIGHT, seed=7)
    other = plan_path(checker, LEFT, RIGHT, seed=8)
    assert plan_path(checker, LEFT, RIGHT, seed=7).tobytes() == first.tobytes()
    assert other.tobytes() != first.tobytes()
    elsewhere = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], capture_output=True, text=True, check=True, cwd=TESTS
    )
    assert elsewhere.stdout.strip() == hashlib.sha256(first.tobytes()).hexdigest()


def test_a_goal_in_the_wall_has_no_path(checker: CollisionChecker) -> None:
    with pytest.raises(NoPath, match="wall"):
        plan_path(checker, LEFT, (LEFT + RIGHT) / 2)


def test_a_goal_beyond_the_limits_has_no_path(checker: CollisionChecker) -> None:
    with pytest.raises(NoPath, match="joint limits"):
        plan_path(checker, LEFT, LEFT + 3.0)


def test_the_search_ends_at_its_work_limit(checker: CollisionChecker) -> None:
    before = checker.checks
    with pytest.raises(NoPath, match="within 20 collision checks"):
        plan_path(checker, LEFT, RIGHT, max_checks=20)
    assert checker.checks - before < 300


def test_without_ompl_the_message_says_how_to_get_it(
    checker: CollisionChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ompl", None)
    assert len(plan_path(checker, LEFT, HOME)) == 2
    with pytest.raises(PlannerUnavailable, match=re.escape(install_command("sim"))):
        plan_path(checker, LEFT, RIGHT)


def test_plans_are_remembered_and_do_not_depend_on_what_was_planned_before() -> None:
    arm = Arm(course())
    qpos = start(arm.model)
    first, second = MotionPlanner(arm), MotionPlanner(arm)
    nearly = LEFT + 2e-5
    second.plan(qpos, nearly, RIGHT)
    once, checks = first.plan(qpos, LEFT, RIGHT), first.checker.checks
    assert first.plan(qpos, LEFT, RIGHT).tobytes() == once.tobytes()
    assert first.checker.checks == checks
    assert second.plan(qpos, LEFT, RIGHT).tobytes() == once.tobytes()
    exact = first.plan(qpos, nearly, RIGHT)
    assert (exact[0] == nearly).all()
    assert (exact[1:] == once[1:]).all()


def test_a_change_of_the_scene_is_noticed() -> None:
    arm = Arm(course())
    planner, qpos = MotionPlanner(arm), start(arm.model)
    assert len(planner.plan(qpos, LEFT, HOME)) == 2
    block = int(arm.model.joint("block").qposadr[0])
    arm.place(LEFT)
    qpos[block : block + 3] = arm.data.site_xpos[arm.site]
    qpos[7:9] = 0.0
    for _ in range(2):
        with pytest.raises(NoPath, match="block"):
            planner.plan(qpos, HOME, LEFT)
