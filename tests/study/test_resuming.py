"""A comparison that is killed goes on where it was, and ends as if nothing had happened."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

PROGRAM = "from deliberate_practice.cli import main; main()"
COMPARE = [
    *("compare", "breakfast", "--budgets", "60,90", "--seeds", "4"),
    *("--strategies", "deliberate,ees", "--workers", "2"),
]


def test_killed_and_resumed(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert _start(whole).wait() == 0
    running = _start(killed)
    end = time.monotonic() + 60
    while running.poll() is None and _finished(killed) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    kept = _finished(killed)
    assert kept >= 2
    assert _start(killed).wait() == 0
    assert _finished(killed) == _finished(whole) == 16
    for name in ("table.csv", "sessions.csv"):
        assert (killed / name).read_bytes() == (whole / name).read_bytes()


def _start(out: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PROGRAM, *COMPARE, "--out", str(out)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def _finished(out: Path) -> int:
    if not (out / "results.sqlite").exists():
        return 0
    database = sqlite3.connect(out / "results.sqlite")
    with contextlib.closing(database):
        try:
            return int(database.execute("SELECT count(*) FROM results").fetchone()[0])
        except sqlite3.OperationalError:  # it is being made
            return 0
