"""The optimal value of a small task in rational arithmetic, without rounding.

It is slow, so it checks answers instead of finding them: policy iteration begins with a decision
rule that is already optimal up to rounding, and usually ends with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.deadline import late
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.moves import Moves, moves
from deliberate_practice.mdp.values import Solution

ZERO = Fraction(0)

WORK = 1_000_000
"""The most 64-bit words of rational numbers that are multiplied: a few seconds."""

Row = dict[int, Fraction]


def exact_value(
    ground: GroundTask,
    competence: FloatArray,
    solution: Solution,
    deadline: float | None = None,
) -> Fraction | None:
    """Optimal value from the start distribution, without rounding; None if that takes too long.

    Args:
        ground: The abstract MDP.
        competence: Competence of each policy, shape (policies,).
        solution: An initial decision rule; its values are ignored.
        deadline: When to give up.
    """
    steps = moves(ground, competence[ground.action_policy])
    rows = _rows(steps)
    leak, gain, reward = (
        [Fraction(number) for number in numbers.tolist()]
        for numbers in (steps.leak, steps.gain, steps.reward)
    )
    rule = {s: a for s, a in enumerate(solution.actions.tolist()) if a >= 0}
    work = _Work(deadline)
    try:
        values = _evaluate(rule, rows, leak, gain, reward, work)
        while _improve(rule, values, steps, rows, leak, gain, work):
            values = _evaluate(rule, rows, leak, gain, reward, work)
    except _TooLong:
        return None
    return sum((Fraction(p) * values[s] for s, p in enumerate(ground.start.tolist()) if p), ZERO)


class _TooLong(Exception):
    """The computation needs too many operations."""


class _Work:
    """A count of the words that are multiplied, with a deadline."""

    def __init__(self, deadline: float | None) -> None:
        self._done, self._deadline = 0, deadline

    def add(self, products: int, factor: Fraction) -> None:
        """Count that many products with a number."""
        self._done += products * (1 + (factor.denominator.bit_length() >> 6))
        if self._done > WORK or late(self._deadline):
            raise _TooLong


def _improve(
    rule: dict[int, int],
    values: list[Fraction],
    steps: Moves,
    rows: list[Row],
    leak: list[Fraction],
    gain: list[Fraction],
    work: _Work,
) -> bool:
    """Switch every state with a better action to its best one; return whether any changed."""
    better: dict[int, tuple[Fraction, int]] = {}
    for a, s in enumerate(steps.state.tolist()):
        work.add(len(rows[a]) + 1, values[s])
        own = leak[a] + sum(rows[a].values())
        if own:
            q = (gain[a] + sum((n * values[t] for t, n in rows[a].items()), ZERO)) / own
            if q > better.get(s, (values[s], -1))[0]:
                better[s] = (q, a)
    rule.update({s: a for s, (_, a) in better.items()})
    return bool(better)


def _rows(steps: Moves) -> list[Row]:
    """N_at of each action as rational numbers."""
    from scipy import sparse

    rows: list[Row] = [{} for _ in steps.state]
    entries = sparse.coo_array(steps.onward)
    for a, t, rate in zip(
        *(c.tolist() for c in entries.coords), entries.data.tolist(), strict=True
    ):
        if rate:
            rows[a][t] = Fraction(rate)
    return rows


def _evaluate(
    rule: Mapping[int, int],
    rows: list[Row],
    leak: list[Fraction],
    gain: list[Fraction],
    reward: list[Fraction],
    work: _Work,
) -> list[Fraction]:
    """Values of a decision rule: eliminate acting states one by one, then substitute back."""
    values = list(reward)
    onward: dict[int, Row] = {}
    right: dict[int, Fraction] = {}
    own: dict[int, Fraction] = {}
    for s, a in rule.items():
        onward[s] = {t: n for t, n in rows[a].items() if t in rule}
        own[s] = leak[a] + sum(rows[a].values(), ZERO)
        right[s] = gain[a] + sum((n * reward[t] for t, n in rows[a].items() if t not in rule), ZERO)
    before: dict[int, set[int]] = {s: set() for s in rule}
    for s, row in onward.items():
        for t in row:
            before[t].add(s)
    eliminated: set[int] = set()
    for k in rule:
        eliminated.add(k)
        if not own[k]:
            continue
        for s in before[k] - eliminated:
            work.add(len(onward[k]) + 1, own[k])
            share = onward[s].pop(k) / own[k]
            right[s] += share * right[k]
            for t, n in onward[k].items():
                if t == s:
                    own[s] -= share * n
                else:
                    onward[s][t] = onward[s].get(t, ZERO) + share * n
                    before[t].add(s)
    for k in reversed(rule):
        work.add(len(onward[k]) + 1, own[k])
        ahead = sum((n * values[t] for t, n in onward[k].items()), ZERO)
        values[k] = (right[k] + ahead) / own[k] if own[k] else ZERO
    return values
