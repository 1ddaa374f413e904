"""Check what is told about a trial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import ArgumentError, choose_from, refuse, shown
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.task.outcome import OUTCOMES, Outcome

if TYPE_CHECKING:
    from deliberate_practice.practice.records import TrialRecord


class TellError(ArgumentError):
    """What was told does not fit the trial, or what was told about it before."""


class NoSuchTrial(TellError):
    """The session has no trial of that number."""


class ToldOtherwise(TellError):
    """Something else was told about the trial before."""


_A_KIND = {
    "practice": "practice",
    "training": "a training run",
    "test": "a test",
    "evaluation": "an evaluation",
    "probe": "a probe",
}

OUTCOMES_OF_TRAINING: tuple[Outcome, ...] = ("success", "failure", "aborted")


def record_of(records: Mapping[int, TrialRecord], trial_id: object, session: str) -> TrialRecord:
    """What a session knows of a trial.

    Raises:
        NoSuchTrial: There is none.
    """
    number = checks.as_whole(trial_id)
    if number is None:
        raise TellError(f"trial: {shown(trial_id)} is not the number of a trial, e.g. 7.")
    if number not in records:
        known = f"1 to {len(records)}" if records else "none yet: ask first"
        raise NoSuchTrial(
            f"trial: {shown(number)} is not a trial of session '{session}'; those are {known}."
        )
    return records[number]


def check_refund(record: TrialRecord) -> None:
    """Refuse to give a trial back to the budget unless it was aborted, and only once.

    Raises:
        TellError: It was not aborted, cost nothing, or was refunded before.
    """
    outcome = record.result.outcome if record.result else "open"
    faults = {
        "it was refused and cost nothing.": outcome == "refused",
        f"its outcome is '{outcome}'; only 'aborted' is refunded.": outcome != "aborted",
        f"it is {_A_KIND[record.kind]} and cost nothing.": not record.cost,
        "it was refunded before.": record.refunded,
    }
    refuse(TellError, f"trial {record.trial.id}", faults)


def checked_correction(
    record: TrialRecord,
    left: int,
    outcome: str,
    at: str | None,
    score: float | None,
    measurements: Mapping[str, float] | None,
    executed: Sequence[tuple[str, bool]] | None,
) -> Result:
    """The right label of a trial that was told wrongly; what is not given stays as it was told.

    The executions on the approach stay only if the robot came to try, by either label.

    Args:
        record: The trial.
        left: What is left of the budget.
        outcome: The right outcome.
        at, score, measurements, executed: As for :func:`checked_result`.

    Raises:
        TellError: It is still open, the label does not fit, or the budget does not pay for it.
    """
    before = record.result
    if before is not None:
        score = before.score if score is None else score
        measurements = before.measurements if measurements is None else measurements
        if executed is None and {outcome, before.outcome}.isdisjoint(("unreached", "refused")):
            executed = before.executed
    result = checked_result(record.trial, outcome, at, score, measurements, executed)
    was_free = before is not None and before.outcome == "refused" and not record.refunded
    costs_now = was_free and record.kind == "practice" and result.outcome != "refused"
    faults = {
        "it is still open; tell it.": record.result is None,
        f"it was refused and cost nothing; as '{outcome}' it costs {record.price}, and {left} are "
        "left. Extend the budget first.": costs_now and record.price > left,
    }
    refuse(TellError, f"trial {record.trial.id}", faults)
    return result


def checked_result(
    trial: Trial,
    outcome: str,
    at: str | None,
    score: float | None,
    measurements: Mapping[str, float] | None,
    executed: Sequence[tuple[str, bool]] | None = None,
) -> Result:
    """What is told, as a result that fits the trial.

    Raises:
        TellError: It does not fit.
    """
    place = f"trial {trial.id}"
    valid_words = OUTCOMES_OF_TRAINING if trial.mode == "train" else OUTCOMES
    word = checks.one_of(f"{place}: outcome", outcome, valid_words, TellError)
    unreached = word == "unreached"
    route = trial.approach.every_skill
    done = _checked_executions(place, executed, route)
    if unreached and at is None and done:
        at = done[-1][0]
    nowhere = unreached and at is None and done == ()  # its start was not in the rule
    last = done[-1][0] if done else None
    valid = f", with at (--at): {', '.join(route)}."
    which = valid if at is None else f": {choose_from(at, route)}"
    faults = {
        f"at = {shown(at)} is not the name of a skill.": not isinstance(at, str | None),
        "it has no approach that could fail; tell 'failure', or 'aborted' if the robot never came "
        "to try.": unreached and not route,
        f"say at which skill of the approach it failed{which}": (
            unreached and at not in route and not nowhere
        ),
        f"at = {shown(at)} is not the skill that was executed last, {last}.": (
            unreached and bool(done) and at != last
        ),
        "nothing can have been executed in a refused trial.": word == "refused" and bool(done),
        "a demonstration is always a person's; tell 'success' if it was recorded, or 'failure' if "
        "it cannot be used.": trial.mode == "demonstrate" and word == "assisted",
        f"at = {shown(at)} goes only with 'unreached', not with '{word}'.": (
            at is not None and not unreached
        ),
    }
    refuse(TellError, place, faults)
    if measurements is not None and not isinstance(measurements, Mapping):
        raise TellError(
            f"{place}: measurements {shown(measurements)} are no mapping; give names with numbers, "
            "e.g. {'peak_force': 31.5}."
        )
    checked = {
        checks.check_name(f"{place}: measurement", name, "peak_force", TellError): checks.number(
            f"{place}: measurement '{name}'", value, error=TellError
        )
        for name, value in (measurements or {}).items()
    }
    if score is not None:
        score = checks.number(f"{place}: score", score, error=TellError)
    return Result(word, at, score, checked, done)


def checked_version(trial: Trial, version: object) -> str | None:
    """The name of what a training run made.

    Raises:
        TellError: It is no name, or the trial is no training run.
    """
    if version is None:
        return None
    if trial.mode != "train":
        raise TellError(f"trial {trial.id}: only a training run makes a version; leave it out.")
    return checks.check_name(f"trial {trial.id}: version", version, "opentop-v3", TellError)


def _checked_executions(
    place: str, executed: object, valid: Sequence[str]
) -> tuple[tuple[str, bool], ...] | None:
    """The executions on an approach, as pairs of skill and success."""
    if executed is None:
        return None
    if executed and not valid:
        raise TellError(f"{place}: it has no approach; leave out what was executed (--executed).")
    example = "[('Pick', False), ('Pick', True)]"
    pairs: list[Any] = list(executed) if isinstance(executed, Sequence) else [executed]
    for pair in pairs:
        if not (
            isinstance(pair, Sequence)
            and len(pair) == 2
            and isinstance(pair[0], str)
            and isinstance(pair[1], bool)
        ):
            raise TellError(
                f"{place}: executed: {shown(pair)} is not a skill and whether it succeeded; give "
                f"e.g. {example}."
            )
        if pair[0] not in valid:
            raise TellError(f"{place}: executed: {choose_from(pair[0], valid)}")
    return tuple((skill, success) for skill, success in pairs)


def in_words(result: Result) -> str:
    """A result for a message."""
    words = [f"'{result.outcome}'"]
    words += [f"at {result.at}"] if result.at else []
    if result.executed:
        done = (f"{skill} {'ok' if success else 'failed'}" for skill, success in result.executed)
        words.append(f"after {', '.join(done)}")
    words += [f"with score {result.score:g}"] if result.score is not None else []
    words += [f"{name} = {value:g}" for name, value in result.measurements.items()]
    return ", ".join(words)
