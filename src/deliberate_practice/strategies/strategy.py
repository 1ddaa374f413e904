"""The contract of strategies: functions from a situation to the policy to practise next."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from deliberate_practice.beliefs.belief import Batch, Belief
from deliberate_practice.beliefs.gaps import NO_GAPS, Gaps
from deliberate_practice.foundation.registry import Registry
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.routes import Route
from deliberate_practice.task.model import Task

ROUND = 6
"""The most attempts that one decision grants, unless the learner works with another number."""


@dataclass(frozen=True)
class Decision:
    """A policy to practise.

    Attributes:
        policy: Name of the policy.
        share: Attempts planned for it, at least 1; the session grants at most a round of them
            before it asks again.
        plan: Skills of the plan that it serves, if any.
        continues: Whether it continues the share of the previous decision.
        evaluations: Of a policy that is trained elsewhere: how many evaluations of the new version
            are worth their price. None: as many as the task allows.
        probe: Whether the episode executes the whole plan as it is deployed instead, to see how its
            skills work together. The policy is that of its last skill; it may be any.
        why: The reasons, for people to read: plain data, which no strategy reads again.
    """

    policy: str
    share: int
    plan: tuple[str, ...] = ()
    continues: bool = False
    why: Mapping[str, object] = field(default_factory=dict)
    evaluations: int | None = None
    probe: bool = False


@dataclass(frozen=True)
class Past:
    """A past decision, with the number of attempts that its policy had before it."""

    decision: Decision
    attempts_before: int


@dataclass(frozen=True)
class Situation:
    """Everything a strategy may use.

    Attributes:
        ground: The task.
        belief: The belief about every policy.
        budget: Budget units left for practice. If the belief has tests charged, every round pays
            for them too: with 6 tests a round, half of what is left is for practice.
        attempts: Attempts of each policy so far.
        routes: The route to each policy that may be chosen now, by policy; at least one. It can be
            reached, practised and paid for, and its learner has a candidate.
        free: Whether somebody puts the robot at the precondition at no cost.
        past: Decisions so far.
        rng: Source of random choices; the same situation always has the same one.
        outcomes: Whether each attempt so far succeeded, by policy, oldest first.
        present: The policy that the robot practised last: it need not turn to it.
        busy: Routes to the policies that other robots practise with all candidates that their
            learners have, or whose round is under way. They will get more practice, but cannot be
            chosen now.
        batches: The evidence that the belief has seen, by policy, oldest first.
        gaps: The belief about composition gaps; none are expected before a plan was probed.
        probed: Budget units spent on probes so far.
        spent: Budget units spent so far on anything.
        spare: Budget units that a probe may cost: all but those that are set aside.
        blocked: Skills that no trial may use now.
    """

    ground: GroundTask
    belief: Belief
    budget: int
    attempts: Mapping[str, int]
    routes: Mapping[str, Route]
    free: bool
    past: Sequence[Past]
    rng: np.random.Generator
    outcomes: Mapping[str, Sequence[bool]] = field(default_factory=dict)
    present: str | None = None
    busy: Mapping[str, Route] = field(default_factory=dict)
    batches: Mapping[str, Sequence[Batch]] = field(default_factory=dict)
    gaps: Gaps = NO_GAPS
    probed: int = 0
    spent: int = 0
    spare: int = 0
    blocked: Collection[str] = ()

    @cached_property
    def reachable(self) -> Mapping[str, Route]:
        """The routes to all policies that are practised now or later, in no particular order."""
        return {**self.routes, **self.busy}

    def stride(self, policy: str) -> int:
        """Attempts by which practice of a policy advances: one, or the demonstrations of a round.

        If the budget does not pay for a whole round, the last one is shorter.
        """
        described = self.ground.task.policies[policy]
        paid = (self.budget - described.training_cost) // described.cost
        return max(1, min(described.stride, paid))

    def price(self, policy: str) -> int:
        """Budget units of a stride."""
        described = self.ground.task.policies[policy]
        return self.stride(policy) * described.cost + described.training_cost

    def ahead(self, policy: str, attempts: int = ROUND) -> int:
        """Attempts of a policy's next round: so many, or the demonstrations of a whole round."""
        return self.stride(policy) if self.ground.task.policies[policy].rounds else attempts

    def lead(self, policy: str) -> int:
        """Strides of a policy that are lost because the robot has to turn to it first."""
        return 0 if policy == self.present else self.ground.task.policies[policy].lead


def probe_price(task: Task, skills: Sequence[str]) -> int:
    """Budget units of a probe: those of an episode of its most expensive skill, at least 1.

    An evaluation counts as the episode of a policy that is trained elsewhere. A probe begins at the
    start of the task, so the robot need not turn to a skill.
    """
    policies = [task.policies[task.skill(name).policy] for name in skills]
    costs = (policy.rounds.evaluation_cost if policy.rounds else policy.cost for policy in policies)
    return max(1, *costs)


Strategy = Callable[[Situation], Decision | None]
"""Chooses the next policy among those in ``routes``, or None if none of them has any value now.

The session is over then, or the robot waits for the policies that are ``busy``.

Keyword arguments after the situation are options: ``ees:ahead=1,ties=random``.
"""

_ROOM = "deliberate_practice.strategies"

STRATEGIES: Registry[Strategy] = Registry(
    "strategy",
    {
        "deliberate": f"{_ROOM}.deliberate:deliberate",
        "deliberate-paper": f"{_ROOM}.deliberate_paper:deliberate_paper",
        "ees": f"{_ROOM}.ees:ees",
        "ees-episode": f"{_ROOM}.ees:ees_episode",
        "ees-predicators": f"{_ROOM}.ees_predicators:ees_predicators",
        "competence-improvement": f"{_ROOM}.competence_improvement:competence_improvement",
        "kalman-gain": f"{_ROOM}.kalman_gain:kalman_gain",
        "least-competent": f"{_ROOM}.least_competent:least_competent",
        "random": f"{_ROOM}.random_practice:random_practice",
        "uniform": f"{_ROOM}.uniform:uniform",
    },
    given=1,
)
"""All strategies by name; other packages offer theirs as ``deliberate_practice.strategies``."""

register_strategy = STRATEGIES.register
