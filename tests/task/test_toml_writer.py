from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from counts import examples
from hypothesis import given, settings, strategies as st
from random_tasks import random_task

from deliberate_practice.domains.cleanup import cleanup
from deliberate_practice.foundation.checks import LARGEST_REWARD
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.task.curves import Exponential
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Parameter, Skill
from deliberate_practice.task.toml_reader import parse_task, read_task
from deliberate_practice.task.toml_writer import task_to_toml, write_task


def assert_same(a: Task, b: Task) -> None:
    """The same in meaning: lists may have become tuples."""
    assert (a.name, a.discount, a.priors) == (b.name, b.discount, b.priors)
    assert [(k, list(v)) for k, v in a.variables.items()] == [
        (k, list(v)) for k, v in b.variables.items()
    ]
    assert list(a.goals) == list(b.goals)
    assert list(a.skills) == list(b.skills)
    assert list(a.starts) == list(b.starts)
    assert list(a.policies.items()) == list(b.policies.items())


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_reading_what_was_written_gives_the_same_task(seed: int, product_form: bool) -> None:
    task = random_task(np.random.default_rng(seed), product_form=product_form)
    assert_same(parse_task(task_to_toml(task)), task)


NAMES = st.text(min_size=1).filter(lambda text: text.strip() and text.isprintable())
NUMBERS = st.floats(-LARGEST_REWARD, LARGEST_REWARD)


@settings(deadline=None)
@given(
    st.lists(NAMES, min_size=4, max_size=4, unique=True),
    st.text(),
    NUMBERS.map(abs),
    NUMBERS,
    st.floats(0, 1),
)
def test_any_string_and_any_number_survives(
    names: list[str], unit: str, reward: float, step_reward: float, competence: float
) -> None:
    variable, first, second, name = names
    skill = Skill(
        name,
        {variable: [first, second]},
        {variable: second},
        competence=np.float64(competence),
        step_reward=step_reward,
        curve=Exponential(rate=reward),
        termination={"seconds": 1e-300, "force": 1e300},
        parameters=[Parameter(name, np.float64(0.1), 1, 0, 1e22, unit)],
    )
    goals = [Goal(second, reward, {variable: second})]
    task = Task(name, {variable: (first, second)}, goals, [skill])
    assert_same(parse_task(task_to_toml(task)), task)


def test_the_text_is_as_a_person_would_write_it(tmp_path: Path) -> None:
    path = tmp_path / "cleanup.toml"
    write_task(cleanup(), path)
    assert_same(read_task(path), cleanup())
    text = path.read_text(encoding="utf-8")
    assert text.startswith('name = "cleanup"\ndiscount = 0.99\n\n[variables]\ntop = ["open", "cl')
    assert (
        """[[skills]]
name = "Place(object,middle)"
precondition = { object = "hand", middle = "open", top = "closed" }
effect = { object = "middle" }
competence = 0.1
curve = { kind = "piecewise-linear", rate = 0.018 }
"""
        in text
    )


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"no/task\.toml: .* cannot be written .* another path"):
        write_task(cleanup(), tmp_path / "no" / "task.toml")
