"""The budget: what it is, what is spent, what is left."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ledger:
    """Budget units of a session.

    A trial is paid for when it is asked, so that trials under way can never exceed the budget.
    """

    budget: int
    spent: int = 0

    @property
    def left(self) -> int:
        """What may still be spent."""
        return self.budget - self.spent

    def affords(self, cost: int) -> int:
        """How many episodes of that cost fit into what is left."""
        return self.left // cost
