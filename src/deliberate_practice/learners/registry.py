"""Learners by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.learners.learner import Learner
from deliberate_practice.learners.no_parameters import NoParameters
from deliberate_practice.task.model import Policy
from deliberate_practice.task.skill import Parameter

MakeLearner = Callable[[Sequence[Parameter], int, str], Learner]
"""Makes a learner from the parameters (at least one), the session's seed and the policy's name."""


def make_learner(name: str, policy: Policy, seed: int) -> Learner:
    """A learner for one policy; one without parameters gets :class:`NoParameters`.

    Args:
        name: A key of :data:`LEARNERS`.
        policy: What is learned.
        seed: Seed of the session.

    Raises:
        ArgumentError: There is no learner of that name.
    """
    if name not in LEARNERS:
        raise ArgumentError("learner: " + choose_from(name, LEARNERS))
    if not policy.parameters:
        return NoParameters()
    return LEARNERS[name](policy.parameters, seed, policy.name)


def _cma_es(parameters: Sequence[Parameter], seed: int, policy: str) -> Learner:
    from deliberate_practice.learners.cma_es import CmaEs  # needs its package only when used

    return CmaEs(parameters, seed, policy)


LEARNERS: dict[str, MakeLearner] = {"cma-es": _cma_es}
"""What can be chosen; add your own under its name."""
