"""All plans that can be best: labels from the goals backward.

Without step costs only the counts of kinds matter. A label falls if another one at its state has no
larger count and no smaller reward, because no factor exceeds 1. Factors that practice cannot change
are part of the reward. With step costs the order matters: a label falls if another one with no
smaller reward is a subsequence of it, because V -> F (V - e) never raises V and is monotone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from deliberate_practice.allocation.plan_form.form import PlanForm
from deliberate_practice.foundation.deadline import check

MOST_LABELS = 20_000
"""The most labels that are made by default."""

FIELD = 16
"""Bits per count in packed counts; the top bit of each is a guard for comparisons."""


class PlanOf(NamedTuple):
    """A plan from a start.

    Attributes:
        start: Index of the start.
        log_reward: log of the reward, times the factors that practice cannot change.
        kinds: Its kinds from start to goal, without those that are part of the reward.
    """

    start: int
    log_reward: float
    kinds: tuple[int, ...]


class _Label(NamedTuple):
    log_reward: float
    counts: int
    kinds: tuple[int, ...]


def all_plans(
    form: PlanForm,
    constant: Mapping[int, float],
    most_labels: int = MOST_LABELS,
    deadline: float | None = None,
) -> list[PlanOf] | None:
    """The plans of all starts; None if there are too many labels.

    Args:
        form: The graph of plans.
        constant: log F of the kinds that practice cannot change, by kind. With step costs they
            stay in the plan, because the order matters; but no plan uses one that never works.
        most_labels: The most labels to make.
        deadline: When to give up.

    Raises:
        Late: The deadline passed.
    """
    folded = {} if form.costs else constant
    edges: dict[int, list[tuple[int, int]]] = {}
    for source, target, kind in zip(
        form.source.tolist(), form.target.tolist(), form.kind.tolist(), strict=True
    ):
        edges.setdefault(target, []).append((source, kind))
    guard = sum(1 << (FIELD * (k + 1) - 1) for k in range(len(form.kinds)))
    labels: dict[int, list[_Label]] = {
        state: [_Label(math.log(reward), 0, ())]
        for state, reward in enumerate(form.reward.tolist())
        if reward > 0
    }
    layer = {state: list(kept) for state, kept in labels.items()}
    made = len(labels)
    while layer:
        ahead: dict[int, list[_Label]] = {}
        for target, fresh in layer.items():
            for source, kind in edges.get(target, ()):
                if constant.get(kind, 0.0) == -math.inf:
                    continue  # practice cannot make it work
                for label in fresh:
                    check(deadline)
                    longer = _extend(label, kind, folded)
                    kept = labels.setdefault(source, [])
                    if any(_beats(other, longer, guard, form.costs) for other in kept):
                        continue
                    kept[:] = [o for o in kept if not _beats(longer, o, guard, form.costs)]
                    kept.append(longer)
                    ahead.setdefault(source, []).append(longer)
                    made += 1
                    if made > most_labels:
                        return None
        # A label that fell in the meantime has a better one that is extended in its place.
        layer = {
            state: remaining
            for state, fresh in ahead.items()
            if (remaining := [label for label in fresh if label in labels[state]])
        }
    return [
        PlanOf(i, label.log_reward, label.kinds)
        for i, state in enumerate(form.starts.tolist())
        for label in labels.get(state, ())
    ]


def _extend(label: _Label, kind: int, folded: Mapping[int, float]) -> _Label:
    if kind in folded:
        return label._replace(log_reward=label.log_reward + folded[kind])
    return _Label(label.log_reward, label.counts + (1 << FIELD * kind), (kind, *label.kinds))


def _beats(one: _Label, other: _Label, guard: int, ordered: bool) -> bool:
    """Whether one label makes the other needless."""
    if one.log_reward < other.log_reward or ((other.counts | guard) - one.counts) & guard != guard:
        return False
    return not ordered or _is_subsequence(one.kinds, other.kinds)


def _is_subsequence(short: tuple[int, ...], long: tuple[int, ...]) -> bool:
    rest = iter(long)
    return all(kind in rest for kind in short)
