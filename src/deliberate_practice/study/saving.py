"""Tables and pictures of an experiment, as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deliberate_practice.charts.write import write_chart
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.spreadsheet import write_rows
from deliberate_practice.study.experiment import as_file_name
from deliberate_practice.study.experiment_charts import experiment_charts
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.summary import Row


def save_experiment(finished: Finished, folder: str | Path) -> None:
    """Write ``table.csv``, ``sessions.csv``, ``progress.csv`` and a picture of every chart.

    Args:
        finished: The experiment; if all its sessions failed, there is nothing to write.
        folder: Where to; it is made if it is not there.

    Raises:
        ArgumentError: A file cannot be written.
    """
    folder, sessions = Path(folder), finished.sessions
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not sessions:
            return
        _write(folder / "table.csv", [_row(row) for row in finished.rows])
        _write(
            folder / "sessions.csv",
            [
                {
                    **vars(session.cell),
                    "reward": session.reward,
                    "undiscounted": session.undiscounted,
                    "goal": session.goal,
                    "practice_episodes": session.practice_episodes,
                    "test_episodes": session.test_episodes,
                    "skill_executions": session.skill_executions,
                    **{f"attempts.{policy}": n for policy, n in session.attempts.items()},
                }
                for session in sessions
            ],
        )
        _write(
            folder / "progress.csv",
            [
                {**vars(session.cell), "spent": spent, "reward": reward}
                for session in sessions
                for spent, reward in session.curve
            ],
        )
    except OSError as error:
        raise ArgumentError(f"cannot write '{error.filename}': {error.strerror}.") from error
    for name, chart in experiment_charts(finished).items():
        write_chart(chart, folder / f"{as_file_name(name)}.png")


def _row(row: Row) -> dict[str, object]:
    estimates = ("ci95", "goals", "iqm", "improvement")
    plain = {name: value for name, value in vars(row).items() if name not in estimates}
    plain["ci95_low"], plain["ci95_high"] = row.ci95 or (None, None)
    for name, found in (("iqm", row.iqm), ("improvement", row.improvement)):
        plain[name] = found.value if found else None
        ends = found.interval if found else None
        plain[f"{name}_low"], plain[f"{name}_high"] = ends or (None, None)
    return plain


def _write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        write_rows(file, [columns, *([row.get(column) for column in columns] for row in rows)])
