"""Broken task files: whatever is in them, there is an answer or one message of ours."""

from __future__ import annotations

import os
import tomllib
from typing import Any

import numpy as np
import pytest
from counts import count
from mutations import EXTREMES, dumped, mutated, within

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.choice import quick_solver
from deliberate_practice.allocation.product_form import product_form
from deliberate_practice.foundation.errors import DeliberatePracticeError, TaskError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.reachability import reachability
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import LONGEST_TABLE, Table
from deliberate_practice.task.toml_reader import parse_task
from deliberate_practice.task.toml_writer import task_to_toml

pytestmark = pytest.mark.skipif(os.name != "posix", reason="alarms")

GENERAL = """
name = "coffee"
discount = 0.9
variables = { cup = ["shelf", "tray", "full"], jug = ["cold", "hot", "spilled"] }
[[goals]]
name = "black"
reward = 1.0
when = { cup = "full" }
[[goals]]
name = "white"
reward = 3.0
when = { cup = ["full", "tray"], jug = "hot" }
[[starts]]
probability = 0.75
state = { cup = "shelf" }
[[starts]]
probability = 0.25
state = { cup = "tray", jug = "spilled" }
[[skills]]
name = "Place"
precondition = { cup = "shelf" }
effect = [{ probability = 0.5, effect = { cup = "tray" } }, { probability = 0.5, effect = "stay" }]
failure = "stay"
competence = 0.4
curve = { kind = "exponential", rate = 0.08, ceiling = 0.95 }
cost = 2
termination = { seconds = 8, force = 40 }
[[skills.parameters]]
name = "angle"
unit = "rad"
mean = 0.6
sd = 0.2
low = 0.0
high = 1.2
[[skills]]
name = "Brew"
precondition = { cup = "tray" }
effect = { cup = "full" }
step_reward = -0.1
curve = { kind = "table", values = [0.1, 0.3, 0.45] }
truth = { kind = "linear", rate = 0.1, competence = 0.05 }
[[skills]]
name = "Steam"
precondition = { jug = ["cold", "spilled"] }
effect = { jug = "hot" }
failure = { jug = "spilled" }
policy = "Milk"
competence = 0.2
curve = { kind = "linear", rate = 0.03 }
"""
DOCUMENTS: list[dict[str, Any]] = [
    tomllib.loads(GENERAL),
    *(tomllib.loads(task_to_toml(load_task(n))) for n in ("breakfast", "counterexample")),
]


def message(text: str) -> str | None:
    """Read, check and allocate; None if there was an answer, else the message."""
    try:
        task = parse_task(text, "broken.toml")
        reachability(task)
        grounded = ground(task, 2000)
        allocate(grounded, 6, solver=quick_solver(product_form(grounded)), time_limit=5.0)
    except DeliberatePracticeError as error:
        return str(error)
    return None


def test_every_mistake_is_an_answer_or_one_message() -> None:
    rng = np.random.default_rng(20)
    answers = 0
    documents = count(3000)
    for number in range(documents):
        text = mutated(DOCUMENTS[number % len(DOCUMENTS)], rng)
        try:
            with within(10):
                said = message(text)
        except Exception as error:
            raise AssertionError(f"document {number}: {error!r}\n{text[:3000]}") from error
        assert said is None or 10 < len(said) < 3000
        answers += said is None
    assert answers > documents / 15  # not all of them are mistakes


NUMBERS = [value for value in EXTREMES if isinstance(value, int | float)]


@pytest.mark.parametrize("kind", ["linear", "exponential"])
@pytest.mark.parametrize("key", ["rate", "ceiling", "competence"])
def test_every_curve_at_the_ends_of_all_numbers(kind: str, key: str) -> None:
    for value in (*NUMBERS, 0.1, 1e-300, 1e300, 2**1000, 10**400):
        document: dict[str, Any] = {
            "name": "rate",
            "variables": {"s": ["a", "b"]},
            "goals": [{"name": "g", "reward": 1.0, "when": {"s": "b"}}],
            "skills": [
                {
                    "name": "Go",
                    "precondition": {"s": "a"},
                    "effect": {"s": "b"},
                    "competence": 0.1,
                    "curve": {"kind": kind, "rate": 0.05, "ceiling": 0.9},
                }
            ],
        }
        (skill,) = document["skills"]
        (skill if key == "competence" else skill["curve"])[key] = value
        text = dumped(document)
        try:
            task = parse_task(text)
        except DeliberatePracticeError:
            continue
        for budget in (0, 3, 200):
            with within(10):
                found = allocate(task, budget)
            assert 0 <= found.value <= 1
            assert all(0 <= p <= 1 for p in found.competence.values())


def test_a_table_that_is_too_long() -> None:
    values = np.linspace(0, 1, LONGEST_TABLE + 1).tolist()
    with pytest.raises(TaskError, match="100,001 entries are too many; give at most 100,000"):
        Table(values)
    assert len(Table(values[1:]).values) == LONGEST_TABLE
