"""Two robots in one scene: each has its own names, controls, planner and force."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.collisions import CollisionChecker
from deliberate_practice.robots.mujoco.impedance import (
    CONTROLS,
    Gains,
    add_impedance,
    block,
    tool_quaternion,
    with_gains,
)
from deliberate_practice.robots.mujoco.kinematics import (
    Arm,
    Pose,
    forward_kinematics,
    inverse_kinematics,
)
from deliberate_practice.robots.mujoco.motion import hold
from deliberate_practice.robots.mujoco.panda import FORCE, READY, add_panda, panda
from deliberate_practice.robots.mujoco.room import add_table, set_physics
from deliberate_practice.robots.mujoco.world import World

BASES = {"left_": (0.0, 0.35, 0.0), "right_": (0.0, -0.35, 0.0)}
HOME = np.array(READY)


@pytest.fixture(name="model", scope="module")
def _model() -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.compiler.degree = 0
    set_physics(spec)
    spec.add_material(name="wood")
    add_table(spec, (0.4, 0.6, 0.8), "wood")
    for number, (prefix, base) in enumerate(BASES.items()):
        add_panda(spec, prefix, base, number, visual=False)
    for prefix, yaw in (("left_", -0.7), ("right_", 0.0)):
        add_impedance(spec, Gains(), prefix, yaw)
    return spec.compile()


@pytest.fixture(name="arms", scope="module")
def _arms(model: mujoco.MjModel) -> dict[str, Arm]:
    return {prefix: Arm(model, prefix) for prefix in BASES}


def _state(model: mujoco.MjModel, arms: dict[str, Arm]) -> FloatArray:
    data = mujoco.MjData(model)
    for arm in arms.values():
        data.qpos[arm.qpos_at] = HOME
    return World(model).state(data)


def _held(arms: dict[str, Arm]) -> FloatArray:
    return np.concatenate([hold(arm, HOME, 0.0) for arm in arms.values()])


def test_each_arm_is_a_robot_of_its_own_moved_to_its_base(arms: dict[str, Arm]) -> None:
    alone = Arm(panda(visual=False).compile())
    rng = np.random.default_rng(0)
    for q in rng.uniform(alone.low, alone.high, (20, 7)):
        expected = forward_kinematics(alone, q)
        for prefix, base in BASES.items():
            found = forward_kinematics(arms[prefix], q)
            np.testing.assert_allclose(found.position, expected.position + base, atol=1e-9)
            assert abs(found.quaternion @ expected.quaternion) == pytest.approx(1)


@pytest.mark.parametrize("prefix", list(BASES))
def test_inverse_kinematics_moves_only_its_own_joints(arms: dict[str, Arm], prefix: str) -> None:
    arm = arms[prefix]
    before = arm.data.qpos.copy()
    target = Pose(np.array([0.5, 0.0, 0.3]), tool_quaternion(math.radians(70)))
    answer = inverse_kinematics(arm, target, HOME)
    assert answer is not None
    found = forward_kinematics(arm, answer)
    np.testing.assert_allclose(found.position, target.position, atol=1e-3)
    others = np.setdiff1d(np.arange(arm.model.nq), arm.qpos_at)
    np.testing.assert_array_equal(arm.data.qpos[others], before[others])


def test_controls_are_one_block_per_robot(model: mujoco.MjModel) -> None:
    assert model.nu == 2 * CONTROLS
    assert block(model, "left_") == slice(0, 14)
    assert block(model, "right_") == slice(14, 28)


def test_a_robot_that_is_told_to_hold_stays_whatever_its_reference(
    model: mujoco.MjModel, arms: dict[str, Arm]
) -> None:
    world = World(model)
    final = world.run(_state(model, arms), np.repeat(_held(arms)[None], 300, axis=0))
    data = world.view(final)
    for arm in arms.values():
        np.testing.assert_allclose(data.qpos[arm.qpos_at], HOME, atol=0.01)


def test_softer_gains_are_those_of_one_robot_alone(model: mujoco.MjModel) -> None:
    soft = with_gains(model, Gains(stiffness=100.0, force=15.0), "right_")
    changed = np.flatnonzero(model.actuator_gainprm[:, 0] != soft.actuator_gainprm[:, 0])
    np.testing.assert_array_equal(changed, [14, 15, 16])
    np.testing.assert_allclose(soft.actuator_gainprm[14:17, 0], 100.0)
    np.testing.assert_allclose(soft.actuator_biasprm[14:17, 1], -100.0)
    np.testing.assert_allclose(soft.actuator_forcerange[14:17], [[-15.0, 15.0]] * 3)
    np.testing.assert_allclose(model.actuator_gainprm[14:17, 0], Gains().stiffness)


def test_robots_bump_into_each_other(model: mujoco.MjModel, arms: dict[str, Arm]) -> None:
    world = World(model)
    rows = np.repeat(_held(arms)[None], 500, axis=0)
    ways = np.linspace(0, 0.6, 400)
    rows[:400, 1] -= ways  # the left hand's y
    rows[400:, 1] -= 0.6
    data = world.view(world.run(_state(model, arms), rows))
    left, right = (data.site(f"{prefix}tool").xpos[1] for prefix in BASES)
    assert right < left < 0.1  # it came close, and not through
    assert right < -0.36  # the other one was pushed away


def test_the_other_robot_is_an_obstacle(model: mujoco.MjModel, arms: dict[str, Arm]) -> None:
    checker = CollisionChecker(arms["left_"])
    data = mujoco.MjData(model)
    for arm in arms.values():
        data.qpos[arm.qpos_at] = HOME
    checker.look(data.qpos)
    assert checker.free(HOME)
    hand = forward_kinematics(arms["right_"], HOME)
    beside = Pose(
        hand.position + np.array([0.0, 0.15, 0.0]), hand.quaternion
    )  # hands are 20 cm wide
    reached = inverse_kinematics(arms["left_"], beside, HOME)
    assert reached is not None
    assert not checker.free(reached)
    assert any("right_" in a + b for a, b, _ in checker.touching(reached))


def test_the_force_of_a_hand_is_what_it_presses_with(
    model: mujoco.MjModel, arms: dict[str, Arm]
) -> None:
    world = World(model)
    down = inverse_kinematics(
        arms["right_"], Pose(np.array([0.45, -0.35, 0.012]), tool_quaternion(math.pi / 2)), HOME
    )
    assert down is not None
    data = mujoco.MjData(model)
    data.qpos[arms["left_"].qpos_at], data.qpos[arms["right_"].qpos_at] = HOME, down
    row = np.concatenate([hold(arms["left_"], HOME, 0.0), hold(arms["right_"], down, 0.0)])
    row[16] -= 0.05  # 5 cm below: 630 N/m times that, less what it gives way
    run = world.measure_all([world.state(data)], [np.repeat(row[None], 500, axis=0)])[0]
    forces = {p: run.sensors[:, model.sensor(p + FORCE).adr[0] :][:, :3] for p in BASES}
    assert 20 < np.linalg.norm(forces["right_"][-1]) < 35
    assert forces["right_"][-1] @ [0, 0, -1] > 20
    np.testing.assert_array_equal(forces["left_"], 0)
