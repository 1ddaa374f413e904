"""A comparison that is killed goes on where it was, and ends as if nothing had happened."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = "from deliberate_practice.cli import main; main()"
TASK = [
    *("breakfast", "--budgets", "60,90", "--seeds", "4"),
    *("--strategies", "deliberate,ees"),
]
STUDY = """
[study]
name = "short"
strategies = ["deliberate", "ees"]
seeds = 2

[[experiments]]
name = "toast"
task = "breakfast"
budgets = [60, 90]

[[experiments]]
name = "cleaning"
task = "cleanup"
approach = "free"
beliefs = ["bayes", "running-average"]
budgets = [60]
"""


@pytest.mark.parametrize("kind", ["task", "study"])
def test_killed_and_resumed(tmp_path: Path, kind: str) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    asked = TASK if kind == "task" else [str(tmp_path / "study.toml")]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert _start(asked, whole).wait() == 0
    running = _start(asked, killed)
    end = time.monotonic() + 60
    while running.poll() is None and _finished(killed) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert 2 <= _finished(killed) < 16
    assert _start(asked, killed).wait() == 0
    assert _finished(killed) == _finished(whole) == 16
    assert _kept(killed) == _kept(whole)
    tables = sorted(path.relative_to(whole) for path in whole.rglob("*.csv"))
    assert len(tables) == (3 if kind == "task" else 6)
    for name in tables:
        assert (killed / name).read_bytes() == (whole / name).read_bytes()


def _start(asked: list[str], out: Path) -> subprocess.Popen[bytes]:
    words = ["compare", *asked, "--workers", "2", "--out", str(out)]
    command = [sys.executable, "-c", PROGRAM, *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _kept(out: Path) -> list[tuple[object, ...]]:
    """Everything but the wall time."""
    query = "SELECT key, strategy, belief, learner, budget, seed, reward, goal, result FROM results"
    with contextlib.closing(sqlite3.connect(out / "results.sqlite")) as database:
        return sorted(database.execute(query).fetchall())


def _finished(out: Path) -> int:
    if not (out / "results.sqlite").exists():
        return 0
    database = sqlite3.connect(out / "results.sqlite")
    with contextlib.closing(database):
        try:
            return int(database.execute("SELECT count(*) FROM results").fetchone()[0])
        except sqlite3.OperationalError:  # it is being made
            return 0
