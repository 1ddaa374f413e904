"""Journals on the command line: odd paths, damaged files and salvage, each with one message."""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from command import Run


def loop(path: Path) -> None:
    path.symlink_to(path.name + "-2")
    path.with_name(path.name + "-2").symlink_to(path.name)


def fifo(path: Path) -> None:
    os.mkfifo(path)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere/else.db")


ODD: dict[str, tuple[Callable[[Path], object] | None, str]] = {
    "a loop of links": (loop, "x.db"),
    "a folder": (Path.mkdir, "x.db"),
    "a pipe": (fifo, "x.db"),
    "a device": (None, "/dev/null"),
    "a way through a file": (lambda path: path.parent.joinpath("f").touch(), "f/x.db"),
    "a link to nothing": (dangling, "x.db"),
    "a long name": (None, "x" * 10_000),
    "a long way": (None, "x/" * 5_000 + "x.db"),
    "a NUL": (None, "x\0.db"),
    "nothing": (None, ""),
}
COMMANDS = [
    "start breakfast --budget 5 --name a",
    "run breakfast --budget 5 --name a",
    "run breakfast --budget 5 --name a --resume",
    "ask a",
    "tell a 1 success",
    "refund a 1",
    "extend a --budget 3",
    "show a",
    "sessions",
    "export a",
    "export a --salvage",
]


@pytest.mark.parametrize("odd", list(ODD))
def test_a_path_that_cannot_be_a_journal_is_one_message(odd: str, run: Run, tmp_path: Path) -> None:
    make, name = ODD[odd]
    if make:
        make(tmp_path / "x.db")
    for command in COMMANDS:
        result = run(*command.split(), "--db", name)
        assert (result.status, result.out) == (2, ""), command
        assert result.err.startswith("deliberate: ")
        assert result.err.count("\n") == 1
        assert len(result.err) < 1000


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable for root")
def test_an_unreadable_journal_is_one_message(run: Run, tmp_path: Path) -> None:
    run("start breakfast --budget 5 --name a")
    (tmp_path / "deliberate.db").chmod(0)
    for command in COMMANDS:
        assert "may not be read" in run(command).err


@pytest.mark.parametrize("odd", [name for name in ODD if name != "nothing"])
def test_a_folder_that_cannot_hold_results_is_one_message(
    odd: str, run: Run, tmp_path: Path
) -> None:
    make, name = ODD[odd]
    if "\0" in name:
        pytest.skip("no program can be given a NUL")
    if make and make is not Path.mkdir:
        make(tmp_path / "x.db")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results.sqlite").symlink_to(name[:200])
    compare = "compare counterexample --budgets 3 --seeds 1 --strategies random --out"
    for command in (compare, "report"):
        if odd == "a folder":
            (tmp_path / "x.db").mkdir(exist_ok=True)
        result = run(*command.split(), "out")
        assert (result.status, result.out) == (2, ""), command
        assert result.err.startswith("deliberate: ")


def test_salvage_writes_sound_events(run: Run, tmp_path: Path) -> None:
    run("start breakfast --budget 9 --name a --approach free")
    for number in range(1, 4):
        run("ask a")
        run(f"tell a {number} success --measure force=3")
    with closing(sqlite3.connect(tmp_path / "deliberate.db", isolation_level=None)) as raw:
        raw.execute("DROP TRIGGER events_are_not_changed")
        raw.execute("UPDATE events SET data = replace(data, 'success', 'failure') WHERE number = 3")
    refused = run("show a")
    assert (refused.status, refused.out) == (2, "")
    assert "deliberate export NAME --salvage" in refused.err
    found = run("export a --salvage")
    assert found.status == 0
    assert "event 3 is damaged" in found.err
    rows = list(csv.DictReader(io.StringIO(found.out)))
    assert [(row["number"], row["kind"], row["chained"]) for row in rows] == [
        ("1", "decide", "1"), ("2", "ask", "1"),
        ("4", "ask", "0"), ("5", "tell", "0"), ("6", "ask", "0"), ("7", "tell", "0"),
    ]  # fmt: skip
    assert [row["outcome"] for row in rows if row["kind"] == "tell"] == ["success", "success"]
    assert {row["trial"] for row in rows if row["kind"] == "tell"} == {"2", "3"}
    run("export a --salvage --format json --out a.json")
    data = json.loads((tmp_path / "a.json").read_text())
    assert data["session"]["settings"]["budget"] == 9
    assert len(data["events"]) == 6
    assert "only --salvage" in run("export a --format json").err


def test_one_damaged_session_does_not_hide_the_others(run: Run, tmp_path: Path) -> None:
    for name in ("sound", "hurt"):
        run(f"start breakfast --budget 9 --name {name} --approach free")
        run(f"ask {name}")
    with closing(sqlite3.connect(tmp_path / "deliberate.db", isolation_level=None)) as raw:
        query = "SELECT sql FROM sqlite_master WHERE name = 'events_are_not_changed'"
        (trigger,) = raw.execute(query).fetchone()
        raw.execute("DROP TRIGGER events_are_not_changed")
        raw.execute("UPDATE events SET time = '2001-01-01' WHERE session = 2 AND number = 2")
        raw.execute(trigger)
    listed = run("sessions --format json")
    assert listed.status == 2
    assert [row["name"] for row in json.loads(listed.out)["sessions"]] == ["sound"]
    assert "session 'hurt': event 2 is damaged" in listed.err
    assert "sound" in run("sessions").out


def test_compare_says_which_sessions_it_runs_again(run: Run, tmp_path: Path) -> None:
    line = (
        "compare counterexample --budgets 3 --seeds 2 --strategies random --workers 1 --out out "
        "--format json"
    )
    first = run(line)
    with closing(sqlite3.connect(tmp_path / "out" / "results.sqlite", isolation_level=None)) as raw:
        raw.execute("UPDATE results SET reward = 9 WHERE seed = 1")
    refused = run("report out")
    assert (refused.status, refused.out) == (2, "")
    assert "row 2 of results" in refused.err
    again = run(line)
    assert again.data == first.data
    assert "row 2 of results" in again.err
    assert "was damaged and is removed" in again.err
