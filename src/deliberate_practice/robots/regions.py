"""A synthetic robot with real learning problems: parameters must hit a hidden region."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import chndtr

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.checks import is_number
from deliberate_practice.foundation.errors import ArgumentError, shown
from deliberate_practice.practice.earning import exact_earnings
from deliberate_practice.practice.intention import Intention
from deliberate_practice.practice.robot import Earnings, Result, Step, Trial, run_episode
from deliberate_practice.robots.curves import true_competence
from deliberate_practice.task.model import Policy, Task


class RegionRobot:
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
        self._policies = task.policies
        self._policy_of = {skill.name: task.policies[skill.policy] for skill in task.skills}
        self._radius = radius
        self._noise = noise
        self._centres = {
            name: _centre(policy, displacement, np.random.default_rng([seed, *name.encode()]))
            for name, policy in task.policies.items()
            if policy.parameters
        }

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        """Execute each approach as deployed, then the trial's own parameters."""
        return [self._run(trial) for trial in trials]

    def earn(self, intention: Intention, executions: int) -> Earnings:
        """The expected reward for the true competences of the deployed parameters."""
        steps = {name: intention.steps[p.skills[0]] for name, p in self._policies.items()}
        return exact_earnings(
            intention,
            {
                name: self.competence(name, step.parameters)
                if self._policies[name].parameters
                else true_competence(self._policies[name], step.practised)
                for name, step in steps.items()
            },
        )

    def competence(self, policy: str, parameters: Mapping[str, float]) -> float:
        """Probability of success: ‖x + noise - centre‖² is noncentral χ² distributed."""
        distance = np.linalg.norm(self._offset(self._policies[policy], parameters))
        if not self._noise:
            return float(distance <= self._radius)
        dimension = len(self._centres[policy])
        limit, shift = (self._radius / self._noise) ** 2, (distance / self._noise) ** 2
        return float(chndtr(limit, dimension, shift))

    def _run(self, trial: Trial) -> Result:
        rng = np.random.default_rng(trial.seed)
        return run_episode(trial, lambda step: self._succeeds(step, rng))

    def _succeeds(self, step: Step, rng: np.random.Generator) -> bool:
        policy = self._policy_of[step.skill]
        if not policy.parameters:
            return bool(rng.random() < true_competence(policy, step.practised))
        offset = self._offset(policy, step.parameters)
        executed = offset + self._noise * rng.standard_normal(len(offset))
        return math.sqrt(executed @ executed) <= self._radius

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
