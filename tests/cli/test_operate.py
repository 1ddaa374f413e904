"""The commands of an operator."""

from __future__ import annotations

import io

import pytest
from command import Run


def test_an_operator_takes_labels_back_and_blocks_skills(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("start breakfast --budget 9 --name m --approach free")
    run("ask m")
    run("tell m 1 failure --by ada")
    corrected = run("correct m 1 success --by grace").out
    assert corrected == "trial 1: corrected to success; left: 8 of 9\n"
    run("note m 1 the bread was stale")
    run("note m new bread")
    missing = run("note m 1")
    assert missing.status == 2
    assert "deliberate note m 1 'the bread was stale'" in missing.err
    run("block", "m", "StartToaster", "--why", "lever broken")
    shown = " ".join(run("show m").out.split())
    assert "success (told as failure); the bread was stale" in shown
    assert "note new bread" in shown
    assert "blocked StartToaster: lever broken" in shown
    (trial,) = run("show m --format json").data["trials"]
    assert (trial["outcome"], trial["corrected_from"], trial["by"]) == (
        "success",
        "failure",
        "grace",
    )
    run("unblock m StartToaster")
    assert "blocked" not in run("show m").out
    run("end", "m", "--why", "good enough")
    ended = run("ask m")
    assert (ended.status, ended.out) == (3, "nothing to do: the session was ended (good enough)\n")
    run("archive m")
    assert run("sessions --format json").data["sessions"] == []
    (row,) = run("sessions --all --format json").data["sessions"]
    assert row["state"] == "archived"
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert run("delete m").status == 130
    assert run("delete m --yes").out == "m: removed, with 1 trials\n"
    assert run("show m").status == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("correct m 1 success", "trial: 1 is not a trial of session 'm'; those are none yet"),
        ("correct m 1 won", "trial: 1 is not a trial"),
        ("block m Toast", "'Toast'"),
        ("pause n", "session 'n'"),
        ("ask m --wait -1", "wait: -1.0 is outside the valid range"),
        ("delete n --yes", "session 'n'"),
    ],
)
def test_wrong_orders_of_an_operator_are_refused(run: Run, line: str, message: str) -> None:
    run("start breakfast --budget 9 --name m")
    refused = run(line)
    assert (refused.status, refused.out) == (2, "")
    assert message in refused.err
