"""The task of Kitchen: three goals that share a policy, and the variant of physical failures."""

from __future__ import annotations

import pytest

from deliberate_practice.domains.kitchen.task import SKILLS, STARTS, kitchen
from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import DOMAINS, load_task
from deliberate_practice.task.model import allowed_values


def test_one_skill_changes_each_variable() -> None:
    task = kitchen()
    assert sorted(SKILLS.values()) == sorted(task.variables)
    for skill in task.skills:
        assert list(skill.effect) == [SKILLS[skill.name]]


def test_both_burners_share_one_policy() -> None:
    policies = kitchen().policies
    assert len(policies) == 6
    assert kitchen().skill("Turn(top)").policy == kitchen().skill("Turn(bottom)").policy == "Turn"


def test_nothing_follows_an_open_hinge() -> None:
    """Its door hangs in front of the knobs, so the feast ends with it."""
    for skill in kitchen().skills:
        assert allowed_values(skill.precondition["hinge"]) == ("closed",)


def test_what_goals_are_worth() -> None:
    rewards = {goal.name: goal.reward for goal in kitchen().goals}
    assert rewards == {"light": 1.0, "tea": 2.0, "feast": 4.0}


def test_physical_failures_may_stay_and_begin_in_several_states() -> None:
    task = load_task("kitchen:failures=physical")
    assert len(task.start_states) == len(STARTS)
    assert sum(start.probability for start in task.start_states) == pytest.approx(1.0)
    for skill in task.skills:
        assert {option.effect for option in skill.failure_effects} == {"stay", "end"}
    DOMAINS["kitchen"].check(task)
    assert ground(task).start.max() < 1.0
    with pytest.raises(DeliberatePracticeError, match="end, physical"):
        kitchen(failures="never")
