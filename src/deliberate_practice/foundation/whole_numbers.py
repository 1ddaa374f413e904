"""Whole numbers that users give: budgets, seeds, counts."""

from __future__ import annotations

from numbers import Integral

from deliberate_practice.foundation.errors import ArgumentError, shown

LARGEST_BUDGET = 10**15
"""Budget units; far more than any robot will practise, and exact as a float."""

LARGEST_SEED = 2**63 - 1
"""The journal keeps seeds as 64-bit numbers."""


def whole_number(name: str, value: object, low: int, high: int) -> int:
    """The value as an ``int``.

    Args:
        name: What to call it in a message.
        value: What was given; NumPy's whole numbers are as good as Python's.
        low, high: The smallest and the largest that is allowed.

    Raises:
        ArgumentError: It is not a whole number in that range.
    """
    whole = as_whole(value)
    if whole is None or whole < low:
        raise ArgumentError(
            f"{name}: {shown(value)} is not valid; give a whole number of at least {low}."
        )
    if whole > high:
        raise ArgumentError(f"{name}: {shown(value)} is too large; give at most {high:,}.")
    return whole


def as_whole(value: object) -> int | None:
    """A whole number of any kind as an ``int``; None if it is none."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
