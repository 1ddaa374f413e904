"""The best completion of a plan from every state, at several prices for practice at once."""

from __future__ import annotations

import numpy as np

from deliberate_practice.allocation.prices import Practice
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.task.mdp import BoolArray, FloatArray, IntArray

COARSE, FINE, RANGE = 16, 8, 1e-4


class Completion:
    """h_λ(s): the best Σ M_λ + log R over all ways from s to a goal, each skill priced on its own.

    A policy that can be used again on the way cannot be charged twice for the same practice, so it
    is taken at its competence with the whole budget, free of charge; one that cannot is charged.

    Attributes:
        prices: The prices λ, the first one 0, shape (L,).
        logs: h_λ(s), shape (N, L).
    """

    def __init__(self, form: ProductForm, practice: Practice, budgets: IntArray) -> None:
        self._form, self._practice = form, practice
        self._recurs = recurring_policies(form)
        self._sources, self._first = np.unique(form.source, return_index=True)
        grid = practice.steepest() * np.geomspace(1.0, RANGE, COARSE)
        self.prices: FloatArray = np.unique(np.concatenate([[0.0], grid]))
        self.logs = self._solve()
        if len(budgets) == 1 and len(self.prices) > 1:
            # One budget needs few prices: those around the least upper bound on all plans.
            around = self._best_price(int(budgets[0]))
            low, high = self.prices[max(around - 1, 1)], self.prices[min(around + 1, COARSE)]
            self.prices = np.concatenate([[0.0], np.geomspace(low, high, FINE)])
            self.logs = self._solve()
            best = self._best_price(int(budgets[0]))
            chosen = sorted({0, max(best - 1, 0), best, min(best + 1, FINE)})
            self.prices, self.logs = self.prices[chosen], np.ascontiguousarray(self.logs[:, chosen])

    def sample_plans(self) -> set[tuple[int, ...]]:
        """The plans that are best at some price, as edges from the start to a goal."""
        form, plans = self._form, set()
        for price in range(len(self.prices)):
            edges: list[int] = []
            state, visited = form.start, set()
            while form.goal_log[state] == -np.inf and state not in visited:
                visited.add(state)
                first, last = np.searchsorted(form.source, [state, state + 1])
                if first == last:
                    break
                ahead = self._weights[first:last, price] + self.logs[form.target[first:last], price]
                edges.append(int(first + np.argmax(ahead)))
                state = int(form.target[edges[-1]])
            if form.goal_log[state] > -np.inf:
                plans.add(tuple(edges))
        return plans

    def _best_price(self, budget: int) -> int:
        return int(np.argmin(self.logs[self._form.start] + self.prices * budget))

    def _solve(self) -> FloatArray:
        """Sweep h(s) = max over edges of weight + h(target) until nothing changes."""
        form, practice = self._form, self._practice
        practised = set(practice.practised_kinds)
        by_kind = np.empty((len(form.kinds), len(self.prices)))
        for k, kind in enumerate(form.kinds):
            if k not in practised:
                by_kind[k] = practice.fixed_logs[k]
            elif self._recurs[kind.policy]:
                by_kind[k] = practice.ceiling(k)
            else:
                by_kind[k] = practice.best({k: 1}, self.prices)
        self._weights = by_kind[form.kind]
        logs = np.repeat(form.goal_log[:, None], len(self.prices), axis=1)
        while len(form.source):
            ahead = np.maximum.reduceat(self._weights + logs[form.target], self._first, axis=0)
            improved = np.maximum(logs[self._sources], ahead)
            if np.array_equal(improved, logs[self._sources]):
                break
            logs[self._sources] = improved
        return logs


def recurring_policies(form: ProductForm) -> BoolArray:
    """Which policies some path can use more than once, by index of the policy."""
    policy = np.array([kind.policy for kind in form.kinds], dtype=np.int64)[form.kind]
    count = int(policy.max(initial=0)) + 1
    recurs = np.zeros(count, dtype=np.bool_)
    by_target = np.argsort(form.target, kind="stable")
    source, target, policy = form.source[by_target], form.target[by_target], policy[by_target]
    reached, first = np.unique(target, return_index=True)
    for word in range(0, count, 64):  # one bit per policy: used on some way to the state
        inside = (policy >= word) & (policy < word + 64)
        bit = np.where(
            inside, np.uint64(1) << (policy - word).clip(0, 63).astype(np.uint64), np.uint64(0)
        )
        used = np.zeros(len(form.goal_log), dtype=np.uint64)
        while len(source):
            after = np.bitwise_or.reduceat(used[source] | bit, first)
            if np.array_equal(after, used[reached]):
                break
            used[reached] = after
        recurs[policy[(used[source] & bit) != 0]] = True
    return recurs
