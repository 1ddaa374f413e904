"""Cleanup on the synthetic robot: the budget decides the drawer, and greed stays at the top."""

from __future__ import annotations

from counts import FULL

from deliberate_practice.study.comparison import compare

GOALS = {100: "top", 150: "middle", 250: "bottom"}
BASELINES = ("ees", "competence-improvement", "least-competent", "random")


def test_deliberate_learns_the_drawer_that_the_budget_allows() -> None:
    """All strategies on the same belief; 20 seeds in full, six and one baseline otherwise."""
    seeds = 20 if FULL else 6
    strategies = ["deliberate", *(BASELINES if FULL else BASELINES[:1])]
    done = compare("cleanup", list(GOALS), strategies=strategies, seeds=seeds, approach="free")
    table = {(row.strategy, row.budget): row for row in done.rows}
    for budget, goal in GOALS.items():
        mine = table["deliberate", budget]
        assert mine.goals.get(goal, 0) >= 0.8 * seeds
        for name in strategies[1:]:
            other = table[name, budget]
            if budget == 100:  # greed is as good where the top drawer is the best
                assert mine.mean >= 0.9 * other.mean
            else:
                assert mine.ci95
                assert other.ci95
                assert mine.ci95[0] > other.ci95[1]
