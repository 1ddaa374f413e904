"""Motion planning in free space: paths of joint angles without contact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.robots.mujoco.collisions import Box, CollisionChecker
from deliberate_practice.robots.mujoco.kinematics import Arm

CHECKS = 6_000
"""The most collision checks of one search."""

RESOLUTION = 0.015
"""Distance between two checks on a motion, in metres of arc (see ``REACH``)."""

RANGE = 0.3
"""The longest branch of a search tree, in metres of arc."""

SHORTCUTS = 15
"""Random shortcuts tried on a path that was searched."""

REACH = np.array([0.9, 0.9, 0.65, 0.65, 0.35, 0.3, 0.12])
"""How far from each joint's axis the outermost point of hand or forearm can be [m]. Angles times
reach are metres of arc: in these coordinates a distance bounds the motion of every point."""

ROUNDING = 1e-4
"""Scenes and ends of a motion are the same if they agree to this [m, rad]."""

REMEMBERED = 1_000


class NoPath(DeliberatePracticeError):
    """There is no path, or none was found; an attempt that needs it fails."""


class PlannerUnavailable(DeliberatePracticeError):
    """OMPL is not installed."""


def plan_path(
    checker: CollisionChecker,
    start: FloatArray,
    goal: FloatArray,
    seed: int = 0,
    max_checks: int = CHECKS,
) -> FloatArray:
    """Waypoints from start to goal; the arm goes straight from one to the next in joint space.

    The straight line is taken if it is free. Otherwise RRT-Connect (OMPL) searches, and the path it
    finds is shortened. Contacts present at the start or at the goal are allowed.

    Args:
        checker: A checker that has copied the scene.
        start: Joint angles [rad].
        goal: Joint angles [rad].
        seed: Of everything random; the same question with the same seed has the same answer.
        max_checks: Work limit of the search.

    Returns:
        n x 7 joint angles [rad], n >= 2.

    Raises:
        NoPath: The goal is out of reach or in collision, or the search ended without a path.
        PlannerUnavailable: A search is needed and OMPL is missing.
    """
    arm = checker.arm
    inner, goal = np.clip(start, arm.low, arm.high), np.asarray(goal, dtype=float)
    if not (np.all(goal >= arm.low) and np.all(goal <= arm.high)):
        raise NoPath(f"the goal {np.round(goal, 3).tolist()} is beyond the joint limits.")
    hits = [f"{a} and {b}" for a, b, distance in checker.touching(goal) if distance < 0.0]
    if hits:
        raise NoPath(f"the goal is in collision: {', '.join(hits)}.")
    checker.excuse(inner, goal)
    if _clear(checker, inner, goal):
        path = np.stack([inner, goal])
    else:
        path = _search(checker, inner, goal, seed, max_checks)
    path[0] = start
    return path


class MotionPlanner:
    """Plans for one arm, and remembers them.

    Scene, start and goal are rounded before planning, so that a plan depends on them alone and not
    on earlier plans.

    Args:
        arm: The robot; its model is the whole scene.
        seed: Of everything random in the plans.
    """

    def __init__(self, arm: Arm, seed: int = 0) -> None:
        self.checker = CollisionChecker(arm)
        self._seed = seed
        self._plans: dict[bytes, FloatArray | str] = {}

    def plan(
        self,
        qpos: FloatArray,
        start: FloatArray,
        goal: FloatArray,
        held: str | None = None,
        perceived: Mapping[str, Box] | None = None,
    ) -> FloatArray:
        """Waypoints from start to goal in the scene as it is; see ``plan_path``.

        Args:
            qpos: Positions of the whole model.
            start: Joint angles [rad].
            goal: Joint angles [rad].
            held: Name of the body in the hand, at its place in ``qpos``.
            perceived: Boxes that are no part of ``qpos``; see ``CollisionChecker.look``.

        Returns:
            n x 7 joint angles [rad], n >= 2.
        """
        scene, begin, end = (np.round(x / ROUNDING) * ROUNDING for x in (qpos, start, goal))
        arm = self.checker.arm
        if held is None:
            scene[arm.qpos_at] = 0.0  # wherever the arm is, the scene is the same
        key = b"".join(
            [
                scene.tobytes(),
                begin.tobytes(),
                end.tobytes(),
                (held or "").encode(),
                repr(perceived).encode(),
            ]
        )
        if key not in self._plans:
            if len(self._plans) >= REMEMBERED:
                self._plans.pop(next(iter(self._plans)))
            self.checker.look(scene, held, perceived)
            try:
                self._plans[key] = plan_path(
                    self.checker, begin, np.clip(end, arm.low, arm.high), self._seed
                )
            except NoPath as reason:
                self._plans[key] = str(reason)
        plan = self._plans[key]
        if isinstance(plan, str):
            raise NoPath(plan)
        path = plan.copy()
        path[0], path[-1] = start, goal
        return path


def _clear(checker: CollisionChecker, start: FloatArray, goal: FloatArray) -> bool:
    """Whether the straight motion is free; coarse steps come first, to find obstacles sooner."""
    steps = max(1, int(np.ceil(np.linalg.norm((goal - start) * REACH) / RESOLUTION)))
    strides = (1 << power for power in range(steps.bit_length(), -1, -1))
    order = dict.fromkeys(step for stride in strides for step in range(0, steps + 1, stride))
    return all(checker.free(start + (goal - start) * (step / steps)) for step in order)


def _search(
    checker: CollisionChecker, start: FloatArray, goal: FloatArray, seed: int, max_checks: int
) -> FloatArray:
    ompl = _ompl()
    ompl.util.RNG.setSeed(1 + seed % (2**31 - 1))  # every generator made from here on follows it
    space = ompl.base.RealVectorStateSpace(len(start))
    bounds = ompl.base.RealVectorBounds(len(start))
    for axis, (low, high) in enumerate(zip(checker.arm.low, checker.arm.high, strict=True)):
        bounds.setLow(axis, low * REACH[axis])
        bounds.setHigh(axis, high * REACH[axis])
    space.setBounds(bounds)
    information = ompl.base.SpaceInformation(space)
    information.setStateValidityChecker(lambda state: checker.free(_angles(state)))
    information.setStateValidityCheckingResolution(RESOLUTION / space.getMaximumExtent())
    information.setup()
    problem = ompl.base.ProblemDefinition(information)
    problem.setStartAndGoalStates(_state(space, start), _state(space, goal))
    planner = ompl.geometric.RRTConnect(information)
    planner.setRange(RANGE)
    planner.setProblemDefinition(problem)
    planner.setup()
    limit = checker.checks + max_checks
    planner.solve(ompl.base.PlannerTerminationCondition(lambda: checker.checks >= limit))
    if not problem.hasExactSolution():
        raise NoPath(f"no free path was found within {max_checks} collision checks.")
    found = problem.getSolutionPath()
    simplifier = ompl.geometric.PathSimplifier(information)
    simplifier.reduceVertices(found)
    simplifier.partialShortcutPath(found, maxSteps=SHORTCUTS, maxEmptySteps=SHORTCUTS)
    simplifier.reduceVertices(found)
    path = np.array([_angles(state) for state in found.getStates()])
    path[0], path[-1] = start, goal
    return path


def _angles(state: Any) -> FloatArray:
    return np.asarray(np.array(state[0 : len(REACH)]) / REACH)


def _state(space: Any, q: FloatArray) -> Any:
    state = space.allocState()
    state[0 : len(q)] = (q * REACH).tolist()
    return state


def _ompl() -> Any:
    try:
        import ompl
        import ompl.base
        import ompl.geometric
        import ompl.util
    except ImportError:
        raise PlannerUnavailable(
            "motion planning needs OMPL, which is not installed; run: " + install_command("sim")
        ) from None
    ompl.util.setLogLevel(ompl.util.LOG_NONE)  # it complains of being seeded more than once
    return ompl
