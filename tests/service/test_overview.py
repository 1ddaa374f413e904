"""The answers that the page needs: who reads, what can be chosen, a session at a glance."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from served import Served, error

from deliberate_practice.foundation import clock
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.practice.showing.pace import pace
from deliberate_practice.practice.showing.setting import setting
from deliberate_practice.service.overview import activity, overview
from deliberate_practice.task.toml_reader import parse_task

SEVERAL = """
name = "door"
[variables]
door = ["shut", "open"]
hand = ["empty", "full"]
[[starts]]
probability = 0.5
state = { hand = "full" }
[[starts]]
probability = 0.5
state = { hand = "empty" }
[[goals]]
name = "through"
reward = 1.0
when = { door = "open" }
[[skills]]
name = "Open"
precondition = { door = "shut", hand = ["empty", "full"] }
effect = { door = "open" }
competence = 0.2
curve = { kind = "piecewise-linear", rate = 0.1 }
"""


def glance(served: Served, base: str, marks: int = 300) -> Any:
    answer = served.admin.get(f"{base}/overview?marks={marks}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_every_token_may_ask_whose_it_is(served: Served, name: str) -> None:
    served.start(name)
    for role, session in (("admin", None), ("read-only", None), ("robot", name)):
        me = served.client(role, session).get("/api/me").json()
        assert me == {"name": "test", "role": role, "session": session}


def test_parts_are_those_that_can_be_chosen(served: Served) -> None:
    parts = served.admin.get("/api/parts").json()
    assert {"breakfast", "cleanup"} <= set(parts["domains"])
    assert "deliberate" in parts["strategies"]
    assert set(parts["beliefs"]) >= {"bayes", "running-average"}


def test_a_session_at_a_glance(served: Served, name: str) -> None:
    base = served.start(name, gate="abort")
    empty = glance(served, base)
    assert (empty["events"], empty["activity"], empty["seconds_per_unit"]) == (
        0,
        "waits-for-robot",
        None,
    )
    for outcome in ("success", "unreached", "failure"):
        trial = served.admin.post(f"{base}/ask", json={"robot": "arm"}).json()
        at = "PickBread" if outcome == "unreached" else None
        body = {"outcome": outcome, "at": at, "by": "ada", "note": f"it was a {outcome}"}
        served.admin.post(f"{base}/trials/{trial['id']}/tell", json=body)
    served.admin.post(f"{base}/trials/1/correct", json={"outcome": "failure"})
    served.admin.post(f"{base}/ask", json={"robot": "arm"})
    data = glance(served, base)
    shown = served.admin.get(base).json()
    assert {key: data[key] for key in shown if key not in ("trials", "seconds")} == {
        key: shown[key] for key in shown if key not in ("trials", "seconds")
    }
    assert [mark["outcome"] for mark in data["marks"]] == ["failure", "unreached", "failure", None]
    assert [mark["corrected_from"] for mark in data["marks"]] == ["success", None, None, None]
    assert [mark["notes"] for mark in data["marks"]] == [1, 1, 1, 0]
    assert [mark["robot"] for mark in data["marks"]] == ["arm"] * 4
    assert [remark["trial"] for remark in data["remarks"]] == [1, 2, 3]
    (open_trial,) = data["open_trials"]
    assert (open_trial["id"], open_trial["robot"], open_trial["ready"]) == (4, "arm", False)
    assert open_trial["reason"].startswith("practising StartToaster")
    assert open_trial["setting"]["holds"]["bread"] == ["counter"]
    assert open_trial["setting"]["text"].endswith(
        "The robot executes PickBread and PlaceBread, then attempts StartToaster."
    )
    assert data["robots"][0]["open"] == [4]
    reached, one = {"trials": 2, "units": 2}, {"trials": 1, "units": 1}
    assert data["spending"] == {
        "StartToaster": {"reached": reached, "unreached": one, "other": one}
    }
    assert data["left"] == data["budget"] - data["spent"]
    last = glance(served, base, marks=1)
    assert ([mark["id"] for mark in last["marks"]], last["earlier"]) == ([4], 3)


def test_the_budget_went_where_trials_were_paid_for(tmp_path: Path) -> None:
    task = parse_task(SEVERAL.replace("curve =", "cost = 3\ncurve ="), alone=True)
    with start_session(tmp_path / "lab.db", "costly", task, 40) as session:
        for outcome in ("success", "failure", "aborted", "aborted", "refused"):
            trial = session.ask(asker="arm")
            assert trial is not None
            session.tell(trial.id, outcome)
        session.refund(3)
        data = overview(session, 300, {})
        kinds = {"reached": (2, 6), "other": (1, 3)}
        assert data["spending"] == {
            "Open": {kind: {"trials": n, "units": units} for kind, (n, units) in kinds.items()}
        }
        assert data["spent"] == 9


def test_bands_hold_the_belief(served: Served, name: str) -> None:
    base = served.start(name, budget=40)
    for number in range(12):
        trial = served.admin.post(f"{base}/ask", json={"robot": "arm"}).json()
        outcome = {"outcome": "success" if number % 2 else "failure"}
        served.admin.post(f"{base}/trials/{trial['id']}/tell", json=outcome)
    data = glance(served, base)
    for policy, (low, high) in data["bands"].items():
        assert 0 <= low <= high <= 1
        assert low <= data["competence"][policy] + 0.05
        assert data["competence"][policy] <= high + 0.05
    low, high = data["bands"]["StartToaster"]
    assert high - low > 0.02
    assert np.diff(data["bands"]["PickBread"]) == 0  # it is not practised, so it is stated


@pytest.mark.parametrize(
    ("gate", "steps", "word"),
    [
        ("never", [], "waits-for-robot"),
        ("never", ["ask"], "practising"),
        ("always", ["ask"], "waits-for-ready"),
        ("always", ["ask", "ready"], "practising"),
        ("always", ["ask", "pause"], "paused"),
        ("never", ["ask", "pause", "resume"], "practising"),
        ("abort", ["ask", "aborted", "ask"], "waits-for-ready"),
        ("never", ["ask", "success", "ask", "success"], "done"),
        ("never", ["end"], "done"),
        ("never", ["archive"], "done"),
    ],
)
def test_the_activity_of_a_session(
    served: Served, name: str, gate: str, steps: list[str], word: str
) -> None:
    base = served.start(name, budget=2, gate=gate)
    trial = 0
    for step in steps:
        if step == "ask":
            trial += 1
            served.admin.post(f"{base}/ask", json={"robot": "arm"})
        elif step in ("aborted", "success"):
            served.admin.post(f"{base}/trials/{trial}/tell", json={"outcome": step})
        else:
            served.admin.post(f"{base}/{step}", json={})
    assert glance(served, base)["activity"] == word
    rows = served.admin.get("/api/sessions?archived=true").json()["sessions"]
    (row,) = [row for row in rows if row["name"] == name]
    assert row["activity"] == word
    assert row["left"] == row["budget"] - row["spent"]
    assert row["practises"] == (["StartToaster"] if "ask" in steps else [])
    assert row["goal"] in ("toast", "oatmeal")


def test_the_scene_of_a_trial_in_words(served: Served, tmp_path: Path) -> None:
    free = served.start("free approach", approach="free")
    served.admin.post(f"{free}/ask", json={"robot": "arm"})
    (trial,) = glance(served, free)["open_trials"]
    assert trial["setting"] == {
        "holds": {"bread": ["toaster"], "toaster": ["off"]},
        "text": "Set the scene: bread: toaster; toaster: off. StartToaster begins there.",
    }
    task = parse_task(SEVERAL, alone=True)
    with start_session(tmp_path / "lab.db", "several", task, 5) as session:
        asked = session.ask(asker="arm")
        assert asked is not None
        words = setting(task, asked)
    assert words.holds["hand"] == [asked.approach.start["hand"]]
    assert words.text.endswith("The robot attempts Open.")


def test_the_pace_leaves_breaks_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = datetime(2026, 11, 18, 9, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: moment)
    with start_session(
        tmp_path / "lab.db", "s", parse_task(SEVERAL, alone=True), 50, trial_seconds=600
    ) as session:
        for number, minutes in enumerate((1, 2, 2, 90, 2, 2), 1):
            assert pace(session.state) == (None if number < 6 else 120)
            trial = session.ask(asker="arm")
            assert trial is not None
            moment += timedelta(minutes=minutes)
            session.tell(trial.id, "failure")
        assert pace(session.state) == 120
        assert activity(session) == "waits-for-robot"
    with open_session(tmp_path / "lab.db", "s") as again:
        assert pace(again.state) == 120


def test_no_session_no_glance(served: Served) -> None:
    answer = served.admin.get("/api/sessions/there is none/overview")
    assert (answer.status_code, error(answer)) == (404, "there is no session 'there is none'.")
    assert served.admin.get("/api/sessions/x/overview?marks=-1").status_code == 422
