"""Quotes: what they promise, checked by rehearsals of their own."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import pytest
from counts import FULL

import deliberate_practice as dp
from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.foundation.errors import ArgumentError, EngineError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.replay import State
from deliberate_practice.study.quoting.page import quote_page
from deliberate_practice.study.quoting.quote import _in_coarse_units, quote
from deliberate_practice.study.quoting.result import Quote, quote_of
from deliberate_practice.study.quoting.search import Search
from deliberate_practice.study.rehearsal import possible_curves, possible_world, rehearse
from deliberate_practice.task.curves import Exponential
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


SKILL = dp.Skill(
    "Open",
    {"door": "closed"},
    {"door": "open"},
    competence=0.2,
    curve=Exponential(rate=0.2),
    learner="external",
    demonstration={"per_round": 4},
)
"""A skill that is trained elsewhere."""


def one_skill(skill: dp.Skill) -> Task:
    """The door's task with another skill."""
    return replace(door(""), skills=[skill])


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


def test_an_answer_for_the_worlds_within_reach(tea: Task) -> None:
    boil, pour = tea.skills
    doubtful = replace(tea, skills=[replace(boil, competence=0.05), pour], priors="unknown")
    found = quote(doubtful, 1.2, approach="free", worlds=40, workers=1)
    assert found.sure is None
    assert found.if_reachable
    assert found.reachable.value < 0.9 <= found.if_reachable.chance.value
    assert found.savings
    belief, reached, within = BayesBelief.prior(doubtful), 0, 0
    for seed in range(500, 540):
        curves = possible_curves(2000, seed, belief)
        most = dp.allocate(doubtful, 2000, curves={n: c.tolist() for n, c in curves.items()})
        world = possible_world(doubtful, 2000, seed, belief)
        done = rehearse(world, found.if_reachable.budget, approach="free", seed=seed)
        if most.value < 1.2:  # not even with all that can be learned
            assert done.earnings.reward < 1.2
        else:
            within += 1
            reached += done.earnings.reward >= 1.2
    assert within / 40 == pytest.approx(found.reachable.value, abs=0.15)
    assert reached / within >= 0.8


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


@pytest.mark.parametrize("part", [0.98, 1.02])
def test_a_target_near_what_the_robot_has_is_within_reach_of_practice(
    tea: Task, part: float
) -> None:
    unsure = replace(tea, priors="unknown")
    near = part * dp.allocate(unsure, 0).value
    found = quote(unsure, near, approach="free", worlds=40, workers=1)
    belief, learnable = BayesBelief.prior(unsure), 0
    for seed in range(40):
        curves = possible_curves(2000, seed, belief)
        most = dp.allocate(unsure, 2000, curves={n: c.tolist() for n, c in curves.items()})
        learnable += most.value >= near
    assert found.reachable.value == learnable / 40


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


def test_a_search_that_takes_longer_than_guessed_is_not_always_about_to_end() -> None:
    told: list[tuple[int, int]] = []
    rehearsal = rehearse(load_task("breakfast"), 1, approach="free", seed=0)
    search = Search(
        lambda budget, number: rehearsal, 1.0, "value", [True] * 20, 0, None,
        lambda done, whole: told.append((done, whole)), count=1000,
    )  # fmt: skip
    search.try_worlds(5)
    assert told[0] == (1001, 1251)


def test_a_process_that_is_killed_ends_a_quote_with_advice(tea: Task) -> None:
    def kill(*_: object) -> None:
        os.kill(min(child.pid or 0 for child in active_children()), signal.SIGKILL)

    with pytest.raises(EngineError, match="workers: a process ended in the middle of a rehearsal"):
        quote(tea, 1.2, approach="free", worlds=40, workers=2, progress=kill)


def test_earlier_sessions_with_fast_skills_lower_the_answer(tmp_path: Path) -> None:
    stated = parse_task(TEA)
    boil, pour = stated.skills
    fast = replace(stated, skills=[replace(boil, truth=Exponential(rate=0.5, ceiling=0.95)), pour])
    journal = tmp_path / "lab.db"
    for seed in range(2):
        dp.run(fast, "curves", 30, approach="free", seed=seed, journal=journal, name=f"{seed}")
    told = stated.with_experience(dp.learn_priors(journal))
    plain, better = (
        quote(task, 0.8, confidence=0.5, approach="free", worlds=20, workers=1)
        for task in (stated, told)
    )
    assert plain.half
    assert better.half
    assert better.half.budget < 0.8 * plain.half.budget


def test_a_training_run_takes_its_own_time() -> None:
    timed = replace(SKILL, seconds={"episode": 600, "training": 660})
    task, unit = _in_coarse_units(one_skill(timed))
    assert unit == 60
    assert task.policies["Open"].cost * unit == 600
    assert task.policies["Open"].training_cost * unit == 660


def test_training_runs_are_no_episodes() -> None:
    task, seen = one_skill(replace(SKILL, training={"cost": 3})), list[State]()
    rehearsed = rehearse(task, 60, approach="free", look=lambda state, _: seen.append(state))
    assert seen[-1].episodes("training")["Open"] > 1
    counted = (seen[-1].episodes(kind).get("Open", 0) for kind in ("practice", "test"))
    assert rehearsed.episodes == {"Open": sum(counted)}


def test_switches_are_those_that_were_paid_for() -> None:
    """A probe executes skills, but it turns to none of them."""
    text = TEA.replace("competence = 0.2", "competence = 0.2\nswitch = 2").replace(
        "competence = 0.9", 'competence = 0.3\nswitch = 2\ncurve = { kind = "linear", rate = 0.05 }'
    )
    seen, strategy = list[State](), "deliberate:probes=auto"
    rehearsed = rehearse(
        parse_task(text),
        60,
        strategy=strategy,
        approach="free",
        look=lambda state, _: seen.append(state),
    )
    records = seen[-1].records.values()
    assert any(record.kind == "probe" for record in records)
    paid = sum(record.cost > 1 for record in records if record.kind == "practice")
    assert sum(rehearsed.switches.values()) == paid
