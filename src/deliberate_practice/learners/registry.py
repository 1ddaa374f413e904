"""Learners by name."""

from __future__ import annotations

from collections.abc import Callable

from deliberate_practice.foundation.registry import Registry
from deliberate_practice.learners.external import External
from deliberate_practice.learners.learner import Learner
from deliberate_practice.learners.no_parameters import NoParameters
from deliberate_practice.task.model import Policy

LEARNER = "cma-es"
"""The learner of a session that chooses none."""

MakeLearner = Callable[..., Learner]
"""Makes a learner from the policy's parameters (at least one), the session's seed, and its name."""

LEARNERS: Registry[MakeLearner] = Registry(
    "learner",
    {
        "cma-es": "deliberate_practice.learners.cma_es:CmaEs",
        "cma-es-paper": "deliberate_practice.learners.cma_es:cma_es_paper",
    },
    given=3,
)

register_learner = LEARNERS.register


def make_learner(chosen: str | MakeLearner, policy: Policy, seed: int) -> Learner:
    """A learner for one policy; without parameters, or trained elsewhere, it gets a trivial one.

    Args:
        chosen: A registered name, which may carry options, or a function that makes a learner.
        policy: The policy.
        seed: Seed of the session.

    Raises:
        ArgumentError: There is no such learner or option.
    """
    make = LEARNERS.resolve(chosen)
    if policy.rounds:
        return External()
    if not policy.parameters:
        return NoParameters()
    return make(policy.parameters, seed, policy.name)
