"""Tests of rounds: how many, when, what they cost, and that nothing of them is lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from asking import ask, only
from hypothesis import HealthCheck, example, given, settings, strategies as st
from own_learners import Steps, asynchronous, sequential

from deliberate_practice.beliefs.belief import Batch, Belief, Tests
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.journal.events import Executed
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.records import TrialRecord
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.run import run
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.practice.showing.summary import summary
from deliberate_practice.practice.telling import TellError
from deliberate_practice.practice.testing import is_under_way
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.robots.regions import RegionRobot
from deliberate_practice.strategies.strategy import STRATEGIES, Decision, Situation
from deliberate_practice.task.model import Task

Start = Callable[..., Session]
CHARGED = "running-average"
FREE = "running-average:charged=false"


def kinds(session: Session) -> list[tuple[str, str, int]]:
    """Kind and policy of the trials, with how many of them follow each other."""
    order = groupby(session.trials(), lambda record: (record.kind, record.policy))
    return [(*which, len(list(mine))) for which, mine in order]


def all_tests(session: Session) -> list[TrialRecord]:
    return [record for record in session.trials() if record.kind == "test"]


def test_a_round_is_tested_before_the_next_decision(start: Start) -> None:
    session = start(40, strategy=only("Pick"), belief=CHARGED, approach="free")
    practise(session, RegionRobot(session.task))
    assert kinds(session)[:4] == [("practice", "Pick", 6), ("test", "Pick", 6)] * 2
    assert session.state.spent == 40
    first = all_tests(session)[0]
    assert first.trial.mode == "deploy"
    assert first.why == {"test": True, "decision": 1}
    assert first.trial.attempt.practised == 6
    assert first.cost == 1
    assert sum(session.state.attempts.values()) == 20  # tests are no practice


def test_tests_use_what_is_deployed_then(start: Start) -> None:
    session = start(24, strategy=only("Box"), belief=FREE, approach="free")
    robot = RegionRobot(session.task)
    deployed = {}
    practise(
        session,
        robot,
        lambda session, trial, _: deployed.update({trial.id: session.state.deployed["Box"]}),
    )
    for record in all_tests(session):
        assert record.trial.parameters == deployed[record.trial.id - 1]


def test_a_round_that_goes_on_later_is_tested_when_it_is_complete(start: Start) -> None:
    def in_turn(situation: Situation) -> Decision:
        return Decision(("Pick", "Reach")[len(situation.past) % 2], 3)

    session = start(60, strategy=in_turn, belief=CHARGED, approach="free")
    practise(session, CurveRobot(session.task))
    assert kinds(session)[:5] == [
        ("practice", "Pick", 3),
        ("practice", "Reach", 3),
        ("practice", "Pick", 3),
        ("test", "Pick", 6),
        ("practice", "Reach", 3),
    ]
    assert all_tests(session)[0].decision == 3


@pytest.mark.parametrize("learner", [sequential, asynchronous])
def test_a_learner_without_rounds_is_tested_after_six_attempts(
    start: Start, learner: Callable[..., Steps]
) -> None:
    session = start(24, strategy=only("Pick"), belief=CHARGED, learner=learner, approach="free")
    practise(session, CurveRobot(session.task))
    assert kinds(session) == [("practice", "Pick", 6), ("test", "Pick", 6)] * 2


@pytest.mark.parametrize("tests", [1, 3, 6, 13])
def test_uncharged_tests_cost_nothing(start: Start, tests: int) -> None:
    belief = f"running-average:charged=false,tests={tests}"
    session = start(30, strategy=only("Pick"), belief=belief, approach="free")
    practise(session, CurveRobot(session.task))
    assert session.state.spent == session.state.attempts["Pick"] == 30
    assert kinds(session) == [("practice", "Pick", 6), ("test", "Pick", tests)] * 5
    assert not any(record.cost or record.counted for record in all_tests(session))


@pytest.mark.parametrize(
    ("budget", "expected"),
    [(0, []), (1, []), (2, [1, 1]), (5, [2, 2]), (11, [5, 5]), (12, [6, 6]), (13, [6, 6])],
)
def test_the_last_round_keeps_its_tests(start: Start, budget: int, expected: list[int]) -> None:
    session = start(budget, strategy=only("Pick"), belief=CHARGED, approach="free")
    practise(session, CurveRobot(session.task))
    assert [number for _, _, number in kinds(session)] == expected
    assert session.ask() is None
    assert session.done


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@example(55, 1, True, "deliberate", "execute", 1)  # a round after one that was tested unfinished
@given(
    budget=st.integers(0, 70),
    tests=st.integers(1, 20),
    charged=st.booleans(),
    strategy=st.sampled_from(sorted(STRATEGIES)),
    approach=st.sampled_from(["execute", "free"]),
    seed=st.integers(0, 1000),
)
def test_promises_of_tests(
    shelf: Task,
    tmp_path_factory: pytest.TempPathFactory,
    budget: int,
    tests: int,
    charged: bool,
    strategy: str,
    approach: str,
    seed: int,
) -> None:
    """The budget is a hard cap, a round gets its tests and no more, and none is left without."""
    db = tmp_path_factory.mktemp("tests") / "j.db"
    belief = f"running-average:tests={tests},charged={str(charged).lower()}"
    session = start_session(
        db,
        "s",
        shelf,
        budget,
        strategy,
        belief,
        seed,
        approach=approach,  # type: ignore[arg-type]  # one of the two
        lasting=False,
    )
    with session:
        practise(session, CurveRobot(shelf))
        state = session.state
        records = session.trials()
        assert state.spent == sum(record.cost for record in records) <= budget
        untested = dict.fromkeys(shelf.policies, 0)
        asked = dict.fromkeys(shelf.policies, 0)
        for record in records:
            assert record.result is not None
            if record.kind == "test":
                assert record.cost == (shelf.policies[record.policy].cost if charged else 0)
                asked[record.policy] += 1
                assert asked[record.policy] <= tests
                assert untested[record.policy] or asked[record.policy] > 1
                untested[record.policy] = 0
            elif record.result.outcome in ("success", "failure"):
                untested[record.policy] += 1
                asked[record.policy] = 0
        assert not any(untested.values())
        whole = [(record.trial, record.result, record.why) for record in records]
    with open_session(db, "s") as again:  # the replay of the journal is the same
        assert [(r.trial, r.result, r.why) for r in again.trials()] == whole
        for name in shelf.policies:
            assert np.array_equal(again.state.belief.curve(name, 9), state.belief.curve(name, 9))


def test_p_is_the_rate_of_the_tests(start: Start) -> None:
    """The competence that is deployed is known, and so is what the tests saw of it."""
    belief = "running-average:tests=100,charged=false"
    session = start(36, strategy=only("Box"), belief=belief, approach="free")
    robot = RegionRobot(session.task)
    practise(session, robot)
    latest = all_tests(session)[-100:]
    rate = sum(r.result is not None and r.result.outcome == "success" for r in latest) / 100
    truth = robot.competence("Box", session.state.deployed["Box"])
    assert session.state.competences["Box"] == pytest.approx(min(max(rate, 0.01), 0.99))
    assert abs(rate - truth) <= 4 * np.sqrt(truth * (1 - truth) / 100) + 0.01


def test_tests_see_what_samples_do_not(shelf: Task, tmp_path: Path) -> None:
    """Samples of a search fail more often than what it deploys; tests are not misled by them."""
    errors: dict[str, list[float]] = {}
    for belief in (FREE, "running-average:estimator=window", "running-average:estimator=round"):
        for seed in range(12):
            robot = RegionRobot(shelf, seed)
            name = f"{belief}{seed}"
            with start_session(
                tmp_path / "j.db", name, shelf, 90, only("Box"), belief, seed,
                approach="free", lasting=False,
            ) as session:  # fmt: skip
                practise(session, robot)
                truth = robot.competence("Box", session.state.deployed["Box"])
                wrong = session.state.competences["Box"] - truth
                errors.setdefault(belief, []).append(abs(wrong))
    means = {belief: float(np.mean(values)) for belief, values in errors.items()}
    assert means[FREE] < 0.7 * min(mean for belief, mean in means.items() if belief != FREE), means


class Unreachable(CurveRobot):
    """Attempts succeed; the approach of every test fails."""

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        return [
            Result("unreached", at=trial.approach.skills[0])
            if trial.mode == "deploy"
            else Result("success")
            for trial in trials
        ]


def test_tests_that_are_not_reached_are_spent_and_change_nothing(start: Start) -> None:
    session = start(36, strategy=only("Box"), belief="running-average", approach="execute")
    before = session.state.belief
    practise(session, Unreachable(session.task))
    assert session.state.spent == 36
    assert len(all_tests(session)) == 6
    after = session.state.belief
    # p stays, and so does its rise: it goes on as predicted.
    assert after.curve("Box", 4) == pytest.approx(before.curve("Box", 10)[6:])
    done = summary(session)
    assert (done.practice_episodes, done.test_episodes) == (6, 6)
    assert done.skill_executions == 6 * len(session.trials()[0].trial.steps) + 6


def test_other_askers_wait_for_tests(start: Start) -> None:
    session = start(40, strategy=only("Pick"), belief=CHARGED, approach="free")
    for _ in range(6):
        session.tell(ask(session).id, "success")
    tests = [ask(session, asker=name) for name in ("left", "right")]
    assert [session.state.records[trial.id].kind for trial in tests] == ["test", "test"]
    session.tell(tests[0].id, "success")
    for _ in range(4):
        session.tell(ask(session, asker="left").id, "failure")
    assert session.ask(asker="left") is None  # the other one has the last test
    assert not session.done
    session.tell(tests[1].id, "success")
    assert session.state.competences["Pick"] == pytest.approx(2 / 6)
    again = ask(session, asker="left")
    assert session.state.records[again.id].kind == "practice"
    assert session.state.records[again.id].decision == 2


def test_several_askers_stay_within_the_budget(start: Start) -> None:
    rng = np.random.default_rng(4)
    for seed in range(15):
        session = start(31, name=f"s{seed}", seed=seed, belief="running-average:tests=4")
        out: list[Trial] = []
        while True:
            asked = session.ask(asker=f"robot {rng.integers(4)}") if len(out) < 4 else None
            if asked and asked not in out:
                out.append(asked)
            elif out:
                trial = out.pop(int(rng.integers(len(out))))
                session.tell(trial.id, str(rng.choice(["success", "failure"])))
            elif session.done:
                break
        assert session.state.spent <= 31
        assert all_tests(session)


def test_an_aborted_test_is_refunded_if_it_cost_something(start: Start) -> None:
    for belief, refused in ((CHARGED, False), (FREE, True)):
        session = start(30, name=belief, strategy=only("Pick"), belief=belief, approach="free")
        for _ in range(6):
            session.tell(ask(session).id, "success")
        test = ask(session)
        spent = session.state.spent
        session.tell(test.id, "aborted")
        if refused:
            with pytest.raises(TellError, match="it is a test and cost nothing"):
                session.refund(test.id)
        else:
            session.refund(test.id)
            assert session.state.spent == spent - 1
        assert session.state.episodes("test") == ({"Pick": 1} if refused else {})


def test_strategies_plan_with_what_is_left_for_practice(start: Start) -> None:
    for belief, expected in (
        ("bayes", 60),
        (CHARGED, 30),
        ("running-average:tests=3", 40),
        (FREE, 60),
    ):
        session = start(60, name=belief, strategy=only("Pick"), belief=belief, approach="free")
        assert session.state.records[ask(session).id].why["left"] == expected


def test_after_an_extension_practice_goes_on(start: Start) -> None:
    session = start(8, strategy=only("Pick"), belief=CHARGED, approach="free")
    practise(session, CurveRobot(session.task))
    assert [number for _, _, number in kinds(session)] == [4, 4]
    session.extend(16)
    practise(session, CurveRobot(session.task))
    assert session.state.spent == 24
    assert [number for _, _, number in kinds(session)] == [4, 4, 2, 6, 4, 4]


def test_measurements_wait_for_the_tests(shelf: Task, tmp_path: Path) -> None:
    """Points of a learning curve rest on whole tests, and the last one on the last tests."""
    for belief in (CHARGED, FREE):
        db = tmp_path / f"{belief.replace(':', '-')}.db"
        done = run(
            shelf, "curves", 60, belief=belief, approach="free", journal=db, name="s", every=5
        )
        assert len(done.measured) > 3
        with open_session(db, "s") as session:
            for event, state in session.history():
                if isinstance(event, Executed) and event.spent:
                    assert not is_under_way(state)
            assert [one.earnings.reward for one in session.state.fresh] == [done.reward_after]


class Uncounted(Belief):
    """Believes the same always, and says its tests in a wrong way."""

    policies = ("Pick", "Reach", "Box")
    tests = 6  # type: ignore[assignment]  # that it is refused is the point

    def after(self, batch: Batch) -> Uncounted:
        return self

    def curve(self, policy: str, attempts: int) -> FloatArray:
        return np.full(attempts + 1, 0.5)


def test_bad_tests_are_refused(start: Start) -> None:
    session = start(9, belief=lambda task, evidence: Uncounted())
    with pytest.raises(ArgumentError, match="the belief: its tests 6 are not valid"):
        session.ask()
    for number in (-1, 101, 1.5, "6"):
        with pytest.raises(ArgumentError, match="tests"):
            Tests(number)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="charged"):
        Tests(3, "yes")  # type: ignore[arg-type]
