"""Estimate, extrapolate, situate: the largest gain in task value one round ahead.

argmax_u J(p with f_u(k)) - J(p), k one round (``ees``) or one episode (``ees-episode``). Ties,
which are common because most policies alone change nothing, go to the policy practised last, then
to file order. Other rules, and the tolerance of an approximate solver, can be chosen in Python.
"""

from __future__ import annotations

from typing import Literal

from deliberate_practice.foundation.checks import is_number
from deliberate_practice.foundation.errors import ArgumentError, choose_from, shown
from deliberate_practice.foundation.whole_numbers import LARGEST_BUDGET, whole_number
from deliberate_practice.strategies.plan_book import believed, task_value
from deliberate_practice.strategies.strategy import ROUND, Decision, Situation

TIES = ("last", "first", "random")


def ees(
    situation: Situation,
    ahead: int = ROUND,
    *,
    tolerance: float = 0.0,
    ties: Literal["last", "first", "random"] = "last",
) -> Decision | None:
    """The policy whose practice raises the task's value most.

    Args:
        situation: What is known.
        ahead: Attempts to look ahead.
        tolerance: Gains that differ by at most this are tied.
        ties: Of tied policies take the one practised last if it is among them, always the first
            one in the file, or a random one.

    Raises:
        ArgumentError: An option makes no sense.
    """
    whole_number("ahead", ahead, 1, LARGEST_BUDGET)
    if not (is_number(tolerance) and tolerance >= 0):
        raise ArgumentError(f"tolerance: {shown(tolerance)} is not valid; give at least 0.")
    if ties not in TIES:
        raise ArgumentError("ties: " + choose_from(ties, TIES))
    now = believed(situation.ground, situation.belief)
    value = task_value(situation.ground, now)
    last = situation.past[-1].decision.policy if situation.past else None
    gains = {}
    for name in situation.routes:
        improved = float(situation.belief.curve(name, ahead)[-1])
        gains[name] = task_value(situation.ground, {**now, name: improved}) - value
    if not gains:
        return None
    tied = [name for name, gain in gains.items() if gain >= max(gains.values()) - tolerance]
    best = tied[0]
    if ties == "last" and last in tied:
        best = str(last)
    elif ties == "random":
        best = str(situation.rng.choice(tied))
    return Decision(best, ahead, why={"gain": gains[best], "value": value})


def ees_episode(situation: Situation) -> Decision | None:
    """The same, one episode ahead."""
    return ees(situation, ahead=1)
