"""The simulated workcell of Cleanup: sampled starts, attempts of skills, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mujoco
import numpy as np

from deliberate_practice.domains.cleanup.abstraction import abstract
from deliberate_practice.domains.cleanup.scene import OURS, Cabinet, scene, slot, things
from deliberate_practice.domains.cleanup.skills import good, primitives
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.errors import ArgumentError, choose_from
from deliberate_practice.robots.mujoco.attempt import Attempt
from deliberate_practice.robots.mujoco.impedance import Gains
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.motion_planning import MotionPlanner, NoPath
from deliberate_practice.robots.mujoco.panda import FINGER_JOINTS, FINGER_TRAVEL
from deliberate_practice.robots.mujoco.primitive import Motion, build, frame_position, go
from deliberate_practice.robots.mujoco.trajectory import follow
from deliberate_practice.robots.mujoco.world import World
from deliberate_practice.task.mdp import FloatArray

TIMESTEP = 0.004
"""Of the simulation [s]; benchmarks/simulation.py compares it with finer ones."""

NOISE = 0.004
"""Of calibration [m]; where things are, the simulator tells exactly."""

HOME = np.array([0.0, -0.437, 0.0, -2.127, 0.0, 1.69, 0.785])
"""Joints between two skills [rad]: the hand looks down, in front of the cabinet and above it."""

SPEED = 0.8
"""Of free motion, as a fraction of the joints' limits."""

WAIT = 0.5
"""How long the arm stands still if there is no way home [s]."""

PREPARATIONS = 20
"""How often a start is prepared anew until it is what was asked for."""


class CleanupWorkcell:
    """A robot, a cabinet and things to put away, in physics.

    Args:
        objects: How many things there are, 1 or 4.
        gains: How stiffly the robot is controlled.
        noise: How far hand and things are from where the robot believes them to be relative to
            each other: standard deviation in every direction [m], drawn anew for every attempt.
        threads: How many processors a batch of attempts may use.
        timestep: Of the simulation [s].
        cabinet: Ours, or LIBERO's.
    """

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
        self.primitives = primitives(objects)
        self.gains = gains or Gains()
        self.noise = noise
        self.cabinet = cabinet
        self.model = scene(objects, self.gains, cabinet=cabinet).compile()
        self.model.opt.timestep = timestep
        self.world = World(self.model, threads)
        self.arm = Arm(self.model)
        self.planner = MotionPlanner(self.arm)

    def appearance(self) -> mujoco.MjModel:
        """The same scene as it should be drawn; states are those of the bare one."""
        return scene(len(self.things), self.gains, True, self.cabinet).compile()

    def reset(self, seed: int, where: Mapping[str, str] | None = None) -> FloatArray:
        """A start: drawers and things in their places, give or take, at rest, the hand empty.

        Args:
            seed: For everything random.
            where: Drawers that are not ``open``, things that are not on the ``table``.
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
        """A start in an abstract state, whatever it is; a thing in the hand is picked up.

        Args:
            wanted: Value of each drawer and thing that is not open, or not on the table. Drawers
                above a closed one are closed too unless it says otherwise, since closing a drawer
                needs that.
            seed: For everything random.
        """
        held = [name for name in self.things if wanted.get(name) == "hand"]
        lowest = max((DRAWERS.index(d) for d in DRAWERS if wanted.get(d) == "closed"), default=0)
        standing = dict.fromkeys(DRAWERS[:lowest], "closed")
        standing |= {name: value for name, value in wanted.items() if value != "hand"}
        for trial in range(PREPARATIONS):
            seeds = np.random.SeedSequence([seed, trial]).generate_state(2)
            state = self.reset(int(seeds[0]), standing)
            for name in held:
                pick = f"Pick({name})"
                state = self.attempt(Attempt(state, pick, good(pick), int(seeds[1])))
            found = self.abstract(state)
            if all(found[name] == value for name, value in wanted.items()):
                return state
        raise ArgumentError(f"no start with {dict(wanted)} came about in {PREPARATIONS} attempts.")

    def abstract(self, state: FloatArray) -> dict[str, str]:
        """The abstract state of a physical one."""
        return abstract(self.model, self.world.view(state), list(self.things), self.cabinet)

    def attempt(self, attempt: Attempt) -> FloatArray:
        """The state after executing a skill."""
        return self.attempt_all([attempt])[0]

    def attempt_all(self, attempts: Sequence[Attempt]) -> list[FloatArray]:
        """The state after each of several independent executions, as if one by one.

        An attempt for which there is no path leaves everything as it is.
        """
        states = [attempt.state for attempt in attempts]
        motions = [self._motion_or_none(attempt) for attempt in attempts]
        going = [index for index, motion in enumerate(motions) if motion is not None]
        for index, state in zip(
            going,
            self.world.run_all(
                [states[index] for index in going],
                [motion.controls for motion in motions if motion is not None],
            ),
            strict=True,
        ):
            states[index] = state
        homeward = [self.homeward(states[index], attempts[index].skill) for index in going]
        for index, state in zip(
            going, self.world.run_all([states[index] for index in going], homeward), strict=True
        ):
            states[index] = state
        return states

    def trajectory(self, attempt: Attempt) -> FloatArray:
        """The state after every step of an execution; the start alone if there is no path."""
        motion = self._motion_or_none(attempt)
        if motion is None:
            return attempt.state[None]
        there = self.world.trajectory(attempt.state, motion.controls)
        home = self.world.trajectory(there[-1], self.homeward(there[-1], attempt.skill))
        return np.concatenate([there, home])

    def motion(self, attempt: Attempt) -> Motion:
        """The controls of a skill up to the end of its interaction.

        Raises:
            NoPath: The arm cannot go to where the interaction begins.
        """
        if attempt.skill not in self.primitives:
            raise ArgumentError("skill: " + choose_from(attempt.skill, self.primitives))
        primitive = self.primitives[attempt.skill]
        data = self.world.view(attempt.state)
        qpos = np.array(data.qpos)
        rng = np.random.default_rng(attempt.seed)
        origin = frame_position(self.model, data, primitive.frame)
        held = self._held(attempt.state)

        def free_path(start: FloatArray, end: FloatArray) -> FloatArray:
            return self._follow(self.planner.plan(qpos, start, end, held))

        return build(
            primitive,
            attempt.values,
            origin + self.noise * rng.standard_normal(3),
            self.arm,
            qpos[self.arm.qpos_at],
            HOME,
            free_path,
            self.gains,
        )

    def homeward(self, state: FloatArray, skill: str) -> FloatArray:
        """The controls that bring the arm home after the interaction of a skill."""
        data = self.world.view(state)
        qpos, joints = np.array(data.qpos), np.array(data.qpos[self.arm.qpos_at])
        try:
            path = self._follow(self.planner.plan(qpos, joints, HOME, self._held(state)))
        except NoPath:  # stay; what is in the way the next skill will see
            path = np.repeat(joints[None], round(WAIT / self.world.timestep), axis=0)
        return go(self.arm, path, self.primitives[skill].waypoints[-1].width, self.gains)

    def _follow(self, path: FloatArray) -> FloatArray:
        return follow(path, self.world.timestep, SPEED)

    def _held(self, state: FloatArray) -> str | None:
        found = self.abstract(state)
        return next((name for name in self.things if found[name] == "hand"), None)

    def _motion_or_none(self, attempt: Attempt) -> Motion | None:
        try:
            return self.motion(attempt)
        except NoPath:
            return None
