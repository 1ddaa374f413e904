"""A good split for any task, found by exchanging episodes between policies.

It proves nothing. Its split is a start for the bilinear program, and the answer if no global solver
is installed. All decisions depend on counts of evaluations; they depend on a clock only if the
caller sets a deadline.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

from deliberate_practice.allocation.corner_bound import competence_range
from deliberate_practice.allocation.occupancy import competence_gradient, occupancy
from deliberate_practice.allocation.problem import Problem
from deliberate_practice.allocation.tolerances import TIE
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.deadline import late
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.value_bounds import value_bounds
from deliberate_practice.mdp.values import Solution, solve

EVALUATIONS = 1500
"""Splits that are evaluated exactly by default."""

STEPS = (32.0, 16.0, 8.0, 4.0, 2.0, 1.0)
FRACTIONS = tuple(2.0**-i for i in range(1, 11))
"""Episodes per exchange: whole ones, and fractions down to 1/1024 if b is continuous."""

FEW_POLICIES = 8
"""With at most this many practised policies, all exchanges are tried."""

SCREENED = 8
"""With more policies, the most exchanges tried per pass, best predicted gain first."""

FEWEST = 4
"""Candidates whose values are bounded together at first."""

POINTS = 2000
"""The most entries of a table from which its concave hull is made."""

FLOOR = 1e-6
"""The smallest competence for shares by ratios; smaller ones are raised to it."""


def local_search(
    problem: Problem,
    evaluations: int = EVALUATIONS,
    start: Sequence[float] | IntArray | FloatArray | None = None,
    *,
    deadline: float | None = None,
) -> IntArray | FloatArray:
    """Find a good split: several starts, then exchanges of 32, 16, ..., 1 episodes.

    Exchanges are screened by their first-order gain f'_u dV/dp_u and accepted by the exact value.
    Where bounds on a value decide about it, they take the place of the value.

    Args:
        problem: Task, budget and competence tables.
        evaluations: The most splits to evaluate exactly.
        start: A split to improve, instead of the built-in starts.
        deadline: When to stop with the best split so far, on the clock of ``time.monotonic``.

    Returns:
        Episodes of each policy in file order, shape (policies,); whole numbers unless the problem
        is continuous. Budget that adds no value is not spent.
    """
    search = _Search(problem, evaluations, deadline)
    starts = _starts(search) if start is None else [np.asarray(start, dtype=np.float64)]
    starts = _best_first(search, starts)
    for rank, start in enumerate(starts):
        search.limit = search.used + (evaluations - search.used) // (
            2 if rank + 1 < len(starts) else 1
        )
        search.offer(_exchange(search, start, STEPS))
    search.limit = evaluations + len(problem.practised) * 16  # trimming always gets its share
    if problem.continuous:
        search.offer(_exchange(search, search.best, FRACTIONS))
    best = _trim(search)
    return best if problem.continuous else best.astype(np.int64)


def climb(
    problem: Problem,
    start: IntArray,
    steps: tuple[float, ...],
    evaluations: int,
    deadline: float | None = None,
) -> IntArray:
    """Improve a split of a problem in whole episodes by exchanges alone.

    Args:
        problem: Task, budget and competence tables.
        start: The split.
        steps: Episodes per exchange, largest first.
        evaluations: The most splits to evaluate exactly.
        deadline: When to stop, on the clock of ``time.monotonic``.
    """
    search = _Search(problem, evaluations, deadline)
    return _exchange(search, start.astype(np.float64), steps).astype(np.int64)


def trim(
    problem: Problem, split: IntArray, *, rising: bool = False, deadline: float | None = None
) -> IntArray:
    """Remove the episodes that add no value from a split in whole episodes.

    Args:
        problem: Task, budget and competence tables.
        split: The split.
        rising: Whether practice certainly never lowers the value, so that a policy whose last
            episode adds value needs all of them.
        deadline: When to stop, on the clock of ``time.monotonic``.
    """
    search = _Search(problem, 0, deadline)
    search.best = split.astype(np.float64)
    return _trim(search, rising=rising).astype(np.int64)


class _Search:
    """Exact evaluation with a cache, a count, and the best split so far."""

    def __init__(self, problem: Problem, limit: int, deadline: float | None = None) -> None:
        self.problem = problem
        self.limit = limit
        self.deadline = deadline
        self.used = 0
        self.best = np.zeros(len(problem.tables))
        self._known: dict[bytes, Solution] = {}
        self._bounds: dict[bytes, tuple[float, float]] = {}
        self._counted: set[bytes] = set()
        self._rule: IntArray | None = None
        self._slopes: tuple[bytes, FloatArray, FloatArray] = (b"", np.zeros(0), np.zeros(0))
        self.low, self.high = competence_range(problem)
        acts = np.isin(np.arange(len(problem.tables)), problem.ground.action_policy)
        self.practised = np.flatnonzero(acts & (self.high > self.low))

    @property
    def exhausted(self) -> bool:
        return self.used >= self.limit or late(self.deadline)

    def solution(self, b: FloatArray) -> Solution:
        key = b.tobytes()
        if key not in self._known:
            self._count(key)
            self._known[key] = self.problem.solve(b, self.deadline, self._rule)
            self._rule = self._known[key].actions
        return self._known[key]

    def value(self, b: FloatArray) -> float:
        return self.solution(b).value

    def above(self, b: FloatArray, level: float) -> bool:
        """Whether the value of a split is above a level; it counts as evaluated."""
        key = b.tobytes()
        if key not in self._known and key in self._bounds:
            self._count(key)
            low, high = self._bounds[key]
            if low > level or high <= level:
                return low > level
        return self.value(b) > level

    def find_bounds(self, splits: Sequence[FloatArray], near: FloatArray) -> None:
        """Find bounds on the values of some splits, which are near a split that was evaluated."""
        keys = {b.tobytes(): b for b in splits}
        new = [key for key in keys if key not in self._known and key not in self._bounds]
        if not new or late(self.deadline):
            return
        competences = np.array([self.problem.competence(keys[key]) for key in new])
        found = value_bounds(self.problem.ground, competences, self.solution(near).actions)
        if found is not None:
            self._bounds |= zip(
                new, zip(*(ends.tolist() for ends in found), strict=True), strict=True
            )

    def _count(self, key: bytes) -> None:
        """Count an evaluation, once for each split."""
        self.used += key not in self._counted
        self._counted.add(key)

    def slopes(self, b: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Competences after a split, and the derivative of the value with respect to each."""
        key = b.tobytes()
        if self._slopes[0] != key:  # needed once per step size, mostly for the same split
            p = self.problem.competence(b)
            gradient = competence_gradient(self.problem.ground, p, self.solution(b))
            self._slopes = (key, p, gradient)
        return self._slopes[1:]

    def offer(self, b: FloatArray) -> None:
        if self.value(b) > self.value(self.best) * (1 + TIE):
            self.best = b

    def left(self, b: FloatArray) -> float:
        """Budget units not spent."""
        return float(self.problem.budget - self.problem.costs @ b)

    def most(self, u: int | np.integer) -> float:
        """Episodes of one policy that the whole budget allows."""
        most = self.problem.budget / self.problem.costs[u]
        return float(most if self.problem.continuous else most // 1)


def _starts(search: _Search) -> list[FloatArray]:
    """Initial splits, without duplicates."""
    problem, practised = search.problem, search.practised
    starts = [np.zeros(len(problem.tables))]
    if not len(practised):
        return starts
    even = starts[0].copy()
    even[practised] = problem.budget // (len(practised) * problem.costs[practised])
    starts.append(even)
    if len(practised) <= FEW_POLICIES:
        alone = np.eye(len(problem.tables))
        starts += [search.most(u) * alone[u] for u in practised]
    starts += _planned_starts(search, even)
    return list({start.tobytes(): start for start in starts}.values())


def _best_first(search: _Search, starts: list[FloatArray]) -> list[FloatArray]:
    """Starts by value, without those that the deadline left unevaluated."""
    values = [
        search.value(start) for i, start in enumerate(starts) if i == 0 or not late(search.deadline)
    ]
    return [starts[i] for i in sorted(range(len(values)), key=lambda i: -values[i])]


def _planned_starts(search: _Search, even: FloatArray) -> list[FloatArray]:
    """Splits for decision rules that are optimal at p(B) or at an even split, also by goal."""
    ground = search.problem.ground
    hulls = {int(u): _hull(search, int(u)) for u in search.practised}
    starts: list[FloatArray] = []
    for one in [ground, *single_goals(ground)]:
        for p in (search.high, search.problem.competence(even)):
            if late(search.deadline):
                return starts
            actions = solve(one, p, deadline=search.deadline).actions
            use = ground.by_policy(occupancy(ground, p, actions))
            starts.append(_hand_out(search, use, hulls))
    return starts


@lru_cache(maxsize=4)
def single_goals(ground: GroundTask) -> tuple[GroundTask, ...]:
    """The task with the reward of each single goal; none if it has one goal or many."""
    if not 1 < len(ground.task.goals) <= FEW_POLICIES:
        return ()
    return tuple(
        replace(ground, reward=np.where(ground.goal == g, ground.reward, 0.0))
        for g in range(len(ground.task.goals))
        if (ground.goal == g).any()
    )


def _hull(search: _Search, u: int) -> list[tuple[float, float, float]]:
    """Pieces (slope, from, to) of the least concave function above log f_u on whole episodes."""
    table = search.problem.tables[u]
    points: list[tuple[float, float]] = []
    for k in np.unique(np.linspace(0, len(table) - 1, min(len(table), POINTS)).astype(np.int64)):
        f = float(np.log(max(table[k], FLOOR)))
        while len(points) > 1 and _slope(points[-2], (k, f)) >= _slope(points[-2], points[-1]):
            points.pop()
        points.append((float(k), f))
    return [(_slope(a, b), a[0], b[0]) for a, b in pairwise(points) if b[1] > a[1]]


def _slope(a: tuple[float, float], b: tuple[float, float]) -> float:
    return (b[1] - a[1]) / (b[0] - a[0])


def _hand_out(
    search: _Search, use: FloatArray, hulls: dict[int, list[tuple[float, float, float]]]
) -> FloatArray:
    """Buy the pieces with the largest gain Σ use_u log f_u per budget unit."""
    costs = search.problem.costs
    pieces = [
        (-use[u] * slope / costs[u], u, begin, end)
        for u, hull in hulls.items()
        for slope, begin, end in hull
        if use[u] > 0
    ]
    b = np.zeros(len(use))
    for _, u, _, end in sorted(pieces):
        b[u] += min(end - b[u], search.left(b) // costs[u])
    return b


def _exchange(search: _Search, b: FloatArray, steps: tuple[float, ...]) -> FloatArray:
    """Climb from b by adding episodes or moving them between policies, with shrinking steps."""
    for step in steps:
        while not search.exhausted:
            better = _first_above(search, b, _candidates(search, b, step))
            if better is None:
                break
            b = better
    return b


def _first_above(
    search: _Search, b: FloatArray, candidates: Sequence[FloatArray]
) -> FloatArray | None:
    """The first candidate with a larger value than b; bounds are found in growing groups."""
    enough, first, many = search.value(b) * (1 + TIE), 0, FEWEST
    while first < len(candidates):
        some = candidates[first : first + many]
        search.find_bounds(some, b)
        for c in some:
            if search.exhausted:
                return None
            if search.above(c, enough):
                return c
        first, many = first + many, 2 * many
    return None


def _candidates(search: _Search, b: FloatArray, step: float) -> list[FloatArray]:
    """Exchanges of one step, best predicted gain first."""
    problem, practised = search.problem, search.practised
    now, gradient = search.slopes(b)
    few = len(practised) <= FEW_POLICIES
    left, donors = search.left(b), practised[b[practised] > 0].tolist()
    exchanges: list[tuple[float, int, float, int | None, float]] = []
    for u in practised.tolist():
        more = min(step, search.most(u) - b[u])
        if more <= 0:
            continue
        gain = gradient[u] * (problem.competence_of(u, b[u] + more) - now[u])
        missing = more * problem.costs[u] - left
        if missing <= 0:
            exchanges.append((float(gain), u, more, None, 0.0))
            continue
        for w in donors:
            given = missing / problem.costs[w]
            given = given if problem.continuous else float(np.ceil(given))
            if w != u and given <= b[w]:
                loss = gradient[w] * (problem.competence_of(w, b[w] - given) - now[w])
                exchanges.append((float(gain + loss), u, more, w, given))
    if not few:
        exchanges = [exchange for exchange in exchanges if exchange[0] > 0]
    exchanges.sort(key=lambda exchange: -exchange[0])
    return [_changed(b, *exchange[1:]) for exchange in (exchanges if few else exchanges[:SCREENED])]


def _changed(b: FloatArray, u: int, more: float, w: int | None, given: float) -> FloatArray:
    """The split with more episodes for u, and fewer for w."""
    changed = b.copy()
    changed[u] += more
    if w is not None:
        changed[w] -= given
    return changed


def _trim(search: _Search, *, rising: bool = False) -> FloatArray:
    """Remove episodes that add no value, later policies first."""
    b = search.best.copy()
    enough = math.nextafter(search.value(b) * (1 - TIE), -math.inf)  # which is to be exceeded
    alone = np.eye(len(b))
    for u in reversed(search.practised):
        if rising and (b[u] < 1 or not search.above(b - alone[u], enough)):
            continue
        beyond = b[u] - len(search.problem.tables[u]) + 1  # episodes after the end of the curve
        b[u] -= max(0.0, beyond // STEPS[0]) * STEPS[0]
        for step in (b[u], *STEPS, *(FRACTIONS if search.problem.continuous else ())):
            while 0 < step <= b[u] and not late(search.deadline):
                fewer = b.copy()
                fewer[u] -= step
                search.find_bounds([fewer], search.best)
                if not search.above(fewer, enough):
                    break
                b = fewer
    return b
