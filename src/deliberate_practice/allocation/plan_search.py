"""Exact search over all plans of a product-form task.

A label is a state and the number of uses of each kind of skill on the way there; nothing else about
the way matters. A label is dropped if another at the same state uses no kind more often, or if
even its best completion has less value than the best plan found. The latter uses the bound

    log V <= Σ_u M_λ(n_u) + h_λ(state) + λ B     for every price λ >= 0 (see ``prices``),

with h_λ the best completion when practice costs λ per unit (see ``completion``). Only plans that
reach a goal are split exactly. When no label is left, the best plan is proven optimal. If the
search stops early, the best open label gives the bound.

Work grows with the number of labels: at most (states kept) x (nondominated counts), usually about
one label per state. The budget enters only through tables of its length.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from deliberate_practice.allocation.completion import Completion
from deliberate_practice.allocation.max_plus import ROUNDING as CONCAVE
from deliberate_practice.allocation.prices import WholeEpisodes
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.allocation.split import Splitter
from deliberate_practice.allocation.tolerances import TIE
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.deadline import late, with_grace
from deliberate_practice.foundation.rounding import EPS

MAX_LABELS = 2_000_000
"""The most labels that a search creates before it stops with its current bound."""

FIELD = 32
"""Bits per count in packed counts; the top bit of each is a guard for comparisons."""

LENGTH = (1 << (FIELD - 1)) - 1
"""The bits of the plan's length in packed counts, without their guard."""

ROUNDING = 1e-13
"""Relative difference between sums of the same logarithms in different orders."""

ROUNDS = 20
"""The most turns of improving a sample plan."""

NOTHING = -1e300
"""log of the value without any plan yet; finite, so that differences are defined."""


@dataclass(frozen=True)
class Candidate:
    """A plan that reaches a goal, up to the order of its skills."""

    label: Label
    log_rest: float
    uses: dict[int, int]
    split: Splitter

    def log_values(self, budgets: IntArray) -> FloatArray:
        """log value at each budget."""
        return self.log_rest + self.split.totals(budgets)


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    Attributes:
        candidates: Plans that are best, or equal to the best, at some of the budgets; with
            ``every``, all plans that are not dominated.
        finished: Whether no label was left open.
        log_values: log of the best value at each budget, ``NOTHING`` if there is none.
        log_bounds: log of the upper bound at each budget.
    """

    candidates: list[Candidate]
    finished: bool
    log_values: FloatArray
    log_bounds: FloatArray


@dataclass(eq=False, slots=True)
class Label:
    """A way to reach a state.

    Attributes:
        state: The state reached.
        counts: Packed: the plan's length, then the uses of each practised kind.
        fixed: Σ log φ of the skills that are not practised.
        priced: Its charges for practice, by column of the completion.
        parents: Every label and skill that leads here with the same counts.
        dropped: Whether a better label replaced it.
        urgency: Excess of its bound over the first plans found; the largest is expanded first.
    """

    state: int
    counts: int
    fixed: float
    priced: FloatArray
    parents: list[tuple[Label, int]] = field(default_factory=list)
    dropped: bool = False
    urgency: float = 0.0

    def first_plan(self) -> tuple[int, ...]:
        """The first of all plans with these counts when skills are compared in file order."""
        ancestors: dict[int, Label] = {}
        stack = [self]
        while stack:
            label = stack.pop()
            if id(label) not in ancestors:
                ancestors[id(label)] = label
                stack.extend(parent for parent, _ in label.parents)
        plans: dict[int, tuple[int, ...]] = {}
        for key, label in sorted(ancestors.items(), key=lambda item: item[1].length):
            plans[key] = min(((*plans[id(p)], skill) for p, skill in label.parents), default=())
        return plans[id(self)]

    @property
    def length(self) -> int:
        """Number of skills on the way."""
        return self.counts & ((1 << FIELD) - 1)


def search_plans(
    form: ProductForm,
    practice: WholeEpisodes,
    budgets: Sequence[int],
    *,
    gap: float = 0.0,
    deadline: float | None = None,
    max_labels: int = MAX_LABELS,
    every: bool = False,
) -> SearchResult:
    """Find the best plan for each of the given budgets at once, with bounds.

    Args:
        form: The graph of plans.
        practice: The effect of practice on each kind of skill.
        budgets: Budgets to plan for, ascending, at most the one ``practice`` was made for.
        gap: Stop when the relative gap is at most this (one budget only).
        deadline: When to stop.
        max_labels: Stop after this many labels; unlike the clock, this is reproducible.
        every: Keep every plan that is not dominated, whatever its value.

    Raises:
        Late: The deadline passed before the search could begin.
    """
    search = PlanSearch(form, practice, np.asarray(budgets), every=every, deadline=deadline)
    return search.run(gap, max_labels)


class PlanSearch:
    """A search that can be continued, and told of plans and bounds from elsewhere.

    Args:
        form: The graph of plans.
        practice: The effect of practice on each kind of skill.
        budgets: Budgets to plan for, ascending.
        every: Keep every plan that is not dominated, whatever its value.
        deadline: When to stop.

    Attributes:
        log_bounds: log of upper bounds from elsewhere, one per budget; infinite at first.

    Raises:
        Late: The deadline passed before the search could begin.
    """

    def __init__(
        self,
        form: ProductForm,
        practice: WholeEpisodes,
        budgets: IntArray,
        *,
        every: bool = False,
        deadline: float | None = None,
    ) -> None:
        self.form, self.practice, self.budgets, self.every = form, practice, budgets, every
        self.deadline = deadline
        self.completion = Completion(form, practice, budgets, with_grace(deadline))
        self.charge = self.completion.prices[:, None] * budgets + form.start_log
        # With a single budget its charge can be part of the completion.
        self.ahead = self.completion.logs + (self.charge[:, 0] if len(budgets) == 1 else 0.0)
        fields = {kind: i + 1 for i, kind in enumerate(practice.practised_kinds)}
        self.shift = {kind: FIELD * i for kind, i in fields.items()}
        self.unit = [1 + (1 << self.shift[k] if k in fields else 0) for k in range(len(form.kinds))]
        self.guard = sum(1 << (FIELD * i + FIELD - 1) for i in range(len(fields) + 1))
        self.siblings = practice.kinds_by_policy
        self.first_edge = np.searchsorted(form.source, np.arange(len(form.goal_log) + 1))
        self.edges: dict[int, list[tuple[int, int, int]]] = {}
        self.gains: dict[tuple[int, ...], FloatArray] = {}
        self.splits: dict[int, Splitter] = {}
        self.front: dict[int, list[Label]] = {}
        self.candidates: list[Candidate] = []
        self.best = np.full(len(budgets), NOTHING)
        self.unsplit = np.full(len(budgets), NOTHING)  # bounds on plans without an exact split
        self.largest = 0.0  # size of the logarithms of a plan
        for edges in [] if every else sorted(self.completion.sample_plans()):
            if not (self.candidates and late(deadline)):
                self.offer(edges)
        if self.completion.shared and not every:
            self._alternate()  # bounds are weaker there, so good plans matter more
        self.reference = self.best.copy()  # orders the open labels; must not change on the way
        self.log_bounds = np.full(len(budgets), np.inf)
        self.made = 1
        root = Label(form.start, 0, 0.0, np.zeros(len(self.completion.prices)))
        self.open_labels: list[tuple[float, int, Label]] = [(0.0, self.made, root)]
        if form.goal_log[root.state] > -np.inf:
            self._offer(root)
            self.open_labels = []

    def run(self, gap: float, max_labels: int) -> SearchResult:
        """Search until no label is left, the gap is closed, or this many labels were made."""
        open_labels = self.open_labels
        while open_labels:
            label = open_labels[0][2]
            bound = self._log_bounds(label)
            if label.dropped or not self._promising(bound):
                heapq.heappop(open_labels)
                continue
            close = len(self.best) == 1 and gap > 0 and bound[0] <= self.best[0] + np.log1p(gap)
            if close or late(self.deadline) or self.made >= max_labels:
                break
            heapq.heappop(open_labels)
            for target, skill, kind in self._edges(label.state):
                child = self._child(label, target, skill, kind)
                if child is None:
                    continue
                self.made += 1
                if self.form.goal_log[target] > -np.inf:
                    self._offer(child)
                else:
                    heapq.heappush(open_labels, (-child.urgency, self.made, child))
        bounds = np.maximum(self.best, self.unsplit)
        for _, _, label in open_labels:
            if not label.dropped:
                np.maximum(bounds, self._log_bounds(label), out=bounds)
        ties = [c for c in self.candidates if self._promising(c.log_values(self.budgets))]
        finished = not open_labels and not (self.unsplit > self.best).any()
        bounds = np.minimum(bounds, np.maximum(self.log_bounds, self.best)) + self._error()
        return SearchResult(ties, finished, self.best.copy(), bounds)

    def _error(self) -> float:
        """The most by which rounding may have lowered the logarithm of a bound.

        At each of its states a plan that is worse by ``ROUNDING`` may have replaced the best plan,
        which visits no state twice. Tables that are concave up to rounding add ``CONCAVE`` for
        every halving of the budget, and sums of k logarithms add k EPS of their size.
        """
        states, kinds = len(self.form.goal_log), len(self.form.kinds)
        halvings = int(self.budgets[-1] + 2).bit_length()
        merged = 2 * states * ROUNDING + (states + kinds) * EPS
        return merged * (self.largest + 1.0) + kinds * halvings * CONCAVE

    def _edges(self, state: int) -> list[tuple[int, int, int]]:
        """(target, skill, kind) of the edges out of a state."""
        if state not in self.edges:
            form = self.form
            out = slice(int(self.first_edge[state]), int(self.first_edge[state + 1]))
            columns = (form.target[out], form.skill[out], form.kind[out])
            self.edges[state] = list(zip(*(column.tolist() for column in columns), strict=True))
        return self.edges[state]

    def _child(self, label: Label, target: int, skill: int, kind: int) -> Label | None:
        """The label one skill further, unless it is dominated, known, or not promising."""
        counts = label.counts + self.unit[kind]
        fixed = label.fixed + self.practice.fixed_logs[kind]
        if fixed == -np.inf:  # a skill that never works, and is not practised
            return None
        front = self.front.setdefault(target, [])
        guarded = counts | self.guard
        for other in front:
            if other.counts == counts and abs(other.fixed - fixed) <= _rounding(fixed):
                other.parents.append((label, skill))
                return None
            if self._dominates(other.counts, other.fixed, guarded, fixed):
                return None
        priced = (
            label.priced + self._gain(label.counts, kind) if kind in self.shift else label.priced
        )
        child = Label(target, counts, fixed, priced, [(label, skill)])
        bounds = self._log_bounds(child)
        if not self._promising(bounds):
            return None
        child.urgency = float((bounds - self.reference).max())
        for other in front:
            guarded = other.counts | self.guard
            other.dropped = self._dominates(counts, fixed, guarded, other.fixed)
        self.front[target] = [*(other for other in front if not other.dropped), child]
        return child

    def _dominates(self, counts: int, fixed: float, guarded: int, other_fixed: float) -> bool:
        """Whether a label is better than another, whose counts have their guard bits set.

        No count is larger (no field borrows its guard bit), and its value is at least as large. It
        is also shorter or has a larger value, so that the tie rule cannot prefer the other.
        """
        if (guarded - counts) & self.guard != self.guard:
            return False
        if fixed < other_fixed - _rounding(fixed):
            return False
        shorter = counts & LENGTH < guarded & LENGTH
        return shorter or fixed > other_fixed + TIE

    def _gain(self, counts: int, kind: int) -> FloatArray:
        """The charges for one more use of a kind."""
        kinds = self.siblings[self.form.kinds[kind].policy]
        used = [self._count(counts, k) for k in kinds]
        key = (kind, *used)
        if key not in self.gains:
            before = {k: n for k, n in zip(kinds, used, strict=True) if n}
            self.gains[key] = self.completion.gain(kind, before)
        return self.gains[key]

    def _count(self, counts: int, kind: int) -> int:
        return (counts >> self.shift[kind]) & ((1 << FIELD) - 1)

    def _log_bounds(self, label: Label) -> FloatArray:
        ahead = label.priced + self.ahead[label.state]
        bounds: FloatArray
        if len(self.budgets) == 1:
            bounds = np.minimum.reduce(ahead, keepdims=True) + label.fixed
        else:
            bounds = np.minimum.reduce(ahead[:, None] + self.charge) + label.fixed
        return bounds

    def _promising(self, log_values: FloatArray) -> bool:
        return self.every or bool(np.logical_or.reduce(log_values >= self.best - TIE))

    def _alternate(self) -> None:
        """Improve the samples by turns: the best plan for a split, the best split for a plan."""
        for candidate in self.candidates[:]:
            for budget in self.budgets[:: max(1, len(self.budgets) // 8)].tolist():
                split = candidate.split
                for _ in range(ROUNDS):
                    if late(self.deadline):
                        return
                    total = float(split.totals(np.array([budget]))[0])
                    if total == -np.inf:
                        break
                    _, episodes = split.cheapest(total, budget)
                    edges = self.completion.best_plan(self.practice.logs_after(episodes))
                    improved = self.offer(edges) if edges else split
                    if improved is split:
                        break
                    split = improved

    def offer(self, edges: Sequence[int]) -> Splitter:
        """Offer a plan from outside the search, as edges from the start to a goal."""
        label = Label(self.form.start, 0, 0.0, np.zeros(0))
        for edge in edges:
            kind, skill = int(self.form.kind[edge]), int(self.form.skill[edge])
            counts = label.counts + self.unit[kind]
            fixed = label.fixed + self.practice.fixed_logs[kind]
            target = int(self.form.target[edge])
            label = Label(target, counts, fixed, label.priced, [(label, skill)])
        return self._offer(label)

    def _offer(self, label: Label) -> Splitter:
        """Split the budget exactly for a plan that reaches a goal."""
        uses = {k: n for k in self.shift if (n := self._count(label.counts, k))}
        key = label.counts >> FIELD
        if key not in self.splits:
            self.splits[key] = self.practice.split(uses, self.deadline)
        if not self.splits[key].exact and len(label.priced):
            np.maximum(self.unsplit, self._log_bounds(label), out=self.unsplit)
        log_rest = label.fixed + float(self.form.goal_log[label.state]) + self.form.start_log
        candidate = Candidate(label, log_rest, uses, self.splits[key])
        values = candidate.log_values(self.budgets)
        if self._promising(values) and values.max() > -np.inf:
            self.candidates.append(candidate)
            np.maximum(self.best, values, out=self.best)
            finite = values[np.isfinite(values)]
            self.largest = max(self.largest, abs(log_rest) + float(np.abs(finite).max()))
        return self.splits[key]


def _rounding(log: float) -> float:
    """The largest difference from the same sum of logarithms in another order."""
    return ROUNDING * (1.0 + abs(log))
