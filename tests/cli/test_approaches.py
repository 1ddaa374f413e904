"""Approaches on the command line: rules as tables, executions, and warnings of lost episodes."""

from __future__ import annotations

from pathlib import Path

from coffee import COFFEE
from command import Run


def test_an_approach_that_recovers_is_a_table(run: Run, tmp_path: Path) -> None:
    (tmp_path / "coffee.toml").write_text(COFFEE)
    run("start coffee.toml --budget 40 --name a --strategy least-competent")
    trial = run("ask a --format json").data
    approach = trial["approach"]
    assert trial["skill"] == "Serve"
    assert [step["skill"] for step in approach["route"]] == ["Grasp", "Pour"]
    assert [step["on_failure"] for step in approach["route"]] == ["retry", "end"]
    grasp = {"skill": "Grasp", "parameters": {"width": 0.05}, "practised": 0}
    assert {"when": {"cup": "shelf", "milk": "full"}, **grasp} in approach["rule"]
    assert {row["skill"] for row in approach["rule"]} == {"Grasp", "Pour", "Refill"}
    assert approach["limit"] == 9
    told = run("ask a").out
    assert "first   Grasp" in told
    assert "9 executions at most" in told
    assert any(line.split()[-3:] == ["hand", "spilled", "Refill"] for line in told.splitlines())
    assert "with    Grasp: width = 0.05" in told
    wrong = run("tell a 1 success --executed Grasp:maybe")
    assert (wrong.status, "'Grasp:maybe' is not SKILL:ok or SKILL:fail" in wrong.err) == (2, True)
    run("tell a 1 success --executed Grasp:fail,Grasp:ok,Pour:ok")
    (shown,) = run("show a --format json").data["trials"]
    assert shown["executed"] == [
        {"skill": "Grasp", "success": False},
        {"skill": "Grasp", "success": True},
        {"skill": "Pour", "success": True},
    ]
    run("ask a")
    run("tell a 2 unreached --executed Grasp:ok,Pour:fail")
    assert run("show a --format json").data["trials"][1]["at"] == "Pour"


def test_a_budget_that_would_be_lost_on_the_way_is_warned_of(run: Run, tmp_path: Path) -> None:
    steep = COFFEE.replace('failure = { milk = "spilled" }', 'failure = "end"')
    steep = steep.replace(
        'competence = 0.4\ncurve = { kind = "exponential", rate = 0.05 }', "competence = 0.1"
    )
    (tmp_path / "steep.toml").write_text(steep)
    (warning,) = run("check steep.toml --format json").data["warnings"][-1:]
    assert "'Serve' is reached in 10 % of its episodes" in warning
    started = run("start steep.toml --budget 40 --name a")
    assert (started.status, "would be lost on the way" in started.err) == (0, True)
    assert "--approach free" in started.err
    assert not run("start steep.toml --budget 40 --name b --approach free").err
    for number in range(1, 9):
        run("ask a")
        run(f"tell a {number} unreached --executed Grasp:ok,Pour:fail")
    (seen,) = run("show a --format json").data["warnings"]
    assert "8 of 8 episodes did not arrive" in seen
    assert "warning 8 of 8 episodes" in run("show a").out


def test_physical_failures_are_a_variant_of_cleanup(run: Run) -> None:
    done = run("run cleanup --set failures=physical --budget 30 --strategy random --format json")
    assert done.data["spent"] == 30
    told = run("start cleanup --set failures=soft --budget 30 --name b")
    assert (told.status, "'soft' is not one of: end, physical" in told.err) == (2, True)
