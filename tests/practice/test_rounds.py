"""Rounds of policies that are trained elsewhere: demonstrations, a training run, evaluations."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asking import ask, only
from counts import count
from random_rounds import with_rounds
from random_tasks import random_task

from deliberate_practice.foundation import clock
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.records import TrialRecord
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.practice.showing.session_data import session_data
from deliberate_practice.practice.telling import TellError
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.strategies.strategy import Decision, Situation
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import read_task

SO101 = read_task(Path(__file__).parents[2] / "examples" / "so101.toml")
PICK = "PickCube"
ROUND = 10 * 2 + 3 + 5 * 1


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """A session that picks the cube again and again."""
    options: dict[str, Any] = {"strategy": only(PICK), "approach": "free"}
    with start_session(tmp_path / "a.db", "pick", SO101, 2 * ROUND + 3, **options) as session:
        yield session


def modes(session: Session, trials: int) -> list[str]:
    """Ask and tell so many trials, all of which succeed."""
    seen: list[str] = []
    for _ in range(trials):
        trial = ask(session)
        session.tell(trial.id, "success")
        seen.append(trial.mode)
    return seen


def test_a_round_is_demonstrations_then_training_then_evaluations(session: Session) -> None:
    expected = ["demonstrate"] * 10 + ["train"] + ["deploy"] * 5
    assert modes(session, 16) == expected
    assert session.state.spent == ROUND
    assert modes(session, 16) == expected
    assert session.ask() is None  # 3 units pay for no demonstration with its training run
    assert session.done
    assert session.state.attempts[PICK] == 20
    assert session.state.allocation == {PICK: 20}
    assert session.state.episodes("training") == {PICK: 2}
    assert session.state.episodes("test") == {PICK: 10}


def test_only_a_finished_training_run_advances_practice(session: Session) -> None:
    before = session.state.competences
    modes(session, 10)
    assert session.state.attempts[PICK] == 0
    assert session.state.competences == before  # demonstrations are no evidence
    training = ask(session)
    assert (training.mode, training.attempt.practised) == ("train", 10)
    assert (training.approach.route, dict(training.parameters)) == ((), {})
    session.tell(training.id, "success", measurements={"seconds": 1800}, version="pick-v1")
    assert session.state.attempts[PICK] == 10
    assert session.state.competences[PICK] > before[PICK]
    assert session.state.records[training.id].version == "pick-v1"
    shown = session_data(session)["trials"][training.id - 1]
    assert (shown["version"], shown["measurements"]) == ("pick-v1", {"seconds": 1800})
    assert ask(session).attempt.practised == 10


def test_unusable_demonstrations_cost_and_count_not_as_data(session: Session) -> None:
    for outcome in ["failure", "aborted", *["success"] * 8]:
        session.tell(ask(session).id, outcome)
    training = ask(session)
    assert (training.mode, training.attempt.practised) == ("train", 8)
    assert session.state.spent == 10 * 2 + 3
    session.tell(training.id, "success")
    assert session.state.attempts[PICK] == 8
    assert session.state.allocation == {PICK: 10}


def test_without_a_usable_demonstration_nothing_is_trained(session: Session) -> None:
    for _ in range(10):
        session.tell(ask(session).id, "failure")
    assert ask(session).mode == "demonstrate"
    assert len(session.state.decisions) == 2


@pytest.mark.parametrize("outcome", ["failure", "aborted"])
def test_after_a_training_run_that_failed_the_old_version_stays(
    session: Session, outcome: str
) -> None:
    modes(session, 10)
    session.tell(ask(session).id, outcome)
    assert session.state.attempts[PICK] == 0
    assert modes(session, 11) == ["demonstrate"] * 10 + ["train"]  # with all of them
    assert session.state.attempts[PICK] == 20


def test_the_last_round_is_shorter_if_it_still_pays_for_its_training(tmp_path: Path) -> None:
    options: dict[str, Any] = {"strategy": only(PICK), "approach": "free"}
    with start_session(tmp_path / "a.db", "pick", SO101, 12, **options) as session:
        assert modes(session, 6) == ["demonstrate"] * 4 + ["train", "deploy"]
        assert session.ask() is None
        assert session.state.left == 0


def test_a_strategy_grants_evaluations(tmp_path: Path) -> None:
    def two(situation: Situation) -> Decision:
        return Decision(PICK, 10, evaluations=2)

    with start_session(tmp_path / "a.db", "two", SO101, 100, strategy=two, approach="free") as one:
        assert modes(one, 14)[10:] == ["train", "deploy", "deploy", "demonstrate"]

    def many(situation: Situation) -> Decision:
        return Decision(PICK, 10, evaluations=6)

    with (
        start_session(tmp_path / "a.db", "6", SO101, 100, strategy=many, approach="free") as one,
        pytest.raises(ArgumentError, match="evaluations: 6 is too large; give at most 5"),
    ):
        one.ask()


def test_demonstrations_of_a_round_are_out_at_once_and_training_waits(session: Session) -> None:
    out = [ask(session, asker=f"arm{i}") for i in range(10)]
    assert {trial.mode for trial in out} == {"demonstrate"}
    assert session.ask(asker="arm10") is None  # a single policy: everything waits for its round
    assert session.idle is not None
    assert session.idle.state == "wait"
    for trial in out[1:]:
        session.tell(trial.id, "success")
    assert session.ask(asker="arm1") is None
    session.tell(out[0].id, "success")
    training = ask(session, asker="arm1")
    assert training.mode == "train"
    assert session.ask(asker="arm2") is None
    session.tell(training.id, "success")
    assert ask(session, asker="arm2").mode == "deploy"


def test_other_policies_are_practised_while_one_is_trained(tmp_path: Path) -> None:
    options: dict[str, Any] = {"strategy": "least-competent", "approach": "free"}
    with start_session(tmp_path / "a.db", "two", SO101, 200, **options) as session:
        for _ in range(10):
            session.tell(ask(session, asker="arm").id, "success")
        training = ask(session, asker="computer")
        assert (training.mode, training.skill) == ("train", "OpenDrawer")
        other = ask(session, asker="arm")
        assert (other.mode, other.skill) == ("demonstrate", "PlaceInDrawer")
        session.tell(training.id, "success")
        assert ask(session, asker="computer").mode == "deploy"  # the new version, first


def test_a_training_run_may_take_hours(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(10):
        session.tell(ask(session, asker="arm").id, "success")
    training = ask(session, asker="trainer")
    ahead = clock.now() + timedelta(hours=9)
    monkeypatch.setattr(clock, "now", lambda: ahead)
    assert session.ask(asker="arm") is None
    assert ask(session, asker="trainer") == training
    assert session.ask(asker="arm", takeover=True) == training


def test_a_blocked_round_goes_on_later(session: Session) -> None:
    modes(session, 4)
    session.block(PICK, "the gripper is loose")
    assert session.ask() is None
    session.unblock(PICK)
    assert modes(session, 7) == ["demonstrate"] * 6 + ["train"]


@pytest.mark.parametrize("outcome", ["unreached", "refused", "assisted"])
def test_a_training_run_has_three_outcomes(session: Session, outcome: str) -> None:
    modes(session, 10)
    with pytest.raises(TellError, match="success, failure, aborted"):
        session.tell(ask(session).id, outcome)


def test_what_does_not_fit_a_demonstration_is_refused(session: Session) -> None:
    trial = ask(session)
    with pytest.raises(TellError, match="a demonstration is always a person's"):
        session.tell(trial.id, "assisted")
    with pytest.raises(TellError, match="only a training run makes a version"):
        session.tell(trial.id, "success", version="v1")


def test_labels_are_corrected_as_if_they_had_been_told_right(
    session: Session, tmp_path: Path
) -> None:
    modes(session, 16)
    session.correct(3, "failure")
    assert session.state.attempts[PICK] == 9
    session.correct(11, "failure")  # the training run
    assert session.state.attempts[PICK] == 0
    session.correct(11, "success")
    session.correct(3, "success")
    assert session.state.attempts[PICK] == 10
    right = session.state.competences
    options: dict[str, Any] = {"strategy": only(PICK), "approach": "free"}
    with start_session(tmp_path / "b.db", "pick", SO101, 2 * ROUND + 3, **options) as other:
        modes(other, 16)
        assert other.state.competences == right


def test_an_aborted_training_run_is_refunded(session: Session) -> None:
    modes(session, 10)
    session.tell(ask(session).id, "aborted")
    spent = session.state.spent
    session.refund(11)
    assert session.state.spent == spent - 3


STRATEGIES = ("deliberate", "kalman-gain", "uniform", "random", "deliberate-paper", "ees")


def practised(session: Session, robot: CurveRobot, most: int) -> None:
    for _ in range(most):
        trial = session.ask()
        if trial is None:
            return
        (result,) = robot.run([trial])
        session.tell(trial.id, result.outcome, result.at, executed=result.executed)


def random_session(seed: int) -> tuple[Task, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    while True:
        task = with_rounds(random_task(rng, product_form=bool(seed % 3)), rng, often=0.8)
        if any(policy.rounds for policy in task.policies.values()):
            break
    return task, {
        "strategy": STRATEGIES[seed % len(STRATEGIES)],
        "belief": ("bayes", "running-average")[seed // 2 % 2],
        "approach": ("free", "execute")[seed // 4 % 2],
        "seed": seed,
    }


@pytest.mark.parametrize("seed", range(count(240)))
def test_random_sessions_keep_every_promise(seed: int, tmp_path: Path) -> None:
    """Order of a round, the exact budget, practice by training alone, replay after a kill."""
    task, options = random_session(seed)
    budget, robot = 30 + seed % 17, CurveRobot(task, seed)
    stopped = int(np.random.default_rng(seed).integers(1, 25))
    with start_session(tmp_path / "a.db", "a", task, budget, **options) as session:
        practised(session, robot, 1000)
        assert session.done
        whole = session_data(session)
        records = session.trials()
    with start_session(tmp_path / "b.db", "b", task, budget, **options) as session:
        practised(session, robot, stopped)
        session.ask()  # asked and never told, then killed
    with open_session(tmp_path / "b.db", "b") as session:
        trial = session.ask(takeover=True)
        if trial is not None:
            (result,) = robot.run([trial])
            session.tell(trial.id, result.outcome, result.at, executed=result.executed)
        practised(session, robot, 1000)
        again = session_data(session)
    assert {**again, "name": "", "seconds": 0} == {**whole, "name": "", "seconds": 0}
    check_budget(task, records, budget)
    for name, policy in task.policies.items():
        if policy.rounds:
            b = check_rounds(task, name, [r for r in records if r.policy == name])
            assert whole["attempts"][name] == b


def check_budget(task: Task, records: list[TrialRecord], budget: int) -> None:
    """Every trial costs what the task says, and never more is spent than there was."""
    spent, present = 0, None
    for record in records:
        policy = task.policies[record.policy]
        cost = 0
        if record.kind != "evaluation" and record.trial.mode != "train":
            cost = policy.switch if present != record.policy else 0
            present = record.policy
        if policy.rounds:
            rounds = policy.rounds
            cost += {
                "demonstrate": rounds.demonstration_cost,
                "train": rounds.training_cost,
                "deploy": rounds.evaluation_cost,
            }[record.trial.mode]
            assert record.cost == cost
        spent += record.cost
    assert spent <= budget


def check_rounds(task: Task, name: str, records: list[TrialRecord]) -> int:
    """Groups of demonstrations, one training run, evaluations; b grows by training alone."""
    rounds = task.policies[name].rounds
    assert rounds is not None
    b = recorded = 0
    for decision, group in itertools.groupby(records, lambda record: record.decision):
        mine = list(group)
        order = [record.trial.mode for record in mine]
        assert order == sorted(order, key=["demonstrate", "train", "deploy"].index), decision
        often = Counter(order)
        assert 1 <= often["demonstrate"] <= rounds.demonstrations
        assert often["train"] <= 1
        assert often["deploy"] <= rounds.evaluations
        for record in mine:
            assert record.result is not None
            success = record.result.outcome == "success"
            practised = record.trial.attempt.practised
            if record.trial.mode == "demonstrate":
                assert practised == b
                recorded += success
            elif record.trial.mode == "train":
                assert practised == b + recorded
                assert success
                b, recorded = b + recorded, 0
            else:
                assert practised == b
    return b
