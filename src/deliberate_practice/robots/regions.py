"""A synthetic robot with real learning problems: parameters must hit a hidden region."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chndtr

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.checks import is_number
from deliberate_practice.foundation.errors import ArgumentError, shown
from deliberate_practice.practice.domain import scene_of
from deliberate_practice.practice.robot import MakeRobot, Robot, Step
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.task.model import Policy, Task
from deliberate_practice.task.skill import verb


@dataclass(frozen=True)
class Region:
    """Where the parameters of a policy succeed, in prior standard deviations.

    Attributes:
        radius: Radius of the ball.
        displacement: How far its centre lies from the prior mean.
        noise: Standard deviation of the execution in each direction.

    Raises:
        ArgumentError: A length is not a number of at least 0.
    """

    radius: float = 1.0
    displacement: float = 1.4
    noise: float = 0.2

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (is_number(value) and 0 <= value < math.inf):
                raise ArgumentError(
                    f"{name}: {shown(value)} is not valid; give a number of at least 0, e.g. 0.5."
                )


class RegionRobot(CurveRobot):
    """A skill succeeds if its parameters, executed with some noise, fall into a ball.

    The ball lies off the prior mean in a random direction, inside the bounds. Policies without
    parameters follow their true curves.

    Args:
        task: Skills and their parameters.
        seed: Where the balls are.
        threads: Nothing runs side by side.
        regions: The region of each verb; other verbs have the default one.
        lengths: ``radius``, ``displacement`` or ``noise`` of all regions.

    Raises:
        ArgumentError: A length is not a number of at least 0.
    """

    def __init__(
        self,
        task: Task,
        seed: int = 0,
        threads: int = 1,
        *,
        regions: Mapping[str, Region] | None = None,
        **lengths: float,
    ) -> None:
        super().__init__(task, seed)
        known, other = regions or {}, replace(Region(), **lengths)
        policies = {name: policy for name, policy in task.policies.items() if policy.parameters}
        self._regions = {
            name: replace(known[verb(name)], **lengths) if verb(name) in known else other
            for name in policies
        }
        self._centres = {
            name: _centre(
                policy,
                self._regions[name].displacement,
                np.random.default_rng([seed, *name.encode()]),
            )
            for name, policy in policies.items()
        }

    def competence(self, policy: str, parameters: Mapping[str, float]) -> float:
        """Probability of success: ‖x + noise - centre‖² is noncentral χ² distributed."""
        distance = np.linalg.norm(self._offset(self._policies[policy], parameters))
        region = self._regions[policy]
        if not region.noise:
            return float(distance <= region.radius)
        dimension = len(self._centres[policy])
        limit, shift = (region.radius / region.noise) ** 2, (distance / region.noise) ** 2
        return float(chndtr(limit, dimension, shift))

    def _succeeds(self, step: Step, rng: np.random.Generator) -> bool:
        policy = self._policy_of[step.skill]
        if not policy.parameters:
            return super()._succeeds(step, rng)
        offset = self._offset(policy, step.parameters)
        region = self._regions[policy.name]
        executed = offset + region.noise * rng.standard_normal(len(offset))
        return math.sqrt(executed @ executed) <= region.radius

    def _competence(self, step: Step) -> float:
        policy = self._policy_of[step.skill]
        if not policy.parameters:
            return super()._competence(step)
        return self.competence(policy.name, step.parameters)

    def _offset(self, policy: Policy, parameters: Mapping[str, float]) -> FloatArray:
        """How far parameters are from the centre of the ball."""
        normalised = np.array([(parameters[p.name] - p.mean) / p.sd for p in policy.parameters])
        return normalised - self._centres[policy.name]


def region_robot(
    task: Task,
    seed: int = 0,
    threads: int = 1,
    *,
    radius: float | None = None,
    displacement: float | None = None,
    noise: float | None = None,
) -> Robot:
    """The robot ``regions``: that of the task's domain, or one with the same region for all skills.

    Args:
        task: Skills and their parameters.
        seed: Where the regions are.
        threads: Nothing runs side by side.
        radius, displacement, noise: The same for all regions, instead of the domain's own.
    """
    lengths = {"radius": radius, "displacement": displacement, "noise": noise}
    scene = scene_of(task, "regions")
    make: MakeRobot = scene.robot if scene else RegionRobot
    return make(task, seed, threads, **{k: v for k, v in lengths.items() if v is not None})


def _centre(policy: Policy, displacement: float, rng: np.random.Generator) -> FloatArray:
    """A point so far from the prior mean, in a random direction.

    Where a bound is in the way, the direction is turned to the other side; what is still outside is
    moved onto the bound.
    """
    direction = rng.standard_normal(len(policy.parameters))
    centre = displacement * direction / np.linalg.norm(direction)
    low = np.array([(p.low - p.mean) / p.sd for p in policy.parameters])
    high = np.array([(p.high - p.mean) / p.sd for p in policy.parameters])
    outside = (centre < low) | (centre > high)
    return np.clip(np.where(outside, -centre, centre), low, high)
