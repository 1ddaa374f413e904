"""Episodes that retry and recover: by observing, by counting failures, and in the journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asking import ask, only
from coffee import coffee
from counts import count

import deliberate_practice as dp
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.routes import routes
from deliberate_practice.practice.approaches.approach import approach_to
from deliberate_practice.practice.episode import follow_rule, run_episode
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.journal.events import Asked, decode, encode
from deliberate_practice.practice.journal.journal import Journal
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.robot import Approach, Choice, Result, Step, Trial
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.practice.telling import TellError
from deliberate_practice.robots.abstract_world import AbstractWorld
from deliberate_practice.robots.curves import CurveRobot


def _trial(skill: str, seed: int = 0, number: int = 1) -> Trial:
    """A trial of the station as a session gives it."""
    task = coffee()
    grounded = ground(task, everything=True)
    way = routes(grounded, grounded.competence)[skill]
    approach = approach_to(task, way, Step)
    return Trial(number, approach, Step(skill), "deploy", seed)


class Scripted:
    """A world in which executions end as they are listed: success, and the state afterwards."""

    def __init__(self, start: Mapping[str, str], *ends: tuple[bool, Mapping[str, str] | None]):
        self.state: Mapping[str, str] | None = start
        self._ends = iter(ends)
        self.seen: list[str] = []

    def execute(self, step: Step) -> bool:
        self.seen.append(step.skill)
        success, self.state = next(self._ends)
        return success


SHELF = {"cup": "shelf", "milk": "full"}
FULL = {"cup": "hand", "milk": "full"}
SPILLED = {"cup": "hand", "milk": "spilled"}
POURED = {"cup": "hand", "milk": "poured"}


@pytest.mark.parametrize(
    ("ends", "executed", "outcome", "at"),
    [
        ([(True, FULL), (True, POURED), (True, {})], "Grasp Pour Serve", "success", None),
        (
            [(False, SHELF), (True, FULL), (True, POURED), (False, None)],
            "Grasp Grasp Pour Serve",
            "failure",
            None,
        ),
        (
            [(True, FULL), (False, SPILLED), (True, FULL), (True, POURED), (True, {})],
            "Grasp Pour Refill Pour Serve",
            "success",
            None,
        ),
        ([(True, FULL), (False, None)], "Grasp Pour", "unreached", "Pour"),
        ([(True, {"cup": "hand", "milk": "sour"})], "Grasp", "unreached", "Grasp"),
        ([(False, SHELF)] * 9, " ".join(["Grasp"] * 9), "unreached", "Grasp"),
    ],
)
def test_a_robot_that_observes_follows_the_rule(
    ends: list[tuple[bool, Mapping[str, str] | None]], executed: str, outcome: str, at: str | None
) -> None:
    world = Scripted(SHELF, *ends)
    trial = _trial("Serve")
    result = run_episode(trial, world.execute, lambda: world.state)
    assert " ".join(world.seen) == executed
    assert (result.outcome, result.at) == (outcome, at)
    assert result.executed is not None
    assert [skill for skill, _ in result.executed] == world.seen[: len(result.executed)]
    assert len(result.executed) == len(world.seen) - (outcome != "unreached")
    assert [success for _, success in result.executed] == [
        success for success, _ in ends[: len(result.executed)]
    ]


def test_an_attempt_begins_wherever_its_precondition_holds() -> None:
    world = Scripted(POURED, (True, {}))
    assert run_episode(_trial("Serve"), world.execute, lambda: world.state) == Result(
        "success", executed=()
    )
    lost = Scripted({"cup": "floor", "milk": "full"})
    assert run_episode(_trial("Serve"), lost.execute, lambda: lost.state) == Result(
        "unreached", executed=()
    )


@pytest.mark.parametrize(
    ("skill", "ends", "executed", "outcome"),
    [
        ("Serve", [False, False, True, True, True], "Grasp Grasp Grasp Pour Serve", "success"),
        ("Serve", [True, False], "Grasp Pour", "unreached"),  # it would have to look for the milk
        ("Serve", [False] * 9, " ".join(["Grasp"] * 9), "unreached"),
        ("Refill", [True, False, True], "Grasp Pour Refill", "success"),  # reached by a failure
        ("Refill", [True, True], "Grasp Pour", "unreached"),
    ],
)
def test_a_robot_that_cannot_observe_repeats_what_leaves_all_as_it_was(
    skill: str, ends: list[bool], executed: str, outcome: str
) -> None:
    world = Scripted({}, *((success, None) for success in ends))
    assert run_episode(_trial(skill), world.execute).outcome == outcome
    assert " ".join(world.seen) == executed


def test_the_curve_robot_arrives_as_often_as_stated() -> None:
    task, number = coffee(), count(20000)
    grounded = ground(task, everything=True)
    found = routes(grounded, grounded.competence)
    robot = CurveRobot(task)
    for skill in ("Pour", "Refill", "Serve"):
        trial = _trial(skill)
        results = robot.run(
            [Trial(1, trial.approach, trial.attempt, "deploy", seed) for seed in range(number)]
        )
        arrived = np.mean([result.outcome != "unreached" for result in results])
        p = found[skill].probability
        assert arrived == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / number))


def test_a_rule_is_followed_to_a_goal() -> None:
    rule = [Choice(SHELF, Step("Grasp")), Choice(FULL, Step("Pour")), Choice(POURED, Step("Serve"))]
    served = {"cup": "tray", "milk": "poured"}
    world = Scripted(SHELF, (False, SHELF), (True, FULL), (True, POURED), (True, served))
    followed = follow_rule(rule, 10, world.execute, lambda: world.state)
    assert followed.state == served
    assert followed.executed == (
        ("Grasp", False), ("Grasp", True), ("Pour", True), ("Serve", True),
    )  # fmt: skip
    stuck = Scripted(SHELF, *[(False, SHELF)] * 3)
    assert len(follow_rule(rule, 3, stuck.execute, lambda: stuck.state).executed) == 3


class Observing(CurveRobot):
    """Measures its reward by following its decision rule."""

    def follow(
        self, rule: Sequence[Choice], limit: int, seeds: Sequence[int], start: Mapping[str, str]
    ) -> list[dp.Followed]:
        return [self._follow(rule, limit, seed, start) for seed in seeds]

    def _follow(
        self, rule: Sequence[Choice], limit: int, seed: int, start: Mapping[str, str]
    ) -> dp.Followed:
        rng = np.random.default_rng(seed)
        world = AbstractWorld(self._task, rng, start)

        def execute(step: Step) -> bool:
            return world.execute(step, lambda step: self._succeeds(step, rng))

        return follow_rule(rule, limit, execute, lambda: world.state)


def test_measured_rewards_are_those_of_the_rule(tmp_path: Path) -> None:
    task = coffee()
    with start_session(tmp_path / "j.db", "s", task, 10) as session:
        aim = intention(session.ground, session.state)
    robot = Observing(task)
    exact = robot.earn(aim, 1)
    measured = dp.measured_earnings(robot, aim, count(20000))
    assert measured.interval is not None
    width = measured.interval[1] - measured.interval[0]
    assert abs(measured.reward - exact.reward) < width
    assert abs(measured.undiscounted - exact.undiscounted) < 2 * width
    plan = dp.measured_earnings(CurveRobot(task), aim, count(20000))  # the plan alone
    assert plan.reward < measured.reward - width


def test_every_execution_is_evidence(tmp_path: Path) -> None:
    with start_session(tmp_path / "j.db", "s", coffee(), 60, only("Serve")) as session:
        trial = ask(session)
        done = [("Grasp", True), *[("Pour", False), ("Refill", True)] * 2, ("Pour", True)]
        session.tell(trial.id, "failure", executed=done)
        seen = {
            policy: (sum(b.successes for b in batches), sum(b.attempts for b in batches))
            for policy, batches in session.state.batches.items()
        }
        assert seen == {"Pour": (1, 3), "Refill": (2, 2), "Serve": (0, 1)}
        assert session.trials()[0].executed == len(done) + 1
        session.tell(trial.id, "failure", executed=done)  # twice is harmless
        with pytest.raises(TellError, match="Pour failed, Refill ok"):
            session.tell(trial.id, "failure", executed=done[:-1])


def test_executions_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    with start_session(tmp_path / "j.db", "s", coffee(), 60, only("Serve")) as session:
        trial = ask(session)
        for arguments, message in [
            (("success", None, [("Serve", True)]), "'Serve' is not one of: Grasp, Pour, Refill"),
            (("success", None, [("Pour", 1)]), "is not a skill and whether it succeeded"),
            (("success", None, "Pour"), "is not a skill and whether it succeeded"),
            (("unreached", "Pour", [("Grasp", False)]), "not the skill that was executed last"),
            (("refused", None, [("Grasp", False)]), "nothing can have been executed"),
            (("unreached", None, None), "say at which skill"),
        ]:
            outcome, at, executed = arguments
            with pytest.raises(TellError, match=message):
                session.tell(trial.id, outcome, at, executed=executed)  # type: ignore[arg-type]
        session.tell(trial.id, "unreached", executed=[("Grasp", True), ("Pour", False)])
        result = session.trials()[0].result
        assert result is not None
        assert result.at == "Pour"
        nowhere = ask(session)
        session.tell(nowhere.id, "unreached", executed=[])
        assert session.trials()[1].executed == 0


def test_a_session_with_retries_is_resumed_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    db, robot = tmp_path / "j.db", CurveRobot(coffee())
    with start_session(db, "whole", coffee(), 40, seed=3) as session:
        practise(session, robot)
        competences = session.state.competences
    start_session(db, "parts", coffee(), 40, seed=3).close()
    while True:
        with open_session(db, "parts") as session:
            trial = session.ask()
            if trial is None:
                assert session.state.competences == competences
                break
            (result,) = robot.run([trial])
            session.tell(trial.id, result.outcome, result.at, executed=result.executed)
    journal = Journal(db)
    whole, parts = (
        [entry.event for entry in journal.entries(journal.session(name))]
        for name in ("whole", "parts")
    )
    assert whole == parts
    assert any("spilled" in encode(event)[1] for event in whole)
    assert all(decode(*encode(event)) == event for event in whole)


def test_events_of_older_journals_are_read() -> None:
    asked = decode(
        "ask",
        '{"trial": {"id": 1, "approach": {"route": [{"skill": "Grasp", "parameters": {}, '
        '"practised": 2}]}, "attempt": {"skill": "Pour", "parameters": {}, "practised": 0}, '
        '"mode": "explore", "seed": 5}, "cost": 1, "decision": 1, "candidate": 0}',
    )
    assert isinstance(asked, Asked)
    assert asked.trial.approach == Approach((Step("Grasp", {}, 2),))
    told = decode("tell", '{"trial": 1, "result": {"outcome": "success", "at": null}}')
    assert told == decode("tell", '{"trial": 1, "result": {"outcome": "success"}}')


@pytest.mark.parametrize("answer", ["failure", "", None, 2, Result("failure")])
def test_only_true_and_false_say_whether_a_step_succeeded(answer: Any) -> None:
    trial = _trial("Pour")
    said = f"execute: skill '{trial.approach.route[0].skill}': .* give True or False"
    with pytest.raises(ArgumentError, match=said):
        run_episode(trial, lambda step: answer)
    with pytest.raises(ArgumentError, match=r"execute: skill 'Grasp': .* give True or False"):
        follow_rule([Choice(SHELF, Step("Grasp"))], 3, lambda step: answer, lambda: SHELF)
    answer = iter([True, np.bool_(True), 1, np.float32(1)] * 10)
    assert [run_episode(trial, lambda step: next(answer)).outcome for _ in "four"] == [
        "success"
    ] * 4
