"""The synthetic robot: skills succeed by chance, with the competence of their true curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from deliberate_practice.beliefs.gaps import Losses
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.practice.earning import exact_earnings
from deliberate_practice.practice.episode import run_episode
from deliberate_practice.practice.intention import Intention
from deliberate_practice.practice.robot import Earnings, Result, Step, Trial
from deliberate_practice.robots.abstract_world import AbstractWorld
from deliberate_practice.task.model import Policy, Task


class CurveRobot:
    """Every skill is a coin whose bias follows ``truth`` in the task file.

    An attempt of a policy after b attempts succeeds with probability f(b) of its true curve (by
    default the stated one), explored or deployed; so do the skills of the approach. A truth that
    sets in late, or never, is a table: ``values = [0.1, 0.1, 0.1, 0.5, 0.9]``. The robot is in an
    abstract state of its task, which it observes, so it follows the rule of its approach.

    A skill loses the part of its successes that ``gaps`` in the task file states, if it is executed
    right after the success of the policy that the gap names.

    A demonstration that reaches its precondition is always recorded, and a training run always
    finishes. The version that was trained with b demonstrations has the competence f(b), or one
    that is drawn around it once, where the truth states ``training_noise``.

    Args:
        task: Where the true curves are.
        seed: Draws the competence of trained versions.
        threads: Nothing runs side by side.
    """

    def __init__(self, task: Task, seed: int = 0, threads: int = 1) -> None:
        self._task, self._seed = task, seed
        self._policies = task.policies
        self._policy_of = {skill.name: task.policies[skill.policy] for skill in task.skills}
        self._losses = Losses({(gap.before, gap.policy): 1 - gap.lost for gap in task.gaps})

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        """Execute the approach and the attempt of each episode, by chance from its own seed."""
        return [self._run(trial) for trial in trials]

    def earn(self, intention: Intention, executions: int) -> Earnings:
        """The expected reward for the true competences."""
        return exact_earnings(
            intention,
            {
                name: self._competence(intention.steps[policy.skills[0]])
                for name, policy in self._policies.items()
            },
            self._losses,
        )

    def _run(self, trial: Trial) -> Result:
        if trial.mode == "train":
            return Result("success")
        rng = np.random.default_rng(trial.seed)
        before: str | None = None

        def succeeds(step: Step) -> bool:
            nonlocal before
            demonstrated = trial.mode == "demonstrate" and step is trial.attempt
            policy = self._policy_of[step.skill].name
            success = demonstrated or (
                self._succeeds(step, rng) and not self._is_lost(before, policy, rng)
            )
            before = policy if success else before
            return success

        if not trial.approach.rule:
            return run_episode(trial, succeeds)
        world = AbstractWorld(self._task, rng, trial.approach.start)
        execute = partial(world.execute, succeeds=succeeds)
        return run_episode(trial, execute, lambda: world.state)

    def _succeeds(self, step: Step, rng: np.random.Generator) -> bool:
        return bool(rng.random() < self._competence(step))

    def _is_lost(self, before: str | None, policy: str, rng: np.random.Generator) -> bool:
        """Whether a success is lost to a composition gap; nothing is drawn without one."""
        kept = self._losses.kept(before, policy)
        return kept < 1 and bool(rng.random() >= kept)

    def _competence(self, step: Step) -> float:
        return version_competence(self._policy_of[step.skill], step.practised, self._seed)


def version_competence(policy: Policy, b: int, seed: int) -> float:
    """True competence after b attempts, or of the version trained with b demonstrations.

    Noise belongs to the version: the same seed, policy and b always draw the same. What was there
    before any training run is as stated.
    """
    competence = true_competence(policy, b)
    if not policy.training_noise or not b:
        return competence
    rng = np.random.default_rng([seed, b, *policy.name.encode()])
    return float(np.clip(rng.normal(competence, policy.training_noise), 0.0, 1.0))


def true_competence(policy: Policy, b: int) -> float:
    """Competence after b attempts by the true curve of a policy."""
    return float(_true(policy).predict(np.asarray(float(b))))


def true_curve(policy: Policy, attempts: int) -> FloatArray:
    """Competence after 0, 1, ..., ``attempts`` attempts by the true curve of a policy."""
    return _true(policy).table(attempts)


def _true(policy: Policy) -> Policy:
    return replace(policy, curve=policy.truth or policy.curve)
