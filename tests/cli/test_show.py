"""Reasons, the forecast and the robots of a session on the command line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from command import Run

from deliberate_practice.cli.show import print_summary
from deliberate_practice.practice.run import run as practise


def test_a_session_says_why_what_to_expect_and_who_is_there(run: Run) -> None:
    run("start breakfast --budget 30 --name m --approach free")
    refused = run("why m")
    assert (refused.status, refused.out) == (2, "")
    assert "0 is not a trial of session 'm'; those are none yet" in refused.err
    assert run("robots m").out.startswith("no robot has asked with a name; use: deliberate ask m")
    for robot in ("left", "right"):
        run(f"ask m --asker {robot}")
    run("tell m 1 success")
    first, last = run("why m 1 --format json").data, run("why m --format json").data
    assert (first["id"], last["id"]) == (1, 2)
    assert first["reason"].startswith("practising ")
    assert " ".join(run("why m 1").out.split()) == f"trial 1: {first['reason']}"
    ahead = run("forecast m --format json").data
    assert ahead["name"] == "m"
    shown = run("show m --format json").data["forecast"]
    assert {"name": "m", **shown} == ahead
    assert ahead["low"] < ahead["value"] < ahead["high"]
    text = run("forecast m").out
    assert "with the 28 left" in text
    assert "80 % from" in text
    left, right = run("robots m --format json").data["robots"]
    assert (left["name"], left["open"], left["outcomes"]) == ("left", [], {"success": 1})
    assert (right["name"], right["open"], right["success_rate"]) == ("right", [2], None)
    assert "1 success" in run("robots m").out


def test_measurements_are_told_with_their_units(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    measured = {"force": 144.99, "touched": 1.0, "stopped": 0.0, "speed": 0.5, "quality": 2.0}
    done = replace(practise("breakfast", "curves", 1, journal=None), largest=measured)
    print_summary(done)
    said = "largest force 144.99 N, joint speed 0.5 of its limit, quality 2 in all episodes\n"
    assert said in capsys.readouterr().out
    print_summary(replace(done, largest={"touched": 1.0}))
    assert "largest" not in capsys.readouterr().out
