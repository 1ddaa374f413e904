"""The answers for the paper's tasks, and arguments that make no sense."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.bilinear.program import build_program
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.problem import build_problem
from deliberate_practice.allocation.sensitivity import sensitivity
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill


def test_counterexample_as_in_the_paper() -> None:
    task = load_task("counterexample")
    assert allocate(task, 0).value == pytest.approx(0.1, abs=1e-12)
    found = allocate(task, 20)
    assert found.value == 4
    assert 4 < found.bound < 4 * (1 + 1e-10)  # rounded up
    assert found.allocation == {"pi2": 9, "pi3": 9}
    assert found.spent == 18


@pytest.mark.parametrize(
    ("practised", "plan_value", "task_value"),
    [("pi1", 0.2, 0.2), ("pi2", 0.08, 0.1), ("pi3", 0.08, 0.1)],
)
def test_one_episode_in_the_counterexample(
    practised: str, plan_value: float, task_value: float
) -> None:
    """The paper writes 0.08 for the task; that is the value of the plan, the task is worth 0.1."""
    problem = build_problem(load_task("counterexample"), 1)
    names = [policy.name for policy in problem.policies]
    p = dict(zip(names, problem.competence([name == practised for name in names]), strict=True))
    plan = p["pi1"] * 1.0 if practised == "pi1" else p["pi2"] * p["pi3"] * 4.0
    assert plan == pytest.approx(plan_value, abs=1e-12)
    assert problem.solve([name == practised for name in names]).value == pytest.approx(
        task_value, abs=1e-12
    )


@pytest.mark.parametrize(
    ("name", "budget", "goal", "length"),
    [
        ("cleanup", 100, "top", 2),
        ("cleanup", 150, "middle", 3),
        ("cleanup", 250, "bottom", 4),
        ("breakfast", 30, "toast", 3),
        ("breakfast", 60, "oatmeal", 4),
        ("cleanup-multi", 400, "top", 8),
        ("cleanup-multi", 450, "middle", 9),
        ("cleanup-multi", 500, "bottom", 10),
    ],
)
def test_budget_decides_the_plan(name: str, budget: int, goal: str, length: int) -> None:
    found = allocate(load_task(name), budget)
    assert (found.goal, len(found.plan)) == (goal, length)
    assert found.value < found.bound < found.value * (1 + 1e-9)  # rounded up
    assert found.status == "optimal"


@pytest.mark.parametrize("gap", [0, 1e-13, Fraction(1, 10), 1e6])
def test_any_gap_may_be_asked_for(gap: float) -> None:
    found = allocate(load_task("breakfast"), 60, gap=gap)
    assert (found.status, found.notes) == ("optimal", ())


def test_ten_objects_have_78_million_states() -> None:
    task = load_task("cleanup-multi", objects=10)
    found = allocate(task, 1100)
    assert found.states.total == 78_125_001
    assert found.status == "optimal"
    assert found.goal == "bottom"
    assert found.allocation == dict.fromkeys(found.allocation, 50)


def test_beliefs_may_give_the_curves() -> None:
    task = load_task("breakfast")
    hopeless = {"CloseMicrowave": [0.0]}
    assert allocate(task, 60, curves=hopeless).goal == "toast"
    quick = {"OpenMicrowave": [0.1, 0.9], "CloseMicrowave": [0.1, 0.2, 0.95]}
    found = allocate(task, 3, curves=quick)
    assert found.allocation == {"OpenMicrowave": 1, "CloseMicrowave": 2}


def test_start_in_a_goal_needs_no_practice() -> None:
    go = Skill("go", {"at": "a"}, {"at": "b"}, 0.5)
    task = Task("there", {"at": ["a", "b"]}, [Goal("here", 2.0, {"at": "a"})], [go])
    found = allocate(task, 5)
    assert (found.value, found.plan, found.spent) == (2.0, (), 0)


def test_worthless_for_ever() -> None:
    go = Skill("go", {"at": "a"}, {"at": "b"}, 0.0, curve=PiecewiseLinear(0.0))
    task = Task("never", {"at": ["a", "b"]}, [Goal("b", 2.0, {"at": "b"})], [go])
    found = allocate(task, 5)
    assert (found.value, found.bound, found.gap, found.plan) == (0.0, 0.0, 0.0, ())


def test_values_too_small_for_a_float_are_no_trouble() -> None:
    length = 400
    skills = [
        Skill(f"go{i}", {"at": f"r{i}"}, {"at": f"r{i + 1}"}, 0.1, curve=PiecewiseLinear(0.001))
        for i in range(length)
    ]
    rooms = [f"r{i}" for i in range(length + 1)]
    task = Task("far", {"at": rooms}, [Goal("end", 1.0, {"at": rooms[-1]})], skills)
    assert allocate(task, 3).value == 0


def test_milliseconds() -> None:
    """No benchmark, only a guard against a change that makes it a hundred times slower."""
    grounded = ground(load_task("cleanup-multi"))
    begun = time.process_time()
    allocate(grounded, 450)
    assert time.process_time() - begun < 5


def test_the_value_is_that_of_the_mdp() -> None:
    task = load_task("breakfast")
    grounded = ground(task)
    found = allocate(grounded, 40)
    after = [found.competence.get(name, p.competence) for name, p in task.policies.items()]
    import numpy as np

    assert solve(grounded, np.array(after)).value == pytest.approx(found.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budget": -1}, "budget: -1"),
        ({"budget": 2.5}, r"budget: 2\.5"),
        ({"budget": True}, "budget: True"),
        ({"solver": "cplex"}, "'cplex' is not one of: auto, plans"),
        ({"gap": -0.1}, r"gap: -0\.1"),
        ({"gap": float("nan")}, "gap: nan"),
        ({"gap": "x"}, "gap: 'x'"),
        ({"time_limit": 0}, "time_limit: 0"),
        ({"gap": 10**400}, "gap: a number of about 401 digits"),
        ({"max_states": -5}, "max_states: -5"),
        ({"time_limit": "x"}, "time_limit: 'x'"),
        ({"max_states": "x"}, "max_states: 'x'"),
        ({"curves": ["OpenMicrowave"]}, "not a mapping"),
        ({"curves": {"OpenMicrowave": "abc"}}, "nondecreasing"),
        ({"curves": {"OpenMicrowave": [[0.1], [0.1, 0.2]]}}, "nondecreasing"),
        ({"curves": {"Fly": [0.1]}}, "curves: policy: 'Fly' is not one of"),
        ({"curves": {"OpenMicrowave": [0.5, 0.4]}}, "nondecreasing"),
        ({"curves": {"OpenMicrowave": []}}, "nondecreasing"),
        ({"curves": {"OpenMicrowave": [0.5]}, "continuous": True}, "leave out one"),
    ],
)
def test_refuses_arguments_that_make_no_sense(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        allocate(load_task("breakfast"), **{"budget": 10, **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize("use", [allocate, frontier, build_problem, sensitivity])
def test_the_name_of_a_task_has_to_be_loaded(use: Callable[[Any, int], object]) -> None:
    with pytest.raises(ArgumentError, match=r"load it first: dp\.load_task\('breakfast'\)"):
        use("breakfast", 10)
    with pytest.raises(ArgumentError, match="None is not a task"):
        use(None, 10)


@pytest.mark.parametrize("speed", [0, -1.0, float("nan"), float("inf"), "fast"])
def test_a_speed_is_a_factor_above_0(speed: Any) -> None:
    with pytest.raises(ArgumentError, match=r"speeds: 'pi1': .*(range \(0, inf\)|not a number)"):
        build_problem(load_task("counterexample"), 10, speeds={"pi1": speed})


def test_a_program_is_built_of_a_problem_and_scaled_by_something() -> None:
    with pytest.raises(ArgumentError, match=r"Task is no problem; .* dp\.build_problem"):
        build_program(load_task("breakfast"))  # type: ignore[arg-type]  # what a user may do
    with pytest.raises(ArgumentError, match="scale: 0"):
        build_program(build_problem(load_task("breakfast"), 10)).to_lp(0)


def test_a_huge_budget_costs_no_more_than_a_useful_one() -> None:
    found = allocate(load_task("breakfast"), 10**12)
    assert found.spent == 60
    assert found.budget == 10**12
    slow = load_task("breakfast", rate=1e-9)
    with pytest.raises(ArgumentError, match="more than 5,000,000 episodes"):
        allocate(slow, 10**12)


def test_a_trivial_task_needs_no_solver() -> None:
    go = Skill("go", {"at": "a"}, {"at": "b"}, 0.5, curve=PiecewiseLinear(0.1))
    task = Task("there", {"at": ["a", "b"]}, [Goal("here", 0.0, {"at": "a"})], [go])
    assert allocate(task, 5, solver="local").value == 0
