"""Composition gaps in task files, which the synthetic robot alone reads."""

from __future__ import annotations

import pytest

from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.task.model import Gap, Task
from deliberate_practice.task.toml_reader import parse_task
from deliberate_practice.task.toml_writer import task_to_toml

TOAST = """
name = "toast"
[variables]
bread = ["counter", "hand", "toaster"]
[[goals]]
name = "toast"
reward = 1
when = { bread = "toaster" }
[[skills]]
name = "Pick"
precondition = { bread = "counter" }
effect = { bread = "hand" }
competence = 0.9
[[skills]]
name = "Put"
precondition = { bread = "hand" }
effect = { bread = "toaster" }
competence = 0.8
"""


def with_gap(text: str) -> Task:
    return parse_task(f"{TOAST}[[gaps]]\n{text}\n")


def test_a_file_states_gaps_and_keeps_them() -> None:
    task = with_gap('before = "Pick"\npolicy = "Put"\nlost = 0.3')
    assert list(task.gaps) == [Gap("Pick", "Put", 0.3)]
    assert parse_task(task_to_toml(task)) == task
    assert parse_task(TOAST).gaps == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('before = "Pick"\npolicy = "Put"\nlost = 1.0', "1 is too large; give a part below 1"),
        ('before = "Pick"\npolicy = "Put"\nlost = -0.1', r"outside the valid range \[0, 1\]"),
        ('before = "Pick"\npolicy = "Put"\nlost = "much"', "lost"),
        ('before = "Pick"\npolicy = "Put"', "gap 1: the key 'lost' is missing"),
        ('before = "Pick"\npolicy = "Put"\nlost = 0.1\nseen = 3', "unknown key 'seen'"),
        ('before = "Pikc"\npolicy = "Put"\nlost = 0.1', "Did you mean 'Pick'"),
        ('before = 3\npolicy = "Put"\nlost = 0.1', "gap: before"),
        (
            'before = "Pick"\npolicy = "Put"\nlost = 0.1\n[[gaps]]\nbefore = "Pick"\n'
            'policy = "Put"\nlost = 0.2',
            "Pick, Put",
        ),
    ],
)
def test_gaps_that_make_no_sense_are_refused(text: str, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        with_gap(text)


def test_a_gap_in_python_has_the_right_type() -> None:
    with pytest.raises(TaskError, match="Gap"):
        Task("toast", {"bread": ["a", "b"]}, gaps=[("Pick", "Put", 0.3)])  # type: ignore[list-item]
