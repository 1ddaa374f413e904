"""The trials of a session as a table: one row each, with parameters and measurements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.practice.records import TrialRecord

if TYPE_CHECKING:
    import pandas

COLUMNS = (
    "id", "skill", "policy", "mode", "kind", "counted", "cost", "refunded", "decision",
    "outcome", "at", "score", "corrected_from", "by", "robot", "version", "notes", "approach",
    "seed", "asked", "told",
)  # fmt: skip


def trial_table(records: Sequence[TrialRecord]) -> tuple[list[str], list[list[object]]]:
    """Names of the columns, and a row for each trial; None where a trial has no value."""
    parameters = list(dict.fromkeys(key for r in records for key in r.trial.parameters))
    measures = list(
        dict.fromkeys(key for r in records if r.result for key in r.result.measurements)
    )
    columns = [
        *COLUMNS,
        *(f"parameter.{key}" for key in parameters),
        *(f"measure.{key}" for key in measures),
    ]
    return columns, [_row(record, parameters, measures) for record in records]


def trial_frame(records: Sequence[TrialRecord]) -> pandas.DataFrame:
    """The table as a data frame, with times as times.

    Raises:
        ArgumentError: pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise ArgumentError(
            f"to_pandas: pandas is not installed; run: {install_command('pandas')}"
        ) from None
    columns, rows = trial_table(records)
    frame = pandas.DataFrame(rows, columns=columns)
    for column in ("asked", "told"):
        frame[column] = pandas.to_datetime(frame[column], utc=True, format="ISO8601")
    return frame.set_index("id")


def _row(record: TrialRecord, parameters: list[str], measures: list[str]) -> list[object]:
    trial, result = record.trial, record.result
    return [
        trial.id,
        trial.skill,
        record.policy,
        trial.mode,
        record.kind,
        int(record.counted),
        record.cost,
        int(record.refunded),
        record.decision,
        result.outcome if result else None,
        result.at if result else None,
        result.score if result else None,
        record.corrected.outcome if record.corrected else None,
        record.by,
        record.robot,
        record.version,
        "; ".join(record.notes) or None,
        " > ".join(trial.approach.skills),
        trial.seed,
        record.asked.isoformat(),
        record.told.isoformat() if record.told else None,
        *(trial.parameters.get(name) for name in parameters),
        *(result.measurements.get(name) if result else None for name in measures),
    ]
