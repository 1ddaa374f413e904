"""A robot: parameters must be near targets that the seed hides."""

from collections.abc import Sequence

import numpy as np

import deliberate_practice as dp


class Targets:
    """A skill succeeds if all its parameters are near their targets; others have their competence.

    Args:
        task: What it practises.
        seed: Where the targets are.
        threads: Unused.
        width: How near is near, in prior standard deviations.
    """

    def __init__(self, task: dp.Task, seed: int = 0, threads: int = 1, *, width: float = 1.0):
        rng, self._task, self._width = np.random.default_rng(seed), task, width
        self._targets = {
            (policy.name, p.name): np.clip(p.mean + p.sd * rng.choice((-1.2, 1.2)), p.low, p.high)
            for policy in task.policies.values()
            for p in policy.parameters
        }

    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        """Run each trial with random numbers of its own."""
        return [self._run(trial) for trial in trials]

    def earn(self, intention: dp.Intention, executions: int) -> dp.Earnings:
        """The exact reward: this robot knows its own competences."""
        true = {
            name: self._competence(intention.steps[policy.skills[0]])
            for name, policy in self._task.policies.items()
        }
        return dp.exact_earnings(intention, true)

    def _run(self, trial: dp.Trial) -> dp.Result:
        rng = np.random.default_rng(trial.seed)
        return dp.run_episode(trial, lambda step: rng.random() < self._competence(step))

    def _competence(self, step: dp.Step) -> float:
        policy = self._task.policies[self._task.skill(step.skill).policy]
        if not policy.parameters:
            return policy.competence
        off = [
            abs(step.parameters[p.name] - self._targets[policy.name, p.name]) / p.sd
            for p in policy.parameters
        ]
        return 0.95 if max(off) < self._width else 0.0
