"""What a robot refuses costs nothing, and is drawn again; but not for ever."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from asking import ask, only
from hypothesis import HealthCheck, given, settings, strategies as st
from refusing import Choosy, Knowing, Rounds, far

from deliberate_practice.foundation.errors import PartFailed
from deliberate_practice.learners.registry import MakeLearner
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.records import TrialRecord
from deliberate_practice.practice.refusals import MOST_REFUSED
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.practice.showing.session_chart import session_chart
from deliberate_practice.practice.telling import TellError
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.robots.regions import RegionRobot
from deliberate_practice.task.model import Task

Start = Callable[..., Session]

CASES = settings(
    deadline=None, max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@contextmanager
def practised(
    task: Task, robot: Choosy, seed: int, learner: MakeLearner | str = "cma-es"
) -> Iterator[Session]:
    """A session that has spent its budget."""
    with (
        TemporaryDirectory() as folder,
        start_session(
            Path(folder) / "journal.db", "s", task, 40, seed=seed, learner=learner, lasting=False
        ) as session,
    ):
        practise(session, robot)
        yield session


def books(state: State) -> dict[str, Any]:
    """Everything that a refused trial leaves as it was."""
    return {
        "spent": state.spent,
        "settled": state.settled,
        "left": state.left,
        "allocation": state.allocation,
        "granted": state.granted,
        "attempts": dict(state.attempts),
        "outcomes": {name: list(seen) for name, seen in state.outcomes.items()},
        "competences": state.competences,
        "deployed": state.deployed,
        "parallel": {name: learner.parallel for name, learner in state.learners.items()},
        "decisions": len(state.decisions),
    }


def journal(session: Session) -> list[object]:
    return [event for event, _ in session.history()]


def executed(session: Session) -> list[tuple[str, dict[str, float], Result | None, int | None]]:
    """All trials but those that were refused."""
    return [
        (r.trial.skill, dict(r.trial.parameters), r.result, r.decision)
        for r in session.trials()
        if r.result is None or r.result.outcome != "refused"
    ]


def test_a_refused_trial_is_as_if_it_had_never_been_asked(start: Start) -> None:
    session = start(30, strategy=only("Box"))  # an episode costs 3, with an approach
    session.tell(ask(session).id, "failure")
    before = books(session.state)
    refused = ask(session)
    session.tell(refused.id, "refused", measurements={"distance": 0.2})
    assert books(session.state) == before
    record = session.trials()[-1]
    assert record.result == Result("refused", measurements={"distance": 0.2})
    assert (record.cost, record.void, record.refunded) == (0, True, False)
    again = ask(session)
    assert again.id == refused.id + 1
    assert again.parameters != refused.parameters
    assert session.trials()[-1].decision == record.decision


def test_a_round_of_refusals_still_has_all_its_attempts(start: Start) -> None:
    session = start(6, strategy=only("Pick"))
    practise(session, Choosy())
    state = session.state
    assert (state.spent, state.attempts["Pick"], len(state.decisions)) == (6, 6, 1)
    assert len(session.trials()) > 6
    assert session.done


@CASES
@given(seed=st.integers(0, 10_000), parallel=st.sampled_from([1, 2, 3, 8]))
def test_as_if_the_learner_had_never_drawn_what_was_refused(
    shelf: Task, seed: int, parallel: int
) -> None:
    with (
        practised(shelf, Choosy(parallel=parallel), seed) as told,
        practised(shelf, Choosy(parallel=parallel), seed, Knowing) as knowing,
    ):
        assert all(r.result and r.result.outcome != "refused" for r in knowing.trials())
        assert books(told.state) == books(knowing.state)
        if parallel == 1:  # otherwise what is drawn again comes later in its round
            assert executed(told) == executed(knowing)


@CASES
@given(seed=st.integers(0, 10_000))
def test_two_askers_spend_the_budget_and_no_more(shelf: Task, seed: int) -> None:
    with TemporaryDirectory() as folder:
        db = Path(folder) / "journal.db"
        with (
            start_session(db, "s", shelf, 30, "random", seed=seed, lasting=False) as left,
            open_session(db, "s") as right,
        ):
            _take_turns({"left": left, "right": right}, Random(seed))
            assert left.done or left.state.left == 0
            tried = [r for r in left.trials() if r.result and r.result.outcome != "refused"]
            assert sum(left.state.attempts.values()) == len(attempts_of(tried))
            for decided in left.state.decisions:
                assert sum(r.decision == decided.number for r in tried) <= decided.granted
            with open_session(db, "s") as again:
                assert books(again.state) == books(left.state)
                assert journal(again) == journal(left)


def _take_turns(askers: Mapping[str, Session], turns: Random) -> None:
    """Ask and tell in any order until there is nothing more to do."""
    robot, out = Choosy(), dict[str, Trial]()
    while out or not all(session.done for session in askers.values()):
        asker = turns.choice(sorted(askers))
        session = askers[asker]
        if asker in out:
            trial = out.pop(asker)
            (result,) = robot.run([trial])
            session.tell(trial.id, result.outcome, result.at, executed=result.executed)
        elif asked := session.ask(asker=asker):
            out[asker] = asked
        assert 0 <= session.state.spent <= 30
        assert session.state.spent == sum(record.cost for record in session.trials())


def attempts_of(records: list[TrialRecord]) -> list[TrialRecord]:
    return [r for r in records if r.result and r.result.outcome in ("success", "failure")]


class Killed(Exception):
    """In the place of a signal."""


@pytest.mark.parametrize("parallel", [1, 3, 8])
def test_a_killed_session_goes_on_as_if_it_had_not_been(
    start: Start, db: Path, parallel: int
) -> None:
    whole = start(40, name="whole", seed=5)
    practise(whole, Choosy(parallel=parallel))
    assert any(r.result and r.result.outcome == "refused" for r in whole.trials())
    start(40, name="parts", seed=5).close()
    for pace in (1, 2, 3, 4, 5):
        with open_session(db, "parts") as parts, suppress(Killed):
            practise(parts, Choosy(parallel=parallel), _until(pace))
    with open_session(db, "parts") as parts:
        practise(parts, Choosy(parallel=parallel))
        assert journal(parts) == journal(whole)
        assert books(parts.state) == books(whole.state)


def _until(pace: int) -> Callable[..., None]:
    """Kills the process when so many trials were told."""
    told = itertools.count(1)

    def progress(*_: object) -> None:
        if next(told) == pace:
            raise Killed

    return progress


def test_an_unreachable_step_of_the_approach_is_no_refusal(start: Start) -> None:
    """The rule of robots: only the attempt is looked at before the episode."""
    session = start(12, strategy=only("Box"))
    robot = Choosy(lambda values: "depth" in values and far(values))
    practise(session, robot)
    assert robot.moved >= 12  # three steps in each of four episodes
    assert session.state.spent == 12


def test_a_refused_evaluation_is_a_failed_execution(start: Start) -> None:
    session, other = start(name="refused"), start(name="failed")
    for one, outcome in ((session, "refused"), (other, "failure")):
        trial = ask(one, evaluate="Pick")
        one.tell(trial.id, outcome)
    assert session.state.spent == 0
    assert session.state.competences["Pick"] < session.task.policies["Pick"].competence
    assert session.state.competences == other.state.competences
    assert not session.state.refusals.in_a_row


def test_nothing_is_learned_of_the_approach_of_a_refused_evaluation(start: Start) -> None:
    session = start()
    before = session.state.competences
    trial = ask(session, evaluate="Box")
    assert trial.approach.skills == ("Pick", "Lift")
    session.tell(trial.id, "refused")
    after = session.state.competences
    assert after["Box"] < before["Box"]
    assert session.state._evidence._deployed.keys() == {"Box"}


def test_a_deployed_candidate_is_refused_likewise(start: Start) -> None:
    session = start(60, strategy=only("Pick"))
    for _ in range(6):
        session.tell(ask(session).id, "success")
    session.tell(ask(session, asker="other").id, "aborted")  # the round has begun
    before = books(session.state)
    deployed = ask(session)
    assert deployed.mode == "deploy"
    session.tell(deployed.id, "refused")
    assert books(session.state) == before
    modes = []
    for _ in range(6):
        trial = ask(session)
        modes.append(trial.mode)
        session.tell(trial.id, "failure")
    assert modes == ["explore"] * 6  # another sample in its place
    assert ask(session).mode == "deploy"  # the next generation


def test_without_parameters_the_same_is_tried_again_with_another_seed(start: Start) -> None:
    session = start(20, strategy=only("Reach"))
    first = ask(session)
    session.tell(first.id, "refused")
    again = ask(session)
    assert (first.parameters, again.parameters) == ({}, {})
    assert first.seed != again.seed
    assert (session.state.spent, session.state.decisions[-1].granted) == (2, 6)
    candidates = [record.candidate for record in session.trials()]
    assert len(set(candidates)) == 2


def test_what_is_refused_after_the_next_decision_gives_that_one_nothing(start: Start) -> None:
    session = start(60, strategy=only("Pick", share=2))
    old = [ask(session, asker=str(i)) for i in range(2)]
    new = ask(session, asker="2")
    assert len(session.state.decisions) == 2
    session.tell(old[0].id, "refused")
    assert (session.state.granted, session.state.spent) == (1, 2)
    session.tell(new.id, "refused")
    assert (session.state.granted, session.state.spent) == (2, 1)


def test_a_refused_trial_cannot_be_refunded(start: Start) -> None:
    session = start()
    trial = ask(session)
    session.tell(trial.id, "refused")
    session.tell(trial.id, "refused")  # twice is harmless
    with pytest.raises(TellError, match=r"trial 1: it was refused and cost nothing\."):
        session.refund(trial.id)
    with pytest.raises(TellError, match="it was told as 'refused' before"):
        session.tell(trial.id, "failure")
    assert session.state.spent == 0


def test_a_learner_that_takes_refusals_for_failures_still_works(start: Start) -> None:
    session = start(30, strategy=only("Pick"), learner=Rounds)
    practise(session, Choosy(lambda values: 0.1 < values.get("height", 0.0) < 0.2))
    assert session.state.spent == 30
    assert session.state.attempts["Pick"] == 30
    askers = start(30, name="askers", strategy=only("Pick"), learner=Rounds)
    out = [ask(askers, asker=str(i)) for i in range(3)]
    askers.tell(out[0].id, "refused")
    assert askers.ask(asker="0") is None  # its learner has none now
    askers.tell(out[1].id, "failure")
    askers.tell(out[2].id, "failure")
    assert ask(askers, asker="0").id == 4


def nothing(values: Mapping[str, float]) -> bool:
    return True


MESSAGE = (
    r"policy 'Pick': the robot refused 100 candidates in a row, the last one with height = 0\.\d+\."
    r" Let the robot reach more, or start anew with narrower bounds .* "
    r"'Pick' by now, evaluate that skill \(ask --evaluate\)"
)


@pytest.mark.parametrize("parallel", [1, 4])
def test_a_session_stops_when_everything_is_refused(start: Start, db: Path, parallel: int) -> None:
    session = start(30, strategy=only("Pick"))
    robot = Choosy(nothing, parallel)
    message = MESSAGE if parallel == 1 else MESSAGE.replace("100", r"10\d")
    with pytest.raises(PartFailed, match=message):
        practise(session, robot)
    assert MOST_REFUSED <= len(session.trials()) < MOST_REFUSED + 6
    assert (session.state.spent, robot.moved, session.state.open_trials) == (0, 0, [])
    assert not session_chart(session).panels[0].series
    session.close()
    with open_session(db, "s", strategy=only("Pick")) as again:
        with pytest.raises(PartFailed, match=message):
            again.ask()
        with pytest.raises(PartFailed, match=message):
            practise(again, robot)
        assert MOST_REFUSED <= len(again.trials()) < MOST_REFUSED + 6
        evaluation = ask(again, evaluate="Pick")
        again.tell(evaluation.id, "refused")
        with pytest.raises(PartFailed, match=message):
            again.ask()
        again.tell(ask(again, evaluate="Pick").id, "success")
        practise(again, Choosy())  # the robot reaches more by now
        assert again.state.spent == 30


@pytest.mark.parametrize("outcome", ["success", "failure", "unreached"])
def test_an_episode_between_them_begins_a_new_row(start: Start, outcome: str) -> None:
    session = start(60, strategy=only("Box"))
    for _ in range(MOST_REFUSED - 1):
        session.tell(ask(session).id, "refused")
    session.tell(ask(session).id, outcome, "Pick" if outcome == "unreached" else None)
    for _ in range(MOST_REFUSED):
        session.tell(ask(session).id, "refused")
    with pytest.raises(PartFailed, match="policy 'Box': the robot refused 100 candidates"):
        session.ask()
    assert session.state.spent == 3


def test_an_aborted_trial_says_nothing_about_refusals(start: Start) -> None:
    session = start(60, strategy=only("Reach"))
    for _ in range(MOST_REFUSED - 1):
        session.tell(ask(session).id, "refused")
    session.tell(ask(session).id, "aborted")
    session.tell(ask(session).id, "refused")
    with pytest.raises(PartFailed, match="in a row, and it has no parameters to draw anew"):
        session.ask()


def test_an_open_trial_is_offered_though_too_many_others_were_refused(start: Start) -> None:
    session = start(60, strategy=only("Pick"))
    held = ask(session, asker="slow")
    for _ in range(MOST_REFUSED):
        session.tell(ask(session).id, "refused")
    with pytest.raises(PartFailed, match="refused 100"):
        session.ask()
    assert ask(session, asker="slow") == held
    session.tell(held.id, "success")
    assert ask(session).id == MOST_REFUSED + 2


@pytest.mark.parametrize("make", [CurveRobot, RegionRobot])
def test_synthetic_robots_refuse_nothing(start: Start, make: Callable[[Task], Any]) -> None:
    session = start(60)
    practise(session, make(session.task))
    assert {r.result.outcome for r in session.trials() if r.result} <= {
        "success",
        "failure",
        "unreached",
    }
