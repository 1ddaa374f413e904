"""The session: budget, rounds, what may be told, refunds, evaluations, approaches."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asking import ask, only

from deliberate_practice.beliefs.belief import BELIEFS, Belief, EvidenceModel
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice import curriculum
from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.journal.journal import Journal
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.practice.telling import TellError
from deliberate_practice.robots.regions import RegionRobot
from deliberate_practice.strategies.strategy import Decision, Situation
from deliberate_practice.task.model import Task

Start = Callable[..., Session]


def test_the_budget_is_spent_to_the_last_unit_that_buys_something(start: Start) -> None:
    session = start(17, strategy=only("Box"))
    robot = RegionRobot(session.task)
    practise(session, robot)
    assert (session.state.spent, session.state.left) == (15, 2)
    assert session.done
    assert session.ask() is None
    session.extend(1)
    assert not session.done
    practise(session, robot)
    assert (session.state.spent, session.state.left) == (18, 0)


def test_costs_are_those_of_the_policy(start: Start) -> None:
    session = start(12)
    practise(session, RegionRobot(session.task))
    costs = {"Pick": 1, "Reach": 2, "Box": 3}
    assert sum(costs[u] * n for u, n in session.state.allocation.items()) == session.state.spent
    assert {r.cost for r in session.trials()} <= {1, 2, 3}
    assert all(r.cost == costs[r.policy] for r in session.trials())


def test_a_trial_that_was_not_told_is_offered_again(start: Start, db: Path) -> None:
    session = start()
    first = ask(session)
    assert ask(session) == first
    session.close()
    session = open_session(db, "s")
    assert ask(session) == first
    assert session.state.spent == session.state.records[1].cost
    session.tell(1, "aborted")
    assert ask(session).id == 2


def test_askers_do_not_share_trials_unless_one_takes_over(start: Start) -> None:
    session = start()
    left, right = ask(session, asker="left"), ask(session, asker="right")
    assert (left.id, right.id) == (1, 2)
    assert ask(session, asker="left") == left
    assert session.ask(asker="third", takeover=True) == left
    assert ask(session, asker="third") == left
    assert ask(session, asker="left").id == 3
    session.tell(1, "aborted")
    assert ask(session, asker="third").id == 4


def test_an_asker_gets_its_own_trial_though_another_asks_at_once(
    start: Start, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, other = start(), open_session(db, "s")
    read = session._read
    calls: list[None] = []

    def read_late() -> None:
        calls.append(None)
        if len(calls) == 2:  # the trial is written, but not yet read again
            assert ask(other, asker="other").id == 2
        read()

    monkeypatch.setattr(session, "_read", read_late)
    assert ask(session, asker="this").id == 1
    assert len(session.trials()) == 2


def test_telling_twice_is_harmless_and_telling_something_else_an_error(start: Start) -> None:
    session = start(strategy=only("Pick"))
    trial = ask(session)
    session.tell(trial.id, "success", None, 0.5, {"force": 3})
    session.tell(trial.id, "success", None, 0.5, {"force": 3.0})
    for other in (
        ("failure", None, 0.5, {"force": 3.0}),
        ("success", None, 0.4, {"force": 3.0}),
        ("success", None, 0.5, {}),
        ("success", None, None, {"force": 3.0}),
    ):
        with pytest.raises(TellError, match=r"'success', with score 0\.5, force = 3"):
            session.tell(trial.id, *other)
    assert session.state.attempts["Pick"] == 1
    assert session.state.length == 3


def test_what_makes_no_sense_cannot_be_told(start: Start) -> None:
    session = start(strategy=only("Box"))
    trial = ask(session)
    assert trial.approach.skills == ("Pick", "Lift")
    nan = float("nan")
    for arguments, message in [
        ((2, "success"), "2 is not a trial of session 's'; those are 1 to 1"),
        ((1, "sucess"), "Did you mean 'success'"),
        ((1, "unreached"), "Pick, Lift"),
        ((1, "unreached", "Shelve"), "'Shelve' is not one of: Pick, Lift"),
        ((1, "failure", "Pick"), "only with 'unreached'"),
        ((1, "success", None, nan), "score: nan is not a finite number"),
        ((1, "success", None, "high"), "score: 'high' is not a number"),
        ((1, "success", None, None, {"force": nan}), "measurement 'force': nan"),
    ]:
        with pytest.raises(TellError, match=message):
            session.tell(*arguments)  # type: ignore[arg-type]  # what users may get wrong
    assert session.state.open_trials
    pick = start(name="t", strategy=only("Pick"))
    ask(pick)
    with pytest.raises(TellError, match="no approach that could fail"):
        pick.tell(1, "unreached", "Pick")


def test_only_an_aborted_trial_is_refunded_and_only_once(start: Start) -> None:
    session = start(strategy=only("Pick"))
    trial = ask(session)
    with pytest.raises(TellError, match="'open'"):
        session.refund(trial.id)
    session.tell(trial.id, "aborted")
    assert session.state.spent == 1
    session.refund(trial.id)
    assert (session.state.spent, session.state.allocation) == (0, {})
    with pytest.raises(TellError, match="refunded before"):
        session.refund(trial.id)
    second = ask(session)
    assert second.parameters == trial.parameters  # the candidate was not tried
    session.tell(second.id, "failure")
    with pytest.raises(TellError, match="'failure'"):
        session.refund(second.id)
    assert session.state.spent == 1


def test_unreached_is_spent_but_no_attempt(start: Start) -> None:
    session = start(60, strategy=only("Box"))
    first = ask(session)
    session.tell(1, "unreached", "Lift")
    again = [ask(session, asker=str(i)) for i in range(6)]
    assert session.state.spent == 21
    assert session.state.attempts["Box"] == 0
    assert first.parameters in [trial.parameters for trial in again]
    assert len({trial.parameters["angle"] for trial in again}) == 6
    for trial in again:
        session.tell(trial.id, "success")
    assert session.state.attempts["Box"] == 6
    assert ask(session).parameters["angle"] not in {t.parameters["angle"] for t in again}


def test_a_decision_grants_a_round_at_most(start: Start) -> None:
    session = start(25, strategy=only("Pick", 9))
    practise(session, RegionRobot(session.task))
    granted = [decision.granted for decision in session.state.decisions]
    assert granted == [6, 6, 6, 6, 1]
    session = start(25, name="t", strategy=only("Pick", 4))
    practise(session, RegionRobot(session.task))
    assert [d.granted for d in session.state.decisions] == [4, 2, 4, 2, 4, 2, 4, 2, 1]
    assert [d.attempts_before for d in session.state.decisions[:4]] == [0, 4, 6, 10]
    assert session.trials()[5].why == {"decision": 2, "share": 4, "left": 21}


def test_when_all_candidates_are_out_others_wait(start: Start) -> None:
    session = start(30, strategy=only("Pick"))
    trials = [ask(session, asker=str(i)) for i in range(6)]
    assert session.ask(asker="late") is None
    assert not session.done
    for trial in trials:
        session.tell(trial.id, "failure")
    assert ask(session, asker="late").id == 7


def test_evaluations_cost_nothing_and_are_marked(start: Start) -> None:
    session = start(2, strategy=only("Pick"))
    before = session.state.competences["Reach"]
    trial = ask(session, evaluate="Shelve")
    assert (trial.mode, trial.approach.skills) == ("deploy", ("Pick",))
    assert not session.trials()[0].counted
    assert ask(session, evaluate="Shelve") == trial
    with pytest.raises(ArgumentError, match="trial 1 \\(Shelve\\) is still open"):
        session.ask(evaluate="Pick")
    session.tell(trial.id, "success")
    assert session.state.spent == 0
    assert session.state.attempts["Reach"] == 0
    assert session.state.competences["Reach"] > before
    assert session.trials()[0].why == {"evaluation": True}
    aborted = ask(session, evaluate="Box")
    assert aborted.parameters == pytest.approx({"depth": 0.2, "angle": 0.0})
    session.tell(aborted.id, "aborted")
    with pytest.raises(TellError, match="cost nothing"):
        session.refund(aborted.id)
    practice = ask(session)
    with pytest.raises(ArgumentError, match=r"trial 3 \(Pick\) is still open"):
        session.ask(evaluate="Pick")
    assert ask(session, evaluate="Pick", asker="judge").id == 4
    assert ask(session) == practice


def test_approach_failures_are_evidence_about_the_skill_that_failed(start: Start) -> None:
    session = start(60, strategy=only("Box"))
    before = session.state.competences
    for _ in range(4):
        session.tell(ask(session).id, "unreached", "Lift")
    after = session.state.competences
    assert after["Reach"] < before["Reach"]
    assert after["Pick"] > before["Pick"]


def test_arguments_are_checked(start: Start, shelf: Task, db: Path) -> None:
    faults: list[tuple[dict[str, object], str]] = [
        ({"budget": -1}, "budget: -1"),
        ({"budget": 2.5}, "budget: 2.5"),
        ({"seed": -1}, "seed: -1"),
        ({"name": " "}, "name: ' '"),
        ({"approach": "fly"}, "'fly' is not one of: execute, free"),
        ({"strategy": "rndom"}, "Did you mean 'random'"),
        ({"belief": "bays"}, "Did you mean 'bayes'"),
        ({"learner": "sgd"}, "cma-es"),
    ]
    for options, message in faults:
        with pytest.raises(ArgumentError, match=message):
            start(**options)
    assert not db.exists()
    with pytest.raises(ArgumentError, match="units: 0"):
        start().extend(0)


def test_a_strategy_that_errs_is_named(start: Start) -> None:
    faults: list[tuple[object, str]] = [
        (
            Decision("Nope", 1),
            "chose a policy that cannot be practised now: 'Nope' is not one of: Pick",
        ),
        (Decision("Pick", 0), "share 0 must be"),
        (Decision("Pick", math.inf), "share inf must be"),  # type: ignore[arg-type]
        (Decision("Pick", "6"), "share '6' must be"),  # type: ignore[arg-type]
        (Decision("Pick", 1, why={"odds": math.nan}), "its reasons"),
        (Decision("Pick", 1, why={(1, 2): 3}), "its reasons"),  # type: ignore[dict-item]
        (Decision("Pick", 1, why={"rule": min}), "its reasons"),
        ("Pick", "it returned 'Pick'; a strategy returns a Decision, or None"),
    ]
    for i, (decision, message) in enumerate(faults):
        session = start(name=f"e{i}", strategy=lambda _, d=decision: d)
        with pytest.raises(ArgumentError, match="strategy <lambda>.*" + re.escape(message)):
            session.ask()
        assert not session.trials()


def test_a_strategy_of_ones_own_must_be_given_again(start: Start, db: Path) -> None:
    start(strategy=only("Pick")).close()
    session = open_session(db, "s")
    assert session.settings.strategy == "strategy()"
    with pytest.raises(ArgumentError, match="give it again: strategy=strategy"):
        session.ask()
    assert ask(open_session(db, "s", strategy=only("Pick"))).skill == "Pick"


def test_a_function_is_not_taken_for_a_strategy_or_belief_of_its_name(
    start: Start, db: Path
) -> None:
    def random(now: Situation) -> Decision | None:
        return only("Pick")(now)

    def bayes(task: Task, evidence: Mapping[str, EvidenceModel]) -> Belief:
        return BELIEFS["running-average"](task, evidence)

    start(strategy=random, belief=bayes).close()
    with pytest.raises(ArgumentError, match="started with random, which has no name"):
        open_session(db, "s", belief=bayes).ask()
    with pytest.raises(ArgumentError, match="started with bayes, which has no name"):
        open_session(db, "s", strategy=random).ask()
    assert ask(open_session(db, "s", strategy=random, belief=bayes)).skill == "Pick"


def test_a_session_goes_on_where_it_was(start: Start, db: Path) -> None:
    whole = start(40, name="whole", seed=4, strategy="deliberate")
    practise(whole, RegionRobot(whole.task))
    start(40, name="parts", seed=4, strategy="deliberate").close()
    robot = RegionRobot(whole.task)
    while True:
        with open_session(db, "parts") as session:
            trial = session.ask()
            if trial is None:
                break
            assert ask(session) == trial
        with open_session(db, "parts") as session:
            (result,) = robot.run([trial])
            session.tell(trial.id, result.outcome, result.at, executed=result.executed)
    journal = Journal(db)
    events = [
        [entry.event for entry in journal.entries(journal.session(name))]
        for name in ("whole", "parts")
    ]
    assert events[0] == events[1]


def test_resumed_beliefs_are_bit_identical(start: Start, db: Path) -> None:
    session = start(60, strategy="deliberate", seed=2)
    practise(session, RegionRobot(session.task))
    with open_session(db, "s") as again:
        assert again.state.competences == session.state.competences
        assert again.state.attempts == session.state.attempts
        assert again.state.deployed == session.state.deployed
        assert any(session.state.deployed.values())


def test_a_task_too_large_to_ground_whole_is_practised_all_the_same(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """States that can still earn something suffice; only dead ends are out of reach then."""
    task = load_task("cleanup-multi", objects=2)
    limit, grounded = 100, 0

    def counted(*arguments: Any, everything: bool = False) -> Any:
        nonlocal grounded
        grounded += everything
        return ground(*arguments, everything=everything)

    monkeypatch.setattr(curriculum, "EVERYWHERE_STATES", limit)
    monkeypatch.setattr("deliberate_practice.mdp.grounding.ground", counted)
    assert ground(task, everything=True).counts.kept > limit
    session = start_session(db, "s", task, 3, "random", "bayes", 0)
    routes = session._curriculum.by_policy(session.state.competences)
    assert grounded == 1  # it was tried, and was too large
    assert session._curriculum.everywhere is session.ground
    trial = session.ask()
    assert trial is not None
    route = routes[task.skill(trial.skill).policy]
    assert (trial.skill, trial.approach.skills) == (route.skill, route.skills)
    wanted = {name for name, policy in task.policies.items() if policy.practisable}
    assert set(routes) == wanted  # every skill leads to some goal in this task


def test_records_are_values(start: Start) -> None:
    session = start(strategy=only("Pick"))
    ask(session)
    record = session.trials()[0]
    session.tell(1, "success")
    assert record.result is None
    assert replace(session.trials()[0], result=None, told=None) == record
