"""Quotes: what they promise, checked by rehearsals of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from counts import FULL

import deliberate_practice as dp
from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.quoting.page import quote_page
from deliberate_practice.study.quoting.quote import quote
from deliberate_practice.study.quoting.result import Quote, quote_of
from deliberate_practice.study.rehearsal import possible_world, rehearse
from deliberate_practice.task.model import Task
from deliberate_practice.task.seconds import with_seconds
from deliberate_practice.task.toml_reader import parse_task

TEA = """
name = "tea"
discount = 0.99
variables = { kettle = ["cold", "hot"], cup = ["empty", "tea"] }
goals = [{ name = "tea", reward = 2.0, when = { cup = "tea" } }]

[[skills]]
name = "Boil"
precondition = { kettle = "cold" }
effect = { kettle = "hot" }
competence = 0.2
curve = { kind = "exponential", rate = 0.1, ceiling = 0.95 }

[[skills]]
name = "Pour"
precondition = { kettle = "hot" }
effect = { cup = "tea" }
competence = 0.9
"""

DOOR = """
name = "door"
discount = 1.0
variables = { door = ["closed", "open"] }
goals = [{ name = "open", reward = 1.0, when = { door = "open" } }]

[[skills]]
name = "Open"
precondition = { door = "closed" }
effect = { door = "open" }
competence = 0.2
"""


def door(text: str) -> Task:
    """A task with one skill, which states what else is given."""
    return replace(parse_task(DOOR + text), priors="accurate")


@pytest.fixture(scope="module")
def tea() -> Task:
    return replace(parse_task(TEA), priors="accurate")


@pytest.fixture(scope="module")
def quoted(tea: Task) -> Quote:
    return quote(tea, 1.2, approach="free", worlds=40, workers=1)


def test_the_promise_holds_in_other_worlds(tea: Task, quoted: Quote) -> None:
    assert quoted.half
    assert quoted.sure
    assert quoted.half.budget <= quoted.sure.budget
    belief, worlds = BayesBelief.prior(tea), 60
    reached = 0
    for seed in range(10_000, 10_000 + worlds):
        world = possible_world(tea, quoted.sure.budget, seed, belief)
        done = rehearse(world, quoted.sure.budget, approach="free", seed=seed)
        reached += done.earnings.reward >= 1.2
    assert reached / worlds > 0.9 - 3 * np.sqrt(0.09 / worlds) - 0.04  # both sides are samples


def test_the_same_quote_again_and_through_json(tea: Task, quoted: Quote) -> None:
    again = quote(tea, 1.2, approach="free", worlds=40, workers=1)
    assert again == quoted
    assert quote_of(quoted.as_data()) == quoted


def test_a_higher_target_or_confidence_takes_no_less(tea: Task, quoted: Quote) -> None:
    assert quoted.sure
    higher = quote(tea, 1.4, approach="free", worlds=40, workers=1)
    assert higher.sure is None or higher.sure.budget >= quoted.sure.budget


def test_success_rates_and_values_agree(tea: Task) -> None:
    undiscounted = replace(tea, discount=1.0)
    value = quote(undiscounted, 1.2, approach="free", worlds=20, workers=1)
    success = quote(undiscounted, 0.6, measure="success", approach="free", worlds=20, workers=1)
    assert value.sure
    assert success.sure
    assert (value.sure.budget, success.goal) == (success.sure.budget, "tea")


def test_a_success_rate_is_not_discounted() -> None:
    discounted = replace(
        door('curve = { kind = "piecewise-linear", rate = 0.05, ceiling = 0.95 }'), discount=0.5
    )
    found = quote(discounted, 0.9, measure="success", approach="free", worlds=20, workers=1)
    assert found.half
    with pytest.raises(ArgumentError, match=r"more than the stated curves reach .* \(0\.95\)"):
        quote(discounted, 0.96, measure="success", worlds=20, workers=1)


def test_times_are_budgets_in_seconds_and_resets_can_be_saved(tea: Task, quoted: Quote) -> None:
    timed = quote(
        with_seconds(tea, episode=40.0, reset=20.0, switch=None),
        1.2,
        approach="free",
        worlds=40,
        workers=1,
    )
    assert quoted.sure
    assert timed.sure
    assert timed.sure.budget == 60 * quoted.sure.budget
    assert timed.sure.hours == pytest.approx(quoted.sure.budget / 60)
    saving = next(one for one in timed.savings if "resets" in one.what)
    assert saving.hours is not None
    assert timed.sure.hours is not None
    assert saving.hours == pytest.approx(timed.sure.hours * 5 / 6, rel=0.02)


def test_a_target_out_of_reach_is_refused(tea: Task) -> None:
    with pytest.raises(ArgumentError, match="more than the stated curves reach"):
        quote(tea, 1.9, worlds=20, workers=1)
    with pytest.raises(ArgumentError, match="confidence"):
        quote(tea, 1.0, confidence=1.5, worlds=20, workers=1)
    with pytest.raises(ArgumentError, match="goal: 'te'"):
        quote(tea, 0.5, measure="success", goal="te", worlds=20, workers=1)


@pytest.mark.parametrize(
    "text",
    [
        'cost = 300\ncurve = { kind = "piecewise-linear", rate = 0.05 }',
        f'cost = 20\ncurve = {{ kind = "table", values = {[0.2] * 15 + [0.9]} }}',
    ],
)
def test_dear_episodes_and_late_curves_are_within_reach(text: str) -> None:
    found = quote(door(text), 0.6, worlds=20, workers=1)
    assert found.half
    assert found.half.budget > 15


def test_a_target_that_is_met_on_paper_may_take_practice() -> None:
    dear = door('cost = 300\ncurve = { kind = "piecewise-linear", rate = 0.05 }')
    found = quote(replace(dear, priors="unknown"), 0.15, worlds=20, workers=1)
    assert found.half
    assert found.half.budget == 0
    assert found.largest >= 10 * 300


def test_a_budget_that_nobody_can_rehearse_is_refused() -> None:
    dear = door('cost = 300_000\ncurve = { kind = "piecewise-linear", rate = 0.05 }')
    with pytest.raises(ArgumentError, match="takes more than 1,000,000 budget units"):
        quote(dear, 0.6, worlds=20, workers=1)


def test_the_page_runs_and_loads_nothing(quoted: Quote) -> None:
    page = quote_page(replace(quoted, task="<script>alert(1)</script>"))
    assert "<script" not in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "Which skills take it?" in page


@pytest.mark.skipif(not FULL, reason="full counts only")
def test_two_processes_give_the_same_quote(tea: Task, quoted: Quote) -> None:
    assert quote(tea, 1.2, approach="free", worlds=40, workers=2) == quoted


def test_a_rehearsal_is_a_session() -> None:
    task = load_task("breakfast")
    rehearsed = rehearse(task, 30, approach="free", seed=3)
    done = dp.run(task, "curves", 30, approach="free", seed=3, journal=None)
    assert rehearsed.earnings.reward == done.reward_after
    assert rehearsed.spent == done.spent
