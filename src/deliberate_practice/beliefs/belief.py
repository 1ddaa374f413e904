"""The contract of beliefs: they see attempts and predict competence."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.checks import check_flag, whole_number
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.registry import Registry
from deliberate_practice.task.model import Task

EvidenceModel = Literal["search", "curve", "training"]
"""How a policy improves: by the successes of a search, along a curve, or by training runs, each of
which makes a new version from all demonstrations."""

MOST_TESTS = 100
"""The most tests after a round."""


@dataclass(frozen=True)
class Batch:
    """Attempts of one policy between two of its updates.

    Attributes:
        policy: The policy.
        before: Attempts of the policy before the first of these.
        attempts: How many attempts reached the precondition.
        successes: How many of them succeeded.
        explore: Whether they were samples of the learner, or the deployed policy itself.
        test: Whether they are the tests of a round, which the belief asked for.
        training: Whether it stands for a training run: without attempts, and ``before`` counts the
            demonstrations that the new version was trained with.
    """

    policy: str
    before: int
    attempts: int
    successes: int
    explore: bool = True
    test: bool = False
    training: bool = False

    def __post_init__(self) -> None:
        if self.training and self.attempts:
            raise ArgumentError(
                f"batch of '{self.policy}': a training run has no attempts, but there are "
                f"{self.attempts}; give its evaluations as a batch of their own."
            )
        if self.before < 0 or not 0 <= self.successes <= self.attempts:
            raise ArgumentError(
                f"batch of '{self.policy}': {self.successes} successes in {self.attempts} attempts "
                f"after {self.before}; give 0 <= successes <= attempts and 0 <= before."
            )


@dataclass(frozen=True)
class Tests:
    """Test executions of the deployed policy after each of its rounds.

    Tests are no practice: they are evidence, and do not advance b.

    Attributes:
        number: How many after a complete round, from 0 to 100.
        charged: Whether each costs as much as an episode of the policy, or nothing.
    """

    __test__ = False  # it is no test itself, whatever a test runner takes its name for

    number: int = 0
    charged: bool = True

    def __post_init__(self) -> None:
        whole_number("tests", self.number, 0, MOST_TESTS)
        check_flag("charged", self.charged)


@dataclass(frozen=True)
class Mixture:
    """Curves under several explanations of how good the stated priors are.

    Attributes:
        weights: Probability of each explanation, shape (C,).
        curves: Mean competence after 0, 1, ... more attempts by policy, each of shape (C, n + 1).
    """

    weights: FloatArray
    curves: dict[str, FloatArray]


class Belief(Protocol):
    """Predicts every policy's curve from the outcomes so far.

    Beliefs are values: :meth:`after` returns a new one. Policies that are not practised keep their
    stated competence. A belief counts the attempts it has seen itself. A class derived from this
    one needs :attr:`policies`, :meth:`after` and :meth:`curve`; the rest is then that of a belief
    that claims no uncertainty and asks for no tests.
    """

    @property
    def tests(self) -> Tests:
        """The test executions that it asks for; the same in all beliefs of a session."""
        return Tests()

    @property
    def policies(self) -> Collection[str]:
        """Names of all policies of the task."""
        ...

    def after(self, batch: Batch) -> Belief:
        """The belief once a batch has been seen."""
        ...

    def competence(self, policy: str) -> float:
        """Mean competence of the deployed policy now."""
        return float(self.curve(policy, 0)[0])

    def curve(self, policy: str, attempts: int) -> FloatArray:
        """Mean competence after 0, 1, ..., ``attempts`` more attempts, nondecreasing."""
        ...

    def band(self, policy: str, attempts: int) -> FloatArray:
        """Standard deviation of the competence after 0, 1, ..., ``attempts`` more attempts."""
        return np.zeros_like(self.curve(policy, attempts))

    def mixture(self, attempts: int) -> Mixture:
        """Curves of all policies under each explanation."""
        curves = {policy: self.curve(policy, attempts)[None, :] for policy in self.policies}
        return Mixture(np.ones(1), curves)


MakeBelief = Callable[..., Belief]
"""Called with the task and the evidence model of each policy; makes the belief before practice."""

BELIEFS: Registry[MakeBelief] = Registry(
    "belief",
    {
        "bayes": "deliberate_practice.beliefs.bayes:BayesBelief.prior",
        "running-average": "deliberate_practice.beliefs.running_average:RunningAverage.prior",
    },
    given=2,
)

register_belief = BELIEFS.register


def usual_evidence(task: Task) -> dict[str, EvidenceModel]:
    """The models that describe our own learners: a search where there are parameters to search."""
    return {
        name: "training" if policy.rounds else "search" if policy.parameters else "curve"
        for name, policy in task.policies.items()
    }
