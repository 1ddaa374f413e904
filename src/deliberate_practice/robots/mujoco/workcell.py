"""Attempts of skills in physics, as every simulated workcell executes them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import mujoco
import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import (
    ArgumentError,
    DeliberatePracticeError,
    choose_from,
)
from deliberate_practice.robots.mujoco.attempt import Attempt, Execution
from deliberate_practice.robots.mujoco.collisions import Box
from deliberate_practice.robots.mujoco.impedance import Gains, block, with_gains
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.motion_planning import MotionPlanner, NoPath
from deliberate_practice.robots.mujoco.panda import FINGER_JOINTS, FORCE
from deliberate_practice.robots.mujoco.primitive import (
    Motion,
    Primitive,
    build,
    frame_position,
    frame_yaw,
    go,
    hold,
)
from deliberate_practice.robots.mujoco.rendering import Camera
from deliberate_practice.robots.mujoco.trajectory import follow
from deliberate_practice.robots.mujoco.world import World

SPEED = 0.8
"""Of free motion, as a fraction of the joints' limits."""

WAIT = 0.5
"""How long the arm stands still if there is no path home [s]."""

NEAR_HOME = 0.15
"""An idle arm this close to its home holds it; otherwise it stays where it is [rad]."""

PREPARATIONS = 20
"""The most attempts to prepare a requested start."""


@dataclass(frozen=True)
class Sight:
    """The robot's perception when it begins a skill.

    Attributes:
        primitive: What it is going to do, which may depend on what it saw.
        origin: Where the primitive's frame seems to be, errors of calibration included [m].
        yaw: How far it seems to be turned about the vertical [rad].
        boxes: Obstacles that are known from perception alone, by their name in the planner's model.
    """

    primitive: Primitive
    origin: FloatArray
    yaw: float
    boxes: Mapping[str, Box] = field(default_factory=dict)


class Unperceived(DeliberatePracticeError):
    """Perception failed: an attempt that needs it has failed before anything moved."""


class SimulatedWorkcell(ABC):
    """One or more robots and what they work on, in physics; a domain says what that is.

    Args:
        model: The compiled scene.
        primitives: Every skill, by its name.
        homes: Joints of each robot between two skills [rad], by what its names begin with.
        gains: How stiffly the robots are controlled.
        noise: How far hand and things are from where the robot believes them to be relative to
            each other: standard deviation in every direction [m], drawn anew for every attempt.
        threads: How many processors a batch of attempts may use.
        planning: The scene as the planner knows it, with the same positions; default the model.
    """

    view = Camera()
    """From where the whole scene is seen."""

    limits_force = False
    """Whether forces of the hands are limited; then every result tells the largest one [N]."""

    watched: tuple[str, ...] = ()
    """Sensors of one number each, of which every execution tells the largest reading."""

    carrying_speed = SPEED
    """Of free motion with something in the hand, as a fraction of the joints' limits."""

    def __init__(
        self,
        model: mujoco.MjModel,
        primitives: Mapping[str, Primitive],
        homes: Mapping[str, FloatArray],
        gains: Gains,
        noise: float,
        threads: int = 1,
        planning: mujoco.MjModel | None = None,
    ) -> None:
        self.model = model
        self.primitives = primitives
        self.homes = homes
        self.gains = gains
        self.noise = noise
        self.world = World(model, threads)
        self._watched = {name: int(model.sensor(name).adr[0]) for name in self.watched}
        self.arms = {prefix: Arm(planning or model, prefix) for prefix in homes}
        self.planners = {prefix: MotionPlanner(arm) for prefix, arm in self.arms.items()}

    @abstractmethod
    def appearance(self) -> mujoco.MjModel:
        """The same scene as it should be drawn; states are those of the bare one."""

    @abstractmethod
    def reset(self, seed: int) -> FloatArray:
        """A start of the task, give or take."""

    @abstractmethod
    def prepare(self, wanted: Mapping[str, str], seed: int) -> FloatArray:
        """A start in another abstract state; values that are not named are those of the start."""

    @abstractmethod
    def abstract(self, state: FloatArray) -> dict[str, str]:
        """The abstract state of a physical one."""

    @abstractmethod
    def held(self, state: FloatArray) -> Mapping[str, str]:
        """Which body each robot holds; robots with empty hands are left out."""

    def around(self, skill: str, seed: int) -> Mapping[str, str]:
        """What else varies between starts of a skill at its precondition; here nothing."""
        return {}

    def camera(self, skill: str, state: FloatArray) -> Camera:
        """From where a skill that begins in a state is best seen; here like the whole scene."""
        return self.view

    def prepared(
        self,
        wanted: Mapping[str, str],
        seed: int,
        reset: Callable[[int], FloatArray],
        skills: Mapping[str, Mapping[str, float]],
    ) -> FloatArray:
        """A start in an abstract state, drawn anew until it is what was asked for.

        Args:
            wanted: Value of each variable that matters.
            seed: For everything random.
            reset: A start of its seed that lacks only what the skills do.
            skills: What to execute from there, with values of the parameters.
        """
        for trial in range(PREPARATIONS):
            seeds = np.random.SeedSequence([seed, trial]).generate_state(2)
            state = reset(int(seeds[0]))
            for skill, values in skills.items():
                state = self.attempt(Attempt(state, skill, values, int(seeds[1])))
            found = self.abstract(state)
            if all(found[name] == value for name, value in wanted.items()):
                return state
        raise ArgumentError(f"no start with {dict(wanted)} came about in {PREPARATIONS} attempts.")

    def see(self, attempt: Attempt) -> Sight:
        """What the robot knows when it begins a skill; here where things are, but for the noise.

        Whatever is random in it comes from the attempt's seed.

        Raises:
            Unperceived: What the skill needs to know was not perceived.
        """
        primitive = self.primitives[attempt.skill]
        data = self.world.view(attempt.state)
        rng = np.random.default_rng(attempt.seed)
        origin = frame_position(self.model, data, primitive.frame)
        yaw = frame_yaw(self.model, data, primitive.frame)
        return Sight(primitive, origin + self.noise * rng.standard_normal(3), yaw)

    def obstacles(
        self, state: FloatArray, sight: Sight, after: bool
    ) -> tuple[FloatArray, Mapping[str, Box]]:
        """The scene for the planner: positions of the model, and boxes that are no part of them.

        Args:
            state: The physical state.
            sight: What the robot knew when it began.
            after: Whether the interaction is over, and may have moved what was seen.
        """
        return np.array(self.world.view(state).qpos), sight.boxes

    def attempt(self, attempt: Attempt) -> FloatArray:
        """The state after executing a skill."""
        return self.execute_all([attempt])[0].state

    def execute_all(self, attempts: Sequence[Attempt], *, film: bool = False) -> list[Execution]:
        """What comes of each of several independent executions, as if one by one.

        An attempt for which there is no path, or which does not see what it needs, leaves
        everything as it is.

        Args:
            attempts: The skills to execute.
            film: Whether to keep the state after every step.
        """
        done = [Execution(attempt.state) for attempt in attempts]
        plans: dict[int, tuple[Sight, Motion]] = {}
        for index, attempt in enumerate(attempts):
            try:
                plans[index] = self._sight_and_motion(attempt)
            except (NoPath, Unperceived) as reason:
                done[index] = Execution(attempt.state, reason=str(reason))
        parts = {index: self._parts(sight, motion) for index, (sight, motion) in plans.items()}
        for number in range(max(map(len, parts.values()), default=0)):
            going = {i: part[number] for i, part in parts.items() if number < len(part)}
            self._run(done, going, {i: plans[i][0].primitive.arm for i in going}, film=film)
        home = {i: (self.homeward(done[i].state, plans[i][0]), self.model) for i in plans}
        self._run(done, home, {i: plans[i][0].primitive.arm for i in plans}, film=film)
        return done

    def score(self, skill: str, success: bool, execution: Execution) -> float | None:
        """How good a success was, or how near a failure; here nothing is said of either."""
        return None

    def motion(self, attempt: Attempt) -> Motion:
        """The controls of a skill, of all robots, up to the end of its interaction.

        Raises:
            NoPath: The arm cannot go to where the interaction begins.
            Unperceived: What it needs to know was not perceived.
        """
        return self._sight_and_motion(attempt)[1]

    def homeward(self, state: FloatArray, sight: Sight) -> FloatArray:
        """The controls that bring the arm home after the interaction of a skill."""
        arm = self.arms[sight.primitive.arm]
        qpos, boxes = self.obstacles(state, sight, after=True)
        joints, home = qpos[arm.qpos_at], self.homes[arm.prefix]
        held = self.held(state).get(arm.prefix)
        try:
            plan = self.planners[arm.prefix].plan(qpos, joints, home, held, boxes)
            path = self._follow(plan, held)
        except NoPath:  # stay; what is in the way the next skill will see
            path = np.repeat(joints[None], round(WAIT / self.world.timestep), axis=0)
        controls = go(arm, path, sight.primitive.waypoints[-1].width, self.gains)
        return self._whole(arm, controls, state)

    def _sight_and_motion(self, attempt: Attempt) -> tuple[Sight, Motion]:
        if attempt.skill not in self.primitives:
            raise ArgumentError("skill: " + choose_from(attempt.skill, self.primitives))
        sight = self.see(attempt)
        arm = self.arms[sight.primitive.arm]
        qpos, boxes = self.obstacles(attempt.state, sight, after=False)
        held = self.held(attempt.state).get(arm.prefix)
        planner = self.planners[arm.prefix]

        def free_path(start: FloatArray, end: FloatArray) -> FloatArray:
            return self._follow(planner.plan(qpos, start, end, held, boxes), held)

        motion = build(
            sight.primitive,
            attempt.values,
            sight.origin,
            arm,
            qpos[arm.qpos_at],
            self.homes[arm.prefix],
            free_path,
            self.gains,
            sight.yaw,
        )
        return sight, replace(motion, controls=self._whole(arm, motion.controls, attempt.state))

    def _whole(self, arm: Arm, controls: FloatArray, state: FloatArray) -> FloatArray:
        """Controls of all robots: the others hold still, and hold on to what they hold."""
        if len(self.arms) == 1:
            return controls
        whole = np.empty((len(controls), self.model.nu))
        whole[:, block(self.model, arm.prefix)] = controls
        held, data = self.held(state), self.world.view(state)
        for prefix, other in self.arms.items():
            if prefix == arm.prefix:
                continue
            joints, home = np.array(data.qpos[other.qpos_at]), self.homes[prefix]
            if np.abs(joints - home).max() < NEAR_HOME:
                joints = home
            opening = sum(float(data.joint(prefix + finger).qpos[0]) for finger in FINGER_JOINTS)
            width = 0.0 if prefix in held else opening
            whole[:, block(self.model, prefix)] = hold(other, joints, width)
        return whole

    def _parts(self, sight: Sight, motion: Motion) -> list[tuple[FloatArray, mujoco.MjModel]]:
        """What is run one after the other: controls, and the model with the gains for them."""
        if motion.gains == self.gains:
            return [(motion.controls, self.model)]
        touching = with_gains(self.model, motion.gains, sight.primitive.arm)
        return [
            (motion.controls[: motion.contact], self.model),
            (motion.controls[motion.contact :], touching),
        ]

    def _run(
        self,
        done: list[Execution],
        going: Mapping[int, tuple[FloatArray, mujoco.MjModel]],
        arms: Mapping[int, str],
        *,
        film: bool,
    ) -> None:
        """Continue some executions, in place."""
        runs = self.world.measure_all(
            [done[index].state for index in going],
            [controls for controls, _ in going.values()],
            [model for _, model in going.values()],
            film=film,
        )
        for index, run in zip(going, runs, strict=True):
            first = int(self.model.sensor(arms[index] + FORCE).adr[0])
            force = float(np.linalg.norm(run.sensors[:, first : first + 3], axis=1).max())
            before = done[index]
            reached = {
                name: max(float(run.sensors[:, at].max()), before.reached.get(name, -math.inf))
                for name, at in self._watched.items()
            }
            done[index] = Execution(
                run.states[-1],
                max(force, before.force),
                reached=reached,
                film=(*before.film, run.states) if film else (),
            )

    def _follow(self, path: FloatArray, held: str | None) -> FloatArray:
        return follow(path, self.world.timestep, self.carrying_speed if held else SPEED)
