"""The gate: trials that wait until somebody says Ready."""

from __future__ import annotations

import socket
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from asking import ask, later

from deliberate_practice.practice.operating.idle import Idle
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.practice.telling import TellError

Start = Callable[..., Session]


def test_with_a_gate_no_trial_is_handed_out_before_somebody_says_ready(
    start: Start, db: Path
) -> None:
    session = start(30, gate="always")
    assert session.ask(asker="left") is None
    ready = f"say it with deliberate ready s --db {db}, or on the page"
    assert session.idle == Idle("wait", f"trial 1 waits for Ready: {ready}", 1)
    assert session.ask_together(2, asker="left") == []
    assert session.ask(asker="left") is None  # it is the same trial
    assert len(session.trials()) == 1
    session.ready(1, by="ada")
    assert ask(session, asker="left").id == 1
    session.tell(1, "failure")
    assert session.ask(asker="left") is None
    assert session.ask(asker="right") is None
    session.ready()
    assert [ask(session, asker=name).id for name in ("left", "right")] == [2, 3]
    with pytest.raises(TellError, match="trial 1: it was told already"):
        session.ready(1)


def test_after_an_abort_its_robot_waits_and_no_other(start: Start, db: Path) -> None:
    session = start(30, gate="abort")
    first, other = ask(session, asker="left"), ask(session, asker="right")
    session.tell(first.id, "aborted")
    assert session.trials()[0].robot == "left"
    assert session.ask(asker="left") is None
    session.tell(other.id, "failure")
    assert ask(session, asker="right")
    with open_session(db, "s") as again:  # also after a restart
        assert again.ask(asker="left") is None
        again.ready()
        assert ask(again, asker="left")


@pytest.mark.parametrize("gate", ["abort", "always"])
def test_a_scene_that_was_set_for_one_robot_is_not_set_for_the_next(
    gate: str, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = start(30, gate=gate, trial_seconds=60.0)
    if gate == "abort":
        session.tell(ask(session, asker="left").id, "aborted")
    assert session.ask(asker="left") is None
    session.ready()
    trial = ask(session, asker="left")
    if gate == "abort":
        session.tell(ask(session, asker="right").id, "aborted")
    later(monkeypatch, 61)
    assert session.ask(asker="right") is None
    assert session.holders()[trial.id] == "right"
    assert session.idle
    assert (session.idle.state, session.idle.trial) == ("wait", trial.id)
    session.ready(trial.id)
    assert ask(session, asker="right") == trial


@pytest.mark.parametrize("gate", ["abort", "always"])
def test_a_robot_without_a_name_may_ask_from_a_new_process_each_time(
    gate: str, start: Start
) -> None:
    """As a script does whose shell ends after each command."""
    session = start(30, gate=gate)
    shells = (f"process:{socket.gethostname()}/{n}/{n}/1" for n in count(5_000_000))
    if gate == "abort":
        session.tell(ask(session, asker=next(shells)).id, "aborted")
    for _ in range(2):
        assert session.ask(asker=next(shells)) is None
    session.ready()
    trial = ask(session, asker=next(shells))
    assert ask(session, asker=next(shells)) == trial  # it is offered again
    session.tell(trial.id, "success")
    after = session.ask(asker=next(shells))
    assert (after is None) == (gate == "always")
    if gate == "always":
        session.ready()
        assert session.ask(asker="left", takeover=True) is None  # another robot


def test_an_open_trial_waits_while_a_skill_of_it_is_blocked(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after an abort: its tool is broken, the skill is blocked, and Ready is for the others."""
    session = start(60, gate="always", trial_seconds=60.0)
    assert session.ask(asker="left") is None
    (held,) = (record.trial for record in session.state.open_trials)
    session.block(held.skill, "its tool is broken")
    with pytest.raises(TellError, match=f"{held.skill}, which is blocked; unblock it first"):
        session.ready(held.id)
    session.ready()
    assert not session.trials()[0].ready
    session.ask(asker="left")
    others = [record.trial for record in session.state.open_trials[1:]]
    assert all(held.skill not in (*one.approach.every_skill, one.skill) for one in others)
    later(monkeypatch, 61)
    session.ask(asker="right")
    assert session.holders()[held.id] == "left"
    for one in others:
        session.tell(one.id, "failure")
    session.unblock(held.skill)
    session.ready()
    assert ask(session, asker="left") == held


def test_without_a_gate_nobody_waits(start: Start) -> None:
    session = start(30)
    session.tell(ask(session, asker="left").id, "aborted")
    assert ask(session, asker="left")
