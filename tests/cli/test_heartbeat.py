"""Lines while something works in a pipe: counts, times, an estimate; nothing for quick work."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
from command import Run

from deliberate_practice.cli import heartbeat
from deliberate_practice.cli.heartbeat import Heartbeat, Rhythm, duration

OFTEN = Rhythm(quiet=0.0, least=0.0, most=0.05)
TIME = r"\d+ s"
PROGRAM = """
import sys
from deliberate_practice.cli import heartbeat, main
heartbeat.RHYTHM = heartbeat.Rhythm(quiet=0.0, least=0.0, most=0.05)
main()
"""


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "RHYTHM", OFTEN)


class _Lines:
    """A stream that says when it has so many lines."""

    def __init__(self, wanted: int) -> None:
        self.text, self._wanted, self.enough = "", wanted, threading.Event()

    def write(self, text: str) -> int:
        self.text += text
        if self.text.count("\n") >= self._wanted:
            self.enough.set()
        return len(text)

    def flush(self) -> None:
        pass


@pytest.mark.usefixtures("often")
def test_a_single_long_item_is_never_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = _Lines(6)
    monkeypatch.setattr(sys, "stderr", lines)
    with Heartbeat("comparing", "sessions", 4) as shown:
        shown.update(1, 4)
        assert lines.enough.wait(60)  # the next item goes on until there were lines
    *repeated, last = lines.text.splitlines()
    wanted = rf"deliberate: comparing: 1 of 4 sessions, {TIME} so far, about {TIME} left"
    assert sum(bool(re.fullmatch(wanted, line)) for line in repeated) >= 4
    assert re.fullmatch(rf"deliberate: comparing: 1 of 4 sessions, {TIME} in all", last)


@pytest.mark.usefixtures("often")
def test_work_that_counts_nothing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = _Lines(2)
    monkeypatch.setattr(sys, "stderr", lines)
    with Heartbeat("finding the states of big.toml"):
        assert lines.enough.wait(60)
    expected = rf"(deliberate: finding the states of big\.toml, {TIME} so far\n)+"
    assert re.match(expected, lines.text)


@pytest.mark.usefixtures("often")
def test_time_left_follows_the_work_and_stages_begin_anew(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    shown = Heartbeat("comparing", "sessions", 10, done=5)  # its thread is not begun
    now = 60.0
    shown.update(6, 10, part=0.25, detail=lambda: "Pick success")
    shown.stage("reporting", "figures", 4)
    now = 90.0
    shown.update(1, 4)
    shown.update(4, 4)  # the closing line says it
    assert capsys.readouterr().err.splitlines() == [
        "deliberate: comparing: 6 of 10 sessions, 1 min 0 s so far, about 3 min 0 s left; "
        "Pick success",
        "deliberate: reporting: 1 of 4 figures, 30 s so far, about 1 min 30 s left",
    ]


def test_lines_keep_their_distance(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    shown = Heartbeat("comparing", "sessions", 1000)
    for number in range(1, 1000):
        now = number / 10
        shown.update(number, 1000)
    lines = capsys.readouterr().err.splitlines()
    done = [int(line.split()[2]) for line in lines]
    rhythm = Rhythm()
    assert done[0] == 10 * rhythm.quiet
    assert {b - a for a, b in pairwise(done)} == {10 * rhythm.least}
    assert rhythm.quiet < 30
    assert rhythm.most < 30


def test_quick_work_is_quiet(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "RHYTHM", Rhythm(quiet=1000.0))
    line = "compare breakfast --budgets 6 --seeds 1 --strategies random --workers 1"
    assert run(line).err == ""
    assert run("frontier breakfast --max-budget 20").err == ""
    assert run("run breakfast --budget 12").err == ""


def test_work_that_is_stopped_has_no_closing_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(heartbeat, "RHYTHM", Rhythm(0.0, 0.0, 1000.0))
    shown = Heartbeat("filming", "frames", 3)
    with shown:
        shown.update(1, 3)
    assert " in all" in capsys.readouterr().err
    shown = Heartbeat("filming", "frames", 3)
    with contextlib.suppress(KeyboardInterrupt), shown:
        shown.update(1, 3)
        raise KeyboardInterrupt
    err = capsys.readouterr().err
    assert "1 of 3 frames" in err
    assert " in all" not in err


@pytest.mark.usefixtures("often")
def test_a_reader_that_is_gone_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(_Lines):
        def write(self, text: str) -> int:
            super().write("\n")
            raise BrokenPipeError

    lines = Gone(3)
    monkeypatch.setattr(sys, "stderr", lines)
    with Heartbeat("filming", "frames", 3) as shown:
        shown.update(1, 3)
        assert lines.enough.wait(60)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (
            "compare breakfast --budgets 60 --seeds 4 --strategies deliberate --workers 1 "
            "--format json",
            [
                rf"comparing: [1-3] of 4 sessions, {TIME} so far, about {TIME} left",
                rf"comparing: 4 of 4 sessions, {TIME} in all",
            ],
        ),
        (
            "priors cleanup --robot regions --seeds 1 --attempts 6 --executions 1 --workers 1 "
            "--format json",
            [rf"learning: [1-9] of 10 skills, {TIME} so far, about {TIME} left"],
        ),
        (
            "run breakfast --budget 60 --format json",
            [
                rf"practising: \d+ of 60 units, {TIME} so far, about {TIME} left; "
                r"\w+ \w+, competence [\d.]+, expected reward [\d.]+"
            ],
        ),
        ("allocate cleanup-multi --budget 450 --format json", [f"finding the states of .*{TIME}"]),
    ],
)
def test_commands_tell_how_far_they_are_in_a_pipe(
    tmp_path: Path, words: str, wanted: list[str]
) -> None:
    done = _piped(tmp_path, words)
    lines = done.stderr.splitlines()
    assert all(line.startswith("deliberate: ") for line in lines)
    for pattern in wanted:
        assert any(re.search(pattern, line) for line in lines), done.stderr
    assert done.stdout.count("\n") == 1  # one JSON object
    assert done.stdout.startswith("{")


def test_a_report_tells_its_stages_in_a_pipe(tmp_path: Path) -> None:
    _piped(tmp_path, "compare breakfast --budgets 6 --seeds 2 --strategies random --out out")
    done = _piped(tmp_path, "report out")
    for items in ("frontiers", "figures"):
        pattern = rf"deliberate: reporting: \d+ of \d+ {items}, {TIME} so far, about {TIME} left\n"
        assert re.search(pattern, done.stderr), done.stderr


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (3725, "1 h 2 min"), (3599.7, "1 h 0 min")],
)
def test_durations_are_easy_to_read(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def _piped(folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, *words.split()]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True, timeout=300
    )
