"""What people do with a session: pause it, block skills, write notes, end it, remove it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asking import ask, later, only

from deliberate_practice.beliefs.belief import BELIEFS
from deliberate_practice.foundation.errors import ArgumentError, TaskError
from deliberate_practice.foundation.registry import Registry
from deliberate_practice.learners.registry import LEARNERS
from deliberate_practice.practice.journal.rows import JournalError
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.operating.idle import Idle
from deliberate_practice.practice.operating.operator import LONGEST_TEXT
from deliberate_practice.practice.operating.waiting import ask_or_wait
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import delete_session, open_session, start_session
from deliberate_practice.practice.showing.summary import summary
from deliberate_practice.practice.telling import TellError
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.strategies.strategy import STRATEGIES
from deliberate_practice.task.model import Task

Start = Callable[..., Session]


def test_a_paused_session_hands_out_nothing_and_goes_on_where_it_was(start: Start) -> None:
    quiet, paused = start(30, "a"), start(30, "b")
    for session in (quiet, paused):
        session.tell(ask(session).id, "failure")
    own = ask(paused, asker="left")
    paused.pause("lunch", by="ada")
    assert paused.ask(asker="left") is None  # not even its own open trial
    assert paused.ask_together(3, asker="left") == []
    assert paused.idle == Idle("paused", "the session is paused (lunch)")
    assert not paused.done
    paused.tell(own.id, "failure")
    paused.resume()
    assert paused.idle is None
    quiet.tell(ask(quiet).id, "failure")
    assert ask(paused) == ask(quiet)


def test_an_ended_session_is_done_and_can_be_taken_up_again(start: Start) -> None:
    session = start(30)
    session.end("good enough")
    assert session.ask() is None
    assert session.idle == Idle("done", "the session was ended (good enough)")
    assert session.done
    assert summary(session).state == "ended"
    session.resume()
    assert summary(session).state == "active"
    assert ask(session)


def test_an_archived_session_is_ended(start: Start) -> None:
    session = start(30)
    session.archive()
    session.archive()  # twice is harmless
    assert (summary(session).state, session.ask()) == ("archived", None)
    session.resume()
    assert ask(session)


def test_a_blocked_skill_is_in_no_trial(start: Start) -> None:
    session = start(60, strategy="random")
    session.block("Pick", "its tool is broken")
    assert session.ask() is None  # all other skills need it on the way
    assert session.idle == Idle(
        "wait",
        "nothing else can be practised while skills are blocked (Pick: its tool is broken)",
    )
    session.unblock("Pick")
    assert ask(session)
    free = start(60, "free", strategy="random", approach="free")
    free.block("Lift")
    free.block("Box")
    skills = set()
    for _ in range(20):
        trial = ask(free)
        skills.add(trial.skill)
        free.tell(trial.id, "failure")
    assert skills == {"Pick", "Shelve"}  # another skill practises the same policy


def test_a_block_ends_what_was_granted(start: Start) -> None:
    session = start(60, strategy=only("Box"))
    trial = ask(session)
    assert trial.approach.skills == ("Pick", "Lift")
    assert session.state.granted > 0
    session.block("Lift")
    assert session.state.granted == 0
    session.tell(trial.id, "failure")
    assert session.ask() is None
    session.unblock("Lift")
    assert session.state.granted > 0


def test_tests_of_a_blocked_skill_wait(start: Start) -> None:
    session = start(60, strategy=only("Pick"), belief="running-average")
    for _ in range(6):
        session.tell(ask(session).id, "failure")
    session.block("Pick")
    assert session.ask() is None
    session.unblock("Pick")
    assert session.state.records[ask(session).id].kind == "test"


def test_a_blocked_skill_is_not_evaluated(start: Start) -> None:
    session = start(60)
    session.block("Pick")
    with pytest.raises(ArgumentError, match="'Pick' is blocked; unblock it first"):
        session.ask(evaluate="Pick")
    with pytest.raises(ArgumentError, match="'Box' cannot be reached"):
        session.ask(evaluate="Box")


def test_notes_are_kept_with_who_wrote_them(start: Start) -> None:
    session = start(30)
    session.tell(ask(session).id, "success", by="ada")
    session.note("new gripper pads", by="ada")
    session.note("the cup was wet", 1)
    assert summary(session).notes == ("new gripper pads",)
    record = session.trials()[0]
    assert (record.notes, record.by) == (("the cup was wet",), "ada")


@pytest.mark.parametrize("text", ["", "  ", None, 3, "x" * (LONGEST_TEXT + 1)])
def test_a_note_is_a_text(text: object, start: Start) -> None:
    session = start(30)
    with pytest.raises(ArgumentError, match="text"):
        session.note(text)  # type: ignore[arg-type]
    with pytest.raises(TellError, match="7 is not a trial"):
        session.note("a note", 7)
    with pytest.raises(ArgumentError, match="by"):
        session.note("a note", by="-x")
    with pytest.raises(TaskError, match="Pikc"):
        session.block("Pikc")


def test_operations_change_neither_budget_nor_belief(start: Start) -> None:
    plain, busy = start(30, "a"), start(30, "b")
    for number in range(6):
        for session in (plain, busy):
            session.tell(ask(session).id, "failure" if number % 2 else "success")
        busy.pause()
        busy.note("a break")
        busy.resume()
    assert busy.state.competences == plain.state.competences
    assert busy.state.spent == plain.state.spent
    assert ask(busy) == ask(plain)


def test_helped_attempts_cost_budget_and_prove_nothing(start: Start) -> None:
    session = start(30, strategy=only("Pick"))
    before = session.state.competences
    trial = ask(session)
    session.tell(trial.id, "assisted")
    assert (session.state.spent, session.state.attempts["Pick"]) == (1, 0)
    assert session.state.competences == before
    assert ask(session).parameters == trial.parameters  # it is tried again
    with pytest.raises(TellError, match="only 'aborted' is refunded"):
        session.refund(trial.id)


def test_an_open_trial_passes_to_another_asker_after_its_time(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = start(30, strategy=only("Pick"), trial_seconds=60.0)
    trial = ask(session, asker="left")
    assert ask(session, asker="right").id != trial.id
    later(monkeypatch, 61)
    assert ask(session, asker="third") == trial  # under the same id
    assert ask(session, asker="left").id == 2  # the other one is late, too
    session.tell(trial.id, "success", by="third")
    session.tell(trial.id, "success", by="left")  # the same answer is harmless
    session.tell(trial.id, "failure", by="left")  # the first one counts
    session.tell(trial.id, "failure", by="left")
    record = session.trials()[0]
    assert record.result == Result("success")
    assert record.notes == ("a later answer, which does not count: 'failure'",)


def test_three_arms_and_a_trial_that_is_never_told(
    start: Start, shelf: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = start(24, strategy=only("Pick"), trial_seconds=60.0)
    robot = CurveRobot(shelf)
    lost = ask(session, asker="first")
    arms = {"second": None, "third": None}
    waited = 0
    while not session.done:
        for arm in arms:
            trial = session.ask(asker=arm)
            if trial is None:
                waited += 1
                later(monkeypatch, 61)
                continue
            session.tell(trial.id, robot.run([trial])[0].outcome)
    assert waited
    assert session.state.left == 0
    assert not session.state.open_trials
    assert session.state.records[lost.id].result


def test_a_session_says_why_it_stopped(start: Start, shelf: Task) -> None:
    robot = CurveRobot(shelf)
    assert practise(start(12, "a"), robot) == Idle("done", "the budget is spent")
    never = start(12, "b", strategy=lambda situation: None)
    assert practise(never, robot).reason.startswith("nothing more is worth practising")
    ended = start(12, "c")

    def stop(session: Session, trial: Trial, result: Result) -> None:
        session.end("enough")

    assert practise(ended, robot, stop) == Idle("done", "the session was ended (enough)")
    waiting = start(12, "d", strategy=only("Pick"))
    for number in range(6):
        ask(waiting, asker=f"other {number}")
    stopped = practise(waiting, robot, patience=0.1)
    assert stopped.state == "wait"
    assert "open trials of other askers: 1, 2, 3, 4, 5, 6" in stopped.reason


def test_waiting_for_a_trial(start: Start) -> None:
    session = start(12)
    session.pause()
    assert ask_or_wait(session, 0.3, asker="left") is None
    session.resume()
    assert ask_or_wait(session, 0.3, asker="left")
    with pytest.raises(ArgumentError, match="wait"):
        ask_or_wait(session, -1.0)


def test_a_removed_session_leaves_the_others_whole(start: Start, db: Path) -> None:
    for name in ("a", "b", "c"):
        with start(30, name) as session:
            session.tell(ask(session).id, "success")
    delete_session(db, "c")
    delete_session(db, "a")
    with open_session(db, "b") as session:
        assert len(session.trials()) == 1
        session.tell(ask(session).id, "success")
    for name in ("a", "c"):
        with pytest.raises(JournalError, match=f"'{name}'"):
            open_session(db, name)
    with start(30, "a") as session:  # the name is free again
        assert session.trials() == []
    delete_session(db, "a")
    delete_session(db, "b")
    with start(30, "d") as session:
        ask(session)
    with sqlite3.connect(db) as raw, pytest.raises(sqlite3.IntegrityError, match="only added"):
        raw.execute("DELETE FROM events")


def test_trials_as_a_data_frame(start: Start) -> None:
    session = start(60, strategy="random")
    for number in range(8):
        trial = ask(session, asker="left")
        session.tell(
            trial.id, "failure" if number % 2 else "success", measurements={"force": 1.0 + number}
        )
    session.correct(1, "failure", by="ada")
    frame = session.to_pandas()
    assert len(frame) == 8
    assert frame.loc[1, "corrected_from"] == "success"
    assert set(frame["robot"]) == {"left"}
    assert frame["measure.force"].tolist()[1:] == [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    assert (frame["told"] >= frame["asked"]).all()
    assert frame.groupby("policy").size().sum() == 8


PARTS: dict[str, Registry[Any]] = {
    "strategy": STRATEGIES,
    "learner": LEARNERS,
    "belief": BELIEFS,
}


@pytest.mark.parametrize("kind", PARTS)
def test_a_part_that_is_not_here_is_named(kind: str, db: Path, shelf: Task) -> None:
    parts = PARTS[kind]
    parts.register(f"my-{kind}", parts[next(iter(parts))])
    try:
        choice: dict[str, Any] = {kind: f"my-{kind}"}
        start_session(db, "s", shelf, 10, **choice).close()
    finally:
        parts._offers.pop(f"my-{kind}")

    def go_on() -> None:
        with open_session(db, "s") as session:
            session.ask()

    message = f"needs the {kind} 'my-{kind}', which this installation does not have"
    with pytest.raises(ArgumentError, match=message):
        go_on()
    if kind == "strategy":  # it can still be looked at
        with open_session(db, "s") as session:
            assert summary(session).spent == 0
