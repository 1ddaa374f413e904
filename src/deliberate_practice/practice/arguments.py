"""Checks of what a caller passes to a session, before anything is written."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from deliberate_practice.errors import ArgumentError, choose_from
from deliberate_practice.learners.registry import LEARNERS
from deliberate_practice.practice.chosen import recorded
from deliberate_practice.practice.journal_rows import Settings

APPROACHES = ("execute", "free")
MOST_UNITS = 10**15
"""No budget is larger: every whole number up to here is exact in JSON and in SQLite."""
LARGEST_SEED = 2**64 - 1
LONGEST = 200
"""Characters of a name."""
SHOWN = 80
"""Characters of a bad value that a message repeats."""


def checked_settings(
    budget: object,
    strategy: object,
    belief: object,
    learner: object,
    seed: object,
    approach: object,
    robot: object,
) -> Settings:
    """What a session is to be started with.

    Raises:
        ArgumentError: A value makes no sense.
    """
    if not isinstance(approach, str) or approach not in APPROACHES:
        raise ArgumentError("approach: " + one_of(approach, APPROACHES))
    if not isinstance(learner, str) or learner not in LEARNERS:
        raise ArgumentError("learner: " + one_of(learner, LEARNERS))
    for place, chosen in (("strategy", strategy), ("belief", belief)):
        if not isinstance(chosen, str) and not callable(chosen):
            raise ArgumentError(f"{place}: {shown(chosen)} is neither a name nor a function.")
        if isinstance(chosen, str):
            check_name(place, chosen, "random" if place == "strategy" else "bayes")
    return Settings(
        check_whole("budget", budget, 0, MOST_UNITS),
        recorded(strategy),
        recorded(belief),
        learner,
        check_whole("seed", seed, 0, LARGEST_SEED),
        approach,
        None if robot is None else check_name("robot", robot, "left-arm"),
    )


def check_name(place: str, value: object, example: str) -> str:
    """A name: printable, not empty, and not to be taken for an option.

    Raises:
        ArgumentError: It is none.
    """
    if (
        isinstance(value, str)
        and value.strip()
        and value.isprintable()
        and len(value) <= LONGEST
        and not value.startswith("-")
    ):
        return value
    raise ArgumentError(
        f"{place}: {shown(value)} is not valid; give a printable text of at most {LONGEST} "
        f"characters that does not begin with '-', e.g. '{example}'."
    )


def check_whole(place: str, value: object, low: int, high: int) -> int:
    """A whole number within limits.

    Raises:
        ArgumentError: It is none.
    """
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        whole = int(value)
        if low <= whole <= high:
            return whole
        if whole > high:
            raise ArgumentError(f"{place}: {shown(whole)} is too large; give at most {high:,}.")
    raise ArgumentError(
        f"{place}: {shown(value)} is not valid; give a whole number of at least {low}."
    )


def check_flag(place: str, value: object) -> bool:
    """True or False.

    Raises:
        ArgumentError: It is something else.
    """
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ArgumentError(f"{place}: {shown(value)} is not valid; give True or False.")


def as_finite(value: object) -> float | None:
    """A real and finite number as a float; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def one_of(value: object, valid: Iterable[str]) -> str:
    """The tail of a message about a name that is not one of the valid ones, whatever it is."""
    plain = isinstance(value, str) and len(value) <= SHOWN
    return choose_from(value if plain else shown(value), valid)


def shown(value: object) -> str:
    """A value for a message, however large it is."""
    try:
        text = repr(value)
    except (
        Exception
    ):  # whatever a caller's own class does; Python prints no integer of 5,000 digits
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text)} characters)"
