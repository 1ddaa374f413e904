"""``deliberate quote`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import DOOR, Run, runner

ALONE = "--target 0.5 --worlds 20 --workers 1 --approach free"


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
