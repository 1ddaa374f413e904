"""Budgets in time: the clock is read when a trial is asked for, and a replay reads the journal."""

from __future__ import annotations

import time as clocks
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from asking import ask, only

from deliberate_practice.cli.budgets import budget_of, parsed_time
from deliberate_practice.foundation import clock
from deliberate_practice.foundation.errors import ArgumentError, TaskError
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.task.model import Task
from deliberate_practice.task.seconds import in_seconds

Start = Callable[..., Session]
TIMES = {"episode": 40, "reset": 20, "switch": 90}
EVENING = datetime(2026, 1, 1, 22, 0, tzinfo=UTC)


class Clock:
    """A clock that tests set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = EVENING
        monkeypatch.setattr(clock, "now", lambda: self.now)

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def timed(shelf: Task) -> Task:
    skills = [replace(skill, cost=None, seconds=TIMES) for skill in shelf.skills]
    return in_seconds(replace(shelf, skills=skills))


def night(task: Task, db: Path, seconds: int = 3600, **options: object) -> Session:
    until = clock.now() + timedelta(seconds=seconds)
    chosen = {"strategy": only("Pick"), "until": until, **options}
    return start_session(db, "s", task, seconds, **chosen)  # type: ignore[arg-type]


def test_what_is_left_is_read_off_the_clock(timed: Task, db: Path, time: Clock) -> None:
    with night(timed, db) as session:
        first = ask(session)
        assert session.state.left == 3600 - 60 - 90  # an episode, and turning to the skill
        time.forward(200)  # it took longer than stated
        session.tell(first.id, "failure")
        ask(session)
        assert session.state.left == 3400 - 60
        assert session.trials()[1].cost == 60  # the robot is there already


def test_a_trial_starts_only_if_it_still_fits(timed: Task, db: Path, time: Clock) -> None:
    with night(timed, db, 400) as session:
        trials = 0
        while trial := session.ask():
            time.forward(60 + 90 * (trials == 0))
            session.tell(trial.id, "failure")
            trials += 1
        assert trials == 5  # 150 s for the first, 60 s for each other
        assert session.idle
        assert session.idle.state == "done"
        session.extend(60)  # a minute more
        assert ask(session)


def test_more_time_counts_from_now_if_the_end_has_passed(
    timed: Task, db: Path, time: Clock
) -> None:
    with night(timed, db, 400) as session:
        time.forward(3600)
        assert session.ask() is None
        session.extend(200)
        assert session.state.until == time.now + timedelta(seconds=200)
        assert ask(session)
        with open_session(db, "s") as again:
            assert again.state.until == session.state.until


def test_a_replay_reads_the_journal_and_not_the_clock(timed: Task, db: Path, time: Clock) -> None:
    with night(timed, db, strategy="deliberate") as session:
        for _ in range(8):
            trial = ask(session)
            time.forward(70)
            session.tell(trial.id, "failure" if trial.id % 3 else "success")
        time.forward(3600)
        with open_session(db, "s") as again:
            assert again.state.ledger == session.state.ledger
            assert again.trials() == session.trials()
            assert again.state.decisions == session.state.decisions


def test_several_robots_have_their_time_at_once(timed: Task, db: Path, time: Clock) -> None:
    with night(timed, db, 600) as session:
        counts = {"left": 0, "right": 0}
        out: dict[str, Trial] = {}
        while True:
            for arm in counts:
                trial = session.ask(asker=arm)
                if trial:
                    counts[arm] += 1
                    out[arm] = trial
            if not out:
                break
            time.forward(60 if min(counts.values()) > 1 else 150)
            for trial in out.values():
                session.tell(trial.id, "failure")
            out = {}
        assert counts == {"left": 8, "right": 8}  # (600 - 150) / 60 + 1 each


@pytest.mark.parametrize("belief", ["running-average", "running-average:charged=false"])
def test_a_test_starts_only_if_it_still_fits(
    timed: Task, db: Path, time: Clock, belief: str
) -> None:
    """Also if it is not charged, and if several robots have more time together than each."""
    with night(timed, db, 3600, belief=belief) as session:
        for arm in ["left", "right"] * 3:
            trial = session.ask(asker=arm)
            assert trial
            session.tell(trial.id, "failure")
        time.forward(3600 - 59)
        assert session.ask(asker="left") is None
        session.extend(1)
        assert session.ask(asker="left")
        assert session.trials()[-1].kind == "test"


def test_turning_to_another_skill_costs_every_time(timed: Task, db: Path, time: Clock) -> None:
    with night(timed, db, strategy="random", approach="free") as session:
        last = None
        for _ in range(20):
            trial = ask(session)
            record = session.trials()[-1]
            assert record.cost == 60 + 90 * (record.policy != last)
            last = record.policy
            session.tell(trial.id, "failure")


def test_robots_that_wait_write_nothing(timed: Task, db: Path, time: Clock) -> None:
    """Else a night of waiting would fill the journal, and two robots would wake each other."""
    with night(timed, db) as session:
        trial = ask(session, asker="left")
        session.block("Pick", "its tool is broken")
        session.tell(trial.id, "failure")
        before = session.state.length
        for _ in range(20):
            for robot in ("left", "right"):
                assert session.ask(asker=robot) is None
                assert session.idle
                assert session.idle.state == "wait"
            time.forward(30)
        assert session.state.length == before + 1  # when the clock was read after the label
        session.unblock("Pick")
        last = ask(session, asker="left")
        assert session.state.left == 3600 - 600 - 60
        session.tell(last.id, "failure")
        time.forward(3600)
        assert session.ask(asker="right") is None
        assert session.state.left == 0


def test_a_refused_trial_gives_the_turning_back(timed: Task, db: Path, time: Clock) -> None:
    with night(timed, db) as session:
        session.tell(ask(session).id, "refused")
        assert session.state.spent == 0
        ask(session)
        assert session.trials()[-1].cost == 150


def test_deliberate_stays_with_a_skill_when_switching_is_dear(shelf: Task, db: Path) -> None:
    turns = []
    for switch in (None, 30):
        skills = [replace(skill, cost=1, switch=switch) for skill in shelf.skills]
        task = replace(shelf, skills=skills)
        with start_session(db, f"s{switch}", task, 120, approach="free", lasting=False) as session:
            practise(session, CurveRobot(task))
            policies = [record.policy for record in session.trials()]
            turns.append(sum(a != b for a, b in pairwise(policies)))
            assert session.state.spent <= 120
    assert turns[1] <= turns[0]
    assert turns[1] <= 2


def test_the_budget_is_given_once_and_in_a_valid_way(shelf: Task, timed: Task) -> None:
    units = budget_of(shelf, 60, None, None, None)
    assert (units.task, units.units, units.until) == (shelf, 60, None)
    assert budget_of(shelf, None, 1.0, 60.0, None).units == 60
    hours = budget_of(timed, None, 2.0, None, None)
    assert hours.units in (7199, 7200)
    assert hours.until
    with pytest.raises(TaskError, match="missing for Pick, Reach, Box"):
        budget_of(shelf, None, 2.0, None, None)
    for wrong in (
        (60, None, None, "07:00"),
        (None, 2.0, None, "07:00"),
        (None, None, None, None),
        (None, None, None, "7 o'clock"),
        (None, None, None, "25:00"),
        (None, None, None, "2020-01-01T07:00"),
        (None, -1.0, None, None),
    ):
        with pytest.raises(ArgumentError):
            budget_of(timed, *wrong)


def test_the_time_of_day_is_the_next_one() -> None:
    now = EVENING
    here = now.astimezone()
    later = here + timedelta(hours=1)
    assert parsed_time(f"{later:%H:%M}", now) == now + timedelta(hours=1)
    earlier = here - timedelta(hours=1)
    assert parsed_time(f"{earlier:%H:%M}", now) == now + timedelta(hours=23)


@pytest.mark.skipif(not hasattr(clocks, "tzset"), reason="the system cannot change its time zone")
@pytest.mark.parametrize(
    ("evening", "hours"), [("2026-03-28T22:00+01:00", 8), ("2026-10-24T22:00+02:00", 10)]
)
def test_the_clock_on_the_wall_may_change_at_night(
    monkeypatch: pytest.MonkeyPatch, evening: str, hours: int
) -> None:
    """Seven o'clock is that of the morning, in which daylight saving time has begun or ended."""
    with monkeypatch.context() as changed:
        changed.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
        clocks.tzset()
        now = datetime.fromisoformat(evening)
        end = parsed_time("07:00", now)
    clocks.tzset()
    assert end - now == timedelta(hours=hours)


def test_results_are_kept_as_they_were(timed: Task, db: Path, time: Clock) -> None:
    with night(timed, db) as session:
        session.tell(ask(session).id, "success", measurements={"force": 3.0})
        assert session.trials()[0].result == Result("success", measurements={"force": 3.0})
