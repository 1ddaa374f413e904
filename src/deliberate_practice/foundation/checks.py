"""Checks of single values; each returns the value in its proper type or raises an error.

The same functions check task files and arguments. ``error`` is the class of the exception,
whose message names the fix.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from numbers import Integral, Real
from typing import TypeAlias, TypeGuard, TypeVar

from deliberate_practice.foundation.errors import (
    ArgumentError,
    DeliberatePracticeError,
    TaskError,
    choose_from,
    shown,
)

T = TypeVar("T")
Name = TypeVar("Name", bound=str)
Error: TypeAlias = type[DeliberatePracticeError]

LARGEST_REWARD = 1e100
"""Largest reward of a goal or step; sums of many still fit a float."""

LARGEST_BUDGET = 10**15
"""Budget units; far more than any robot will practise, and exact as a float."""

LARGEST_SEED = 2**63 - 1
"""The journal keeps seeds as 64-bit numbers."""

LONGEST_NAME = 200
"""Characters of a name that is given as an argument."""


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a real number of any type, finite or not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def as_finite(value: object) -> float | None:
    """A finite real number of any type as a ``float``; None for other values."""
    try:
        number = float(value) if is_number(value) else math.nan
    except OverflowError:  # a whole number may be too large for a float
        return None
    return number if math.isfinite(number) else None


def as_whole(value: object) -> int | None:
    """A whole number of any type as an ``int``; None for other values."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None


def number(
    place: str,
    value: object,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    open_low: bool = False,
    error: Error = TaskError,
) -> float:
    """A finite number in [low, high], or in (low, high] with ``open_low``."""
    if not is_number(value):
        raise error.at(place, f"{shown(value)} is not a number; write e.g. {_example(low, high)}.")
    finite = as_finite(value)
    if finite is None or not low <= value <= high or (open_low and value == low):
        bounded = low > -math.inf or high < math.inf
        fault = f"outside the valid range {_interval(low, high, open_low)}"
        raise error.at(place, f"{shown(value)} is {fault if bounded else 'not a finite number'}.")
    return finite


def whole_number(
    place: str, value: object, low: int, high: int, error: Error = ArgumentError
) -> int:
    """A whole number in [low, high] of any kind, NumPy's too, as an ``int``."""
    whole = as_whole(value)
    if whole is None or whole < low:
        raise error.at(
            place, f"{shown(value)} is not valid; give a whole number of at least {low}."
        )
    if whole > high:
        raise error.at(place, f"{shown(value)} is too large; give at most {high:,}.")
    return whole


def check_flag(place: str, value: object) -> bool:
    """True or False; all other values are refused."""
    import numpy as np  # slow to import

    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ArgumentError(f"{place}: {shown(value)} is not valid; give True or False.")


def word(place: str, value: object) -> str:
    """A non-empty string."""
    if not _is_printable(value):
        raise TaskError(
            place,
            f"{shown(value)} is not a name; write a non-empty string in quotes, without control "
            "characters.",
        )
    return value


def check_name(place: str, value: object, example: str, error: Error = ArgumentError) -> str:
    """A name given as an argument: printable, and not confusable with an option."""
    if not _is_printable(value) or len(value) > LONGEST_NAME or value.startswith("-"):
        raise error.at(
            place,
            f"{shown(value)} is not valid; give a printable text of at most {LONGEST_NAME} "
            f"characters that does not begin with '-', e.g. '{example}'.",
        )
    return value


def one_of(place: str, value: object, valid: Iterable[Name], error: Error = TaskError) -> Name:
    """A string from a given list."""
    names = list(valid)
    for name in names:
        if isinstance(value, str) and value == name:
            return name
    raise error.at(place, choose_from(value, names))


def table(
    place: str,
    value: object,
    example: str = '{ variable = "value" }',
    error: Error = TaskError,
) -> Mapping[str, object]:
    """A mapping with string keys (a TOML table)."""
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise error.at(place, f"{shown(value)} is not a table; write e.g. {example}.")
    return value


def listing(
    place: str, value: object, example: str = '"a", "b"', error: Error = TaskError
) -> Sequence[object]:
    """A list; strings are refused."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise error.at(place, f"{shown(value)} is not a list; write e.g. [{example}].")
    return value


def instances(place: str, values: object, kind: type[T], example: str) -> tuple[T, ...]:
    """Any number of instances of one class, as a tuple."""
    if isinstance(values, str | Mapping | kind) or not isinstance(values, Iterable):
        raise TaskError(place, f"{shown(values)} is not a list; give e.g. [{example}].")
    return tuple(
        instance(f"{place}, number {number}", value, kind, example)
        for number, value in enumerate(values, 1)
    )


def instance(place: str, value: object, kind: type[T], example: str) -> T:
    """An instance of one class."""
    if not isinstance(value, kind):
        raise TaskError(place, f"{shown(value)} is not a {kind.__name__}; give e.g. {example}.")
    return value


def unique(place: str, entries: Sequence[object], error: Error = TaskError) -> None:
    """Refuse an entry that occurs twice."""
    seen: set[object] = set()
    for entry in entries:
        key = entry if isinstance(entry, str | int | float) else repr(entry)  # may be a list
        if key in seen:
            fix = "give each its own name" if isinstance(entry, str) else "give it once"
            raise error.at(place, f"{shown(entry)} occurs twice; {fix}.")
        seen.add(key)


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
    """Refuse missing and unknown keys; an unknown one that resembles a missing one is named."""
    valid = [*required, *optional]
    unknown = [key for key in given if key not in valid]
    for key in required:
        if key not in given:
            for misspelt in get_close_matches(key, unknown, n=1):
                raise TaskError(place, "unknown key " + choose_from(misspelt, valid))
            raise TaskError(place, f"the key '{key}' is missing; required: {', '.join(required)}.")
    for key in unknown:
        raise TaskError(place, "unknown key " + choose_from(key, valid))


@contextmanager
def inside(place: str) -> Iterator[None]:
    """Put a place before the place of any error raised inside."""
    try:
        yield
    except TaskError as error:
        joined = ": ".join(part for part in (place, error.place) if part)
        raise type(error)(joined, error.message, error.file) from None  # keeps TaskTooLarge


def _interval(low: float, high: float, open_low: bool) -> str:
    opening = "(" if open_low or low == -math.inf else "["
    return f"{opening}{low:g}, {high:g}" + (")" if high == math.inf else "]")


def _is_printable(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def _example(low: float, high: float) -> str:
    return "0.5" if low <= 0.5 <= high else f"{max(low, 1.0):g}"
