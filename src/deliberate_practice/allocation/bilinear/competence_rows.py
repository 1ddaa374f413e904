"""Rows of the bilinear program that link a competence p̄_u to its episodes b_u: f_improv.

There are three forms; the tightest one that is exact for the table is used:

* lines: p̄ <= every line of a concave table, if the value never falls with competence;
* an equation: p̄ = p + Δ b on an affine table, with one binary for the step that meets the ceiling;
* a choice: one binary per number of episodes, for all other tables.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.problem import Problem
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import DeliberatePracticeError

STRAIGHT = 1e-12
"""Slopes that differ by less belong to one line."""

LINES = 100
"""The most lines for a concave table."""

CHOICES = 5000
"""The most numbers of episodes to choose from, with one binary each."""


@dataclass(frozen=True)
class Variable:
    """A variable of the program.

    Attributes:
        name: Its name in the exported file.
        low: Lower bound.
        high: Upper bound.
        integer: Whether it must be whole.
        objective: Its factor in the objective, which is maximised.
        meaning: Its meaning, for readers.
    """

    name: str
    low: float
    high: float
    integer: bool = False
    objective: float = 0.0
    meaning: str = ""


@dataclass(frozen=True)
class Row:
    """A linear row Σ factor * variable (sense) right, with sense one of ``<=``, ``=``, ``>=``."""

    name: str
    terms: tuple[tuple[str, float], ...]
    sense: str
    right: float


@dataclass(frozen=True)
class Link:
    """How one policy's competence depends on its episodes.

    Attributes:
        policy: Index of the policy.
        table: f(0), f(1), ... until it stops rising.
        variables: b, p̄ and any binaries.
        rows: The rows that link them.
    """

    policy: int
    table: FloatArray
    variables: tuple[Variable, ...]
    rows: tuple[Row, ...]

    @property
    def episodes(self) -> str:
        """Name of the variable b_u."""
        return f"b{self.policy}"

    @property
    def competence(self) -> str:
        """Name of the variable p̄_u."""
        return f"p{self.policy}"

    @property
    def high(self) -> float:
        """The competence after spending the whole budget on it."""
        return self.variables[1].high

    @property
    def most(self) -> float:
        """The largest useful number of episodes."""
        return self.variables[0].high

    def start(self, b: float, p: float) -> dict[str, float]:
        """Values of all its variables for the given episodes and competence."""
        b = min(b, self.most)
        binaries = (variable.name for variable in self.variables[2:])
        chosen = {name: float(name.endswith(f"_{b:.0f}")) for name in binaries}
        return {self.episodes: b, self.competence: p, **chosen}


def link_competence(problem: Problem, u: int, high: float, *, rises: bool) -> Link:
    """Variables and rows for one practised policy.

    Args:
        problem: Task, budget and competence tables.
        u: Index of the policy.
        high: Its competence with the whole budget.
        rises: Whether the value never falls with competence, so that p̄ < f(b) is never better.

    Raises:
        DeliberatePracticeError: Fractions of episodes meet a curve that is not piecewise linear.
    """
    if problem.continuous:
        return _continuous(problem, u, high, rises=rises)
    full = problem.tables[u]
    table = full[: int(np.argmax(full >= full[-1])) + 1]
    steps = np.diff(table)
    last = len(table) - 1
    if rises and (np.diff(steps) <= STRAIGHT).all():
        return _link(problem, u, table, _lines(u, table))
    if (np.abs(np.diff(steps[:-1])) <= STRAIGHT).all() and (
        len(steps) < 2 or steps[-1] <= steps[0]
    ):
        return _affine(problem, u, table, float(steps[0]), last)
    if last > CHOICES:
        raise DeliberatePracticeError(
            f"policy '{problem.policies[u].name}': its table is not concave and has {last:,} "
            f"entries; the bilinear program takes at most {CHOICES:,}."
        )
    z = [Variable(f"z{u}_{k}", 0.0, 1.0, integer=True) for k in range(last + 1)]
    rows = (
        Row(f"one{u}", tuple((v.name, 1.0) for v in z), "=", 1.0),
        Row(
            f"f{u}",
            ((f"p{u}", 1.0), *((v.name, -float(f)) for v, f in zip(z, table, strict=True))),
            "=",
            0.0,
        ),
        Row(
            f"k{u}",
            ((f"b{u}", 1.0), *((v.name, -float(k)) for k, v in enumerate(z) if k)),
            "=",
            0.0,
        ),
    )
    return _link(problem, u, table, rows, tuple(z))


def _continuous(problem: Problem, u: int, high: float, *, rises: bool) -> Link:
    """Fractions of episodes: p̄ = p + Δ b up to the ceiling, or the lines of a concave table."""
    policy = problem.policies[u]
    assert policy.curve is not None  # it is practised
    most = problem.budget / policy.cost
    segments = policy.curve.segments(policy.competence)
    if segments is not None:
        slopes, ends = segments
        if len(slopes) == 1:
            terms = ((f"p{u}", 1.0), (f"b{u}", -float(slopes[0])))
            row = Row(f"f{u}", terms, "=", policy.competence)
            straight = np.array([policy.competence, high])
            return _link(problem, u, straight, (row,), most=min(most, float(ends[0])))
        if rises and (np.diff(slopes) <= STRAIGHT).all():
            table = policy.table(len(slopes))
            return _link(problem, u, np.append(table[:1], high), _lines(u, table), most=most)
    raise DeliberatePracticeError(
        f"policy '{policy.name}': fractions of episodes need piecewise-linear curves, and this one "
        f"is {policy.curve.kind!r}; leave out --continuous (continuous=True) to allocate whole "
        "episodes."
    )


def _affine(problem: Problem, u: int, table: FloatArray, rate: float, last: int) -> Link:
    """p̄ = p + Δ b, corrected at the last step, which the ceiling cuts short."""
    b, p = f"b{u}", f"p{u}"
    excess = float(table[0] + rate * last - table[-1])
    if excess <= STRAIGHT:
        rate = float(table[-1] - table[0]) / last
        return _link(
            problem, u, table, (Row(f"f{u}", ((p, 1.0), (b, -rate)), "=", float(table[0])),)
        )
    z = Variable(f"z{u}_{last}", 0.0, 1.0, integer=True)
    rows = (
        Row(f"f{u}", ((p, 1.0), (b, -rate), (z.name, excess)), "=", float(table[0])),
        Row(f"below{u}", ((b, 1.0), (z.name, -1.0)), "<=", last - 1.0),
        Row(f"above{u}", ((b, 1.0), (z.name, -float(last))), ">=", 0.0),
    )
    return _link(problem, u, table, rows, (z,))


def _lines(u: int, table: FloatArray) -> tuple[Row, ...]:
    """p̄ <= distinct rising lines of a concave table, each above all its points.

    If there are many lines, a good selection is used: fewer lines only raise the bound.
    """
    episodes = np.arange(len(table))
    slopes = np.diff(table)
    chosen = np.unique(np.linspace(0, len(slopes) - 1, min(len(slopes), LINES)).astype(np.int64))
    rows: list[Row] = []
    before = np.inf
    for slope in slopes[chosen]:
        if slope > STRAIGHT and before - slope > STRAIGHT:
            before = slope
            right = float((table - slope * episodes).max())
            rows.append(
                Row(f"f{u}_{len(rows)}", ((f"p{u}", 1.0), (f"b{u}", -float(slope))), "<=", right)
            )
    return tuple(rows)


def _link(
    problem: Problem,
    u: int,
    table: FloatArray,
    rows: tuple[Row, ...],
    binaries: tuple[Variable, ...] = (),
    most: float | None = None,
) -> Link:
    name = problem.policies[u].name
    high = len(table) - 1.0 if most is None else most
    variables = (
        Variable(f"b{u}", 0.0, high, not problem.continuous, meaning=f"episodes of {name}"),
        Variable(f"p{u}", float(table[0]), float(table[-1]), meaning=f"competence of {name}"),
        *binaries,
    )
    return Link(u, table, variables, rows)
