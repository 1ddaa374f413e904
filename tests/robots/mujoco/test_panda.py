from __future__ import annotations

import mujoco
import numpy as np
import pytest

from deliberate_practice.robots.mujoco import panda as module
from deliberate_practice.robots.mujoco.panda import (
    ARM_JOINTS,
    COLLISION_GROUP,
    FINGER_JOINTS,
    JOINT_TORQUE,
    READY,
    TOOL,
    VISUAL_GROUP,
    add_panda,
    panda,
)


@pytest.fixture(name="ready")
def _ready() -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = panda(visual=False)
    # MuJoCo computes what actuators give, and so what holds the arm up, only if there are some.
    spec.add_actuator(name="idle", trntype=mujoco.mjtTrn.mjTRN_JOINT, target=ARM_JOINTS[0])
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:7] = READY
    mujoco.mj_forward(model, data)
    return model, data


def test_tool_is_where_the_published_kinematics_put_it(
    ready: tuple[mujoco.MjModel, mujoco.MjData],
) -> None:
    _, data = ready
    # The published pose of the flange at "ready", and 0.1034 m of hand below it.
    np.testing.assert_allclose(data.site(TOOL).xpos, [0.30689, 0, 0.59028 - 0.1034], atol=1e-4)
    np.testing.assert_allclose(data.site(TOOL).xmat.reshape(3, 3), np.diag([1, -1, -1]), atol=1e-9)


def test_masses_and_inertias_are_physical(ready: tuple[mujoco.MjModel, mujoco.MjData]) -> None:
    model, _ = ready
    assert model.body_mass.sum() == pytest.approx(17.45, abs=0.01)
    for i in model.body_inertia[1:]:
        assert (i > 0).all()
        assert 2 * i.max() <= i.sum() * (1 + 1e-9)  # the triangle inequality of inertias


def test_it_holds_itself_up_without_a_controller(
    ready: tuple[mujoco.MjModel, mujoco.MjData],
) -> None:
    model, data = ready
    for _ in range(500):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.qpos[:7], READY, atol=1e-3)


def test_torque_limits_bound_the_joints(ready: tuple[mujoco.MjModel, mujoco.MjData]) -> None:
    model, _ = ready
    for joint, torque in zip(ARM_JOINTS, JOINT_TORQUE, strict=True):
        index = model.joint(joint).id
        assert model.jnt_actfrclimited[index]
        np.testing.assert_allclose(model.jnt_actfrcrange[index], [-torque, torque])


def test_fingers_move_against_each_other(ready: tuple[mujoco.MjModel, mujoco.MjData]) -> None:
    model, data = ready
    data.joint(FINGER_JOINTS[0]).qfrc_applied = 10.0
    for _ in range(100):
        mujoco.mj_step(model, data)
    left, right = (float(data.joint(name).qpos[0]) for name in FINGER_JOINTS)
    assert left == pytest.approx(right, abs=1e-3)
    assert left > 0.005


def test_hand_touches_its_own_base_but_not_its_neighbours(
    ready: tuple[mujoco.MjModel, mujoco.MjData],
) -> None:
    model, data = ready
    assert data.ncon == 0
    data.qpos[:7] = [0, -1.7, 0, -3.0, 0, 0.6, 0.8]  # folded onto itself
    mujoco.mj_forward(model, data)
    assert data.ncon > 0


def test_meshes_hide_the_primitives_and_change_nothing_else() -> None:
    if module.mesh_directory() is None:
        pytest.skip("gymnasium_robotics is not installed")
    plain, dressed = panda(visual=False).compile(), panda(visual=True).compile()
    assert dressed.nmesh == 10
    solid = dressed.geom_contype != 0
    assert set(dressed.geom_group[solid]) == {COLLISION_GROUP}
    assert set(dressed.geom_group[~solid]) == {VISUAL_GROUP}
    np.testing.assert_array_equal(plain.body_mass, dressed.body_mass)
    np.testing.assert_array_equal(plain.geom_size, dressed.geom_size[solid])


def test_primitives_are_shown_where_meshes_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "mesh_directory", lambda: None)
    model = panda(visual=True).compile()
    assert model.nmesh == 0
    assert set(model.geom_group) == {VISUAL_GROUP}


def test_a_robot_may_be_turned_on_its_base() -> None:
    """A quarter to the left: ahead is y."""
    tools = []
    for yaw in (0.0, np.pi / 2):
        spec = mujoco.MjSpec()
        spec.compiler.degree = 0
        add_panda(spec, "arm_", (0.1, 0.2, 0.3), visual=False, yaw=yaw)
        model = spec.compile()
        data = mujoco.MjData(model)
        data.qpos[:7] = READY
        mujoco.mj_kinematics(model, data)
        tools.append(data.site(f"arm_{TOOL}").xpos - (0.1, 0.2, 0.3))
    (x, y, z), turned = tools
    np.testing.assert_allclose(turned, [-y, x, z], atol=1e-9)
