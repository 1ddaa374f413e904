"""Random practice: any reachable policy with the same probability ("Baselines" in the paper, R)."""

from __future__ import annotations

from deliberate_practice.strategies.strategy import ROUND, Decision, Situation


def random_practice(situation: Situation) -> Decision:
    """Choose a policy at random."""
    names = list(situation.routes)
    return Decision(names[int(situation.rng.integers(len(names)))], ROUND)
