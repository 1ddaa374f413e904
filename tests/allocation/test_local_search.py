from __future__ import annotations

import time
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from counts import examples
from hypothesis import given, settings, strategies as st
from random_tasks import random_task
from small_problems import all_splits

from deliberate_practice.allocation import local_search as local_search_module
from deliberate_practice.allocation.local_search import local_search
from deliberate_practice.allocation.occupancy import competence_gradient
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.domains.cleanup.task import cleanup
from deliberate_practice.mdp.value_bounds import value_bounds
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.curves import Curve, PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_it_is_nearly_always_the_best_of_all_splits(seed: int, product: bool) -> None:
    rng = np.random.default_rng(seed)
    problem = build_problem(random_task(rng, product_form=product), int(rng.integers(1, 6)))
    splits = all_splits(problem)
    if len(splits) > 300:
        return
    episodes = local_search(problem)
    best = max(problem.solve(b).value for b in splits)
    assert tuple(episodes) in splits
    assert problem.solve(episodes).value >= 0.9 * best


def test_a_budget_far_beyond_all_curves_is_trimmed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Episodes after the end of a curve are not removed one step after the other."""
    ends = {"One": "b", "Two": "c"}
    skills = [
        Skill(name, {"s": begin}, {"s": end}, competence=0.0, curve=PiecewiseLinear(0.05))
        for begin, (name, end) in zip("ab", ends.items(), strict=True)
    ]
    task = Task("far", {"s": ["a", "b", "c"]}, [Goal("g", 1.0, {"s": "c"})], skills)
    steps = Mock(wraps=value_bounds)
    monkeypatch.setattr(local_search_module, "value_bounds", steps)
    assert local_search(build_problem(task, 10**6)).tolist() == [20, 20]
    assert steps.call_count < 500


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_gradient_is_the_slope_of_the_value(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = build_problem(random_task(rng, product_form=False), 3)
    p = rng.uniform(0.2, 0.8, len(problem.tables))
    solution = solve(problem.ground, p)
    gradient = competence_gradient(problem.ground, p, solution)
    for u in range(len(p)):
        ends = []
        for step in (1e-6, -1e-6):
            moved = p.copy()
            moved[u] += step
            other = solve(problem.ground, moved)
            if not np.array_equal(other.actions, solution.actions):
                return  # a kink: another behaviour takes over here
            ends.append(other.value)
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(gradient[u], rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(
    ("objects", "budget", "value"),
    [(1, 100, 0.99**2), (1, 150, 2 * 0.99**3), (1, 250, 4 * 0.99**4), (4, 450, 2 * 0.99**9)],
)
def test_the_switches_of_cleanup(objects: int, budget: int, value: float) -> None:
    problem = build_problem(cleanup(objects), budget)
    episodes = local_search(problem)
    assert problem.solve(episodes).value == pytest.approx(value)
    assert episodes.dtype == np.int64


def test_budget_that_buys_nothing_is_not_spent() -> None:
    problem = build_problem(cleanup(1), 250)
    assert sorted(local_search(problem)) == [0] * 6 + [50] * 4


def test_a_rise_that_comes_late_is_found() -> None:
    late = Table([0.0, 0.0, 0.0, 0.0, 0.9])
    early = PiecewiseLinear(rate=0.05)
    problem = build_problem(_two_in_a_row(late, early), 6)
    assert local_search(problem).tolist() == [4, 2]


def test_the_same_answer_every_time() -> None:
    problem = build_problem(cleanup(2), 120)
    assert local_search(problem).tolist() == local_search(problem).tolist()


def test_the_search_ends_after_its_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, evaluated = build_problem(cleanup(2), 120), Mock(side_effect=Problem.solve)
    monkeypatch.setattr(local_search_module, "value_bounds", lambda *_: None)
    monkeypatch.setattr(
        Problem, "solve", lambda self, b, deadline=None, rule=None: evaluated(self, b, deadline)
    )
    count, value = {}, {}
    for evaluations in (20, 100, 1500):
        evaluated.reset_mock()
        split = local_search(problem, evaluations)
        assert problem.costs @ split <= 120
        count[evaluations], value[evaluations] = evaluated.call_count, problem.solve(split).value
    assert count[20] < 20 + 16 * 2  # those of taking back what buys nothing come on top
    assert count[100] - count[20] == 100 - 20
    assert count[100] < count[1500] < 1500  # then nothing better is near
    assert value[20] < value[100] <= value[1500]


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([10, 40, 1500]))
def test_bounds_in_place_of_values_change_no_answer(seed: int, evaluations: int) -> None:
    rng = np.random.default_rng(seed)
    task = replace(random_task(rng, product_form=False), discount=0.95)
    problem = build_problem(task, int(rng.integers(5, 40)))
    split = local_search(problem, evaluations).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_search_module, "value_bounds", lambda *_: None)
        assert local_search(problem, evaluations).tolist() == split


def test_bounds_take_the_place_of_most_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, evaluated = build_problem(cleanup(2), 120), Mock(side_effect=Problem.solve)
    monkeypatch.setattr(
        Problem, "solve", lambda self, b, deadline=None, rule=None: evaluated(self, b, deadline)
    )
    local_search(problem)
    bounded = evaluated.call_count
    monkeypatch.setattr(local_search_module, "value_bounds", lambda *_: None)
    evaluated.reset_mock()
    local_search(problem)
    assert bounded < evaluated.call_count / 2


def test_a_deadline_ends_the_search_with_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, evaluated = build_problem(cleanup(2), 120), Mock(side_effect=Problem.solve)
    monkeypatch.setattr(
        Problem, "solve", lambda self, b, deadline=None, rule=None: evaluated(self, b, deadline)
    )
    late = local_search(problem, deadline=time.monotonic() - 1)
    assert problem.costs @ late <= 120
    assert evaluated.call_count < 5


def test_a_given_start_is_improved_and_what_it_wastes_is_taken_back() -> None:
    problem = build_problem(cleanup(1), 250)
    episodes = local_search(problem, start=[60, 0, 0, 0, 0, 0, 70, 40, 0, 30])
    assert episodes.tolist() == [0, 0, 0, 0, 0, 0, 50, 50, 0, 0]


def test_fractions_of_episodes_beat_whole_ones() -> None:
    task = _two_in_a_row(PiecewiseLinear(rate=0.1), PiecewiseLinear(rate=0.1))
    whole, fraction = build_problem(task, 5), build_problem(task, 5, continuous=True)
    episodes = local_search(fraction)
    assert episodes.tolist() == pytest.approx([2.5, 2.5], abs=2 / 1024)
    assert fraction.solve(episodes).value > whole.solve(local_search(whole)).value


def test_nothing_to_practise() -> None:
    assert local_search(build_problem(cleanup(1), 0)).tolist() == [0] * 10


def _two_in_a_row(first: Curve, second: Curve) -> Task:
    """Two skills that must both succeed."""
    return Task(
        name="two in a row",
        variables={"at": ["start", "middle", "end"]},
        goals=[Goal("end", 1.0, {"at": "end"})],
        skills=[
            Skill(
                "first",
                {"at": "start"},
                {"at": "middle"},
                competence=None if isinstance(first, Table) else 0.1,
                curve=first,
            ),
            Skill("second", {"at": "middle"}, {"at": "end"}, competence=0.1, curve=second),
        ],
    )
