"""The lever springs back until it is pressed far enough, and is held from then on."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from deliberate_practice.domains.breakfast.scene import BREAD
from deliberate_practice.domains.breakfast.toaster import (
    CAUGHT,
    LATCHED,
    REST,
    SLOT,
    TRAVEL,
    add_toaster,
)
from deliberate_practice.robots.mujoco.room import set_physics


def _toaster() -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.compiler.degree = 0
    set_physics(spec)
    add_toaster(spec, (0, 0, 0))
    return spec.compile()


MODEL = _toaster()


def _pressed(force: float, seconds: float = 1.0) -> mujoco.MjData:
    """The lever after a force that rises in half a second and is taken away again [N]."""
    data = mujoco.MjData(MODEL)
    _run(data, seconds, force)
    _run(data, 1.0, 0.0)
    return data


def _run(data: mujoco.MjData, seconds: float, force: float) -> None:
    dof = int(MODEL.joint("lever").dofadr[0])
    begin = data.time
    for _ in range(round(seconds / MODEL.opt.timestep)):
        data.qfrc_applied[dof] = force * min(1.0, (data.time - begin) / 0.5)
        mujoco.mj_step(MODEL, data)


def test_the_lever_rests_at_the_top() -> None:
    data = _pressed(0.0)
    assert abs(float(data.joint("lever").qpos[0])) < 1e-3


@pytest.mark.parametrize("force", [4.0, 7.0])
def test_a_weak_press_is_in_vain(force: float) -> None:
    assert float(_pressed(force).joint("lever").qpos[0]) < 1e-3


@pytest.mark.parametrize("force", [14.0, 20.0, 30.0])
def test_a_firm_press_latches_and_stays(force: float) -> None:
    data = _pressed(force)
    down = float(data.joint("lever").qpos[0])
    assert down > LATCHED
    assert down == pytest.approx(CAUGHT, abs=1.5e-3)
    _run(data, 5.0, 0.0)
    assert float(data.joint("lever").qpos[0]) == pytest.approx(down, abs=1e-4)
    _run(data, 1.0, -3.0)  # nor does a pull at it help
    assert float(data.joint("lever").qpos[0]) > LATCHED


def test_the_bread_goes_down_with_the_lever() -> None:
    data = mujoco.MjData(MODEL)
    heights = []
    for lever in (0.0, TRAVEL):
        data.joint("lever").qpos = lever
        mujoco.mj_kinematics(MODEL, data)
        heights.append(float(data.site("slot").xpos[2]))
    np.testing.assert_allclose(heights, [REST, REST - TRAVEL], atol=1e-9)


def test_the_slot_is_wider_than_the_bread() -> None:
    assert SLOT[0] > BREAD[0] + 0.03
    assert SLOT[1] > BREAD[1] + 0.015
