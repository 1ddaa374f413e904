"""Checks of what a caller passes to a session, before anything is written."""

from __future__ import annotations

import math

import numpy as np

from deliberate_practice.foundation.errors import ArgumentError, choose_from, shown
from deliberate_practice.foundation.registry import recorded
from deliberate_practice.foundation.whole_numbers import LARGEST_BUDGET, LARGEST_SEED, whole_number
from deliberate_practice.practice.journal_rows import Settings

APPROACHES = ("execute", "free")
LONGEST = 200
"""Characters of a name."""


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
        raise ArgumentError("approach: " + choose_from(approach, APPROACHES))
    for place, chosen, example in (
        ("strategy", strategy, "random"),
        ("belief", belief, "bayes"),
        ("learner", learner, "cma-es"),
    ):
        if not isinstance(chosen, str) and not callable(chosen):
            raise ArgumentError(f"{place}: {shown(chosen)} is neither a name nor a function.")
        if isinstance(chosen, str):
            check_name(place, chosen, example)
    if robot is not None and not isinstance(robot, str) and not hasattr(robot, "run"):
        raise ArgumentError(f"robot: {shown(robot)} is neither a name nor has a method `run`.")
    return Settings(
        whole_number("budget", budget, 0, LARGEST_BUDGET),
        recorded(strategy),
        recorded(belief),
        recorded(learner),
        whole_number("seed", seed, 0, LARGEST_SEED),
        approach,
        None if robot is None else check_name("robot", recorded(robot), "left-arm"),
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


def as_finite(value: object) -> float | None:
    """A real and finite number as a float; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
