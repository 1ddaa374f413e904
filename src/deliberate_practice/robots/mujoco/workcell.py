"""Attempts of skills in physics, as every simulated workcell executes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

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
from deliberate_practice.robots.mujoco.executor import SETTLE, SPEED, Executor
from deliberate_practice.robots.mujoco.impedance import Gains, with_gains
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.motion import Motion, build
from deliberate_practice.robots.mujoco.motion_planning import MotionPlanner, NoPath
from deliberate_practice.robots.mujoco.primitive import (
    Primitive,
    Vector,
    frame_position,
    frame_yaw,
)
from deliberate_practice.robots.mujoco.rendering import Camera
from deliberate_practice.robots.mujoco.world import World

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

    seen: Mapping[str, tuple[str, Vector, float, float, float]] = {}
    """From where a skill is seen: a site, the middle of the picture from there [m], the camera's
    distance [m], azimuth and elevation [degrees]. Other skills are seen like the whole scene."""

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
        self.arms = {prefix: Arm(planning or model, prefix) for prefix in homes}
        self.planners = {prefix: MotionPlanner(arm) for prefix, arm in self.arms.items()}
        self.executor = Executor(
            self.world, self.arms, homes, gains, self.watched, self.held, self.carrying_speed
        )

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
        """From where a skill that begins in a state is best seen; here as ``seen`` says."""
        if skill not in self.seen:
            return self.view
        site, offset, distance, azimuth, elevation = self.seen[skill]
        at = self.world.view(state).site(site).xpos
        return Camera.at(at, offset, distance, azimuth, elevation)

    def prepared(
        self,
        wanted: Mapping[str, str],
        seed: int,
        reset: Callable[[int], FloatArray],
        skills: Mapping[str, Mapping[str, float]] = {},
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
        everything as it is. A motion that meets a limit of the robot ends there.

        Args:
            attempts: The skills to execute.
            film: Whether to keep the state after every step.
        """
        done = [Execution(attempt.state) for attempt in attempts]
        plans: dict[int, tuple[Sight, Motion]] = {}
        for index, attempt in enumerate(attempts):
            try:
                plans[index] = self._sight_and_motion(attempt)
            except (NoPath, Unperceived) as fault:
                refused = isinstance(fault, NoPath)
                done[index] = Execution(attempt.state, reason=str(fault), refused=refused)
        prefixes = {index: sight.primitive.arm for index, (sight, _) in plans.items()}
        paths = {i: (motion.path, motion.waypoints[0].width) for i, (_, motion) in plans.items()}
        self.executor.go(done, paths, prefixes, film=film)
        self.executor.run(
            done,
            {i: self._interaction(done[i].state, *plans[i]) for i in _moving(done, plans)},
            prefixes,
            film=film,
        )
        self._go_home(done, {i: plans[i] for i in _moving(done, plans)}, film=film)
        return done

    def touched(self, skill: str, execution: Execution) -> bool:
        """Whether the robot touched what a skill acts on."""
        return execution.reached.get(self.touch(skill), 0.0) > 0

    @abstractmethod
    def touch(self, skill: str) -> str:
        """The watched sensor that shows whether a skill touches what it acts on."""

    def score(self, skill: str, success: bool, execution: Execution) -> float | None:
        """How good a success was, or how near a failure; here nothing is said of either."""
        return None

    def measured(self, skill: str, execution: Execution) -> Mapping[str, float]:
        """Further measurements of an attempt; here none."""
        return {}

    def motion(self, attempt: Attempt) -> Motion:
        """The free path and the interaction of a skill.

        Raises:
            NoPath: The arm cannot go to where the interaction begins.
            Unperceived: What it needs to know was not perceived.
        """
        return self._sight_and_motion(attempt)[1]

    def _sight_and_motion(self, attempt: Attempt) -> tuple[Sight, Motion]:
        if attempt.skill not in self.primitives:
            raise ArgumentError("skill: " + choose_from(attempt.skill, self.primitives))
        sight = self.see(attempt)
        arm = self.arms[sight.primitive.arm]
        qpos, boxes = self.obstacles(attempt.state, sight, after=False)
        held = self.held(attempt.state).get(arm.prefix)
        planner = self.planners[arm.prefix]

        def free_path(start: FloatArray, end: FloatArray) -> FloatArray:
            return planner.plan(qpos, start, end, held, boxes)

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
        return sight, motion

    def _interaction(
        self, state: FloatArray, sight: Sight, motion: Motion
    ) -> tuple[FloatArray, mujoco.MjModel]:
        """The controls of all robots, and the model with the gains for them."""
        arm = self.arms[sight.primitive.arm]
        controls = self.executor.whole(arm, motion.controls, state)
        if motion.gains == self.gains:
            return controls, self.model
        return controls, with_gains(self.model, motion.gains, arm.prefix)

    def _go_home(
        self, done: list[Execution], plans: Mapping[int, tuple[Sight, Motion]], *, film: bool
    ) -> None:
        """Let everything come to rest, and bring the arms home."""
        prefixes = {index: sight.primitive.arm for index, (sight, _) in plans.items()}
        if not self.executor.rolls_free_motion:
            rest = round(SETTLE / self.world.timestep)
            still = {
                index: (
                    self.executor.whole(
                        self.arms[prefixes[index]],
                        np.repeat(motion.controls[-1:], rest, axis=0),
                        done[index].state,
                    ),
                    self.model,
                )
                for index, (_, motion) in plans.items()
                if prefixes[index] not in self.held(done[index].state)
            }
            self.executor.run(done, still, prefixes, film=film)
        paths = {}
        for index in _moving(done, plans):
            sight, _ = plans[index]
            paths[index] = (
                self._path_home(done[index].state, sight),
                sight.primitive.waypoints[-1].width,
            )
        self.executor.go(done, paths, prefixes, film=film)

    def _path_home(self, state: FloatArray, sight: Sight) -> FloatArray:
        """Corners of the path home after an interaction; without one the arm stays."""
        arm = self.arms[sight.primitive.arm]
        qpos, boxes = self.obstacles(state, sight, after=True)
        joints, home = qpos[arm.qpos_at], self.homes[arm.prefix]
        held = self.held(state).get(arm.prefix)
        try:
            return self.planners[arm.prefix].plan(qpos, joints, home, held, boxes)
        except NoPath:  # what is in the way the next skill will see
            return np.asarray(joints[None])


def _moving(done: Sequence[Execution], plans: Mapping[int, object]) -> list[int]:
    """The executions that no limit has ended."""
    return [index for index in plans if not done[index].stopped]
