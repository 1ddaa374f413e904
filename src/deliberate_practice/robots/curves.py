"""The synthetic robot: skills succeed by chance, with the competence of their true curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.practice.trial import Result, Trial
from deliberate_practice.task.model import Policy, Task


class CurveRobot:
    """Every skill is a coin whose bias follows ``truth`` in the task file.

    An attempt of a policy after b attempts succeeds with probability f(b) of its true curve (by
    default the stated one), explored or deployed; so do the skills of the approach. A truth that
    sets in late, or never, is a table: ``values = [0.1, 0.1, 0.1, 0.5, 0.9]``.

    Args:
        task: Where the true curves are.
    """

    def __init__(self, task: Task) -> None:
        self._policies = task.policies
        self._policy_of = {skill.name: task.policies[skill.policy] for skill in task.skills}

    def run(self, trial: Trial) -> Result:
        """Toss the coins of one episode, from the trial's seed."""
        rng = np.random.default_rng(trial.seed)
        for skill in trial.approach:
            if rng.random() >= self._competence(skill, trial):
                return Result("unreached", at=skill)
        success = rng.random() < self._competence(trial.skill, trial)
        return Result("success" if success else "failure")

    def competences(
        self, attempts: Mapping[str, int], deployed: Mapping[str, Mapping[str, float]]
    ) -> dict[str, float]:
        """True competence of every policy after so many attempts."""
        return {
            name: true_competence(policy, attempts.get(name, 0))
            for name, policy in self._policies.items()
        }

    def _competence(self, skill: str, trial: Trial) -> float:
        policy = self._policy_of[skill]
        return true_competence(policy, trial.attempts.get(policy.name, 0))


def true_competence(policy: Policy, b: int) -> float:
    """Competence after b attempts by the true curve of a policy."""
    return float(_true(policy).predict(np.asarray(float(b))))


def true_curve(policy: Policy, attempts: int) -> FloatArray:
    """Competence after 0, 1, ..., ``attempts`` attempts by the true curve of a policy."""
    return _true(policy).table(attempts)


def _true(policy: Policy) -> Policy:
    return replace(policy, curve=policy.truth or policy.curve)
