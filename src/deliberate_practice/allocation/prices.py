"""The effect of practice on the kinds of skills of a plan, with and without a price on practice.

For a price λ per budget unit and n_k uses of each kind k of one policy,

    M_λ(n) = max_b  Σ_k n_k log φ_k(f(b)) - λ cost b.

By weak duality Σ_u M_λ(n_u) + λ B is at least the exact split of B, for every λ >= 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.allocation.split import PricedSplit, Split, Splitter
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.deadline import Late


class WholeEpisodes:
    """Practice in whole episodes: log φ as tables.

    Args:
        problem: Task, budget and competence tables.
        form: The graph of plans, whose kinds practice improves.
    """

    def __init__(self, problem: Problem, form: ProductForm) -> None:
        self.problem = problem
        self.policy = [kind.policy for kind in form.kinds]
        self.logs = [
            kind.log_factor(problem.tables[kind.policy], form.gamma) for kind in form.kinds
        ]

    @cached_property
    def practised_kinds(self) -> list[int]:
        """Kinds that practice improves, in file order of their policies."""
        return [k for k, log in enumerate(self.logs) if log[-1] > log[0]]

    @cached_property
    def kinds_by_policy(self) -> dict[int, list[int]]:
        """The practised kinds of each policy."""
        return {
            u: [k for k in self.practised_kinds if self.policy[k] == u]
            for u in sorted({self.policy[k] for k in self.practised_kinds})
        }

    @cached_property
    def fixed_logs(self) -> list[float]:
        """log φ of each kind that is not practised, 0 for the others."""
        practised = set(self.practised_kinds)
        return [0.0 if k in practised else float(log[0]) for k, log in enumerate(self.logs)]

    def best(self, uses: Mapping[int, int], prices: FloatArray) -> FloatArray:
        """M_λ(n) for each price, for uses of kinds of one policy."""
        if not uses:
            return np.zeros(len(prices))
        table = self._combined(uses)
        charge = self.cost(uses) * np.arange(len(table))
        priced: FloatArray = (table - prices[:, None] * charge).max(axis=1)
        return priced

    def ceiling(self, kind: int) -> float:
        """log φ with the whole budget."""
        return float(self.logs[kind][-1])

    def logs_after(self, episodes: Mapping[int, float]) -> FloatArray:
        """log φ of each kind after the given episodes by policy."""
        return np.array(
            [
                log[min(int(episodes.get(u, 0)), len(log) - 1)]
                for log, u in zip(self.logs, self.policy, strict=True)
            ]
        )

    def split(self, uses: Mapping[int, int], deadline: float | None = None) -> Splitter:
        """The exact split for a plan with these uses, or a good one after a deadline."""
        groups = self._by_policy(uses)
        tables = {u: self._combined(group) for u, group in groups.items()}
        costs = {u: self.cost(group) for u, group in groups.items()}
        try:
            return Split(tables, costs, self.problem.useful_budget, deadline)
        except Late:
            return PricedSplit(tables, costs, self.problem.useful_budget)

    def steepest(self) -> float:
        """The largest price worth considering: the largest gain in log φ per budget unit."""
        finite = {k: self.logs[k][np.isfinite(self.logs[k])] for k in self.practised_kinds}
        gains = (np.diff(logs).max(initial=0.0) / self.cost({k: 1}) for k, logs in finite.items())
        return float(max(gains, default=0.0))

    def _by_policy(self, uses: Mapping[int, int]) -> dict[int, dict[int, int]]:
        """The uses of each policy's kinds, in file order; policies without any are left out."""
        groups = {
            u: {k: uses[k] for k in kinds if k in uses} for u, kinds in self.kinds_by_policy.items()
        }
        return {u: group for u, group in groups.items() if group}

    def _combined(self, uses: Mapping[int, int]) -> FloatArray:
        """Σ_k n_k log φ_k after each number of episodes, for kinds of one policy."""
        total: FloatArray = np.sum([n * self.logs[k] for k, n in uses.items()], axis=0)
        return total

    def cost(self, uses: Mapping[int, int]) -> int:
        """Budget units per episode of the policy whose kinds are used."""
        return int(self.problem.costs[self.policy[next(iter(uses))]])
