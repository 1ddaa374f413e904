"""Budgets on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from command import Run


def test_a_budget_may_be_time(run: Run) -> None:
    result = run("allocate", "breakfast", "--hours=1.5", "--episode-seconds=90", "--format=json")
    assert json.loads(result.out)["budget"] == 60


def test_a_budget_in_time_is_printed_as_time(run: Run, tmp_path: Path) -> None:
    task = tmp_path / "door.toml"
    task.write_text(
        'name = "door"\nvariables.door = ["shut", "open"]\n'
        'goals = [{ name = "open", reward = 1.0, when = { door = "open" } }]\n'
        '[[skills]]\nname = "Open"\nprecondition = { door = "shut" }\n'
        'effect = { door = "open" }\ncompetence = 0.1\n'
        'curve = { kind = "piecewise-linear", rate = 0.01 }\n'
        "seconds = { episode = 100, reset = 20 }\n"
    )
    printed = run("allocate", str(task), "--hours", "2").out
    assert "door with a budget of 2.0 h" in printed
    assert "spent   2.0 h of 2.0 h;" in printed
    (row,) = [line.split() for line in printed.splitlines() if line.startswith(" Open ")]
    assert row[:4] == ["Open", "60", "2.0", "h"]
