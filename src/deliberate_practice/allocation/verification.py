"""Check an allocation by methods other than those that found it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from deliberate_practice.allocation.allocate import check_arguments
from deliberate_practice.allocation.plan import follow
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.allocation.product_form import product_form
from deliberate_practice.allocation.result import Allocation, is_optimal
from deliberate_practice.allocation.tolerances import ROUNDING, TIE
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.checks import is_number
from deliberate_practice.foundation.deadline import deadline_in, late
from deliberate_practice.foundation.errors import ArgumentError, TaskError, shown
from deliberate_practice.mdp.exact import exact_value
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.joint_task import joint_name
from deliberate_practice.mdp.linear_program import solve_by_lp
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.model import Task, holds

ENUMERATE = 3000
"""The most splits that are tried to check the bound."""

AGREEMENT = 1e-7
"""Values from different methods agree within this relative distance."""

NOTHING = 1e-240
"""Values below this count as 0: floats lose them."""


@dataclass(frozen=True)
class Check:
    """The result of one check; ``passed`` is None if it was not made."""

    name: str
    passed: bool | None
    detail: str


@dataclass(frozen=True)
class Verification:
    """The result of all checks."""

    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return all(check.passed is not False for check in self.checks)


def verify(
    task: Task | GroundTask,
    allocation: Allocation,
    *,
    curves: Mapping[str, Sequence[float]] | None = None,
    time_limit: float | None = None,
) -> Verification:
    """Check everything an allocation states, including its bound if that is cheap.

    The plan is executed on the task itself, not on the grounded arrays; in a task of product form
    it must have the stated value. The value is computed in rational arithmetic, or by linear
    programming in large tasks. The bound is checked by trying every split, if there are few. If the
    episodes are not valid, nothing else is checked.

    Args:
        task: The task for which it was made.
        allocation: The allocation to check.
        curves: The curves for which it was made, if not the stated ones.
        time_limit: Seconds after which the rest is reported as not checked.
    """
    check_arguments(time_limit=time_limit)
    deadline = deadline_in(time_limit)
    if not isinstance(allocation, Allocation):
        raise ArgumentError(
            f"allocation: {shown(allocation)} is not an allocation; give what dp.allocate returned."
        )
    problem = build_problem(
        task, allocation.budget, curves=curves, continuous=allocation.continuous
    )
    episodes = _check_episodes(problem.ground.task, allocation)
    if not episodes.passed:
        return Verification((episodes,))
    shares = problem.with_leads(allocation.allocation)
    competence = problem.competence(shares)
    return Verification(
        (
            _check_budget(problem, allocation),
            episodes,
            _check_competence(problem, allocation, competence),
            _check_plan(problem, allocation, competence),
            _check_value(problem, allocation, competence, deadline),
            _check_bound(problem, allocation, deadline),
            _check_status(allocation),
        )
    )


def _check_budget(problem: Problem, allocation: Allocation) -> Check:
    taken = problem.with_leads(allocation.allocation)
    spent = math.fsum(cost * b for cost, b in zip(problem.costs.tolist(), taken, strict=True))
    within = spent <= allocation.budget * (1 + ROUNDING)
    right = math.isclose(spent, allocation.spent, rel_tol=TIE, abs_tol=TIE)
    return Check(
        "budget",
        within and right,
        f"{spent:g} of {allocation.budget} units, stated {allocation.spent:g}",
    )


def _check_episodes(task: Task, allocation: Allocation) -> Check:
    for name, b in allocation.allocation.items():
        if name not in task.policies:
            return Check("episodes", False, f"there is no policy '{name}'")
        if not is_number(b) or not math.isfinite(b) or b < 0:
            return Check("episodes", False, f"{b!r} episodes for '{name}'")
        if not allocation.continuous and not float(b).is_integer():
            return Check("episodes", False, f"{b!r} episodes for '{name}' is not a whole number")
        if not allocation.continuous and b % task.policies[name].stride:
            return Check("episodes", False, f"{b!r} demonstrations for '{name}' are no rounds")
    return Check("episodes", True, "fractions" if allocation.continuous else "whole numbers")


def _check_competence(problem: Problem, allocation: Allocation, competence: FloatArray) -> Check:
    """Compare with the curves, for every policy that the plan or the allocation uses."""
    predicted = dict(zip(problem.ground.policy_names, competence.tolist(), strict=True))
    used = {skill.policy for skill in problem.ground.task.skills if skill.name in allocation.skills}
    for name in {**allocation.allocation, **dict.fromkeys(used), **allocation.competence}:
        stated, right = allocation.competence.get(name), predicted.get(name)
        if not is_number(stated) or right is None:
            return Check("competence", False, f"{stated!r} for '{name}', by its curve {right!r}")
        if not math.isclose(stated, right, rel_tol=TIE, abs_tol=ROUNDING):
            return Check(
                "competence", False, f"{stated:.9g} for '{name}', by its curve {right:.9g}"
            )
    return Check("competence", True, "as the curves predict after these episodes")


def _check_plan(problem: Problem, allocation: Allocation, competence: FloatArray) -> Check:
    """Execute the plan; in a task of product form compare its value with the stated one."""
    executed = _execute(problem.ground, allocation)
    form = product_form(problem.ground)
    if not executed.passed or isinstance(form, str):
        return executed
    index = {skill.name: i for i, skill in enumerate(problem.ground.task.skills)}
    try:
        plan = follow(problem.ground, form, [index[name] for name in allocation.plan])
    except ValueError:
        return Check("plan", False, "one of its skills does not lead on")
    worth = plan.value(dict(zip(problem.ground.policy_names, competence.tolist(), strict=True)))
    if not math.isclose(worth, allocation.value, rel_tol=AGREEMENT, abs_tol=NOTHING):
        return Check("plan", False, f"it is worth {worth:.9g}, not {allocation.value:.9g}")
    return executed


def _execute(ground: GroundTask, allocation: Allocation) -> Check:
    """Execute the plans on the task itself: from each start, and the main plan from one of them.

    Every skill must succeed, except those whose failure is stated to lead on.
    """
    task, plan = ground.task, allocation.plan
    names = {skill.name for skill in task.skills}
    if not names.issuperset((*plan, *(name for path in allocation.plans for name in path.skills))):
        return Check("plan", False, "it names a skill the task does not have")
    starts = [start.state for start in task.start_states if start.probability > 0]
    if len(allocation.plans) != (len(starts) if ground.has_several_starts else 0):
        return Check("plan", False, f"{len(allocation.plans)} plans for {len(starts)} starts")
    for start, path in zip(starts, allocation.plans, strict=False):
        goal = path.goal and joint_name(path.task, path.goal) if ground.tasks else path.goal
        met = _met(task, start, path.skills, path.failing)
        if goal not in met and (goal or path.skills):
            return _wrong_goal(met, goal)
    if ground.tasks:
        if plan not in [path.skills for path in allocation.plans]:
            return Check("plan", False, "it is the plan of no task")
        return Check("plan", True, f"{len(starts)} plans, each from its start to its goal")
    ends = [_met(task, start, plan, allocation.failing) for start in starts]
    if not any(allocation.goal in met for met in ends) and (allocation.goal or plan):
        return _wrong_goal(ends[-1], allocation.goal)
    how = "each can start after the success of the one before"
    if allocation.failing:
        how = f"each can start, {len(allocation.failing)} of them lead on by a failure"
    return Check("plan", True, f"{len(plan)} skills, {how}, reach {allocation.goal!r}")


def _met(
    task: Task, start: Mapping[str, str], plan: Sequence[str], failing: Sequence[int]
) -> set[str]:
    """The goals that a plan may meet at its end."""
    states = [dict(start)]
    for place, skill in enumerate(map(task.skill, plan)):
        outcomes = skill.failure_effects if place in failing else skill.success_effects
        # An outcome may lead to several states at random, so all of them are followed.
        states = [
            {**state, **(o.effect if isinstance(o.effect, Mapping) else {})}
            for state in states
            if holds(skill.precondition, state)
            and not any(holds(goal.when, state) for goal in task.goals)  # it ends there
            for o in outcomes
            if o.effect != "end" and o.probability > 0
        ]
        states = [dict(items) for items in {tuple(sorted(s.items())) for s in states}]
    return {goal.name for goal in task.goals for state in states if holds(goal.when, state)}


def _wrong_goal(met: set[str], goal: str | None) -> Check:
    reached = ", ".join(sorted(met)) or "no goal"
    return Check("plan", False, f"it reaches {reached}, not {goal!r}")


def _check_value(
    problem: Problem, allocation: Allocation, competence: FloatArray, deadline: float | None
) -> Check:
    """Compare with the value in rational arithmetic, or by linear programming in large tasks."""
    solution = solve(problem.ground, competence)
    exact = exact_value(problem.ground, competence, solution, deadline)
    if exact is None and late(deadline):
        return Check("value", None, "not checked: the time limit was over")
    try:
        value = solve_by_lp(problem.ground, competence) if exact is None else float(exact)
    except TaskError as error:
        return Check("value", None, f"not checked: {error.message}")
    how = "by linear programming" if exact is None else "in exact arithmetic"
    # If step costs and rewards cancel, rounding is relative to their size.
    agrees = abs(value - allocation.value) <= max(NOTHING, AGREEMENT * solution.scale)
    return Check("value", agrees, f"{value:.9g} {how}, stated {allocation.value:.9g}")


def _check_status(allocation: Allocation) -> Check:
    proven = is_optimal(allocation.value, allocation.bound, allocation.tolerance)
    gap = "no gap" if allocation.gap is None else f"a gap of {allocation.gap:.3g}"
    return Check(
        "status",
        allocation.status == ("optimal" if proven else "feasible"),
        f"{allocation.status} with {gap}, requested {allocation.tolerance:g}",
    )


def _check_bound(problem: Problem, allocation: Allocation, deadline: float | None) -> Check:
    if not allocation.bound >= allocation.value * (1 - ROUNDING):
        return Check("bound", False, f"{allocation.bound:.9g} is below the value")
    practised = [u for u in problem.practised if problem.tables[u][-1] > problem.tables[u][0]]
    limits = [problem.budget // int(problem.costs[u]) for u in practised]
    if allocation.continuous or math.prod(limit + 1 for limit in limits) > ENUMERATE:
        return Check(
            "bound", None, "not checked: too many splits to try; compare with another solver"
        )
    best, tried = 0.0, 0
    for shares in itertools.product(*(range(limit + 1) for limit in limits)):
        if late(deadline):
            return Check("bound", None, f"not checked: time was over after {tried} splits")
        if np.dot(shares, problem.costs[practised]) <= problem.budget:
            episodes = np.zeros(len(problem.policies))
            episodes[practised] = shares
            best, tried = max(best, problem.solve(episodes).value), tried + 1
    passed = best <= allocation.bound * (1 + AGREEMENT)
    return Check("bound", passed, f"best of all {tried} splits is worth {best:.9g}")
