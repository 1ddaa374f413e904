"""Cleanup on the synthetic robot: the budget decides the drawer, and greed stays at the top."""

from __future__ import annotations

from counts import FULL

from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.comparison import compare

GOALS = {100: "top", 150: "middle", 250: "bottom"}
BASELINES = ("ees", "competence-improvement", "least-competent", "random")


def test_deliberate_learns_the_drawer_that_the_budget_allows() -> None:
    """All strategies on the same belief; 20 seeds in full, two and one baseline otherwise."""
    seeds = 20 if FULL else 2
    strategies = ["deliberate", *(BASELINES if FULL else BASELINES[:1])]
    rows, _ = compare(load_task("cleanup"), list(GOALS), strategies, seeds=seeds, approach="free")
    table = {(row.strategy, row.budget): row for row in rows}
    for budget, goal in GOALS.items():
        mine = table["deliberate", budget]
        assert mine.goals.get(goal, 0) >= 0.8 * seeds
        for name in strategies[1:]:
            other = table[name, budget]
            assert mine.ci95
            assert other.ci95
            if budget == 100:
                assert mine.ci95[1] >= other.ci95[0]
            else:
                assert mine.ci95[0] > other.ci95[1] if FULL else mine.mean > other.mean
