"""Estimate, extrapolate, situate: the largest gain in task value one round ahead.

argmax_u J(p with f_u(k)) - J(p), k one round (``ees``) or one episode (``ees-episode``), as in the
paper's "Baselines" (EES). Ties are common, because most policies alone change nothing; they go to
the policy practised last, then to file order. Options choose other rules for ties, and the
tolerance of an approximate solver.
"""

from __future__ import annotations

from typing import Literal

from deliberate_practice.allocation.plans import task_value
from deliberate_practice.foundation.options import limited
from deliberate_practice.foundation.rounding import rounded
from deliberate_practice.strategies.expectation import competences
from deliberate_practice.strategies.strategy import ROUND, Decision, Situation

TIES = ("last", "first", "random")


@limited(ahead=(1, 10_000), tolerance=(0.0, 1e100), ties=("last", "first", "random"))
def ees(
    situation: Situation,
    *,
    ahead: int = ROUND,
    tolerance: float = 0.0,
    ties: Literal["last", "first", "random"] = "last",
) -> Decision:
    """Choose the policy whose practice raises the task's value most.

    Args:
        situation: The situation.
        ahead: Attempts to look ahead; always a round if the policy is trained elsewhere.
        tolerance: Gains that differ by at most this are tied.
        ties: Among tied policies, choose the one practised last (or else the first in the file),
            always the first in the file, or a random one.

    Raises:
        ArgumentError: An option is not valid.
    """
    now = competences(situation)
    value = task_value(situation.ground, now)
    last = situation.past[-1].decision.policy if situation.past else None
    later = {
        name: float(situation.belief.curve(name, situation.ahead(name, ahead))[-1])
        for name in situation.routes
    }
    values = {
        name: task_value(situation.ground, {**now, name: improved})
        for name, improved in later.items()
    }
    largest = max(values.values())
    gains = {name: rounded(improved - value, largest) for name, improved in values.items()}
    tied = [name for name, gain in gains.items() if gain >= max(gains.values()) - tolerance]
    best = tied[0]
    if ties == "last" and last in tied:
        best = str(last)
    elif ties == "random":
        best = str(situation.rng.choice(tied))
    return Decision(best, ahead, why={"gain": gains[best], "value": value})


def ees_episode(situation: Situation) -> Decision:
    """Choose as :func:`ees` does, one episode ahead."""
    return ees(situation, ahead=1)
