"""Good plans by turns: the best split for a plan, then the best plan for that split."""

from __future__ import annotations

import numpy as np

from deliberate_practice.allocation.longest_paths import LongestPaths
from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.allocation.split import Splitter
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.deadline import late

Edges = tuple[int, ...]

LAST = 10
"""The marginal value of budget is measured over this part of it: a tenth."""


class Alternation:
    """The best plan found so far for one budget.

    Args:
        form: The graph of plans.
        practice: The effect of practice.
        paths: Longest paths of the graph.
        budget: Budget units.
        log_value: log of the value that a plan must exceed.
        deadline: When to stop.

    Attributes:
        log_value: log of the best value, at least the given one.
        plans: Plans that exceeded it, as edges, each better than those before it.
        price: What a budget unit adds to the log value of the best of all plans tried; 0 if that is
            not known.
    """

    def __init__(
        self,
        form: ProductForm,
        practice: WholeEpisodes,
        paths: LongestPaths,
        budget: int,
        log_value: float,
        deadline: float | None = None,
    ) -> None:
        self._form, self._practice, self._paths, self._budget = form, practice, paths, budget
        self._deadline = deadline
        self.log_value = log_value
        self.plans: list[Edges] = []
        self.price = 0.0
        self._best_tried = -np.inf
        self._tried: set[Edges] = set()

    def improve(self, weights: FloatArray) -> None:
        """Take turns, beginning with the longest path for the given weight of each kind."""
        while not late(self._deadline) and (edges := self._best_plan(weights)):
            if edges in self._tried:
                return
            self._tried.add(edges)
            split = self._split(edges)
            total = float(split.totals(np.array([self._budget]))[0])
            if total == -np.inf:
                return
            self._offer(edges, split, total)
            _, episodes = split.cheapest(total, self._budget)
            weights = self._practice.logs_after(episodes)

    def _best_plan(self, weights: FloatArray) -> Edges:
        return self._paths.trace(weights, self._paths.sweep(weights[:, None])[:, 0])

    def _split(self, edges: Edges) -> Splitter:
        """The best splits for a plan; only its uses of practised kinds matter."""
        made = np.bincount(self._form.kind[list(edges)], minlength=len(self._form.kinds))
        uses = {k: int(made[k]) for k in self._practice.practised_kinds if made[k]}
        return self._practice.split(uses, self._deadline)

    def _offer(self, edges: Edges, split: Splitter, total: float) -> None:
        form, fixed = self._form, self._practice.fixed_logs
        rest = form.start_log + float(form.goal_log[form.target[edges[-1]]])
        log_value = rest + total + sum(fixed[k] for k in form.kind[list(edges)].tolist())
        if log_value > self._best_tried:
            self._best_tried = log_value
            last = -(-self._budget // LAST)
            without = float(split.totals(np.array([self._budget - last]))[0])
            self.price = (total - without) / last if last and without > -np.inf else 0.0
        if log_value > self.log_value:
            self.log_value = log_value
            self.plans.append(edges)
