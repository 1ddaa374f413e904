"""Several tasks in one file: what is read, written and refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from counts import count
from random_tasks import random_tasks

import deliberate_practice as dp
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.task.model import Goal, ServedTask, Start, Task
from deliberate_practice.task.skill import Skill
from deliberate_practice.task.toml_reader import parse_task, read_task
from deliberate_practice.task.toml_writer import task_to_toml

EXAMPLE = Path(__file__).parents[2] / "examples" / "two_tasks.toml"

KITCHEN = """
name = "kitchen"
variables = { cup = ["shelf", "tray"], pan = ["stove", "sink"] }

[[tasks]]
name = "serve"
weight = 3
[[tasks.goals]]
name = "done"
reward = 1
when = { cup = "tray" }

[[tasks]]
name = "wash"
[[tasks.starts]]
probability = 1
state = { cup = "tray" }
[[tasks.goals]]
name = "done"
reward = 2
when = { pan = "sink" }

[[skills]]
name = "Carry"
precondition = { cup = "shelf" }
effect = { cup = "tray" }
competence = 0.5
[[skills]]
name = "Soak"
precondition = { pan = "stove" }
effect = { pan = "sink" }
competence = 0.5
"""


def test_the_tasks_are_read_with_their_own_starts_and_goals() -> None:
    task = parse_task(KITCHEN)
    assert task.tasks == (
        ServedTask("serve", (Goal("done", 1.0, {"cup": "tray"}),), (), 3.0),
        ServedTask(
            "wash", (Goal("done", 2.0, {"pan": "sink"}),), (Start(1, {"cup": "tray"}),), 1.0
        ),
    )
    assert (task.goals, task.starts) == ((), ())
    assert [(start.probability, start.state["cup"]) for start in task.start_states] == [
        (0.75, "shelf"),
        (0.25, "tray"),
    ]


def test_python_has_the_same_words() -> None:
    task = parse_task(KITCHEN)
    built = dp.Task(
        "kitchen",
        task.variables,
        skills=task.skills,
        tasks=[
            dp.ServedTask("serve", [dp.Goal("done", 1.0, {"cup": "tray"})], weight=3),
            dp.ServedTask(
                "wash", [dp.Goal("done", 2.0, {"pan": "sink"})], [dp.Start(1, {"cup": "tray"})]
            ),
        ],
    )
    assert built == task


def test_a_written_file_is_read_as_the_same_task_and_written_the_same() -> None:
    rng = np.random.default_rng(8)
    tasks = [random_tasks(rng, product_form=False) for _ in range(count(200))]
    for task in (parse_task(KITCHEN), read_task(EXAMPLE), *tasks):
        text = task_to_toml(task)
        again = parse_task(text)
        assert again == task
        assert task_to_toml(again) == text


MISTAKES = [
    # what to replace, by what, and what the message must contain: place, value, fix
    ("weight = 3", "weight = 0", ["task 'serve': weight", "0", "(0, 1e+09]"]),
    ("weight = 3", "weight = -1", ["task 'serve': weight", "-1"]),
    ("weight = 3", 'weight = "often"', ["task 'serve': weight", "'often'", "not a number"]),
    ("weight = 3", "wieght = 3", ["task 'serve'", "'wieght'", "Did you mean 'weight'?"]),
    ('name = "serve"\n', "", ["task 1", "the key 'name' is missing"]),
    ('name = "serve"', 'name = ""', ["name of a task", "''"]),
    ('name = "wash"', 'name = "serve"', ["tasks", "'serve' occurs twice"]),
    (
        "[[tasks.goals]]",
        "[[tasks.goal]]",
        ["task 'serve'", "unknown key 'goal'", "Did you mean 'goals'?"],
    ),
    ("[[tasks.starts]]", "[[tasks.start]]", ["task 'wash'", "unknown key 'start'", "starts"]),
    ('{ cup = "tray" }\n\n', '{ cup = "desk" }\n\n', ["task 'serve': goal 'done': when", "'desk'"]),
    ("probability = 1", "probability = 0.5", ["task 'wash': starts", "must sum to 1"]),
    ('state = { cup = "tray" }', 'state = { mug = "tray" }', ["task 'wash': start 1", "'mug'"]),
    ("pan", "task", ["variables.task", "stands for the task", "another name"]),
    ("[[skills]]", "[[goals]]\n[[skills]]", ["goal 1", "the key 'name' is missing"]),
    (
        "[[skills]]",
        '[[goals]]\nname = "x"\nreward = 1\nwhen = { cup = "tray" }\n[[skills]]',
        ["goals", "beside [[tasks]]", "[[tasks.goals]]"],
    ),
    (
        "[[skills]]",
        '[[starts]]\nprobability = 1\nstate = { cup = "tray" }\n[[skills]]',
        ["starts", "beside [[tasks]]", "[[tasks.starts]]"],
    ),
]


@pytest.mark.parametrize(("before", "after", "expected"), MISTAKES)
def test_a_mistake_is_named_with_its_place_and_fix(
    before: str, after: str, expected: list[str]
) -> None:
    text = KITCHEN.replace(before, after, -1 if before == "pan" else 1)
    assert text != KITCHEN
    with pytest.raises(TaskError) as refused:
        parse_task(text)
    for words in expected:
        assert words in str(refused.value)


def test_goals_of_a_task_must_be_tables() -> None:
    head, tail = KITCHEN.split("[[tasks.goals]]", 1)
    _, tail = tail.split("[[tasks]]", 1)
    with pytest.raises(TaskError, match=r"task 'serve'.*goals.*\[\[tasks.goals\]\]"):
        parse_task(f'{head}goals = "tray"\n[[tasks]]{tail}')


def test_no_task_at_all_is_refused() -> None:
    skill = Skill("Carry", {"cup": "shelf"}, {"cup": "tray"}, 0.5)
    with pytest.raises(TaskError, match="there is no goal"):
        Task("kitchen", {"cup": ["shelf", "tray"]}, skills=[skill])
    with pytest.raises(TaskError, match="task 'serve': goals: there is no goal"):
        Task("kitchen", {"cup": ["shelf", "tray"]}, skills=[skill], tasks=[ServedTask("serve", [])])
