"""Proper scores of probability forecasts: how good a belief's predictions of outcomes were."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from deliberate_practice.foundation.errors import ArgumentError

Forecast: TypeAlias = tuple[float, bool]
"""Predicted probability of success, and whether it was one."""


@dataclass(frozen=True)
class Bin:
    """Forecasts of similar probability.

    Attributes:
        predicted: Their mean.
        observed: How often they came true.
        count: How many they are.
    """

    predicted: float
    observed: float
    count: int


def log_score(forecasts: Iterable[Forecast]) -> float:
    """Mean logarithm of the probability given to what happened [nats]; more is better.

    0 is perfect; a certainty that turned out wrong scores -inf.

    >>> round(log_score([(0.8, True), (0.5, False)]), 4)
    -0.4581
    """
    checked = _checked(forecasts)
    chances = [p if outcome else 1 - p for p, outcome in checked]
    return sum(math.log(p) if p > 0 else -math.inf for p in chances) / len(checked)


def brier_score(forecasts: Iterable[Forecast]) -> float:
    """Mean squared distance between probability and outcome; 0 is perfect, less is better.

    >>> round(brier_score([(0.8, True), (0.5, False)]), 4)
    0.145
    """
    checked = _checked(forecasts)
    return sum((p - outcome) ** 2 for p, outcome in checked) / len(checked)


def calibration(forecasts: Iterable[Forecast], bins: int = 10) -> list[Bin]:
    """Compare predicted probabilities with observed frequencies, in bins of equal width.

    Args:
        forecasts: Predicted probabilities and outcomes, at least one.
        bins: How many bins [0, 1] is cut into; the upper end belongs to the last.

    Returns:
        The bins that hold any forecast, from low to high probability.
    """
    if bins < 1:
        raise ArgumentError(f"bins: {bins!r} is not valid; give at least 1.")
    members: dict[int, list[Forecast]] = {}
    for p, outcome in _checked(forecasts):
        members.setdefault(min(int(p * bins), bins - 1), []).append((p, outcome))
    return [_bin(members[number]) for number in sorted(members)]


def _bin(forecasts: Sequence[Forecast]) -> Bin:
    count = len(forecasts)
    return Bin(
        predicted=sum(p for p, _ in forecasts) / count,
        observed=sum(outcome for _, outcome in forecasts) / count,
        count=count,
    )


def _checked(forecasts: Iterable[Forecast]) -> list[Forecast]:
    checked = list(forecasts)
    if not checked:
        raise ArgumentError("forecasts: there are none; a score needs at least one.")
    for p, _ in checked:
        if not 0 <= p <= 1:
            raise ArgumentError(f"forecasts: {p!r} is not a probability; give one in [0, 1].")
    return checked
