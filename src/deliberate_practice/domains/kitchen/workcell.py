"""The simulated workcell of Kitchen: random starts, attempts of skills."""

from __future__ import annotations

import math
from collections.abc import Mapping

import mujoco
import numpy as np

from deliberate_practice.domains.kitchen.abstraction import (
    GOAL_JOINTS,
    JOINTS,
    KETTLE,
    abstract,
    published,
)
from deliberate_practice.domains.kitchen.scene import MOVED, PANDA, scene
from deliberate_practice.domains.kitchen.skills import primitives
from deliberate_practice.domains.kitchen.task import SKILLS, VARIABLES
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.attempt import Execution
from deliberate_practice.robots.mujoco.impedance import Gains
from deliberate_practice.robots.mujoco.panda import FINGER_JOINTS, FINGER_TRAVEL
from deliberate_practice.robots.mujoco.primitive import Vector
from deliberate_practice.robots.mujoco.rendering import Camera
from deliberate_practice.robots.mujoco.room import TIMESTEP, touch_sensor
from deliberate_practice.robots.mujoco.workcell import SimulatedWorkcell

NOISE = 0.003
"""Noise of calibration [m]; poses are otherwise exact."""

GRIP_FORCE = 45.0
"""Of each finger [N]."""

HOME = np.array([0.0, -0.585, 0.0, -2.736, 0.0, 2.413, 0.785])
"""Joints between two skills [rad]: the hand is low, so that an open door does not catch the arm."""

SHIFT, TURN = 0.02, 0.15
"""How far the kettle is from its place at most [m], [rad]."""

REST = {
    "light": (-0.03, -0.66),
    "top": (-0.05, -0.9),
    "bottom": (-0.05, -0.9),
    "microwave": (-0.02, -0.9),
    "slide": (0.01, 0.37),
    "hinge": (0.02, 1.4),
}
"""By variable: how far a thing at rest is from its place at most, and where it is after its skill
[m, rad]."""

SEEN: Mapping[str, tuple[str, Vector, float, float, float]] = {
    "Flip(light)": ("light_site", (0.06, -0.10, -0.02), 0.80, 36.0, -12.0),
    "Turn(top)": ("knob4_site", (0.02, -0.10, -0.04), 0.80, 40.0, -10.0),
    "Turn(bottom)": ("knob2_site", (0.02, -0.10, -0.02), 0.80, 42.0, -10.0),
    "Push(kettle)": ("kettle_site", (0.06, 0.15, -0.06), 1.05, 45.0, -26.0),
    "Open(microwave)": ("microhandle_site", (0.05, -0.10, 0.08), 1.15, 68.0, -28.0),
    "Slide(cabinet)": ("slide_site", (0.12, -0.10, -0.08), 1.20, 48.0, -6.0),
    "Open(hinge)": ("hinge_site2", (0.22, -0.10, -0.10), 1.25, 60.0, -6.0),
}
"""From where each skill is seen, see ``SimulatedWorkcell.seen``."""


class KitchenWorkcell(SimulatedWorkcell):
    """A robot in FrankaKitchen's kitchen.

    Args:
        gains: How stiffly the robot is controlled.
        noise: Error of the believed position of things relative to the hand: standard deviation in
            every direction [m], drawn anew for every attempt.
        threads: How many processors a batch of attempts may use.
        timestep: Of the simulation [s].
    """

    view = Camera(lookat=(-0.22, 0.50, 2.14), distance=2.0, azimuth=66.0, elevation=-13.0)
    seen = SEEN
    watched = tuple(touch_sensor(f"{PANDA}hand", body) for body in MOVED.values())

    def __init__(
        self,
        gains: Gains | None = None,
        noise: float = NOISE,
        threads: int = 1,
        timestep: float = TIMESTEP,
    ) -> None:
        gains = gains or Gains(grip_force=GRIP_FORCE)
        model = scene(gains).compile()
        model.opt.timestep = timestep
        super().__init__(model, primitives(), {PANDA: HOME}, gains, noise, threads)

    def appearance(self) -> mujoco.MjModel:
        """The same scene as it should be drawn; states are those of the bare one."""
        return scene(self.gains, visual=True).compile()

    def reset(self, seed: int, where: Mapping[str, str] | None = None) -> FloatArray:
        """A random start: everything near its place, at rest, the hand empty.

        Args:
            seed: For everything random.
            where: Values of variables that differ from the task's start.
        """
        rng = np.random.default_rng(seed)
        where = where or {}
        data = mujoco.MjData(self.model)
        data.qpos[self.arms[PANDA].qpos_at] = HOME
        for joint in FINGER_JOINTS:
            data.joint(PANDA + joint).qpos = FINGER_TRAVEL
        for name, (joint, *_) in JOINTS.items():
            moved = where.get(name) == VARIABLES[name][1]
            spread, end = REST[name]
            data.joint(joint).qpos = spread * rng.uniform() + (end if moved else 0.0)
        self._couple(data)
        x, y = np.add(KETTLE[where.get("kettle", "bottom")], rng.uniform(-SHIFT, SHIFT, 2))
        yaw = rng.uniform(-TURN, TURN)
        data.joint("kettle").qpos = [x, y, 1.6154, math.cos(yaw / 2), 0, 0, math.sin(yaw / 2)]
        return self.world.state(data)

    def _couple(self, data: mujoco.MjData) -> None:
        """Put the burners and the lamp where their knobs and the switch hold them."""
        for name, (joint, *others) in GOAL_JOINTS.items():
            if name in ("light", "top", "bottom"):
                coupled = self.model.eq_obj1id == self.model.joint(joint).id
                ratio = float(self.model.eq_data[coupled, 1][0])
                data.joint(others[0]).qpos = data.joint(joint).qpos[0] / ratio

    def prepare(self, wanted: Mapping[str, str], seed: int) -> FloatArray:
        """A random start in any abstract state.

        Args:
            wanted: Values of variables that differ from the task's start.
            seed: For everything random.
        """
        return self.prepared(wanted, seed, lambda seed: self.reset(seed, wanted))

    def abstract(self, state: FloatArray) -> dict[str, str]:
        """The abstract state of a physical one."""
        return abstract(self.world.view(state))

    def touch(self, skill: str) -> str:
        """The hand touches what the skill moves."""
        return touch_sensor(f"{PANDA}hand", MOVED[SKILLS[skill]])

    def measured(self, skill: str, execution: Execution) -> Mapping[str, float]:
        """Whether FrankaKitchen's own rule calls the subtask done."""
        positions = np.array(self.world.view(execution.state).qpos)
        return {"published": float(published(positions, self.model)[SKILLS[skill]])}

    def held(self, state: FloatArray) -> Mapping[str, str]:
        """Nothing is ever carried."""
        return {}
