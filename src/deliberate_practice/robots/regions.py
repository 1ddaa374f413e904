"""A synthetic robot with real learning problems: parameters must hit a hidden region."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy.special import chndtr

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.checks import is_number
from deliberate_practice.foundation.errors import ArgumentError, shown
from deliberate_practice.practice.robot import Step
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.task.model import Policy, Task


class RegionRobot(CurveRobot):
    """A skill succeeds if its parameters, executed with some noise, fall into a ball.

    The ball lies off the prior mean in a random direction, inside the bounds; all lengths are in
    prior standard deviations. Policies without parameters follow their true curves.

    Args:
        task: Skills and their parameters.
        seed: Where the balls are.
        threads: Nothing runs side by side.
        radius: Radius of the balls.
        displacement: How far their centres lie from the prior means.
        noise: Standard deviation of the execution in each direction.

    Raises:
        ArgumentError: A length is not a number of at least 0.
    """

    def __init__(
        self,
        task: Task,
        seed: int = 0,
        threads: int = 1,
        *,
        radius: float = 1.0,
        displacement: float = 1.4,
        noise: float = 0.2,
    ) -> None:
        for name, value in (("radius", radius), ("displacement", displacement), ("noise", noise)):
            if not (is_number(value) and 0 <= value < math.inf):
                raise ArgumentError(
                    f"{name}: {shown(value)} is not valid; give a number of at least 0, e.g. 0.5."
                )
        super().__init__(task)
        self._radius = radius
        self._noise = noise
        self._centres = {
            name: _centre(policy, displacement, np.random.default_rng([seed, *name.encode()]))
            for name, policy in task.policies.items()
            if policy.parameters
        }

    def competence(self, policy: str, parameters: Mapping[str, float]) -> float:
        """Probability of success: ‖x + noise - centre‖² is noncentral χ² distributed."""
        distance = np.linalg.norm(self._offset(self._policies[policy], parameters))
        if not self._noise:
            return float(distance <= self._radius)
        dimension = len(self._centres[policy])
        limit, shift = (self._radius / self._noise) ** 2, (distance / self._noise) ** 2
        return float(chndtr(limit, dimension, shift))

    def _succeeds(self, step: Step, rng: np.random.Generator) -> bool:
        policy = self._policy_of[step.skill]
        if not policy.parameters:
            return super()._succeeds(step, rng)
        offset = self._offset(policy, step.parameters)
        executed = offset + self._noise * rng.standard_normal(len(offset))
        return math.sqrt(executed @ executed) <= self._radius

    def _competence(self, step: Step) -> float:
        policy = self._policy_of[step.skill]
        if not policy.parameters:
            return super()._competence(step)
        return self.competence(policy.name, step.parameters)

    def _offset(self, policy: Policy, parameters: Mapping[str, float]) -> FloatArray:
        """How far parameters are from the centre of the ball."""
        normalised = np.array([(parameters[p.name] - p.mean) / p.sd for p in policy.parameters])
        return normalised - self._centres[policy.name]


def _centre(policy: Policy, displacement: float, rng: np.random.Generator) -> FloatArray:
    direction = rng.standard_normal(len(policy.parameters))
    centre = displacement * direction / np.linalg.norm(direction)
    low = np.array([(p.low - p.mean) / p.sd for p in policy.parameters])
    high = np.array([(p.high - p.mean) / p.sd for p in policy.parameters])
    return np.clip(centre, low, high)
