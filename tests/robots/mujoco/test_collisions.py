"""Collision checks against MuJoCo's own contacts on the unchanged model."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest
from obstacle_course import LEFT, RIGHT, course, start

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.collisions import CollisionChecker
from deliberate_practice.robots.mujoco.kinematics import Arm, Pose, inverse_kinematics
from deliberate_practice.robots.mujoco.panda import READY

HOME = np.array(READY)
DOWN = np.array([0.0, 1.0, 0.0, 0.0])


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm(course())


def _at(arm: Arm, position: tuple[float, float, float]) -> FloatArray:
    answer = inverse_kinematics(arm, Pose(np.array(position), DOWN), HOME)
    assert answer is not None
    return answer


def test_checks_agree_with_the_contacts_of_the_whole_model(arm: Arm) -> None:
    model, qpos = arm.model, start(arm.model)
    checker = CollisionChecker(arm, clearance=0.0)
    checker.look(qpos)
    robot = model.body_rootid == model.body_rootid[arm.base]
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    answers = []
    near = rng.normal(LEFT, 0.5, (300, 7))
    for q in np.clip(np.vstack([near, rng.uniform(-3, 3, (300, 7))]), arm.low, arm.high):
        data.qpos[:] = qpos
        data.qpos[arm.qpos_at] = q
        mujoco.mj_fwdPosition(model, data)
        bodies = model.geom_bodyid[data.contact.geom]
        touches = bool((robot[bodies].any(axis=1) & (data.contact.dist < 0)).any())
        assert checker.free(q) != touches
        answers.append(touches)
    assert 0.1 < np.mean(answers) < 0.9


def test_clearance_is_kept(arm: Arm) -> None:
    low = _at(arm, (0.45, -0.3, 0.015))
    wide = CollisionChecker(arm, clearance=0.03)
    wide.look(start(arm.model))
    gap = min(distance for a, b, distance in wide.touching(low) if "table" in (a, b))
    assert 0.005 < gap < 0.015
    for clearance, free in ((gap + 1e-4, False), (gap - 1e-4, True)):
        checker = CollisionChecker(arm, clearance)
        checker.look(start(arm.model))
        assert checker.free(low) == free


def test_what_is_held_moves_with_the_hand(arm: Arm) -> None:
    q = _at(arm, (0.45, 0.35, 0.03))
    qpos = start(arm.model)
    qpos[arm.qpos_at] = q
    checker = CollisionChecker(arm)
    lowered = _at(arm, (0.45, -0.35, 0.02))
    checker.look(qpos)
    assert checker.free(lowered)
    checker.look(qpos, held="block")
    assert not checker.free(lowered)  # the block would be pressed 1 cm into the table
    assert checker.free(_at(arm, (0.45, -0.35, 0.1)))
    checker.look(qpos)
    assert checker.free(lowered)


def test_the_block_on_the_table_is_an_obstacle_unless_held(arm: Arm) -> None:
    q = _at(arm, (0.45, 0.35, 0.03))
    turned = q.copy()
    turned[6] += math.pi / 4  # the corners of the block are further apart than its sides
    qpos = start(arm.model)
    qpos[7:9] = 0.021
    checker = CollisionChecker(arm)
    checker.look(qpos)
    assert not checker.free(turned)
    qpos[arm.qpos_at] = q
    checker.look(qpos, held="block")
    assert all("block" not in (a, b) or "table" in (a, b) for a, b, _ in checker.touching(q))


def test_what_is_near_at_an_end_may_stay_as_near_but_no_nearer(arm: Arm) -> None:
    touching, deeper = _at(arm, (0.45, -0.3, 0.011)), _at(arm, (0.45, -0.3, 0.008))
    away = _at(arm, (0.45, -0.3, 0.03))
    checker = CollisionChecker(arm, clearance=0.02)
    checker.look(start(arm.model))
    assert not checker.free(touching)
    checker.excuse(touching)
    assert checker.free(touching)
    assert checker.free(away)
    assert not checker.free(deeper)
    checker.excuse(HOME)
    assert not checker.free(touching)


def test_the_wall_is_named(arm: Arm) -> None:
    checker = CollisionChecker(arm)
    checker.look(start(arm.model))
    middle = (LEFT + RIGHT) / 2
    assert any("wall" in (first, second) for first, second, _ in checker.touching(middle))
