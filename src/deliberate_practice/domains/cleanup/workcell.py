"""The simulated workcell of Cleanup: random starts, attempts of skills, and their scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import mujoco
import numpy as np

from deliberate_practice.domains.cleanup.abstraction import abstract, gripped
from deliberate_practice.domains.cleanup.cabinet import OURS, Cabinet
from deliberate_practice.domains.cleanup.scene import scene, slot, things
from deliberate_practice.domains.cleanup.skills import parts, primitives
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.attempt import Attempt
from deliberate_practice.robots.mujoco.impedance import Gains
from deliberate_practice.robots.mujoco.motion import hold
from deliberate_practice.robots.mujoco.panda import FINGER_JOINTS, FINGER_TRAVEL, TOOL
from deliberate_practice.robots.mujoco.rendering import Camera
from deliberate_practice.robots.mujoco.room import TIMESTEP, touch_sensor
from deliberate_practice.robots.mujoco.workcell import Sight, SimulatedWorkcell

NOISE = 0.003
"""Noise of calibration [m]; object poses are otherwise exact."""

GRIP = 40.0
"""The force of a finger [N]."""

HANDED = 0.012
"""How far off its middle the hand may hold an object that somebody puts into it [m]."""

CLOSING = 0.25
"""How long it takes to close on it [s]."""

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
        friction: Factor on all friction, for comparisons.
        aside: How far the cabinet stands to the left of its place [m], likewise.
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
        friction: float = 1.0,
        aside: float = 0.0,
    ) -> None:
        self.things = things(objects)
        self.cabinet = cabinet
        self.aside = aside
        gains = gains or Gains(grip_force=GRIP)
        model = self._aside(scene(objects, gains, cabinet=cabinet).compile())
        for rubbing in (model.geom_friction, model.pair_friction, model.dof_frictionloss):
            rubbing *= friction
        self.watched = tuple(map(self.touch, primitives(objects)))
        model.opt.timestep = timestep
        super().__init__(model, primitives(objects), {"": HOME}, gains, noise, threads)
        self.arm = self.arms[""]

    def appearance(self) -> mujoco.MjModel:
        """The same scene as it should be drawn; states are those of the bare one."""
        return self._aside(scene(len(self.things), self.gains, True, self.cabinet).compile())

    def _aside(self, model: mujoco.MjModel) -> mujoco.MjModel:
        model.body("cabinet").pos[1] += self.aside
        return model

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
            opening = self.cabinet.travel - rng.uniform(0.0, 0.02)
            data.joint(drawer).qpos = 0.0 if where.get(drawer) == "closed" else opening
        mujoco.mj_kinematics(self.model, data)
        for number, (name, thing) in enumerate(self.things.items()):
            place = where.get(name, "table")
            row = number - (len(self.things) - 1) / 2
            at, spread = np.array([0.35, 0.14 * row, 0.0]), 0.03
            if place in DRAWERS:
                at = data.site(f"{place}_inside").xpos.copy()
                at[:2] += slot(number, len(self.things))
                spread = 0.008
            at[:2] += rng.uniform(-spread, spread, 2)
            at[2] += thing.half_height - 1e-4  # in touch with what it stands on
            yaw = rng.uniform(-0.3, 0.3) * (1.0 if place == "table" else 0.3)
            data.joint(name).qpos = [*at, np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
        return self.world.state(data)

    def prepare(self, wanted: Mapping[str, str], seed: int) -> FloatArray:
        """A random start in any abstract state; somebody puts an object into the hand.

        Args:
            wanted: Values of drawers that are not open and of objects that are not on the table.
                Drawers above a closed one are closed too unless stated otherwise, because closing a
                drawer needs that.
            seed: For everything random.
        """
        lowest = max((DRAWERS.index(d) for d in DRAWERS if wanted.get(d) == "closed"), default=0)
        standing = dict.fromkeys(DRAWERS[:lowest], "closed") | dict(wanted)
        return self.prepared(wanted, seed, lambda seed: self._handed(seed, standing))

    def _handed(self, seed: int, where: Mapping[str, str]) -> FloatArray:
        """A start, where the hand closes on the object that somebody holds between its fingers."""
        held = next((name for name in self.things if where.get(name) == "hand"), None)
        state = self.reset(seed, {name: value for name, value in where.items() if value != "hand"})
        if held is None:
            return state
        data, thing = self.world.view(state), self.things[held]
        rng = np.random.default_rng([seed, 2])
        x, z = rng.uniform(-1.0, 1.0, 2) * HANDED
        at = data.site(TOOL).xpos + np.array([x, 0.0, z])
        yaw = rng.uniform(-0.05, 0.05)
        data.joint(held).qpos = [*at, np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
        for joint in FINGER_JOINTS:
            data.joint(joint).qpos = thing.size[1] + 0.001
        closing = np.repeat(
            hold(self.arm, HOME, 0.0)[None], round(CLOSING / self.world.timestep), 0
        )
        return self.world.run(self.world.state(data), closing)

    def see(self, attempt: Attempt) -> Sight:
        """Poses with noise; what is in the hand is seen there, and placed where it belongs."""
        sight = super().see(attempt)
        verb, names = parts(attempt.skill)
        if verb != "Place":
            return sight
        data = self.world.view(attempt.state)
        offset = data.site(TOOL).xpos - data.body(names[0]).xpos
        return replace(sight, origin=sight.origin + offset)

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
        return abstract(self.model, self.world.view(state), self.things, self.cabinet)

    def touch(self, skill: str) -> str:
        """The hand touches a drawer or an object; a placed object touches its drawer."""
        verb, names = parts(skill)
        return touch_sensor(*names) if verb == "Place" else touch_sensor("hand", names[0])

    def held(self, state: FloatArray) -> Mapping[str, str]:
        """The object in the hand, if there is one."""
        name = gripped(self.model, self.world.view(state), self.things)
        return {} if name is None else {"": name}
