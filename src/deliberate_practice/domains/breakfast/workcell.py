"""The simulated workcell of Breakfast: random starts, perception, attempts of skills."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

import mujoco
import numpy as np

from deliberate_practice.domains.breakfast.abstraction import abstract
from deliberate_practice.domains.breakfast.microwave import DOOR
from deliberate_practice.domains.breakfast.perception import NotSeen, PerceivedDoor
from deliberate_practice.domains.breakfast.scene import (
    ACTS_ON,
    BOWL,
    BREAD,
    LEFT,
    PERCEIVED_DOOR,
    PRESSED,
    RACK,
    RACK_BASE,
    RACK_JOINTS,
    RIGHT,
    scene,
)
from deliberate_practice.domains.breakfast.skills import close_microwave, good, primitives
from deliberate_practice.domains.breakfast.toaster import CAUGHT
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.attempt import Attempt, Execution
from deliberate_practice.robots.mujoco.collisions import Box
from deliberate_practice.robots.mujoco.impedance import Gains
from deliberate_practice.robots.mujoco.panda import FINGER_JOINTS, FINGER_TRAVEL
from deliberate_practice.robots.mujoco.primitive import Vector
from deliberate_practice.robots.mujoco.rendering import Camera
from deliberate_practice.robots.mujoco.room import TIMESTEP, touch_sensor
from deliberate_practice.robots.mujoco.workcell import Sight, SimulatedWorkcell, Unperceived

NOISE = 0.002
"""Noise of calibration [m]; the poses of bread, bowl and appliances are otherwise exact."""

GRIP_FORCE = 30.0
"""Of each finger [N]: enough for a full bowl, not too much for bread."""

HOMES = {
    # From here the camera at the left wrist sees the inside of the open door.
    LEFT: np.array([0.231, -0.786, 0.021, -2.685, -1.148, 1.747, 2.637]),
    RIGHT: np.array([0.0, -0.985, 0.0, -2.398, 0.0, 1.937, 0.785]),
}
"""Joints between two skills [rad]."""

OPENINGS = (math.radians(80), math.radians(105))
"""Range of the angle to which the door springs open [rad]."""

BOWL_YAW = -0.6
"""How the bowl stands, give or take [rad]: its handle points to the right robot."""

SHIFT, TURN = 0.03, 0.2
"""How far bread and bowl are from their places at most [m], [rad]."""

MOVED = {"StartToaster": "lever", "OpenMicrowave": "button"}
"""The joint that a skill presses."""

LOOKING = ("PlaceBowl", "CloseMicrowave")
"""Skills that begin with a look at the door."""

SEEN: Mapping[str, tuple[str, Vector, float, float, float]] = {
    "PickBread": ("slot", (-0.14, 0.12, -0.02), 0.85, -115.0, -25.0),
    "PlaceBread": ("slot", (0.0, 0.0, 0.04), 0.70, -112.0, -32.0),
    "StartToaster": ("lever", (0.02, 0.0, 0.0), 0.55, -78.0, -20.0),
    "OpenMicrowave": ("button", (-0.02, -0.04, 0.01), 0.60, -82.0, -20.0),
    "PickBowl": ("microwave_inside", (-0.36, -0.48, -0.10), 0.85, 62.0, -30.0),
    "PlaceBowl": ("microwave_inside", (-0.12, 0.0, 0.06), 0.85, -35.0, -26.0),
    "CloseMicrowave": ("microwave_inside", (-0.20, 0.0, 0.08), 0.95, -35.0, -45.0),
}
"""From where each skill is seen, see ``SimulatedWorkcell.seen``."""

Look: TypeAlias = Callable[[FloatArray, int], PerceivedDoor | NotSeen]
"""What is seen of the open door in a state; the seed decides everything random."""


class BreakfastWorkcell(SimulatedWorkcell):
    """Two robots, a toaster and a microwave, in physics.

    Args:
        gains: How stiffly the robots are controlled.
        noise: Error of the believed position of objects relative to the hand: standard deviation in
            every direction [m], drawn anew for every attempt.
        threads: How many processors a batch of attempts may use.
        timestep: Of the simulation [s].
        look: Perceives the open door, such as ``perception.DoorCamera``; it can also be set later.
            By default the true door with small errors.
    """

    view = Camera(lookat=(0.45, -0.05, 0.16), distance=1.9, azimuth=30.0, elevation=-44.0)
    seen = SEEN
    watched = (*PRESSED, *(touch_sensor(*pair) for pair in ACTS_ON.values()))
    carrying_speed = 0.5  # faster, the bowl's handle can slip out of the fingers at a turn

    def __init__(
        self,
        gains: Gains | None = None,
        noise: float = NOISE,
        threads: int = 1,
        timestep: float = TIMESTEP,
        look: Look | None = None,
    ) -> None:
        gains = gains or Gains(grip_force=GRIP_FORCE)
        model, planning = (scene(gains, planning=believed).compile() for believed in (False, True))
        model.opt.timestep = planning.opt.timestep = timestep
        super().__init__(model, primitives(), HOMES, gains, noise, threads, planning)
        self.look = look or self._told
        self._door_at = int(model.joint("door").qposadr[0])
        self._hinge = self._frame_of("door", self.reset(0))

    def appearance(self) -> mujoco.MjModel:
        """The same scene as it should be drawn; states are those of the bare one."""
        return scene(self.gains, visual=True).compile()

    def reset(self, seed: int, where: Mapping[str, str] | None = None) -> FloatArray:
        """A random start: everything near its place, at rest, hands empty, the door closed.

        Args:
            seed: For everything random.
            where: Values of variables that differ from the task's start; nothing is in a hand.
        """
        rng = np.random.default_rng(seed)
        where = where or {}
        data = mujoco.MjData(self.model)
        for prefix, home in self.homes.items():
            data.qpos[self.arms[prefix].qpos_at] = home
            for finger in FINGER_JOINTS:
                data.joint(prefix + finger).qpos = FINGER_TRAVEL
        opening = rng.uniform(*OPENINGS)
        data.joint("check").qpos = opening
        data.joint("door").qpos = opening if where.get("door") == "open" else 0.0
        data.joint("lever").qpos = CAUGHT if where.get("toaster") == "on" else 0.0
        mujoco.mj_kinematics(self.model, data)
        _put_bread(data, where.get("bread") == "toaster", rng)
        _put_bowl(data, where.get("bowl") == "microwave", rng)
        return self.world.state(data)

    def prepare(self, wanted: Mapping[str, str], seed: int) -> FloatArray:
        """A random start in any abstract state; an object in a hand is picked up.

        Args:
            wanted: Values of variables that differ from the task's start.
            seed: For everything random.
        """
        picks = {"bread": "PickBread", "bowl": "PickBowl"}
        skills = {picks[name]: good(picks[name]) for name in picks if wanted.get(name) == "gripper"}
        standing = {name: value for name, value in wanted.items() if value != "gripper"}
        return self.prepared(wanted, seed, lambda seed: self.reset(seed, standing), skills)

    def abstract(self, state: FloatArray) -> dict[str, str]:
        """The abstract state of a physical one."""
        return abstract(self.model, self.world.view(state))

    def score(self, skill: str, success: bool, execution: Execution) -> float | None:
        """Score an attempt: a success scores higher with less force.

        A failed press scores higher the farther it pressed [mm]. Other failures have no score: a
        door that does not latch springs back, however far it was pushed.
        """
        if success:
            return -execution.force
        pressed = execution.reached.get(MOVED.get(skill, ""))
        return None if pressed is None else round(1000 * pressed)

    def touch(self, skill: str) -> str:
        """The hand touches what it presses, pushes or picks; what it places touches its place."""
        return touch_sensor(*ACTS_ON[skill])

    def held(self, state: FloatArray) -> Mapping[str, str]:
        """Bread in the left hand, the bowl in the right one."""
        found = self.abstract(state)
        bodies = {LEFT: "bread", RIGHT: "bowl"}
        return {prefix: name for prefix, name in bodies.items() if found[name] == "gripper"}

    def see(self, attempt: Attempt) -> Sight:
        """Object poses with noise; the open door as it is perceived."""
        sight = super().see(attempt)
        if attempt.skill not in LOOKING:
            return sight
        seed = int(np.random.SeedSequence([attempt.seed, 1]).generate_state(1)[0])
        door = self.look(attempt.state, seed)
        if isinstance(door, NotSeen):
            raise Unperceived(f"the door was not perceived: {door.reason}.")
        box = Box(door.position, door.quaternion, door.half_sizes)
        sight = replace(sight, boxes={PERCEIVED_DOOR: box})
        if attempt.skill != "CloseMicrowave":
            return sight
        # Of where the door is only the error of calibration is kept, the rest is what was seen.
        error = sight.origin - self._frame_of("door", attempt.state)
        return replace(sight, primitive=close_microwave(door), origin=door.point(0, 0, 0) + error)

    def obstacles(
        self, state: FloatArray, sight: Sight, after: bool
    ) -> tuple[FloatArray, Mapping[str, Box]]:
        """The door in the planner's scene, which is known from perception only.

        A closed door is at the microwave. An open door that was not perceived, or was pushed since,
        may be at any angle to which it springs.
        """
        qpos, boxes = super().obstacles(state, sight, after)
        qpos[self._door_at] = 0.0
        pushed = after and sight.primitive.frame == "door"
        if boxes and not pushed:
            return qpos, boxes
        shut = self.abstract(state)["door"] == "closed"
        return qpos, {PERCEIVED_DOOR: self._box((0.0, 0.0) if shut else OPENINGS)}

    def _told(self, state: FloatArray, seed: int) -> PerceivedDoor | NotSeen:
        """The true door with errors like those of a good camera: 2 mm and half a degree."""
        rng = np.random.default_rng(seed)
        data = self.world.view(state)
        angle = float(data.joint("door").qpos[0]) + math.radians(0.5) * rng.standard_normal()
        box = self._box((angle, angle))
        x, y, z = (np.array(box.position) + 0.002 * rng.standard_normal(3)).tolist()
        thickness, width, height = DOOR
        return PerceivedDoor(angle, (x, y, z), box.quaternion, width, height, thickness, (), 0.0)

    def _box(self, angles: tuple[float, float]) -> Box:
        """A box that covers the door at all angles between two."""
        thickness, width, height = DOOR
        heading = sum(angles) / 2  # the closed door looks along x
        sweep = width * math.sin((angles[1] - angles[0]) / 2)
        inwards = np.array([math.cos(heading), math.sin(heading), 0.0])
        along = np.array([-inwards[1], inwards[0], 0.0])
        x, y, z = (self._hinge - inwards * thickness / 2 + along * width / 2).tolist()
        turn = (math.cos(heading / 2), 0.0, 0.0, math.sin(heading / 2))
        return Box((x, y, z), turn, (thickness / 2 + sweep, width / 2, height / 2))

    def _frame_of(self, name: str, state: FloatArray) -> FloatArray:
        return np.array(self.world.view(state).body(name).xpos)


def _put_bread(data: mujoco.MjData, toaster: bool, rng: np.random.Generator) -> None:
    """The rack, and the slice in it or in the toaster."""
    x, y = rng.uniform(-SHIFT, SHIFT, 2)
    yaw = rng.uniform(-TURN, TURN)
    for joint, value in zip(RACK_JOINTS, (x, y, yaw), strict=True):
        data.joint(joint).qpos = value
    at = np.array([RACK[0] + x, RACK[1] + y, RACK_BASE])
    if toaster:
        at = np.array(data.site("slot").xpos)
        at[:2] += rng.uniform(-0.005, 0.005, 2)
        yaw = rng.uniform(-0.03, 0.03)
    at[2] += BREAD[2] / 2
    _put(data, "bread", at, yaw)


def _put_bowl(data: mujoco.MjData, microwave: bool, rng: np.random.Generator) -> None:
    x, y = np.add(BOWL, rng.uniform(-SHIFT, SHIFT, 2))
    at, yaw = np.array([x, y, 0.0]), BOWL_YAW + rng.uniform(-TURN, TURN)
    if microwave:
        at = np.array(data.site("microwave_inside").xpos)
        at[:2] += rng.uniform(-0.01, 0.01, 2)
        yaw = rng.uniform(-0.1, 0.1)
    _put(data, "bowl", at, yaw)


def _put(data: mujoco.MjData, name: str, at: FloatArray, yaw: float) -> None:
    x, y, z = at
    turn = (math.cos(yaw / 2), 0, 0, math.sin(yaw / 2))
    data.joint(name).qpos = [x, y, z - 1e-4, *turn]  # in touch with what it stands on
