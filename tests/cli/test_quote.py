"""``deliberate quote`` on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command import DOOR, Run, runner

ALONE = "--target 0.5 --worlds 20 --workers 1 --approach free"

AMOUNT = {"budget": 10, "hours": None, "chance": {"value": 0.95, "interval": [0.9, 0.99]}}
QUOTE = {
    "task": "door",
    "target": 0.5,
    "measure": "value",
    "goal": None,
    "confidence": 0.9,
    "worlds": 20,
    "half": AMOUNT,
    "sure": AMOUNT,
    "reachable": {"value": 1.0, "interval": [0.84, 1.0]},
    "if_reachable": None,
    "largest": 40,
    "chances": [AMOUNT],
    "policies": {"Open": {"episodes": 10.0, "budget": 10.0, "part": 1.0}},
    "savings": [{"what": "curves known exactly", "budget": 8, "hours": None}],
}
"""A quote that nobody has computed."""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "door.toml").write_text(DOOR)
    return runner(monkeypatch, capsys)


def test_json_has_the_session(run: Run) -> None:
    run("run door.toml --budget 4 --name night")
    quoted = run(f"quote door.toml {ALONE} --session night --format json")
    assert quoted.data["actual"]["session"] == "night"
    assert quoted.data["actual"]["spent"] == 4
    Path("quote.json").write_text(json.dumps(quoted.data))
    again = run("quote door.toml --quoted quote.json --format json").data
    assert again == {key: value for key, value in quoted.data.items() if key != "actual"}


def test_a_session_that_is_not_there_is_refused_before_rehearsals(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("run door.toml --budget 4 --name night")
    monkeypatch.delattr("deliberate_practice.study.quoting.quote.rehearse")
    refused = run(f"quote door.toml {ALONE} --session nigth")
    assert (refused.status, refused.out) == (2, "")
    assert "nigth" in refused.err


def test_a_session_of_another_task_is_refused_before_rehearsals(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("run cleanup --budget 4 --name night")
    monkeypatch.delattr("deliberate_practice.study.quoting.quote.rehearse")
    refused = run(f"quote door.toml {ALONE} --session night")
    assert (refused.status, refused.out) == (2, "")
    assert "'night' practises the task 'cleanup', and the quote is for 'door'" in refused.err


def test_a_quote_that_is_sure_of_nothing_says_what_holds_if_the_target_is_in_reach(
    run: Run,
) -> None:
    unsure = {
        **QUOTE,
        "sure": None,
        "reachable": {"value": 0.8, "interval": [0.6, 0.9]},
        "if_reachable": {**AMOUNT, "budget": 30},
    }
    Path("quote.json").write_text(json.dumps(unsure))
    done = run("quote door.toml --quoted quote.json --page page.html")
    said = " ".join(done.out.split())
    assert "90 % out of reach 90 % 30 units, if the target is within reach at all (80 %" in said
    assert "In 20 % of the rehearsed worlds no practice reaches the target" in said
    assert "By skill, mean of the rehearsals with 30 units of practice: skill episodes" in said
    assert "with curves known exactly: 8 units, which saves 22 units" in said
    page = Path("page.html").read_text()
    assert "<strong>30 units</strong>" in page
    assert "What would shorten it?" in page


def test_no_practice_may_be_needed_if_the_target_is_in_reach(run: Run) -> None:
    met = {
        **QUOTE,
        "sure": None,
        "reachable": {"value": 0.8, "interval": [0.6, 0.9]},
        "if_reachable": {**AMOUNT, "budget": 0},
        "savings": [],
    }
    Path("quote.json").write_text(json.dumps(met))
    done = run("quote door.toml --quoted quote.json --page page.html")
    assert "90 %  no practice, if the target is within reach" in done.out
    assert "<strong>no practice</strong>" in Path("page.html").read_text()


def test_experience_is_read_and_no_part_of_a_saved_quote(run: Run) -> None:
    missing = run(f"quote door.toml {ALONE} --experience monday.toml")
    assert (missing.status, missing.out) == (2, "")
    assert "monday.toml" in missing.err
    Path("quote.json").write_text(json.dumps(QUOTE))
    beside = run("quote door.toml --quoted quote.json --experience monday.toml")
    assert (beside.status, beside.out) == (2, "")
    assert "--experience: with --quoted nothing is computed" in beside.err


def test_a_target_that_is_met_needs_no_practice(run: Run) -> None:
    done = run("quote door.toml --target 0.001 --worlds 20 --workers 1 --page page.html")
    assert "90 %  no practice" in done.out
    assert "No practice is needed: the target is met already." in done.out
    assert "episodes" not in done.out
    page = Path("page.html").read_text()
    assert "No practice is needed" in page
    assert "Which skills take it?" not in page


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"fixed.toml {ALONE}", "no skill of 'door' can be practised"),
        (f"door.toml {ALONE} --seed -1", "seed: -1 is not valid; give a whole number"),
        (f"door.toml {ALONE} --workers 0", "workers: 0 is not valid; give a whole number"),
        (f"door.toml {ALONE} --workers -3", "workers: -3 is not valid; give a whole number"),
        (f"door.toml {ALONE} --max-states 1", "more than 1 states"),
        (f"door.toml {ALONE} --strategy nope", "strategy: 'nope' is not one of"),
        (f"door.toml {ALONE} --reset-seconds 5", "the time of an episode of Open; give"),
        (f"door.toml {ALONE} --switch-seconds 5", "give --episode-seconds too"),
        ("door.toml --quoted quote.json --target 1.5", "--target: with --quoted nothing is"),
        ("door.toml --quoted quote.json --worlds 40", "--worlds: with --quoted nothing is"),
        ("door.toml --quoted quote.json --strategy ees", "--strategy: with --quoted nothing is"),
        ("breakfast --quoted quote.json", "for the task 'door', not for 'breakfast'"),
    ],
)
def test_what_makes_no_sense_is_refused(run: Run, line: str, message: str) -> None:
    text = Path("door.toml").read_text()
    Path("fixed.toml").write_text(re.sub("^(curve|parameters).*", "", text, flags=re.MULTILINE))
    Path("quote.json").write_text(json.dumps(QUOTE))
    assert run("quote door.toml --quoted quote.json").status == 0
    refused = run(f"quote {line}")
    assert (refused.status, refused.out) == (2, "")
    assert message in refused.err
    assert "Traceback" not in refused.err


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"target": None}, "target: None is not a number"),
        ({"target": "0.5"}, "target: '0.5' is not a number"),
        ({"measure": "speed"}, "measure: 'speed' is not one of"),
        ({"measure": "success"}, "goal: None is not valid"),
        ({"chances": []}, "chances: those that the answers rest on are missing"),
        ({"sure": None}, "chances: those that the answers rest on are missing"),
        ({"half": {**AMOUNT, "budget": "10"}}, "budget: '10' is not a number"),
        ({"half": {**AMOUNT, "hours": "10"}}, "hours: '10' is not a number"),
        ({"chances": [{**AMOUNT, "chance": None}]}, "this is no quote"),
        ({"half": {**AMOUNT, "chance": {"value": "x", "interval": None}}}, "'x' is not a number"),
        (
            {"chances": [{**AMOUNT, "chance": {"value": 0.5, "interval": [0.4]}}]},
            "this is no quote",
        ),
        (
            {"chances": [{**AMOUNT, "chance": {"value": 0.5, "interval": [0.5, 0.5]}}]},
            "chances: interval: 0.5 is outside the valid range (0.5, 1]",
        ),
        ({"policies": {"Open": {"episodes": [], "budget": 1, "part": 1}}}, "policies: Open: "),
        ({"savings": [{"what": "", "budget": None, "hours": None}]}, "budget: None is not a"),
        ({"worlds": None}, "worlds: None is not a number"),
        ({"extra": 1}, "this is no quote"),
    ],
)
def test_a_damaged_quote_is_refused(run: Run, changed: dict[str, object], message: str) -> None:
    Path("quote.json").write_text(json.dumps({**QUOTE, **changed}))
    refused = run("quote door.toml --quoted quote.json --page page.html")
    assert (refused.status, refused.out) == (2, "")
    assert message in refused.err
    assert "--quoted: quote.json: " in refused.err
