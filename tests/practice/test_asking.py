"""What a trial tells the robot: how to get there, with which parameters, and after how much."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from asking import ask, only

from deliberate_practice.practice.robot import Approach
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.telling import TellError
from deliberate_practice.strategies.strategy import Decision

Start = Callable[..., Session]


def test_a_shared_policy_is_practised_where_it_is_reached_best(start: Start) -> None:
    session = start(strategy=only("Reach"))
    trial = ask(session)
    assert (trial.skill, trial.approach.skills) == ("Lift", ("Pick",))
    assert session.trials()[0].policy == "Reach"
    assert session.trials()[0].counted


def test_free_approach_puts_the_robot_there(start: Start) -> None:
    session = start(strategy=only("Box"), approach="free")
    trial = ask(session)
    assert trial.approach == Approach()
    assert trial.steps == (trial.attempt,)
    with pytest.raises(TellError, match="no approach"):
        session.tell(trial.id, "unreached", "Pick")


def test_the_approach_carries_deployed_parameters(start: Start) -> None:
    trial = ask(start(strategy=only("Box")))
    pick, lift = trial.approach.route
    assert (pick.skill, lift.skill) == ("Pick", "Lift")
    assert pick.parameters == pytest.approx({"height": 0.1})
    assert lift.parameters == {}


def test_steps_say_how_often_their_policies_were_practised(start: Start) -> None:
    """Attempts that reached the precondition count; those of a shared policy for all its skills."""
    order = iter(["Reach"] * 2 + ["Pick"] * 3 + ["Box"] * 9)
    session = start(90, strategy=lambda _: Decision(next(order), 1))
    for outcome in ("success", "failure", "success", "failure", "failure"):
        trial = ask(session)
        counts = session.state.attempts
        assert [step.practised for step in trial.approach.route] == [
            counts[session.task.skill(name).policy] for name in trial.approach.skills
        ]
        assert trial.attempt.practised == counts[session.trials()[-1].policy]
        session.tell(trial.id, outcome)
    assert session.state.attempts == {"Pick": 3, "Reach": 2, "Box": 0}
    box = ask(session)
    assert [(step.skill, step.practised) for step in box.steps] == [
        ("Pick", 3),
        ("Lift", 2),
        ("Box", 0),
    ]
    session.tell(box.id, "unreached", "Lift")
    assert ask(session).attempt.practised == 0  # it was not attempted
    evaluated = ask(session, evaluate="Shelve", asker="judge")
    assert [(step.skill, step.practised) for step in evaluated.steps] == [
        ("Pick", 3),
        ("Shelve", 2),
    ]
