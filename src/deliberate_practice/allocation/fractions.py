"""Practice in fractions of episodes, as in the paper: a concave split by water-filling.

For piecewise-linear and exponential curves g(b) = Σ_k n_k log φ_k(f(b)) is concave, so

    maximise Σ_u g_u(b_u)   subject to   Σ_u cost_u b_u <= B,  b >= 0

is solved by the price λ at which the demands b_u(λ) = argmax g_u(b) - λ cost_u b use up the budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.allocation.split import Splitter
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.model import Policy

LEAST = 1e-9
"""Smaller shares [episodes] count as 0; a policy that needs any practice at all gets this much."""

HALVINGS = 60
"""Bisection steps, enough to get from any budget down to rounding."""


class Fractions(WholeEpisodes):
    """Practice in fractions of episodes; demands are found by bisection instead of in a table."""

    def __init__(self, problem: Problem, form: ProductForm) -> None:
        self.kinds, self.gamma = form.kinds, form.gamma
        super().__init__(problem, form)
        for k in self.practised_kinds:
            policy = problem.policies[self.policy[k]]
            if policy.curve is not None and policy.curve.tabulated:
                raise ArgumentError(
                    f"continuous: the curve of '{policy.name}' is a table of whole episodes; "
                    "use piecewise-linear or exponential curves, or whole episodes."
                )
            kind = self.kinds[k]
            if kind.lost_failure > kind.onward + kind.lost_success:
                raise ArgumentError(
                    f"continuous: '{policy.name}' may succeed without effect, which makes the "
                    "split nonconvex; use whole episodes."
                )

    @cached_property
    def practised_kinds(self) -> list[int]:
        """Kinds that practice improves, in file order of their policies."""
        return [
            k
            for k, u in enumerate(self.policy)
            if self.problem.policies[u].practisable
            and self.ceiling(k) > self.log_total({k: 1}, np.zeros(1))[0]
        ]

    def steepest(self) -> float:
        """The largest price worth considering: about the first gain in log φ per budget unit."""
        early = np.array([1e-3])
        gains = [
            float(self._gain({k: 1}, early)[0]) / self.cost({k: 1}) for k in self.practised_kinds
        ]
        return max(gains, default=0.0)

    def best(self, uses: Mapping[int, int], prices: FloatArray) -> FloatArray:
        """M_λ(n) for each price, for uses of kinds of one policy."""
        if not uses:
            return np.zeros(len(prices))
        b = self.demand(uses, prices)
        return self.log_total(uses, b) - prices * self.cost(uses) * b

    def ceiling(self, kind: int) -> float:
        """log φ with the whole budget."""
        whole = np.array([self.problem.budget / self.cost({kind: 1})])
        return float(self.log_total({kind: 1}, whole)[0])

    def logs_after(self, episodes: Mapping[int, float]) -> FloatArray:
        """log φ of each kind after the given episodes by policy."""
        practised = set(self.practised_kinds)
        return np.array(
            [
                self.log_total({k: 1}, np.array([episodes.get(u, 0.0)]))[0]
                if k in practised
                else self.fixed_logs[k]
                for k, u in enumerate(self.policy)
            ]
        )

    def split(self, uses: Mapping[int, int], deadline: float | None = None) -> Splitter:
        """The exact split for a plan with these uses; the deadline is not needed."""
        return WaterFilling(self, self._by_policy(uses))

    def demand(self, uses: Mapping[int, int], prices: FloatArray) -> FloatArray:
        """b(λ): the number of episodes that are worth their cost at each price."""
        cost = self.cost(uses)
        top = np.full(len(prices), self.problem.budget / cost)
        low, high = np.zeros(len(prices)), top.copy()
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            worthwhile = self._gain(uses, middle) > prices * cost
            low, high = np.where(worthwhile, middle, low), np.where(worthwhile, high, middle)
        # A skill that never works may need some practice, however little.
        needed = LEAST if self.log_total(uses, np.zeros(1))[0] == -np.inf else 0.0
        return high.clip(needed, top)

    def log_total(self, uses: Mapping[int, int], b: FloatArray) -> FloatArray:
        """Σ_k n_k log φ_k(f(b))."""
        f = self._policy(uses).predict(b)
        logs = (n * self.kinds[k].log_factor(f, self.gamma) for k, n in uses.items())
        return sum(logs, np.zeros(len(b)))

    def _gain(self, uses: Mapping[int, int], b: FloatArray) -> FloatArray:
        """Derivative of ``log_total``."""
        f = np.maximum(self._policy(uses).predict(b), 1e-150)
        kinds = ((self.kinds[k], n) for k, n in uses.items())
        slopes = (n * k.stuck(self.gamma) / (f * k.leaving(f, self.gamma)) for k, n in kinds)
        return sum(slopes, np.zeros(len(b))) * self._policy(uses).slope(b)

    def _policy(self, uses: Mapping[int, int]) -> Policy:
        return self.problem.policies[self.policy[next(iter(uses))]]


class WaterFilling:
    """The best fractional split over the policies of one plan, for any budget."""

    exact = True

    def __init__(self, practice: Fractions, groups: Mapping[int, Mapping[int, int]]) -> None:
        self._practice, self._groups = practice, groups

    def totals(self, budgets: IntArray) -> FloatArray:
        """Best Σ g_u for each of the given budgets."""
        return np.array(
            [
                sum(
                    float(self._practice.log_total(self._groups[u], np.array([b]))[0])
                    for u, b in self._shares(float(budget)).items()
                )
                for budget in budgets
            ]
        )

    def cheapest(self, needed: float, budget: int) -> tuple[float, dict[int, float]]:
        """Budget units and episodes by policy of the best split; it spends nothing without gain."""
        shares = self._shares(float(budget))
        spent = sum(self._practice.cost(self._groups[u]) * b for u, b in shares.items())
        return spent, {u: b for u, b in shares.items() if b >= LEAST}

    def _shares(self, budget: float) -> dict[int, float]:
        """Find the price that uses up the budget by trying many prices at a time."""
        prices = np.concatenate([[0.0], np.geomspace(1e-15, 1e9, 63)])
        for _ in range(12):
            affordable = int(np.argmax(self._spent(prices) <= budget))
            if affordable == 0:
                break
            prices = np.linspace(prices[affordable - 1], prices[affordable], 64)
        price = prices[np.argmax(self._spent(prices) <= budget)]
        return {u: float(b[0]) for u, b in self._demands(np.array([price])).items()}

    def _spent(self, prices: FloatArray) -> FloatArray:
        demands = self._demands(prices).items()
        return sum(
            (self._practice.cost(self._groups[u]) * b for u, b in demands), np.zeros(len(prices))
        )

    def _demands(self, prices: FloatArray) -> dict[int, FloatArray]:
        return {u: self._practice.demand(group, prices) for u, group in self._groups.items()}
