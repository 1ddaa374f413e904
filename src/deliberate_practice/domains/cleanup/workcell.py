"""The simulated workcell of Cleanup: random starts, attempts of skills, and their scores."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from deliberate_practice.domains.cleanup.abstraction import (
    abstract,
    distance,
    off_centre,
    shared_place,
)
from deliberate_practice.domains.cleanup.scene import OURS, Cabinet, scene, slot, things
from deliberate_practice.domains.cleanup.skills import good, parts, primitives
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.attempt import Execution
from deliberate_practice.robots.mujoco.impedance import Gains
from deliberate_practice.robots.mujoco.panda import FINGER_JOINTS, FINGER_TRAVEL
from deliberate_practice.robots.mujoco.rendering import Camera
from deliberate_practice.robots.mujoco.room import TIMESTEP
from deliberate_practice.robots.mujoco.workcell import SimulatedWorkcell

NOISE = 0.004
"""Noise of calibration [m]; object poses are otherwise exact."""

HOME = np.array([0.0, -0.437, 0.0, -2.127, 0.0, 1.69, 0.785])
"""Joints between two skills [rad]: the hand looks down, in front of the cabinet and above it."""


class CleanupWorkcell(SimulatedWorkcell):
    """A robot, a cabinet and objects to put away, in physics.

    Args:
        objects: The number of objects, 1 or 4.
        gains: How stiffly the robot is controlled.
        noise: Error of the believed position of objects relative to the hand: standard deviation in
            every direction [m], drawn anew for every attempt.
        threads: How many processors a batch of attempts may use.
        timestep: Of the simulation [s].
        cabinet: Ours, or LIBERO's.
    """

    view = Camera(azimuth=-52.0)

    def __init__(
        self,
        objects: int = 1,
        gains: Gains | None = None,
        noise: float = NOISE,
        threads: int = 1,
        timestep: float = TIMESTEP,
        cabinet: Cabinet = OURS,
    ) -> None:
        self.things = things(objects)
        self.cabinet = cabinet
        gains = gains or Gains()
        model = scene(objects, gains, cabinet=cabinet).compile()
        model.opt.timestep = timestep
        super().__init__(model, primitives(objects), {"": HOME}, gains, noise, threads)
        self.arm = self.arms[""]

    def appearance(self) -> mujoco.MjModel:
        """The same scene as it should be drawn; states are those of the bare one."""
        return scene(len(self.things), self.gains, True, self.cabinet).compile()

    def camera(self, skill: str, state: FloatArray) -> Camera:
        """The object on the table, the inside of a drawer, or its front, from the lit side."""
        verb, names = parts(skill)
        data = self.world.view(state)
        if verb == "Pick":
            return Camera.at(data.body(names[0]).xpos, (0.06, 0.0, 0.14), 1.0, -75.0, -22.0)
        if verb == "Place":
            inside = data.site(f"{names[1]}_inside").xpos
            return Camera.at(inside, (-0.04, 0.0, 0.03), 0.75, -72.0, -38.0)
        half = self.cabinet.travel / 2 if verb == "Close" else -self.cabinet.travel / 2
        handle = data.site(f"{names[0]}_handle").xpos
        return Camera.at(handle, (half, 0.0, -0.02), 0.80, -66.0, -27.0)

    def reset(self, seed: int, where: Mapping[str, str] | None = None) -> FloatArray:
        """A random start: drawers and objects near their places, at rest, the hand empty.

        Args:
            seed: For everything random.
            where: Drawers that are not ``open``, and objects that are not on the ``table``.
        """
        rng = np.random.default_rng(seed)
        where = where or {}
        data = mujoco.MjData(self.model)
        data.qpos[self.arm.qpos_at] = HOME
        for joint in FINGER_JOINTS:
            data.joint(joint).qpos = FINGER_TRAVEL
        for drawer in DRAWERS:
            opening = self.cabinet.travel - rng.uniform(0.0, 0.03)
            data.joint(drawer).qpos = 0.0 if where.get(drawer) == "closed" else opening
        mujoco.mj_kinematics(self.model, data)
        for number, (name, thing) in enumerate(self.things.items()):
            place = where.get(name, "table")
            row = number - (len(self.things) - 1) / 2
            at, spread = np.array([0.40, 0.13 * row, 0.0]), 0.03
            if place in DRAWERS:
                at = data.site(f"{place}_inside").xpos.copy()
                at[:2] += slot(number, len(self.things))
                spread = 0.01
            at[:2] += rng.uniform(-spread, spread, 2)
            at[2] += thing.half_height - 1e-4  # in touch with what it stands on
            yaw = rng.uniform(-0.3, 0.3)
            data.joint(name).qpos = [*at, np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
        return self.world.state(data)

    def prepare(self, wanted: Mapping[str, str], seed: int) -> FloatArray:
        """A random start in any abstract state; an object in the hand is picked up.

        Args:
            wanted: Values of drawers that are not open and of objects that are not on the table.
                Drawers above a closed one are closed too unless stated otherwise, because closing a
                drawer needs that.
            seed: For everything random.
        """
        held = [name for name in self.things if wanted.get(name) == "hand"]
        lowest = max((DRAWERS.index(d) for d in DRAWERS if wanted.get(d) == "closed"), default=0)
        standing = dict.fromkeys(DRAWERS[:lowest], "closed")
        standing |= {name: value for name, value in wanted.items() if value != "hand"}
        picks = {f"Pick({name})": good(f"Pick({name})") for name in held}
        return self.prepared(wanted, seed, lambda seed: self.reset(seed, standing), picks)

    def around(self, skill: str, seed: int) -> Mapping[str, str]:
        """Random other objects in the drawer before a placement, each in one of two starts."""
        verb, names = parts(skill)
        if verb != "Place":
            return {}
        placed, drawer = names
        others = [name for name in self.things if name != placed]
        there = np.random.default_rng([seed, 1]).random(len(others)) < 0.5
        return {name: drawer for name, inside in zip(others, there, strict=True) if inside}

    def abstract(self, state: FloatArray) -> dict[str, str]:
        """The abstract state of a physical one."""
        return abstract(self.model, self.world.view(state), list(self.things), self.cabinet)

    def score(self, skill: str, success: bool, execution: Execution) -> float | None:
        """Score an attempt: a failed placement by its distance, a successful pick by its grasp.

        An object held by its edge is placed askew, so a grasp near its middle scores higher. Other
        successes have no score, and other failures neither: of six pushes mostly one moves a drawer
        at all, and ranking it first would leave to chance which others are among the best three.
        """
        verb, names = parts(skill)
        if verb == "Pick" and success:
            return -off_centre(self.world.view(execution.state), names[0])
        if verb != "Place" or success:
            return None
        name, drawer = names
        own = shared_place(list(self.things).index(name), len(self.things))
        return -distance(self.world.view(execution.state), name, drawer, own)

    def held(self, state: FloatArray) -> Mapping[str, str]:
        """The object in the hand, if there is one."""
        found = self.abstract(state)
        name = next((name for name in self.things if found[name] == "hand"), None)
        return {} if name is None else {"": name}
