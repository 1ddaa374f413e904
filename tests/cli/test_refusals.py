"""Refused trials on the command line: they cost nothing, and are kept and shown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import DOOR, Run, runner
from refusing import Choosy

from deliberate_practice.practice.robot import ROBOTS, register_robot


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "door.toml").write_text(DOOR)
    return runner(monkeypatch, capsys)


@pytest.fixture
def stiff() -> Iterator[None]:
    """A robot that can execute nothing."""
    register_robot("stiff", lambda task, seed, threads: Choosy(lambda values: True))
    yield
    ROBOTS.unregister("stiff")


def test_a_refused_trial_is_told_shown_and_exported(run: Run) -> None:
    run("start door.toml --budget 4 --name m --approach free")
    first = run("ask m --format json").data
    told = run("tell m 1 refused --format json").data
    assert (told["outcome"], told["spent"], told["left"]) == ("refused", 0, 4)
    assert run("tell m 1 refused").out == "trial 1: refused; 4 of 4 left\n"
    again = run("ask m --format json").data
    assert again["id"] == 2
    assert again["parameters"] != first["parameters"]
    refund = run("refund m 1")
    assert (refund.status, refund.out) == (2, "")
    assert "trial 1: it was refused and cost nothing." in refund.err
    shown = run("show m --format json").data
    assert [trial["outcome"] for trial in shown["trials"]] == ["refused", None]
    assert (shown["spent"], shown["trials"][0]["refunded"]) == (1, False)
    assert "refused" in run("show m").out
    rows = list(csv.DictReader(io.StringIO(run("export m").out)))
    assert [(row["outcome"], row["cost"]) for row in rows] == [("refused", "0"), ("", "1")]


def test_ask_says_when_too_many_were_refused(run: Run) -> None:
    run("start door.toml --budget 4 --name m --approach free ")
    for number in range(1, 101):
        assert run("ask m").status == 0
        run(f"tell m {number} refused")
    for _ in range(2):
        stopped = run("ask m")
        assert (stopped.status, stopped.out) == (2, "")
        assert "refused 100 candidates in a row, the last one with pull = 0." in stopped.err
        assert "ask --evaluate" in stopped.err
    assert run("show m --format json").data["spent"] == 0


@pytest.mark.usefixtures("stiff")
def test_a_run_stops_and_keeps_everything(run: Run) -> None:
    stopped = run("run door.toml --budget 4 --name m --approach free --robot stiff")
    assert (stopped.status, stopped.out) == (2, "")
    assert stopped.err.count("\n") == 1
    assert "the robot refused 100 candidates in a row" in stopped.err
    assert "; all 100 episodes are kept. Go on with: deliberate run" in stopped.err
    again = run("run door.toml --name m --resume")
    assert again.status == 2
    assert again.err == stopped.err
    assert len(run("show m --format json").data["trials"]) == 100
