"""The reason for a trial, and the forecast for the end of the budget."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from asking import ask, only

from deliberate_practice.foundation import clock
from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.journal.events import Decided
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.practice.showing.reasons import listed, reason_of
from deliberate_practice.practice.showing.session_data import session_data
from deliberate_practice.practice.telling import TellError
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.strategies.expectation import prospects

Start = Callable[..., Session]
COFFEE = Path(__file__).parents[2] / "examples" / "coffee_station.toml"


def decided(
    why: dict[str, object], now: float = 0.3, share: int = 12, policy: str = "Pick"
) -> Decided:
    return Decided(1, policy, policy, (), share, 6, 0, (), False, why, left=40, now=now, after=0.8)


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        (
            {"ways": [3, 4], "goals": ["coffee", "tea"], "value": 1.5, "value_without": 0.9},
            "practising Pick: 3 of 4 ways use it, to coffee and tea; with 12 of the 40 left it "
            "should go from 0.30 to 0.80; the best plan without it is worth 0.6 less",
        ),
        (
            {"ways": [1, 1], "goals": ["coffee"], "value": 1.5, "value_without": 1.5},
            "practising Pick: the way to coffee uses it; with 12 of the 40 left it should go "
            "from 0.30 to 0.80",
        ),
        (
            {"ways": [2, 2], "goals": ["coffee", "tea", "milk"]},
            "practising Pick: both ways to coffee, tea and milk use it; with 12 of the 40 left it "
            "should go from 0.30 to 0.80",
        ),
        (
            {"goal": "coffee", "gain": 0.02},
            "practising Pick: it serves coffee; with 12 of the 40 left it should go from 0.30 to "
            "0.80; its next round is worth +0.02",
        ),
        ({}, "practising Pick: with 12 of the 40 left it should go from 0.30 to 0.80"),
    ],
)
def test_a_decision_in_one_sentence(why: dict[str, object], expected: str, start: Start) -> None:
    assert reason_of(start(40).state, decided(why)) == expected


def test_units_not_attempts_are_spent(start: Start) -> None:
    state = start(40).state
    assert "with 36 of the 40 left" in reason_of(state, decided({}, policy="Box"))
    same = decided({}, now=0.8, share=40)
    assert "with the 40 left it should be at 0.80" in reason_of(state, same)
    assert listed([]) == ""


def test_time_is_left_in_words(start: Start) -> None:
    state = start(40, until=clock.now() + timedelta(hours=8)).state
    long = replace(decided({}), left=7260, share=1860)
    assert "with 31 min of the 2 h 1 min left" in reason_of(state, long)


def test_every_trial_has_its_reason(start: Start) -> None:
    session = start(60, strategy=only("Pick"), belief="running-average")
    for _ in range(6):
        session.tell(ask(session).id, "failure")
    assert session.why(1).startswith("practising Pick: with the 60 left it should go from 0.50 to")
    ask(session)
    assert session.why() == "testing Pick as it is deployed, after a round of practice"
    session.tell(7, "success")
    session.ask(evaluate="Pick")
    assert session.why(8) == "evaluating Pick as it is deployed; this costs nothing"
    with pytest.raises(TellError):
        session.why(9)


@pytest.mark.parametrize("strategy", ["deliberate", "ees", "random", "uniform", "least-competent"])
def test_all_strategies_give_reasons(strategy: str, start: Start) -> None:
    session = start(30, strategy=strategy)
    ask(session)
    assert session.why().startswith("practising ")
    assert "left it should" in session.why()


def test_a_forecast_is_what_the_belief_expects(start: Start) -> None:
    session = start(40, strategy="deliberate", approach="free")
    for number in range(10):
        session.tell(ask(session).id, "success" if number % 2 else "failure")
    ahead = session.forecast()
    assert ahead == session.forecast()  # the same bytes again
    assert ahead.low <= ahead.value <= ahead.high
    assert ahead.now < ahead.value
    assert ahead.left == session.state.left
    for growth in ahead.policies.values():
        assert growth.low <= growth.high
        assert growth.after >= growth.now - 1e-9
    from deliberate_practice.practice.deciding import situation_of

    situation = situation_of(session.state, session._curriculum)
    assert situation
    best = prospects(situation)[0]
    assert ahead.plan == best.plan.skills
    assert ahead.value == pytest.approx(best.value, rel=0.15)  # by draws
    spent = {name: growth.attempts for name, growth in ahead.policies.items() if growth.attempts}
    assert spent == dict(best.split)


def test_policies_whose_candidates_are_all_out_still_grow() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        start_session(
            Path(folder) / "j.db",
            "s",
            load_task("breakfast"),
            30,
            strategy=only("StartToaster"),
            lasting=False,
        ) as session,
    ):
        for number in range(6):
            ask(session, asker=str(number))
        assert not session.state.available("StartToaster")
        assert session.forecast().policies["StartToaster"].attempts > 0


def test_when_the_budget_is_spent_the_forecast_is_the_present(start: Start) -> None:
    session = start(12, strategy=only("Pick"))
    practise(session, CurveRobot(session.task))
    ahead = session.forecast()
    assert (ahead.left, ahead.value) == (0, ahead.now)
    assert session_data(session)["forecast"] == ahead.as_data()


def test_general_tasks_have_forecasts_too() -> None:
    task = load_task(COFFEE)
    with (
        tempfile.TemporaryDirectory() as folder,
        start_session(Path(folder) / "j.db", "s", task, 60, lasting=False) as session,
    ):
        first = session.forecast()
        practise(session, CurveRobot(task))
        last = session.forecast()
    assert first.low < first.value < first.high
    assert first.now < first.value
    assert last.high - last.low < first.high - first.low
    assert np.isfinite(list(map(float, (last.value, last.low, last.high)))).all()
