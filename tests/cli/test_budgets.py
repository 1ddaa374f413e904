"""Budgets on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Run

from deliberate_practice.cli import heartbeat


def test_a_budget_may_be_time(run: Run) -> None:
    result = run("allocate", "breakfast", "--hours=1.5", "--episode-seconds=90", "--format=json")
    assert json.loads(result.out)["budget"] == 60


DOOR = """
name = "door"
variables.door = ["shut", "open"]
goals = [{ name = "open", reward = 1.0, when = { door = "open" } }]

[[skills]]
name = "Open"
precondition = { door = "shut" }
effect = { door = "open" }
competence = 0.1
curve = { kind = "piecewise-linear", rate = 0.01 }
seconds = { episode = 100, reset = 20 }
"""


def test_a_budget_in_time_is_printed_as_time(run: Run, tmp_path: Path) -> None:
    task = tmp_path / "door.toml"
    task.write_text(DOOR)
    printed = run("allocate", str(task), "--hours", "2").out
    assert "door with a budget of 2.0 h" in printed
    assert "spent   2.0 h of 2.0 h;" in printed
    (row,) = [line.split() for line in printed.splitlines() if line.startswith(" Open ")]
    assert row[:4] == ["Open", "60", "2.0", "h"]


def test_time_that_a_run_leaves_is_named_as_time(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "RHYTHM", heartbeat.Rhythm(quiet=0.0))
    task = tmp_path / "door.toml"
    task.write_text(DOOR)
    done = run("run", str(task), "--hours", "1.525")  # 45 episodes take 90 minutes
    assert "practising: 5400 of 5490 seconds" in done.err
    assert "deliberate: left over: 1 min of 1 h 31 min; nothing more" in done.err
    assert "spent   1 h 30 min of 1 h 31 min; would now aim for open" in done.out
    assert "with 6 min of the 7 min left" in run("why", "door-1", "44").out
    left = run("run", str(task), "--name", "door-1", "--resume").err
    assert "deliberate: left over: 1 min of 1 h 31 min" in left
