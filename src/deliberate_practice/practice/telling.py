"""Check what is told about a trial."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from deliberate_practice.errors import ArgumentError, choose_from
from deliberate_practice.practice.trial import OUTCOMES, Result, Trial


class TellError(ArgumentError):
    """What was told does not fit the trial, or what was told about it before."""


def checked_result(
    trial: Trial,
    outcome: str,
    at: str | None,
    score: float | None,
    measurements: Mapping[str, float] | None,
) -> Result:
    """What is told, as a result that fits the trial.

    Raises:
        TellError: It does not fit.
    """
    place = f"trial {trial.id}"
    for word in OUTCOMES:
        if word == outcome:
            break
    else:
        raise TellError(f"{place}: outcome {choose_from(outcome, OUTCOMES)}")
    if word == "unreached":
        if not trial.approach:
            raise TellError(
                f"{place}: it has no approach that could fail; tell 'failure', or 'aborted' if the "
                "robot never came to try."
            )
        if at not in trial.approach:
            fix = "say at which skill of the approach it failed"
            if at is None:
                raise TellError(f"{place}: {fix}, with at (--at): {', '.join(trial.approach)}.")
            raise TellError(f"{place}: {fix}: {choose_from(at, trial.approach)}")
    elif at is not None:
        raise TellError(f"{place}: at = {at!r} goes only with 'unreached', not with '{word}'.")
    checked = {
        str(name): _finite(f"{place}: measurement '{name}'", value)
        for name, value in (measurements or {}).items()
    }
    return Result(word, at, None if score is None else _finite(f"{place}: score", score), checked)


def _finite(place: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise TellError(f"{place}: {value!r} is not a number.")
    if not math.isfinite(value):
        raise TellError(f"{place}: {value!r} is not finite.")
    return float(value)


def in_words(result: Result) -> str:
    """A result for a message."""
    words = [f"'{result.outcome}'"]
    words += [f"at {result.at}"] if result.at else []
    words += [f"with score {result.score:g}"] if result.score is not None else []
    words += [f"{name} = {value:g}" for name, value in result.measurements.items()]
    return ", ".join(words)
