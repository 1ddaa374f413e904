"""Tasks built in Python: what is given in another form is refused with a word on what to give."""

from __future__ import annotations

from typing import Any

import pytest

from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Start, Task
from deliberate_practice.task.skill import Parameter, Skill

GOAL = Goal("there", 1.0, {"at": "b"})


def _skill(**other: Any) -> Skill:
    return Skill("go", {"at": "a"}, {"at": "b"}, 0.2, **other)


def _task(**other: Any) -> Task:
    parts = {"goals": [GOAL], "skills": [_skill()], **other}
    return Task("trip", {"at": ["a", "b"]}, **parts)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"goals": [{"name": "there"}]}, r"goals, number 1: .* is not a Goal; give e.g. Goal\("),
        ({"goals": GOAL}, r"goals: .* is not a list; give e.g. \[Goal\("),
        ({"goals": "there"}, r"goals: 'there' is not a list; give e.g. \[Goal\("),
        ({"goals": None}, "goals: None is not a list"),
        ({"skills": _skill()}, r"skills: .* is not a list; give e.g. \[Skill\("),
        ({"skills": ["go"]}, r"skills, number 1: 'go' is not a Skill; give e.g. Skill\("),
        ({"starts": {"at": "b"}}, r"starts: .* is not a list; give e.g. \[Start\("),
        ({"starts": [("a",)]}, r"starts, number 1: .* is not a Start"),
        ({"goals": []}, "goals: there is no goal"),
    ],
)
def test_a_task_says_what_its_parts_must_be(parts: dict[str, object], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        _task(**parts)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"curve": {"kind": "linear", "rate": 0.1}},
            r"'go': curve: .* not a Curve; .* PiecewiseLinear\(",
        ),
        ({"curve": 0.3}, r"'go': curve: 0.3 is not a Curve"),
        ({"truth": 0.3}, r"'go': truth: 0.3 is not a Curve"),
        ({"parameters": [{"name": "x"}]}, r"'go': parameters, number 1: .* not a Parameter"),
        ({"parameters": 5}, r"'go': parameters: 5 is not a list"),
    ],
)
def test_a_skill_says_what_its_parts_must_be(parts: dict[str, object], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        _skill(**parts)


def test_a_unit_is_a_word() -> None:
    with pytest.raises(TaskError, match="unit: 5 is not a str"):
        Parameter("x", 0.0, 1.0, -1.0, 1.0, unit=5)  # type: ignore[arg-type]  # what a user may do


def test_parts_may_come_in_any_iterable() -> None:
    goals = (goal for goal in [GOAL])
    starts = {"first": Start(1.0, {"at": "a"})}.values()
    skill = _skill(curve=PiecewiseLinear(rate=0.1), parameters=iter([]))
    task = _task(goals=goals, starts=starts, skills=iter([skill]))
    assert task.goals == (GOAL,)
    assert [skill.name for skill in task.skills] == ["go"]
    assert len(task.starts) == 1
