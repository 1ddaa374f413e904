"""Warnings of a budget that would be lost on the way, and of one that was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from asking import ask, only
from coffee import coffee

from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.approaches.losses import arriving, expected_losses, seen_losses
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill


def _chain(*competences: float) -> Task:
    """Skills one after the other, each with an absorbing failure; only the last is practised."""
    *before, last = competences
    skills = [
        Skill(f"Go{i}", {"at": f"p{i}"}, {"at": f"p{i + 1}"}, competence)
        for i, competence in enumerate(before)
    ]
    end, curve = len(before), PiecewiseLinear(rate=0.02)
    skills.append(Skill("Last", {"at": f"p{end}"}, {"at": "end"}, last, curve=curve))
    places = [*(f"p{i}" for i in range(end + 1)), "end"]
    return Task("chain", {"at": places}, [Goal("end", 1.0, {"at": "end"})], skills)


def test_the_share_is_that_of_the_way() -> None:
    found = arriving(Curriculum(_chain(0.5, 0.4, 0.1), free=False), {"Last": 10})
    assert found is not None
    assert found.share == pytest.approx(0.2)
    assert found.reach == pytest.approx(0.2)
    assert (found.worst, found.weakest) == ("Last", None)
    assert arriving(Curriculum(_chain(0.5, 0.1), free=False), {}) is None


def test_what_is_practised_on_the_way_counts_first() -> None:
    task = _chain(0.5, 0.1)
    first, last = task.skills
    task = replace(task, skills=[replace(first, curve=PiecewiseLinear(rate=0.05)), last])
    found = arriving(Curriculum(task, free=False), {"Go0": 6, "Last": 10})
    assert found is not None
    assert found.reach == pytest.approx(0.8)
    assert found.share == pytest.approx((6 + 8) / 16)
    assert found.weakest == "Go0"


def test_a_budget_that_is_mostly_lost_is_warned_of() -> None:
    (sentence,) = expected_losses(ground(_chain(0.5, 0.4, 0.1)), _chain(0.5, 0.4, 0.1), 30)
    assert "about 20 % of a budget of 30" in sentence
    assert "'Last' is reached in 20 % of its episodes" in sentence
    assert "--approach free" in sentence
    assert not expected_losses(ground(_chain(0.9, 0.1)), _chain(0.9, 0.1), 30)
    assert not expected_losses(ground(coffee()), coffee(), 60)  # retries and refills help
    assert not expected_losses(ground(_chain(0.5, 0.4, 0.1)), _chain(0.5, 0.4, 0.1), 0)


def test_a_budget_that_was_mostly_lost_is_named(tmp_path: Path) -> None:
    with start_session(tmp_path / "j.db", "s", coffee(), 60, only("Serve")) as session:
        for number in range(8):
            trial = ask(session)
            if number % 4:
                session.tell(trial.id, "unreached", executed=[("Grasp", True), ("Pour", False)])
            else:
                session.tell(trial.id, "success")
            assert bool(seen_losses(session.state)) == (number >= 5)
        (sentence,) = seen_losses(session.state)
    assert "6 of 8 episodes did not arrive" in sentence
    assert "most often at 'Pour'" in sentence
    assert "practise 'Pour' first" in sentence
