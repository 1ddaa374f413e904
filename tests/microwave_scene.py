"""A microwave on a table, and a camera in front of it that can be put anywhere."""

from __future__ import annotations

import mujoco
import numpy as np

from deliberate_practice.domains.breakfast.microwave import add_microwave
from deliberate_practice.robots.mujoco.camera import FOVY
from deliberate_practice.robots.mujoco.room import set_physics

PLACE = (0.62, -0.25, 0.0)
EYE = (0.36, 0.19, 0.34)
"""From here the whole inner side is seen at every angle of the open door."""


def microwave_scene(yaw: float = 0.0) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.compiler.degree = 0
    set_physics(spec)
    spec.option.enableflags = mujoco.mjtEnableBit.mjENBL_ENERGY
    add_microwave(spec, PLACE, yaw)
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE, size=(2, 2, 0.1), rgba=(0.8, 0.66, 0.48, 1)
    )
    eye = spec.worldbody.add_body(name="eye", pos=EYE, mocap=True)
    eye.add_camera(name="eye", fovy=FOVY)
    return spec.compile()


def look_at(
    data: mujoco.MjData, target: tuple[float, float, float], eye: tuple[float, float, float] = EYE
) -> None:
    """Put the camera somewhere and turn it to a point, upright."""
    back = np.subtract(eye, target)
    back /= np.linalg.norm(back)
    right = np.cross((0, 0, 1), back)
    right /= np.linalg.norm(right)
    axes = np.column_stack([right, np.cross(back, right), back])
    data.mocap_pos[0] = eye
    mujoco.mju_mat2Quat(data.mocap_quat[0], axes.ravel())


def position(data: mujoco.MjData, joint: str) -> float:
    return float(data.joint(joint).qpos[0])
