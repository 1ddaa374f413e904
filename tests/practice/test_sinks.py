"""Sinks see every event that is safe in the journal, and never harm the session."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from asking import ask

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.journal.mcap import write_mcap
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.run import run
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.practice.sinks import SINKS, Written
from deliberate_practice.robots.curves import CurveRobot

Start = Callable[..., Session]


def test_a_callback_sees_every_event_once_and_in_order(start: Start) -> None:
    seen: list[Written] = []
    session = start(30, sinks=[seen.append])
    practise(session, CurveRobot(session.task))
    session.correct(1, "aborted", by="ada")
    session.pause()
    written = [entry for entry, _ in session.entries()]
    assert [one.number for one in seen] == [entry.number for entry in written]
    assert [one.time for one in seen] == [entry.time.isoformat() for entry in written]
    assert {one.session for one in seen} == {"s"}
    assert [one.kind for one in seen][-2:] == ["correct", "pause"]
    assert seen[-2].data["by"] == "ada"


def test_each_process_reports_what_it_has_written_itself(start: Start, db: Path) -> None:
    mine: list[Written] = []
    theirs: list[Written] = []
    session = start(30, sinks=[mine.append])
    with open_session(db, "s", sinks=[theirs.append]) as other:
        trial = ask(session, asker="left")
        ask(other, asker="right")
        session.tell(trial.id, "success")
    numbers = sorted(one.number for one in [*mine, *theirs])
    assert numbers == list(range(1, len(numbers) + 1))
    assert [one.kind for one in theirs] == ["ask"]


def test_named_sinks_go_on_in_other_processes(start: Start, db: Path, tmp_path: Path) -> None:
    file = tmp_path / "night.jsonl"
    with start(30, sinks=[f"jsonl:file={file}"]) as session:
        first = ask(session)
    with open_session(db, "s") as again:
        again.tell(first.id, "failure")
        count = len(list(again.history()))
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["number"] for line in lines] == list(range(1, count + 1))
    assert lines[-1]["kind"] == "tell"
    assert lines[-1]["data"]["result"]["outcome"] == "failure"


def test_a_sink_that_fails_harms_nobody(start: Start) -> None:
    def broken(written: Written) -> None:
        raise OSError("the disk is full")

    seen: list[Written] = []
    session = start(30, sinks=[broken, seen.append])
    with pytest.warns(UserWarning, match="the session goes on: the disk is full"):
        trial = ask(session)
    session.tell(trial.id, "success")  # it is said once
    assert len(seen) == len(list(session.history())) == 3


def test_run_takes_sinks_too() -> None:
    seen: list[Written] = []
    run("breakfast", "curves", 12, journal=None, sinks=[seen.append])
    assert sum(one.kind == "tell" for one in seen) == 12


@pytest.mark.parametrize(
    ("sinks", "message"),
    [
        ("jsonl:file=x", "is not a list"),
        (["jsonl"], "say where to"),
        (["json:file=x"], "Did you mean 'jsonl'"),
        (["jsonl:path=x"], "option 'path'"),
        ([3], "is not a name"),
    ],
)
def test_wrong_sinks_are_refused(sinks: object, message: str, start: Start, db: Path) -> None:
    with pytest.raises(ArgumentError, match=message):
        start(30, sinks=sinks)
    assert not db.exists()
    assert "jsonl" in SINKS


def test_a_session_as_mcap(start: Start, tmp_path: Path) -> None:
    from mcap.reader import make_reader

    session = start(30, approach="free")
    practise(session, CurveRobot(session.task))
    file = tmp_path / "night.mcap"
    count = write_mcap(session, file)
    topics: dict[str, list[dict[str, object]]] = {}
    with file.open("rb") as opened:
        for _, channel, message in make_reader(opened).iter_messages():
            topics.setdefault(channel.topic, []).append(json.loads(message.data))
    assert len(topics["/events"]) == count == len(list(session.history()))
    told = [record for record in session.trials() if record.result]
    assert [trial["id"] for trial in topics["/trials"]] == [record.trial.id for record in told]
    assert topics["/competence"][-1] == session.state.competences
