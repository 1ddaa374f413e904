"""Curves f(b): competence after b more attempts, the paper's f_improv(u, b).

====================  =====================================================================
``piecewise-linear``  min(ceiling, p + rate b): the paper's equation
                      "competence_improvement_pwl" (Section 5.1), which has the ceiling 1;
                      ``linear`` is an alias
``exponential``       p + (ceiling - p)(1 - exp(-rate b)): the saturating exponential there
``table``             values[b], straight between whole attempts, constant after the end
====================  =====================================================================
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import TaskError

LONGEST_TABLE = 100_000
"""The largest number of entries in a table."""

NEVER = 1e15
"""More attempts than any budget allows."""


class Curve(ABC):
    """Competence after b more attempts.

    Attributes:
        kind: Its name in task files.
        tabulated: Whether it is stated only for whole attempts.
    """

    kind: ClassVar[str]
    tabulated: ClassVar[bool] = False

    def predict(self, competence: float, b: FloatArray, speed: float = 1.0) -> FloatArray:
        """Competence after b more attempts.

        >>> PiecewiseLinear(rate=0.03).predict(0.1, np.array([0.0, 10.0, 50.0])).tolist()
        [0.1, 0.4, 1.0]

        Args:
            competence: Competence now; a curve that states its own start overrides it.
            b: Attempts, any shape; fractions are allowed.
            speed: Factor on the attempts: 2 is twice the stated rate.
        """
        attempts: FloatArray = np.asarray(b, dtype=np.float64) * speed
        with np.errstate(over="ignore"):  # infinity is cut off at the ceiling
            return self._predict(self.start(competence), attempts)

    def slope(self, competence: float, b: FloatArray) -> FloatArray:
        """Right derivative of :meth:`predict` [1/attempt]."""
        with np.errstate(over="ignore"):
            return self._slope(self.start(competence), np.asarray(b, dtype=np.float64))

    @property
    @abstractmethod
    def ceiling(self) -> float:
        """The highest competence that practice can reach."""

    @property
    @abstractmethod
    def saturation(self) -> float:
        """Attempts after which it no longer rises, up to rounding; at most :data:`NEVER`."""

    @abstractmethod
    def start(self, competence: float) -> float:
        """Competence before practice: the curve's own if it states one, else the skill's."""

    @abstractmethod
    def agreed(self, competence: float | None) -> float | None:
        """The competence of a skill with this curve, given the one that the skill states.

        Raises:
            TaskError: The two contradict each other.
        """

    @abstractmethod
    def initial_slope(self, competence: float) -> float:
        """The initial rise of competence with practice [1/attempt]."""

    @abstractmethod
    def mean_slope(self, competence: float) -> float:
        """The mean slope until half of the gain is reached [1/attempt]."""

    def segments(self, competence: float) -> tuple[FloatArray, FloatArray] | None:
        """Slopes of its straight pieces and the attempts at which each ends; None if curved."""
        return None

    @abstractmethod
    def scaled(
        self, start: float, rate: float = 1.0, competence: float = 1.0, *, own_start: bool = False
    ) -> Curve:
        """A curve with another start and scaled numbers; none rises above 1.

        Args:
            start: Its competence before practice.
            rate: Factor on the speed of learning.
            competence: Factor on the ceiling, and on the competences on the way there.
            own_start: Whether the curve itself states the start, as a truth does.
        """

    @abstractmethod
    def with_rate(self, rate: float | None) -> Curve:
        """The same curve with another rate; None keeps the rate.

        Raises:
            TaskError: The curve has no rate.
        """

    @abstractmethod
    def entry(self) -> dict[str, object]:
        """The table that states it in a task file, without values that equal their defaults."""

    @abstractmethod
    def _predict(self, p: float, b: FloatArray) -> FloatArray:
        """Competence after b attempts from p."""

    @abstractmethod
    def _slope(self, p: float, b: FloatArray) -> FloatArray:
        """Right derivative after b attempts from p."""


@dataclass(frozen=True)
class _Rated(Curve):
    """A formula with a rate and a ceiling."""

    rate: float
    ceiling: float = 1.0
    competence: float | None = None

    settling: ClassVar[float]
    """Attempts until it no longer rises, times the rate."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", checks.number("rate", self.rate, 0))
        for key in ("ceiling", "competence"):
            if (value := getattr(self, key)) is not None:
                object.__setattr__(self, key, checks.number(key, value, 0, 1))

    @property
    def saturation(self) -> float:
        return min(NEVER, self.settling / self.rate + 1.0) if self.rate else 0.0

    def start(self, competence: float) -> float:
        return competence if self.competence is None else self.competence

    def agreed(self, competence: float | None) -> float | None:
        if self.competence is not None:
            raise TaskError(
                "curve: competence",
                f"{self.competence:g} belongs to the skill: move it out of the curve (only a truth "
                "has its own competence).",
            )
        return competence

    def scaled(
        self, start: float, rate: float = 1.0, competence: float = 1.0, *, own_start: bool = False
    ) -> Self:
        ceiling = max(start, min(1.0, self.ceiling * competence))
        return type(self)(self.rate * rate, ceiling, start if own_start else None)

    def with_rate(self, rate: float | None) -> Curve:
        return self if rate is None else replace(self, rate=rate)

    def entry(self) -> dict[str, object]:
        own = {} if self.competence is None else {"competence": self.competence}
        ceiling = {} if self.ceiling == 1.0 else {"ceiling": self.ceiling}
        return {"kind": self.kind, **own, "rate": self.rate, **ceiling}


@dataclass(frozen=True)
class PiecewiseLinear(_Rated):
    """f(b) = min(ceiling, p + rate b), the paper's equation "competence_improvement_pwl".

    Args:
        rate: Improvement per attempt, the paper's Δ_u [1/attempt].
        ceiling: The highest competence that practice can reach.
        competence: Start of the curve. Only a ``truth`` states it; elsewhere the skill does.
    """

    kind = "piecewise-linear"
    settling = 1.0

    def initial_slope(self, competence: float) -> float:
        """The rate [1/attempt]."""
        return self.rate

    def mean_slope(self, competence: float) -> float:
        """The rate [1/attempt]."""
        return self.rate

    def segments(self, competence: float) -> tuple[FloatArray, FloatArray] | None:
        """One straight piece, up to the ceiling."""
        end = (self.ceiling - self.start(competence)) / self.rate if self.rate else np.inf
        return np.array([self.rate]), np.array([end])

    def scaled(
        self, start: float, rate: float = 1.0, competence: float = 1.0, *, own_start: bool = False
    ) -> Self:
        """A curve with another start; the factor on competence also multiplies the slope."""
        curve = super().scaled(start, rate, competence, own_start=own_start)
        return replace(curve, rate=curve.rate * competence)

    def _predict(self, p: float, b: FloatArray) -> FloatArray:
        return np.minimum(self.ceiling, p + self.rate * b)

    def _slope(self, p: float, b: FloatArray) -> FloatArray:
        return np.where(p + self.rate * b < self.ceiling, self.rate, 0.0)


@dataclass(frozen=True)
class Exponential(_Rated):
    """f(b) = p + (ceiling - p)(1 - exp(-rate b)), the paper's saturating exponential.

    Args:
        rate: Fraction of the remaining gap that an attempt closes, the paper's α [1/attempt].
        ceiling: The competence that endless practice would reach.
        competence: Start of the curve. Only a ``truth`` states it; elsewhere the skill does.
    """

    kind = "exponential"
    settling = 40.0

    def initial_slope(self, competence: float) -> float:
        """Rate (ceiling - start) [1/attempt]."""
        return self.rate * (self.ceiling - self.start(competence))

    def mean_slope(self, competence: float) -> float:
        """Half of the gain takes ln 2 / rate attempts [1/attempt]."""
        return self.initial_slope(competence) / (2 * math.log(2))

    def _predict(self, p: float, b: FloatArray) -> FloatArray:
        risen = p - (self.ceiling - p) * np.expm1(-self.rate * b)
        return np.minimum(self.ceiling, risen)  # rounding may exceed it

    def _slope(self, p: float, b: FloatArray) -> FloatArray:
        return (self.ceiling - p) * self.rate * np.exp(-self.rate * b)


@dataclass(frozen=True)
class Table(Curve):
    """f(b) = values[b], straight between whole attempts, constant after the end.

    Args:
        values: Competence after 0, 1, 2, ... attempts, nondecreasing.
    """

    values: Sequence[float]

    kind = "table"
    tabulated = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _nondecreasing(self.values))

    @property
    def ceiling(self) -> float:
        """The last value."""
        return self.values[-1]

    @property
    def saturation(self) -> float:
        """Its last attempt."""
        return len(self.values) - 1.0

    def start(self, competence: float) -> float:
        """The first value."""
        return self.values[0]

    def agreed(self, competence: float | None) -> float | None:
        """The first value, which the skill may repeat."""
        if competence not in (None, self.values[0]):
            raise TaskError(
                "competence",
                f"{competence!r} differs from the table's first value {self.values[0]!r}; "
                "leave it out.",
            )
        return self.values[0]

    def initial_slope(self, competence: float) -> float:
        """The mean slope until half of the gain is reached [1/attempt]."""
        start, gain = self.values[0], self.values[-1] - self.values[0]
        if gain == 0:
            return 0.0
        half = next(b for b, value in enumerate(self.values) if value >= start + gain / 2)
        return (self.values[half] - start) / half

    def mean_slope(self, competence: float) -> float:
        """The same."""
        return self.initial_slope(competence)

    def segments(self, competence: float) -> tuple[FloatArray, FloatArray] | None:
        """One piece for each attempt."""
        return np.diff(self.values), np.arange(1.0, len(self.values))

    def scaled(
        self, start: float, rate: float = 1.0, competence: float = 1.0, *, own_start: bool = False
    ) -> Table:
        """The values at another speed, scaled, and with another start."""
        longest = int(np.ceil(len(self.values) / min(rate, 1.0)))
        curve = self.predict(start, np.arange(float(longest)), speed=rate) * competence
        first, last = curve[0], curve[-1]
        rise = max(0.0, last - start) / (last - first) if last > first else 0.0
        curve = np.clip(start + (curve - first) * rise, 0.0, 1.0)
        return Table(np.maximum.accumulate(curve).tolist())

    def with_rate(self, rate: float | None) -> Curve:
        """Refuse: a table has no rate."""
        raise TaskError(
            "curve", "a table has neither competence nor rate to change; edit its values instead."
        )

    def entry(self) -> dict[str, object]:
        """Kind and values."""
        return {"kind": self.kind, "values": list(self.values)}

    def _predict(self, p: float, b: FloatArray) -> FloatArray:
        return np.interp(b, np.arange(len(self.values)), self.values)

    def _slope(self, p: float, b: FloatArray) -> FloatArray:
        steps = np.append(np.diff(self.values), 0.0)
        return np.asarray(steps[np.minimum(b.astype(np.int64), len(steps) - 1)])


KINDS: Mapping[str, type[PiecewiseLinear | Exponential | Table]] = {
    "piecewise-linear": PiecewiseLinear,
    "linear": PiecewiseLinear,
    "exponential": Exponential,
    "table": Table,
}
"""Curves by their names in task files."""


def read_curve(entry: Mapping[str, Any]) -> Curve:
    """The curve that a table of a task file states; :meth:`Curve.entry` writes it.

    Raises:
        TaskError: The table states no valid curve.
    """
    kind = KINDS[checks.one_of("kind", entry.get("kind"), tuple(KINDS))]
    figures = {key: value for key, value in entry.items() if key != "kind"}
    needed, *others = (field.name for field in fields(kind))
    checks.keys("", figures, [needed], others)
    return kind(**figures)


def _nondecreasing(values: object) -> tuple[float, ...]:
    listed = checks.listing("values", values)
    if len(listed) > LONGEST_TABLE:
        raise TaskError(
            "values",
            f"{len(listed):,} entries are too many; give at most {LONGEST_TABLE:,}, or take "
            "another kind of curve.",
        )
    checked = tuple(checks.number(f"values[{b}]", value, 0, 1) for b, value in enumerate(listed))
    if not checked:
        raise TaskError("values", "the table is empty; give at least the competence now.")
    for b in range(1, len(checked)):
        if checked[b] < checked[b - 1]:
            raise TaskError(
                f"values[{b}]",
                f"{checked[b]:g} is below the value before it, {checked[b - 1]:g}; "
                "competence must not decrease with practice. Sort or smooth the table.",
            )
    return checked
