"""Checks on single values; each returns the value in its proper type or says how to mend it."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Real
from typing import TypeGuard, TypeVar

from deliberate_practice.foundation.errors import TaskError, choose_from, shown

T = TypeVar("T")

LARGEST_REWARD = 1e100
"""Largest reward of a goal or step; sums of many still fit a float."""


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a real number of any kind, finite or not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def number(
    place: str,
    value: object,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    open_low: bool = False,
) -> float:
    """A finite number in [low, high], or in (low, high] with ``open_low``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TaskError(place, f"{shown(value)} is not a number; write e.g. {_example(low, high)}.")
    finite = abs(value) <= sys.float_info.max  # a whole number may be too large for a float
    valid = finite and low <= value <= high and not (open_low and value == low)
    if not valid:
        interval = f"{'(' if open_low or low == -math.inf else '['}{low:g}, {high:g}"
        interval += ")" if high == math.inf else "]"
        raise TaskError(place, f"{shown(value)} is outside the valid range {interval}.")
    return float(value)


def whole(place: str, value: object, low: int, high: int | None = None) -> int:
    """A whole number of at least ``low`` and, if given, at most ``high``."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TaskError(place, f"{shown(value)} is not a whole number; write e.g. {low}.")
    if value < low:
        raise TaskError(place, f"{shown(value)} is too small; it must be at least {low}.")
    if high is not None and value > high:
        raise TaskError(place, f"{shown(value)} is too large; it must be at most {high}.")
    return value


def word(place: str, value: object) -> str:
    """A non-empty string."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise TaskError(
            place,
            f"{shown(value)} is not a name; write a non-empty string in quotes, without control "
            "characters.",
        )
    return value


def one_of(place: str, value: object, valid: Sequence[str]) -> str:
    """A string out of a given list."""
    if value not in valid:
        raise TaskError(place, choose_from(value, valid))
    return str(value)


def table(
    place: str, value: object, example: str = '{ variable = "value" }'
) -> Mapping[str, object]:
    """A mapping with string keys (a TOML table)."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise TaskError(place, f"{shown(value)} is not a table; write e.g. {example}.")
    return value


def listing(place: str, value: object) -> Sequence[object]:
    """A list, and not a string."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise TaskError(place, f'{shown(value)} is not a list; write e.g. ["a", "b"].')
    return value


def instances(place: str, values: object, kind: type[T], example: str) -> tuple[T, ...]:
    """Any number of things of one kind, as a tuple."""
    if isinstance(values, str | Mapping | kind) or not isinstance(values, Iterable):
        raise TaskError(place, f"{shown(values)} is not a list; give e.g. [{example}].")
    return tuple(
        instance(f"{place}, number {number}", value, kind, example)
        for number, value in enumerate(values, 1)
    )


def instance(place: str, value: object, kind: type[T], example: str) -> T:
    """A thing of one kind."""
    if not isinstance(value, kind):
        raise TaskError(place, f"{shown(value)} is not a {kind.__name__}; give e.g. {example}.")
    return value


def unique(place: str, names: Sequence[str]) -> None:
    """Refuse a name that occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TaskError(place, f"{shown(name)} occurs twice; give each its own name.")
        seen.add(name)


def probabilities(place: str, values: Sequence[float]) -> None:
    """Refuse probabilities that do not sum to 1 (within 1e-9)."""
    total = math.fsum(values)
    if abs(total - 1.0) > 1e-9:
        raise TaskError(
            place, f"the probabilities {shown([*values])} sum to {total:.12g}; they must sum to 1."
        )


def keys(
    place: str, given: Mapping[str, object], required: Sequence[str], optional: Sequence[str]
) -> None:
    """Refuse missing and unknown keys."""
    for key in required:
        if key not in given:
            raise TaskError(place, f"the key '{key}' is missing; required: {', '.join(required)}.")
    for key in given:
        if key not in required and key not in optional:
            raise TaskError(place, "unknown key " + choose_from(key, [*required, *optional]))


@contextmanager
def inside(place: str) -> Iterator[None]:
    """Put a place before the place of any fault found inside."""
    try:
        yield
    except TaskError as error:
        joined = ": ".join(part for part in (place, error.place) if part)
        raise TaskError(joined, error.message, error.file) from None


def _example(low: float, high: float) -> str:
    return "0.5" if low <= 0.5 <= high else f"{max(low, 1.0):g}"
