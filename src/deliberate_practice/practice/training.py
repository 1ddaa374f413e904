"""Training runs: they make a new version of a policy from all demonstrations so far.

A training run is due as soon as the demonstrations of a round are all told. It needs no robot, so
other policies may be practised meanwhile. If it does not finish, the old version stays, and the
demonstrations wait for those of the next round.
"""

from __future__ import annotations

from dataclasses import dataclass

from deliberate_practice.practice.replay import State
from deliberate_practice.practice.testing import granted_units, spare_units


@dataclass(frozen=True)
class Training:
    """A training run to start.

    Attributes:
        decision: Number of the decision that granted the latest demonstrations.
        demonstrations: Demonstrations in all that it trains with.
        cost: Budget units.
    """

    decision: int
    demonstrations: int
    cost: int


def training_due(state: State) -> Training | None:
    """The training run to start next, if one is due and can be paid for."""
    for policy in state.collected.by_policy:
        collected, rounds = state.collected.of(policy), state.task.policies[policy].rounds
        if rounds is None or not _is_complete(state, policy):
            continue
        spare = spare_units(state, policy) - granted_units(state)
        if rounds.training_cost <= spare and state.affords(rounds.training_cost):
            total = state.attempts[policy] + collected.recorded
            return Training(collected.decision, total, rounds.training_cost)
    return None


def is_in_round(state: State, policy: str) -> bool:
    """Whether a round of a policy is under way: demonstrations, its training run or its tests."""
    return state.collected.of(policy).waits or any(
        record.policy == policy and record.kind not in ("evaluation", "probe")
        for record in state.open_trials
    )


def _is_complete(state: State, policy: str) -> bool:
    """Whether the demonstrations of a round are all told, and no more of them are granted."""
    collected = state.collected.of(policy)
    if not collected.waits or state.out(policy) or _is_training(state, policy):
        return False
    decided = state.decisions[collected.decision - 1]
    if not state.operation.blocked.keys().isdisjoint(decided.executed):
        return False  # it goes on later
    return collected.decision < len(state.decisions) or not state.granted


def _is_training(state: State, policy: str) -> bool:
    return any(r.policy == policy and r.kind == "training" for r in state.open_trials)
