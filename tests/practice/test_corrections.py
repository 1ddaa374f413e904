"""A corrected label counts as if it had been told right, in belief, learner and budget."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from asking import ask, only
from counts import count
from own_learners import sequential

from deliberate_practice.learners.learner import Adaptive, Candidate
from deliberate_practice.learners.registry import make_learner
from deliberate_practice.practice.journal.events import Asked, Corrected, Event, Told
from deliberate_practice.practice.journal.rows import Entry
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.practice.telling import TellError
from deliberate_practice.task.model import Task

Start = Callable[..., Session]
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def knows(state: State) -> dict[str, Any]:
    """Everything that a session knows: belief, learners and budget."""
    horizon = 12
    return {
        "spent": state.spent,
        "left": state.left,
        "attempts": dict(state.attempts),
        "outcomes": {name: list(seen) for name, seen in state.outcomes.items()},
        "competences": state.competences,
        "curves": {name: state.belief.curve(name, horizon).tolist() for name in state.attempts},
        "bands": {name: state.belief.band(name, horizon).tolist() for name in state.attempts},
        "deployed": state.deployed,
        "parallel": {name: learner.parallel for name, learner in state.learners.items()},
        "tests": {name: vars(one) for name, one in state.untested.items()},
        "results": {number: record.result for number, record in state.records.items()},
    }


def told_right(session: Session) -> State:
    """A replay of the same trials in which every label was right from the first."""
    events = [event for event, _ in session.history()]
    right = {event.trial: event.result for event in events if isinstance(event, Corrected)}
    state = session.beginning()
    for policy in session.task.policies:
        state._proposals.alter(policy)  # trials were chosen by what was told wrongly
    number = 0
    for event in events:
        if isinstance(event, Corrected):
            continue
        if isinstance(event, Told):
            event = replace(event, result=right.get(event.trial, event.result))
        number += 1
        state.apply(Entry(number, event, EPOCH, ""))
    return state


def learned_right(task: Task, session: Session) -> dict[str, tuple[Any, ...]]:
    """Each learner by itself: candidates in order, with the values tried and the right outcomes."""
    learners = {
        name: make_learner(session.settings.learner, policy, session.settings.seed)
        for name, policy in task.policies.items()
    }
    waiting: dict[str, list[Candidate]] = {name: [] for name in learners}
    holds: dict[int, Candidate] = {}
    records = session.state.records
    for event, _ in session.history():
        if isinstance(event, Asked) and event.candidate is not None:
            policy = records[event.trial.id].policy
            mine = waiting[policy]
            if not mine:
                mine += [c for c in [learners[policy].ask()] if c]
            same = [c for c in mine if c.values == event.trial.parameters]
            first = sorted(mine, key=lambda candidate: candidate.id)[:1]
            for chosen in (same or first)[:1]:
                mine.remove(chosen)
                tried = Candidate(
                    chosen.id, dict(event.trial.parameters), event.trial.mode == "explore"
                )
                learner = learners[policy]
                if tried != chosen:
                    assert isinstance(learner, Adaptive)
                    learner.substitute(tried)
                holds[event.trial.id] = chosen
        if isinstance(event, Told):
            record = records[event.trial]
            chosen_one, result = holds.pop(event.trial, None), record.result
            assert result is not None
            if chosen_one is None:
                continue
            if result.outcome in ("success", "failure", "refused"):
                learners[record.policy].tell(chosen_one.id, result.outcome, result.score)
            else:
                waiting[record.policy].append(chosen_one)
    return {name: (dict(one.deployed), one.parallel) for name, one in learners.items()}


def random_result(trial: Trial, rng: Random) -> dict[str, Any]:
    words = ["success"] * 4 + ["failure"] * 5 + ["refused", "aborted", "assisted"]
    words += ["unreached"] * 2 if trial.approach.skills else []
    word = rng.choice(words)
    score = rng.choice([None, rng.random()]) if word in ("success", "failure") else None
    at = rng.choice(trial.approach.skills) if word == "unreached" else None
    return {"outcome": word, "at": at, "score": score}


def random_session(task: Task, db: Path, seed: int) -> Session:
    """Several askers, all outcomes, refunds, and corrections at any time."""
    rng = Random(seed)
    session = start_session(
        db,
        "s",
        task,
        rng.randint(20, 60),
        rng.choice(["random", "deliberate", "ees"]),
        rng.choice(["bayes", "running-average", "running-average:charged=false"]),
        seed,
        approach=rng.choice(["execute", "free"]),
        learner=rng.choice(["cma-es", "cma-es:scores=true", "cma-es-paper"]),
        lasting=False,
    )
    askers, out = ["left", "right", "third"][: rng.randint(1, 3)], dict[str, Trial]()
    for _ in range(rng.randint(30, 90)):
        told = [r for r in session.trials() if r.result]
        if told and rng.random() < 0.12:
            wrong = rng.choice(told)
            with suppress(TellError):  # it may cost more than is left
                session.correct(wrong.trial.id, **random_result(wrong.trial, rng), by="ada")
            continue
        aborted = [
            r
            for r in told
            if r.result and r.result.outcome == "aborted" and r.cost and not r.refunded
        ]
        if aborted and rng.random() < 0.3:
            session.refund(aborted[0].trial.id)
        asker = rng.choice(askers)
        if asker in out:
            trial = out.pop(asker)
            session.tell(trial.id, **random_result(trial, rng), by=asker)
        elif asked := session.ask(asker=asker):
            out[asker] = asked
        assert 0 <= session.state.spent <= session.state.ledger.budget
    return session


@pytest.mark.parametrize("part", range(10))
def test_corrected_labels_equal_a_replay_with_the_right_ones(shelf: Task, part: int) -> None:
    corrected = 0
    for seed in range(part * 1000, part * 1000 + count(100)):
        with (
            TemporaryDirectory() as folder,
            random_session(shelf, Path(folder) / "j.db", seed) as session,
            open_session(Path(folder) / "j.db", "s") as again,
        ):
            state = session.state
            corrected += sum(record.corrected is not None for record in session.trials())
            assert knows(state) == knows(told_right(session)), seed
            assert {
                name: (values, state.learners[name].parallel)
                for name, values in state.deployed.items()
            } == learned_right(shelf, session), seed
            assert knows(again.state) == knows(state)  # and after a restart
            assert again.trials() == session.trials()
    assert corrected


def test_decisions_in_between_stay_and_both_labels_are_shown(start: Start, db: Path) -> None:
    session = start(30, strategy=only("Pick"))
    for _ in range(8):
        session.tell(ask(session).id, "failure")
    decisions, trials = list(session.state.decisions), [r.trial for r in session.trials()]
    session.correct(2, "success", score=0.5, by="ada")
    record = session.trials()[1]
    assert (record.result, record.corrected) == (Result("success", score=0.5), Result("failure"))
    assert record.by == "ada"
    assert session.state.decisions == decisions
    assert [r.trial for r in session.trials()] == trials
    assert session.state.outcomes["Pick"] == [False, True, *[False] * 6]
    session.correct(2, "failure")  # and back again
    assert session.state.outcomes["Pick"] == [False] * 8


def test_a_learner_learns_from_the_right_label(start: Start) -> None:
    wrong, right = (start(30, name, strategy=only("Box"), approach="free") for name in "ab")
    for session, label in ((wrong, "failure"), (right, "success")):
        session.tell(ask(session).id, label)
        for _ in range(5):
            session.tell(ask(session).id, "failure")
    assert wrong.state.deployed != right.state.deployed
    wrong.correct(1, "success")
    assert wrong.state.deployed == right.state.deployed
    assert wrong.state.competences == right.state.competences
    assert ask(wrong).parameters == ask(right).parameters


def test_a_learner_that_takes_no_other_values_still_works(start: Start) -> None:
    session = start(60, strategy=only("Box"), approach="free", learner=sequential)
    for _ in range(6):
        session.tell(ask(session).id, "failure")
    session.correct(2, "success")
    assert session.state.attempts["Box"] == 6
    session.tell(ask(session).id, "success")
    assert session.state.attempts["Box"] == 7


def test_the_budget_follows_the_label(start: Start) -> None:
    session = start(6, strategy=only("Box"), approach="free")  # an attempt costs 3
    session.tell(ask(session).id, "failure")
    session.correct(1, "refused")
    assert session.state.left == 6
    session.tell(ask(session).id, "failure")
    session.tell(ask(session).id, "failure")
    with pytest.raises(TellError, match="costs 3, and 0 are left"):
        session.correct(1, "failure")
    session.extend(3)
    session.correct(1, "failure")
    assert session.state.left == 0


def test_a_refund_stays_whatever_the_label_becomes(start: Start) -> None:
    session = start(6, strategy=only("Box"), approach="free")  # an attempt costs 3
    session.tell(ask(session).id, "aborted")
    session.refund(1)
    for _ in range(2):
        session.tell(ask(session).id, "failure")
    for outcome in ("refused", "success", "refused", "aborted", "failure"):
        session.correct(1, outcome)
        assert (session.state.spent, session.state.left) == (6, 0)
        assert session.trials()[0].refunded


def test_what_a_correction_does_not_give_stays(start: Start) -> None:
    session = start(60, strategy=only("Box"))
    trial = ask(session)
    way = trial.approach.every_skill
    done = [(way[0], False), *((skill, True) for skill in way)]
    more: dict[str, Any] = {"score": 0.7, "measurements": {"force": 12.5}, "executed": done}
    session.tell(trial.id, "success", **more)
    told, believed = session.trials()[0].result, session.state.competences
    assert told
    session.correct(1, "failure")
    assert session.trials()[0].result == replace(told, outcome="failure")
    session.correct(1, "success")
    assert session.trials()[0].result == told
    assert session.state.competences == believed
    session.correct(1, "unreached", at=way[0])  # then the rest was not executed
    assert session.trials()[0].result == replace(
        told, outcome="unreached", at=way[0], executed=None
    )
    session.correct(1, "failure", score=0.1, executed=[])
    assert session.trials()[0].result == replace(told, outcome="failure", score=0.1, executed=())


def test_a_refused_trial_costs_its_turning_again(db: Path, shelf: Task) -> None:
    skills = [replace(skill, cost=1, switch=5) for skill in shelf.skills]
    task = replace(shelf, skills=skills)
    with start_session(db, "s", task, 12, strategy=only("Box"), approach="free") as session:
        session.tell(ask(session).id, "refused")
        for _ in range(6):  # the first of them turns to the skill
            session.tell(ask(session).id, "failure")
        assert session.state.left == 1
        with pytest.raises(TellError, match="costs 6, and 1 are left"):
            session.correct(1, "failure")
        session.extend(5)
        session.correct(1, "failure")
        assert session.state.left == 0


@pytest.mark.parametrize(
    ("trial", "told", "message"),
    [
        (2, {"outcome": "success"}, "trial 2: it is still open; tell it"),
        (9, {"outcome": "success"}, "9 is not a trial of session 's'"),
        (1, {"outcome": "won"}, "trial 1: outcome: 'won' is not"),
        (1, {"outcome": "success", "at": "Pick"}, "goes only with 'unreached'"),
    ],
)
def test_a_correction_fits_its_trial(
    trial: int, told: dict[str, Any], message: str, start: Start
) -> None:
    session = start(30)
    session.tell(ask(session).id, "failure")
    ask(session)
    with pytest.raises(TellError, match=message):
        session.correct(trial, **told)


def test_the_same_label_again_writes_nothing(start: Start) -> None:
    session = start(30)
    session.tell(ask(session).id, "failure")
    session.correct(1, "failure")
    assert not any(isinstance(event, Corrected) for event, _ in session.history())


def test_another_process_sees_the_correction(start: Start, db: Path) -> None:
    session = start(30, strategy=only("Pick"))
    other = open_session(db, "s", strategy=only("Pick"))
    with other:
        session.tell(ask(session).id, "failure")
        assert other.state.outcomes["Pick"] == [False]
        session.correct(1, "success")
        assert other.state.outcomes["Pick"] == [True]


def test_telling_otherwise_names_the_way_to_correct(start: Start) -> None:
    session = start(30)
    session.tell(ask(session).id, "failure")
    with pytest.raises(TellError, match="deliberate correct s 1 success"):
        session.tell(1, "success")
    session.correct(1, "success")
    session.tell(1, "failure")  # the old answer again, by a robot that repeats itself
    assert session.state.outcomes[session.trials()[0].policy] == [True]


def test_the_mean_of_a_corrected_generation_uses_what_was_tried(shelf: Task) -> None:
    """CMA-ES moves towards the values that were tried, not towards those it would have drawn."""
    policy = shelf.policies["Box"]
    one, other = (make_learner("cma-es-paper", policy, 0) for _ in range(2))
    for learner in (one, other):
        for place in range(6):
            candidate = learner.ask()
            assert candidate
            if learner is other:
                assert isinstance(learner, Adaptive)
                moved = {name: value + 0.01 for name, value in candidate.values.items()}
                learner.substitute(Candidate(candidate.id, moved))
            learner.tell(candidate.id, "success" if place == 2 else "failure", None)
    shift = [other.deployed[name] - one.deployed[name] for name in one.deployed]
    assert np.allclose(shift, 0.01 * np.mean(np.ones(3)), atol=0.004)
    assert all(0 < amount < 0.02 for amount in shift)


def test_events_are_plain_data(start: Start) -> None:
    session = start(30)
    session.tell(ask(session).id, "failure", by="ada")
    session.correct(1, "success", by="grace")
    events: list[Event] = [event for event, _ in session.history()]
    assert json.dumps(vars(events[-1].result))  # type: ignore[union-attr]
