"""From physics to the abstract state of Kitchen, and FrankaKitchen's own measure of success."""

from __future__ import annotations

import math
from collections.abc import Mapping

import mujoco
import numpy as np

from deliberate_practice.domains.kitchen.task import VARIABLES
from deliberate_practice.foundation.arrays import FloatArray

BROKEN = "broken"
"""The value without an abstract state: a door ajar, a knob half turned, a kettle on its side."""

JOINTS = {
    "light": ("light_switch", -0.05, -0.60),
    "top": ("knob_Joint_4", -0.10, -0.75),
    "bottom": ("knob_Joint_2", -0.10, -0.75),
    "microwave": ("microwave", -0.05, -0.65),
    "slide": ("slide_cabinet", 0.02, 0.30),
    "hinge": ("right_hinge_cabinet", 0.05, 1.25),
}
"""By variable: the joint, up to where it has its first value, and from where on its second."""

KETTLE = {"bottom": (-0.269, 0.35), "top": (-0.23, 0.75)}
"""Where the kettle starts, and the published goal [m]."""

NEAR = 0.10
"""How far from there it may stand [m]."""

STANDING, UPRIGHT = (1.59, 1.66), math.cos(math.radians(15))
"""Heights of the kettle's frame and the vertical component of its axis while it stands."""

GOALS: Mapping[str, tuple[float, ...]] = {
    "light": (-0.69, -0.05),
    "top": (-0.92, -0.01),
    "bottom": (-0.88, -0.01),
    "kettle": (-0.23, 0.75, 1.62, 0.99, 0.0, 0.0, -0.06),
    "microwave": (-0.75,),
    "slide": (0.37,),
    "hinge": (0.0, 1.45),
}
"""FrankaKitchen's published goals: positions of the joints below [m, rad]."""

GOAL_JOINTS: Mapping[str, tuple[str, ...]] = {
    "light": ("light_switch", "light_joint"),
    "top": ("knob_Joint_4", "top_left_burner"),
    "bottom": ("knob_Joint_2", "bottom_left_burner"),
    "kettle": ("kettle",),
    "microwave": ("microwave",),
    "slide": ("slide_cabinet",),
    "hinge": ("left_hinge_cabinet", "right_hinge_cabinet"),
}

THRESHOLD = 0.3
"""The published distance up to which a subtask counts as done."""


def abstract(data: mujoco.MjData) -> dict[str, str]:
    """The abstract state of forwarded physics: a value for every variable."""
    return {name: _kettle(data) if name == "kettle" else _moved(data, name) for name in VARIABLES}


def published(positions: FloatArray, model: mujoco.MjModel) -> dict[str, bool]:
    """Whether each subtask is done by FrankaKitchen's rule.

    Args:
        positions: Of the whole model (``qpos``).
        model: The compiled scene.
    """
    return {
        name: float(np.linalg.norm(_at(positions, model, name) - goal)) < THRESHOLD
        for name, goal in GOALS.items()
    }


def _at(positions: FloatArray, model: mujoco.MjModel, name: str) -> FloatArray:
    places = [model.joint(joint).qposadr[0] for joint in GOAL_JOINTS[name]]
    count = 7 if name == "kettle" else 1
    return np.concatenate([positions[place : place + count] for place in places])


def _moved(data: mujoco.MjData, name: str) -> str:
    joint, before, after = JOINTS[name]
    at, sign = float(data.joint(joint).qpos[0]), math.copysign(1.0, after)
    first, second = VARIABLES[name]
    if sign * at >= sign * after:
        return second
    return first if sign * at <= sign * before else BROKEN


def _kettle(data: mujoco.MjData) -> str:
    kettle = data.body("kettle")
    low, high = STANDING
    if low < kettle.xpos[2] < high and kettle.xmat[8] > UPRIGHT:
        for burner, place in KETTLE.items():
            if math.dist(kettle.xpos[:2], place) < NEAR:
                return burner
    return BROKEN
