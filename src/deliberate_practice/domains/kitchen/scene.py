"""The scene of Kitchen: FrankaKitchen's furniture as it is installed, with our Panda before it."""

from __future__ import annotations

import math
from pathlib import Path

import mujoco

from deliberate_practice.domains.kitchen.appearance import show_kitchen
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.robots.mujoco.impedance import Gains, add_impedance
from deliberate_practice.robots.mujoco.panda import add_panda, installed_assets
from deliberate_practice.robots.mujoco.room import add_touch_sensors, set_physics

PANDA = "panda_"
"""Prefix of the robot's names."""

BASE = (0.0, 0.0, 1.8)
"""Where FrankaKitchen's robot stands [m] ..."""

FACING = math.pi / 2
"""... and the direction it looks in [rad]: the kitchen is ahead in y, x points to the right."""

MOVED = {
    "bottom": "knob 2",
    "top": "knob 4",
    "light": "lightswitchroot",
    "slide": "slidelink",
    "hinge": "hingerightdoor",
    "microwave": "microdoorroot",
    "kettle": "kettle",
}
"""The body that is moved, by the variable of the task that changes with it."""

_MODEL = "envs/assets/kitchen_franka/kitchen_assets/kitchen_env_model.xml"


def scene(gains: Gains | None = None, visual: bool = False) -> mujoco.MjSpec:
    """Kitchen and robot; compile it with ``.compile()``.

    Args:
        gains: How stiffly the robot is controlled.
        visual: Whether to keep what only pictures need.

    Raises:
        ArgumentError: FrankaKitchen is not installed.
    """
    spec = mujoco.MjSpec.from_file(str(model_file()))
    spec.modelname = "kitchen"
    _empty(spec)
    set_physics(spec)
    if visual:
        show_kitchen(spec, BASE)
    else:
        _strip(spec)
    add_panda(spec, PANDA, BASE, visual=visual, yaw=FACING)
    add_touch_sensors(spec, ((f"{PANDA}hand", body) for body in MOVED.values()))
    add_impedance(spec, gains or Gains(), PANDA, FACING)
    return spec


def model_file() -> Path:
    """FrankaKitchen's model in the installed ``gymnasium_robotics``.

    Raises:
        ArgumentError: It is not there.
    """
    file = installed_assets() / _MODEL
    if not file.is_file():
        raise ArgumentError(
            "robot: the scene of the task 'kitchen' is FrankaKitchen's, from the package "
            f"gymnasium-robotics, which has no {_MODEL} here; run: " + install_command("sim")
        )
    return file


def _empty(spec: mujoco.MjSpec) -> None:
    """Take FrankaKitchen's own robot away, with its actuators and start."""
    for part in (*spec.keys, *spec.actuators):
        spec.delete(part)
    spec.delete(spec.body("panda0_link0").parent)


def _strip(spec: mujoco.MjSpec) -> None:
    """Delete everything that can only be seen: an attempt with its own gains copies the model."""
    for body in spec.bodies:
        for geom in body.geoms:
            if geom.contype or geom.conaffinity:
                geom.material = ""
            else:
                spec.delete(geom)
    for part in (*spec.meshes, *spec.materials, *spec.textures):
        spec.delete(part)
