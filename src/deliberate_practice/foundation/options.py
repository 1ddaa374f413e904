"""Options of a part: keyword arguments with limits, checked when a part is chosen or called."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from deliberate_practice.foundation.checks import is_number, whole_number
from deliberate_practice.foundation.errors import ArgumentError, choose_from, shown

P = ParamSpec("P")
R = TypeVar("R")

Limits = tuple[int, int] | tuple[float, float] | tuple[str, ...]
"""The smallest and the largest number (whole numbers if both are whole), or all valid words."""


def limited(**limits: Limits) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Refuse option values outside their limits.

    >>> @limited(deep=(1, 9), colour=("red", "blue"))
    ... def dig(place, *, deep=1, colour="red"):
    ...     return deep
    >>> dig("here", deep=10)
    Traceback (most recent call last):
    ...
    deliberate_practice.foundation.errors.ArgumentError: dig: option 'deep': 10 is too large; give \
at most 9.

    Args:
        limits: The limits of each option.
    """

    def decorate(part: Callable[P, R]) -> Callable[P, R]:
        name = part.__name__.replace("_", "-")

        @wraps(part)
        def checked(*arguments: P.args, **options: P.kwargs) -> R:
            check(options)
            return part(*arguments, **options)

        def check(options: Mapping[str, object]) -> None:
            for option in limits.keys() & options.keys():
                _check(f"{name}: option '{option}'", options[option], limits[option])

        vars(checked)["check_options"] = check  # for the registry, when a part is chosen
        return checked

    return decorate


def _check(place: str, value: object, limits: Limits) -> None:
    low, high = limits[0], limits[-1]
    if isinstance(low, str) or isinstance(high, str):
        if value not in limits:
            raise ArgumentError(f"{place}: " + choose_from(value, map(str, limits)))
    elif isinstance(low, int) and isinstance(high, int):
        whole_number(place, value, low, high)
    elif not is_number(value) or not math.isfinite(value) or not low <= value <= high:
        raise ArgumentError(
            f"{place}: {shown(value)} is not valid; give a number from {low:g} to {high:g}."
        )
