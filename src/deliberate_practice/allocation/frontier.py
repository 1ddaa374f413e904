"""The frontier: optimal value, plan and split for all budgets at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from deliberate_practice.allocation.allocate import check_arguments, cpu_seconds
from deliberate_practice.allocation.choice import choose_solver
from deliberate_practice.allocation.corner_bound import corner_bound
from deliberate_practice.allocation.forms import FORM_PART, Form, PlansFromStarts, form_of
from deliberate_practice.allocation.general import (
    CERTIFYING,
    PLAN_NODES,
    PROGRAM_SECONDS,
    certified,
    prospect,
    solve_general,
)
from deliberate_practice.allocation.local_search import trim
from deliberate_practice.allocation.neighbours import neighbouring_splits
from deliberate_practice.allocation.plan import Plan
from deliberate_practice.allocation.plan_form.budgets import certify_budgets
from deliberate_practice.allocation.plan_form.search import Limits
from deliberate_practice.allocation.plans import best_plans
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.allocation.result import Prospect, is_optimal
from deliberate_practice.allocation.solvers import PROGRAM_SOLVERS
from deliberate_practice.allocation.tolerances import GAP, TIE
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.checks import whole_number
from deliberate_practice.foundation.deadline import Late, after_part, deadline_in, late
from deliberate_practice.foundation.plain_data import finite
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import MAX_STATES, ground
from deliberate_practice.mdp.joint_task import joint_name
from deliberate_practice.mdp.rule import Path, StartPath, task_paths
from deliberate_practice.task.model import Task

MOST = 100_000
"""The largest budget of a frontier, which answers every budget up to its maximum."""

_LATE = (
    "the time limit was over: budgets that were not reached repeat a smaller one's split, so their "
    "values may be too low; give more time (--time-limit), or see the bounds."
)
_OPEN = "some budgets are not proven; with a time limit (--time-limit S) they are searched further."

PROOF = 0.5
"""The part of the time in which all budgets of a task in plan form should be proven."""

EFFORT, TOGETHER = 0.02, 12.0
"""The part of the nodes of one allocation that each budget's certificate may visit at least, and
as many nodes as of how many allocations all of them may visit together."""

SEARCH = 0.6
"""Local search's part of the time; the rest is for bounds."""


@dataclass(frozen=True)
class Switch:
    """A budget from which another plan is best; of several tasks, another plan of one task."""

    budget: int
    goal: str | None
    plan: tuple[str, ...]
    previous_goal: str | None
    previous_plan: tuple[str, ...]
    task: str


@dataclass(frozen=True)
class Frontier:
    """Optimal value, plan and allocation for every budget from 0 to a maximum.

    Attributes:
        task: Name of the task.
        budgets: 0, 1, 2, ...
        values: Optimal value at each budget.
        bounds: Upper bound at each budget; within 1e-6 of the value if that is proven optimal.
        plans: Skills of the best plan at each budget.
        goals: The goal of that plan; None if no reward can be earned. If there are several tasks,
            the goals of all tasks in one text.
        allocations: Episodes by policy at each budget.
        marginal: Value that one more budget unit would add at each budget.
        switches: Budgets at which the plan changes.
        solver: The method that found the answers.
        seconds: CPU time of the solver.
        notes: Remarks for the user on how the answers were found.
        plans_by_start: If there are several starts or tasks, the plan from each start, at each
            budget.
    """

    task: str
    budgets: tuple[int, ...]
    values: tuple[float, ...]
    bounds: tuple[float, ...]
    plans: tuple[tuple[str, ...], ...]
    goals: tuple[str | None, ...]
    allocations: tuple[Mapping[str, float], ...]
    marginal: tuple[float, ...]
    switches: tuple[Switch, ...]
    solver: str
    seconds: float
    notes: tuple[str, ...] = ()
    plans_by_start: tuple[tuple[StartPath, ...], ...] = ()

    @property
    def proven(self) -> bool:
        """Whether every value is proven optimal, and so every switch."""
        return all(is_optimal(v, b, GAP) for v, b in zip(self.values, self.bounds, strict=True))

    def as_data(self) -> dict[str, object]:
        """The frontier as plain data, as ``--format json`` prints it."""
        data: dict[str, object] = {
            "task": self.task,
            "budgets": list(self.budgets),
            "values": list(self.values),
            "bounds": [finite(bound) for bound in self.bounds],
            "plans": [list(plan) for plan in self.plans],
            "goals": list(self.goals),
            "allocations": [dict(allocation) for allocation in self.allocations],
            "marginal": list(self.marginal),
            "switches": [
                {
                    **vars(switch),
                    "plan": list(switch.plan),
                    "previous_plan": list(switch.previous_plan),
                }
                for switch in self.switches
            ],
            "solver": self.solver,
            "seconds": self.seconds,
            "notes": list(self.notes),
        }
        if self.plans_by_start:
            data["plans_by_start"] = [
                [path.as_data() for path in paths] for paths in self.plans_by_start
            ]
        return data


def frontier(
    task: Task | GroundTask,
    max_budget: int,
    *,
    solver: str = "auto",
    time_limit: float | None = None,
    max_states: int = MAX_STATES,
    progress: Callable[[int, int], None] | None = None,
) -> Frontier:
    """The best split for every budget from 0 to ``max_budget``.

    In a product-form task one search answers all budgets. In plan form each budget is solved, from
    the split of the budget before. In other tasks, or if that leaves a gap, local search grows good
    splits from budget to budget, and each budget's split is then certified.

    Args:
        task: The task.
        max_budget: The largest budget of interest.
        solver: As for ``allocate``; ``local`` leaves certificates out.
        time_limit: Seconds after which to stop with the bounds found.
        max_states: Refuse tasks in which more states than this are explored.
        progress: Called with (budgets done, total number of budgets) during a general task.
    """
    check_arguments(solver, time_limit=time_limit)
    max_budget = whole_number("max_budget", max_budget, 0, MOST)
    deadline = deadline_in(time_limit)
    grounded = task if isinstance(task, GroundTask) else ground(task, max_states, deadline=deadline)
    # One more budget than requested, so that the last one has a marginal value too.
    problem = build_problem(grounded, max_budget + 1)
    begun = cpu_seconds()
    form = form_of(grounded, after_part(deadline, FORM_PART))
    used, _ = choose_solver(form, solver)
    points: list[Prospect] = []
    if used == "plans" and isinstance(form, ProductForm):
        with suppress(Late):  # one search for all budgets, if there is time to begin it
            points = best_plans(problem, form, range(max_budget + 2), deadline=deadline)
    elif used == "plans" and isinstance(form, PlansFromStarts):
        points = _proven(grounded, form, max_budget + 2, after_part(deadline, PROOF), progress)
    if not points:
        certifies = used in CERTIFYING and not isinstance(form, ProductForm)
        points = _by_search(grounded, max_budget + 2, deadline, None if certifies else progress)
        if certifies:  # which takes most of the time
            points = _certified(grounded, form, used, points, deadline, progress)
        else:
            points, used = _by_program(grounded, form, points, solver, deadline, progress)
    values = np.maximum.accumulate(
        [point.value for point in points]
    )  # equal within the tie tolerance
    points = points[:-1]
    open_budgets = used in CERTIFYING and deadline is None and any(p.gap > GAP for p in points)
    notes = (_LATE,) if late(deadline) else (_OPEN,) if open_budgets else ()
    return Frontier(
        task=grounded.task.name,
        budgets=tuple(range(max_budget + 1)),
        values=tuple(values[:-1].tolist()),
        bounds=tuple(max(p.bound, float(v)) for p, v in zip(points, values[:-1], strict=True)),
        plans=tuple(point.plan.skills for point in points),
        goals=tuple(point.plan.goal for point in points),
        allocations=tuple(problem.practice(point.split) for point in points),
        marginal=tuple(np.diff(values).tolist()),
        switches=_switches(grounded, points),
        solver=used,
        seconds=cpu_seconds() - begun,
        notes=notes,
        plans_by_start=tuple(filter(None, (point.by_start(grounded) for point in points))),
    )


def _proven(
    grounded: GroundTask,
    form: PlansFromStarts,
    count: int,
    deadline: float | None,
    progress: Callable[[int, int], None] | None,
) -> list[Prospect]:
    """Proven splits of all budgets of a task in plan form; none if one of them has a gap."""
    problem = build_problem(grounded, count - 1)
    limits = Limits(GAP, round(EFFORT * PLAN_NODES), deadline)
    certificates = certify_budgets(
        problem, form.plans, limits, progress and (lambda done: progress(done, count))
    )
    points: list[Prospect] = []
    for found in certificates:
        split = trim(problem, found.episodes, rising=True)
        point = prospect(problem, split, problem.solve(split), found.bound)
        if points and points[-1].value > point.value * (1 + TIE):
            point = replace(points[-1], bound=found.bound)
        points.append(point)
    return points


def _by_search(
    grounded: GroundTask,
    count: int,
    deadline: float | None,
    progress: Callable[[int, int], None] | None,
) -> list[Prospect]:
    """Good splits for general tasks, with corner bounds; when late, that of the largest budget."""
    splits = neighbouring_splits(grounded, count, after_part(deadline, SEARCH), progress)
    largest = build_problem(grounded, count - 1)
    highest = corner_bound(largest, deadline)
    found: dict[bytes, Prospect] = {}
    points: list[Prospect] = []
    for budget, split in enumerate(splits):
        if split.tobytes() not in found:
            found[split.tobytes()] = prospect(largest, split, largest.solve(split, deadline))
        point, bound = found[split.tobytes()], highest
        if not late(deadline):
            bound = min(highest, corner_bound(build_problem(grounded, budget), deadline))
        points.append(replace(point, bound=max(bound, point.value)))
    return points


def _certified(
    grounded: GroundTask,
    form: Form,
    name: str,
    points: list[Prospect],
    deadline: float | None,
    progress: Callable[[int, int], None] | None,
) -> list[Prospect]:
    """Certify the split of every budget that has a gap, the largest budget first.

    With a deadline those that are then still open are searched as long as by ``allocate``.
    """
    first = max(EFFORT, min(1.0, TOGETHER / len(points)))
    for effort in (first,) if deadline is None else (first, 1.0):
        for budget in reversed(range(len(points))):
            if late(deadline):
                break
            if progress:
                progress(len(points) - budget, len(points))
            if points[budget].gap > GAP:
                problem = build_problem(grounded, budget)
                split = points[budget].split
                start = np.array([int(split.get(policy, 0)) for policy in grounded.policy_names])
                found, _ = certified(
                    problem, form, name, start=start, gap=GAP, deadline=deadline, effort=effort
                )
                _learned(points, problem, found.episodes, found.bound)
    return points


def _learned(
    points: list[Prospect], problem: Problem, episodes: IntArray | FloatArray, bound: float
) -> None:
    """A bound holds for all smaller budgets too, and a split is affordable for all larger ones."""
    budget = problem.budget
    better = prospect(problem, episodes, problem.solve(episodes))
    for b, point in enumerate(points):
        if b >= budget and better.value > point.value * (1 + TIE):
            points[b] = replace(better, bound=max(point.bound, better.value))
        if b <= budget and bound < points[b].bound:
            points[b] = replace(points[b], bound=max(bound, points[b].value))


def _by_program(
    grounded: GroundTask,
    form: Form,
    points: list[Prospect],
    solver: str,
    deadline: float | None,
    progress: Callable[[int, int], None] | None,
) -> tuple[list[Prospect], str]:
    """Tighten bounds by the bilinear program, largest gap first, if its solver is installed."""
    used = "local"
    deadline = deadline_in(PROGRAM_SECONDS) if deadline is None else deadline
    name, _ = choose_solver(form, solver)
    left = set(range(len(points))) if name in PROGRAM_SOLVERS else set()
    while left and not late(deadline):
        if progress:
            progress(len(points) - len(left), len(points))
        budget = max(left, key=lambda b: points[b].gap)
        left.remove(budget)
        if points[budget].gap <= GAP:
            break
        problem = build_problem(grounded, budget)
        answer = solve_general(problem, form, solver=solver, deadline=deadline)
        if answer.solver == "local":
            break  # the program cannot be built, or its solver is not reliable for it
        used = answer.solver
        _learned(points, problem, answer.episodes, answer.bound)
    return points, used


def _switches(grounded: GroundTask, points: list[Prospect]) -> tuple[Switch, ...]:
    """Budgets at which the set of skills changes; a new order of the same skills is no switch."""
    plans = (_task_plans(grounded, point) for point in points)
    return tuple(
        Switch(b + 1, new.goal, new.skills, old.goal, old.skills, task)
        for b, (before, after) in enumerate(itertools.pairwise(plans))
        for task, old in before.items()
        for new in [after[task]]
        if sorted(old.skills) != sorted(new.skills)
    )


def _task_plans(grounded: GroundTask, point: Prospect) -> dict[str, Plan | Path]:
    """The plan of each task by name."""
    if not grounded.tasks:
        return {grounded.task.name: point.plan}
    return {
        path.task: Path(path.skills, goal=path.goal and joint_name(path.task, path.goal))
        for path in task_paths(point.by_start(grounded))
    }
