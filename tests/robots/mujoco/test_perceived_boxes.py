"""What is known from perception alone is in the way of plans, where and as large as perceived."""

from __future__ import annotations

import itertools

import mujoco
import numpy as np
import pytest
from obstacle_course import LEFT, RIGHT, start

from deliberate_practice.robots.mujoco.collisions import Box, CollisionChecker
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.motion_planning import MotionPlanner, NoPath
from deliberate_practice.robots.mujoco.panda import ROBOT, SCENE, panda

WALL = Box((0.6, 0.0, 0.2), (1.0, 0.0, 0.0, 0.0), (0.2, 0.01, 0.2))
ELSEWHERE = Box((3.0, 0.0, 0.2), (1.0, 0.0, 0.0, 0.0), (0.2, 0.01, 0.2))


@pytest.fixture(name="arm", scope="module")
def _arm() -> Arm:
    """An empty room with a box that is put where something is perceived."""
    spec = panda(visual=False)
    box = spec.worldbody.add_body(name="box", mocap=True)
    box.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.1,) * 3, contype=SCENE, conaffinity=ROBOT | SCENE
    )
    return Arm(spec.compile())


def test_the_way_leads_around_what_is_perceived(arm: Arm) -> None:
    planner, qpos = MotionPlanner(arm), start(arm.model)
    assert len(planner.plan(qpos, LEFT, RIGHT, perceived={"box": ELSEWHERE})) == 2
    path = planner.plan(qpos, LEFT, RIGHT, perceived={"box": WALL})
    assert len(path) > 2
    fine = CollisionChecker(arm, clearance=0.001)  # between two checks a little is lost
    fine.look(qpos, perceived={"box": WALL})
    fractions = np.linspace(0, 1, 200)[:, None]
    assert all(fine.free(q) for a, b in itertools.pairwise(path) for q in a + fractions * (b - a))


def test_plans_for_one_box_are_not_used_for_another(arm: Arm) -> None:
    planner, qpos = MotionPlanner(arm), start(arm.model)
    around = planner.plan(qpos, LEFT, RIGHT, perceived={"box": WALL})
    assert len(planner.plan(qpos, LEFT, RIGHT, perceived={"box": ELSEWHERE})) == 2
    again = planner.plan(qpos, LEFT, RIGHT, perceived={"box": WALL})
    np.testing.assert_array_equal(around, again)


def test_size_and_orientation_count(arm: Arm) -> None:
    arm.place(LEFT)
    x, y, z = arm.data.site_xpos[arm.site].tolist()
    checker, qpos = CollisionChecker(arm), start(arm.model)
    beside = (x, y + 0.2, z)
    along, across = (1.0, 0.0, 0.0, 0.0), (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
    for size, turn, free in (
        ((0.02, 0.02, 0.08), along, True),
        ((0.02, 0.25, 0.08), along, False),
        ((0.25, 0.02, 0.08), along, True),
        ((0.25, 0.02, 0.08), across, False),
        ((0.02, 0.02, 0.08), across, True),
    ):
        checker.look(qpos, perceived={"box": Box(beside, turn, size)})
        assert checker.free(LEFT) == free


def test_a_goal_inside_what_is_perceived_has_no_path(arm: Arm) -> None:
    with pytest.raises(NoPath, match="box"):
        MotionPlanner(arm).plan(start(arm.model), LEFT, (LEFT + RIGHT) / 2, perceived={"box": WALL})
