"""A Panda with a table, a wall with a gap beside it, and a block, for tests of motion."""

from __future__ import annotations

import mujoco
import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.panda import READY, ROBOT, SCENE, panda

LEFT = np.array([0.7, 0.4, 0.0, -1.9, 0.0, 2.3, 0.8])
RIGHT = np.array([-0.7, 0.4, 0.0, -1.9, 0.0, 2.3, 0.8])


def course() -> mujoco.MjModel:
    """The wall stands between the configurations LEFT and RIGHT."""
    spec = panda(visual=False)
    world = spec.worldbody
    for name, at, size in (
        ("table", (0.5, 0.0, -0.02), (0.5, 0.6, 0.02)),
        ("wall", (0.6, 0.0, 0.2), (0.2, 0.01, 0.2)),
    ):
        body = world.add_body(name=name, pos=at)
        _solid(body, size)
    block = world.add_body(name="block", pos=(0.45, 0.35, 0.03))
    block.add_freejoint(name="block")
    _solid(block, (0.02, 0.02, 0.03))
    return spec.compile()


def start(model: mujoco.MjModel) -> FloatArray:
    """Positions with the arm ready and the fingers open."""
    data = mujoco.MjData(model)
    data.qpos[:7] = READY
    data.qpos[7:9] = 0.04
    return np.array(data.qpos)


def _solid(body: mujoco.MjsBody, size: tuple[float, float, float]) -> None:
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, size=size, contype=SCENE, conaffinity=ROBOT | SCENE
    )
