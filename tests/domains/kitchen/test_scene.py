"""FrankaKitchen's scene with our robot."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from deliberate_practice.domains.kitchen import scene as scenes
from deliberate_practice.domains.kitchen.scene import BASE, FACING, MOVED, PANDA, scene
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.robots.mujoco.room import TIMESTEP
from deliberate_practice.robots.mujoco.world import STATE


@pytest.fixture(name="model", scope="module")
def _model() -> mujoco.MjModel:
    return scene().compile()


def test_the_published_kitchen_with_our_robot_alone(model: mujoco.MjModel) -> None:
    names = [model.body(body).name for body in range(model.nbody)]
    assert not [name for name in names if name.startswith("panda0")]
    assert sum(name.startswith(PANDA) for name in names) == 11
    assert set(MOVED.values()) <= set(names)
    assert model.nkey == 0
    assert model.nu == 14
    assert model.opt.timestep == TIMESTEP


def test_the_robot_stands_where_the_published_one_does(model: mujoco.MjModel) -> None:
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    base = data.body(f"{PANDA}link0")
    np.testing.assert_allclose(base.xpos, BASE, atol=1e-9)
    np.testing.assert_allclose(base.xmat[[0, 3]], [np.cos(FACING), np.sin(FACING)], atol=1e-9)


def test_pictures_are_of_the_same_physics(model: mujoco.MjModel) -> None:
    dressed = scene(visual=True).compile()
    assert mujoco.mj_stateSize(model, STATE) == mujoco.mj_stateSize(dressed, STATE)
    np.testing.assert_array_equal(model.body_mass, dressed.body_mass)
    np.testing.assert_array_equal(model.body_inertia, dressed.body_inertia)
    plain, shown = (
        m.geom_size[(m.geom_contype != 0) | (m.geom_conaffinity != 0)] for m in (model, dressed)
    )
    np.testing.assert_array_equal(plain, shown)
    assert dressed.ngeom > model.ngeom


def test_a_missing_kitchen_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(scenes, "installed_assets", lambda: tmp_path)
    with pytest.raises(ArgumentError, match=r"gymnasium-robotics.* run: .*sim") as caught:
        scene()
    assert "pip install" in str(caught.value)
