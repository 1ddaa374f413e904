"""Wrong inputs: each gets one message that names the fault and the fix, and changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import DOOR, Run, runner


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "door.toml").write_text(DOOR)
    call = runner(monkeypatch, capsys)
    assert call("start door.toml --budget 4 --name m").status == 0
    return call


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("learn-priors none.db", "none.db: there is no such journal (looked from"),
        ("learn-priors door.toml", "door.toml: this is not a journal"),
        ("run door.toml --budget 4 --robot ros", "name the file of its actions, e.g. ros:file="),
        (
            "run door.toml --budget 4 --picture a.bmp",
            "--picture: 'a.bmp' is not valid; give a name",
        ),
        ("film m --picture a.jpg", "give a name that ends in .png."),
        ("quote door.toml --target 0.5 --goal opend", "--goal: it belongs to a success rate"),
        ("quote door.toml --target 200%", "'200%' is no success rate; write more than 0% to 100%."),
        ("quote door.toml --target 50% --page a.pdf", "give a name that ends in .html."),
        ("extend m --budget 0", "--budget: 0 is not valid; give a whole number of at least 1."),
        ("run door.toml --budget 4 --executions 0", "executions: 0 is not valid; give a whole"),
        ("robot http://127.0.0.1:1 --session s --executions 0", "executions: 0 is not valid"),
        ("export m --out none/a.csv", "choose another path."),
        ("start door.toml --budget 4 --name n --sink jsonl:file=none/a", "no folder 'none'"),
        ("start door.toml --until 07:00 --name n", "or give --hours with --episode-seconds"),
        ("compare door.toml --budgets 4,4 --seeds 1", "4 occurs twice; give it once."),
    ],
)
def test_a_wrong_input_is_one_message(run: Run, line: str, message: str) -> None:
    refused = run(line)
    assert (refused.status, refused.out) == (2, "")
    assert message in refused.err
    assert refused.err.count("\n") == 1
    if line.startswith("learn-priors"):  # which has no such option
        assert "--db" not in refused.err
    assert [row["name"] for row in run("sessions --format json").data["sessions"]] == ["m"]


@pytest.mark.parametrize("key", ["precondition", "reward", "rate", "sd", "goals"])
def test_a_misspelt_key_is_named(run: Run, key: str) -> None:
    misspelt = f"{key[:-1]}q{key[-1]}"
    Path("door.toml").write_text(DOOR.replace(f"{key} =", f"{misspelt} =", 1))
    refused = run("check door.toml")
    assert refused.status == 2
    assert f"unknown key '{misspelt}' is not one of" in refused.err
    assert f"Did you mean '{key}'?" in refused.err


def test_a_token_for_a_missing_session_is_refused(run: Run) -> None:
    refused = run("tokens --new robot --name arm --session mm")
    assert (refused.status, refused.out) == (2, "")
    assert "--session: 'mm' is not one of: m. Did you mean 'm'?" in refused.err
    assert run("tokens --format json").data["tokens"] == []
