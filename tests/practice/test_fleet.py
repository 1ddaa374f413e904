"""Several robots on one session: nobody waits where something useful can be practised."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from asking import ask
from coffee import coffee
from counts import count
from idle_asks import useful
from random_tasks import random_task

from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.practice.showing.session_data import session_data
from deliberate_practice.strategies.strategy import Decision, Situation
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import parse_task

OUTCOMES = ("success", "failure", "success", "failure", "aborted", "refused", "unreached")


class Fleet:
    """Robots that ask and tell in random order; checks every answer.

    Args:
        session: Their session.
        robots: How many there are.
        seed: Seed of the order and of all outcomes.
    """

    def __init__(self, session: Session, robots: int, seed: int) -> None:
        self.session = session
        self._names = [f"arm {i}" for i in range(robots)]
        self._rng = np.random.default_rng(seed)
        self._held: dict[str, int] = {}
        self.waits = 0

    def practise(self) -> None:
        """Practise until the session is done."""
        while not (self.session.done and not self._held):
            name = self._names[int(self._rng.integers(len(self._names)))]
            if name in self._held:
                self._tell(self._held.pop(name))
            else:
                self._ask(name)

    def _ask(self, name: str) -> None:
        session = self.session
        trial = session.ask(asker=name)
        assert session.state.spent <= session.state.ledger.budget
        if trial is None:
            assert session.idle
            if session.idle.state == "wait":
                self.waits += 1
                assert self._held
                assert not useful(session.state, session._curriculum, name)
            return
        assert trial.id not in self._held.values()
        self._held[name] = trial.id

    def _tell(self, number: int) -> None:
        trial = self.session.state.records[number].trial
        outcome = str(self._rng.choice(OUTCOMES))
        route = trial.approach.skills
        if outcome == "unreached" and not route:
            outcome = "success"
        at = route[0] if outcome == "unreached" else None
        self.session.tell(number, outcome, at)


@contextmanager
def started(task: Task, budget: int, **options: str) -> Iterator[tuple[Path, Session]]:
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "fleet.db"
        with start_session(db, "fleet", task, budget, **options) as session:  # type: ignore[arg-type]  # choices by name
            yield db, session


def course(session: Session) -> dict[str, object]:
    return {**session_data(session), "seconds": 0}


def check(task: Task, budget: int, robots: int, seed: int, **options: str) -> int:
    """Practise twice, and check that both sessions and the replay are the same."""
    courses = []
    for _ in range(2):
        with started(task, budget, **options) as (db, session):
            fleet = Fleet(session, robots, seed)
            fleet.practise()
            state = session.state
            assert not state.open_trials
            assert state.spent == sum(record.cost for record in state.records.values())
            cheapest = min(p.cost for p in task.policies.values() if p.practisable)
            assert state.left < cheapest or not useful(state, session._curriculum, "arm 0")
            courses.append(course(session))
            with open_session(db, "fleet") as again:
                assert course(again) == courses[-1]
                assert [event for event, _ in again.history()] == [
                    event for event, _ in session.history()
                ]
    assert courses[0] == courses[1]
    return fleet.waits


@pytest.mark.parametrize("approach", ["free", "execute"])
@pytest.mark.parametrize("belief", ["bayes", "running-average"])
@pytest.mark.parametrize("strategy", ["deliberate", "deliberate-paper"])
@pytest.mark.parametrize("name", ["breakfast", "coffee"])
def test_nobody_waits_where_something_useful_can_be_practised(
    name: str, strategy: str, belief: str, approach: str
) -> None:
    task = coffee() if name == "coffee" else load_task(name)
    waits = [
        check(task, 36, 10, seed, strategy=strategy, belief=belief, approach=approach)
        for seed in range(count(10))
    ]
    assert any(waits) or name == "breakfast"


@pytest.mark.parametrize("product_form", [True, False])
def test_nobody_waits_in_random_tasks(product_form: bool) -> None:
    for seed in range(count(100)):
        rng = np.random.default_rng([7, seed])
        task = random_task(rng, product_form=product_form)
        if not any(policy.practisable for policy in task.policies.values()):
            continue
        check(task, int(rng.integers(5, 40)), int(rng.integers(2, 12)), seed)


TWO_WAYS = """
name = "two ways"
[variables]
place = ["start", "left", "right"]
[[goals]]
name = "left"
reward = 1
when = {{ place = "left" }}
[[goals]]
name = "right"
reward = {reward}
when = {{ place = "right" }}
[[skills]]
name = "Left"
precondition = {{ place = "start" }}
effect = {{ place = "left" }}
competence = 0.1
curve = {{ kind = "piecewise-linear", rate = 0.02 }}
[[skills]]
name = "Right"
precondition = {{ place = "start" }}
effect = {{ place = "right" }}
competence = 0.1
curve = {{ kind = "piecewise-linear", rate = 0.02 }}
"""


@pytest.mark.parametrize(("reward", "seventh"), [(0.5, "Right"), (0.2, None)])
@pytest.mark.parametrize("strategy", ["deliberate", "deliberate-paper"])
def test_the_next_robot_practises_for_a_rival_plan_and_for_no_poor_one(
    reward: float, seventh: str | None, strategy: str
) -> None:
    task = parse_task(TWO_WAYS.format(reward=reward))
    with started(task, 60, approach="free", strategy=strategy) as (_, session):
        for number in range(6):
            assert ask(session, asker=str(number)).skill == "Left"
        trial = session.ask(asker="6")
        assert (trial.skill if trial else None) == seventh
        if seventh is None:
            assert session.idle
            assert session.idle.state == "wait"
            session.tell(1, "success")
            assert session.ask(asker="6") is None  # its round is not complete


def test_while_a_policy_is_tested_others_are_practised() -> None:
    task = parse_task(TWO_WAYS.format(reward=0.9))
    with started(task, 120, approach="free", belief="running-average") as (_, session):
        first = ask(session, asker="a")
        trials = [first, *(ask(session, asker=f"b{i}") for i in range(5))]
        for trial in trials:
            session.tell(trial.id, "success")
        tests = [ask(session, asker=f"t{i}") for i in range(6)]
        records = session.state.records
        assert {records[test.id].kind for test in tests} == {"test"}
        other = ask(session, asker="c")
        assert (records := session.state.records)[other.id].kind == "practice"
        assert records[other.id].policy != first.skill
        before = session.state.competences[first.skill]
        for number, test in enumerate(tests):
            session.tell(test.id, "success" if number % 2 else "failure")
        assert session.state.competences[first.skill] == pytest.approx(0.5)
        assert session.state.competences[first.skill] != before


def test_a_robot_that_cannot_pay_for_a_turn_practises_where_it_is(tmp_path: Path) -> None:
    def strategy(situation: Situation) -> Decision:
        here = situation.present == "Right" or len(situation.past) == 1
        return Decision("Right" if here else "Left", 2 if situation.present else 1)

    text = TWO_WAYS.format(reward=1).replace("competence", "switch = 5\ncompetence")
    with start_session(
        tmp_path / "fleet.db",
        "fleet",
        parse_task(text),
        14,
        approach="free",
        strategy=strategy,
        lasting=False,
    ) as session:
        for robot, skill in (("a", "Left"), ("b", "Right")):
            trial = ask(session, asker=robot)
            assert trial.skill == skill
            session.tell(trial.id, "success")
        assert session.state.left == 2
        assert ask(session, asker="a").skill == "Left"  # and one more is granted, but not to b
        assert ask(session, asker="b").skill == "Right"
        assert session.state.left == 0
