"""Split a practice budget over a robot's skills, with a bound that proves its quality."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from deliberate_practice.allocation.choice import choose_solver
from deliberate_practice.allocation.forms import FORM_PART, Form, General, form_of
from deliberate_practice.allocation.fractions import LEAST
from deliberate_practice.allocation.general import prospect, solve_general
from deliberate_practice.allocation.plan_search import MAX_LABELS
from deliberate_practice.allocation.plans import best_plans
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.allocation.product_form import ProductForm
from deliberate_practice.allocation.result import Allocation, Prospect, is_optimal
from deliberate_practice.allocation.solvers import CHOICES
from deliberate_practice.allocation.tolerances import GAP
from deliberate_practice.foundation.checks import number, one_of
from deliberate_practice.foundation.deadline import Late, after_part, deadline_in, late
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import MAX_STATES, ground
from deliberate_practice.mdp.reachability import notes_on_goals
from deliberate_practice.mdp.rule import Path, decisions
from deliberate_practice.task.model import Task

LONGEST_SECONDS = 1e7
LARGEST_GAP = 1e6

_LEAST_NOTE = (
    "'{}' never works without practice and then may be retried for ever, so with discount 1 any "
    "practice at all makes it sure; give a discount below 1 to count the retries."
)

_ROUNDS_NOTE = (
    "episodes of {} are demonstrations, in whole rounds with their training runs; evaluations are "
    "not charged."
)

_FAILING_NOTE = "no path of successes reaches a goal: the plan relies on failures of {}."


def allocate(
    task: Task | GroundTask,
    budget: int,
    *,
    solver: str = "auto",
    gap: float = GAP,
    time_limit: float | None = None,
    continuous: bool = False,
    curves: Mapping[str, Sequence[float]] | None = None,
    max_states: int = MAX_STATES,
) -> Allocation:
    """Find the split of a budget that maximises the value of the task afterwards.

    >>> import deliberate_practice as dp
    >>> dp.allocate(dp.load_task("counterexample"), 20).allocation
    {'pi2': 9, 'pi3': 9}

    Args:
        task: The task; pass a grounded one to allocate repeatedly.
        budget: Budget units, a whole number of at least 0.
        solver: ``auto`` (plan search if every decision rule is a plan, else the supersolution), or
            one of ``plans``, ``supersolution``, ``scip``, ``gurobi``, ``local``.
        gap: Relative gap that counts as optimal; values within 1e-9 are equal in any case. Plan
            search stops early only above 1e-6.
        time_limit: Seconds after which to stop with the best split and bound found.
        continuous: Allow fractions of episodes, as in the paper.
        curves: Competence after 0, 1, ... episodes by policy, instead of the stated curves.
        max_states: Refuse tasks in which more states than this are explored.

    Returns:
        The allocation with its value, an upper bound, and the plan it serves.
    """
    check_arguments(solver, gap, time_limit)
    gap, deadline = float(gap), deadline_in(time_limit)
    begun = cpu_seconds()
    grounded = task if isinstance(task, GroundTask) else ground(task, max_states, deadline=deadline)
    grounding = cpu_seconds() - begun
    problem = build_problem(grounded, budget, curves=curves, continuous=continuous)
    begun = cpu_seconds()
    form = form_of(grounded, after_part(deadline, FORM_PART))
    chosen, _ = choose_solver(form, solver, continuous=continuous)
    if chosen == "plans" and isinstance(form, ProductForm):
        answer = _by_plans(problem, form, gap, deadline)
    else:
        answer = _generally(problem, form, solver, gap, deadline)
    return replace(
        answer,
        seconds=cpu_seconds() - begun,
        grounding_seconds=grounding,
        notes=(
            *_notes_on_form(form),
            *answer.notes,
            *_notes_on_rounds(grounded, answer),
            *notes_on_goals(grounded),
        ),
    )


def _notes_on_form(form: Form) -> tuple[str, ...]:
    return (f"{form.why}.",) if isinstance(form, General) and form.unknown else ()


def _notes_on_rounds(ground: GroundTask, answer: Allocation) -> tuple[str, ...]:
    trained = [f"'{name}'" for name in answer.allocation if ground.task.policies[name].rounds]
    return (_ROUNDS_NOTE.format(", ".join(trained)),) if trained else ()


def _by_plans(
    problem: Problem, form: ProductForm, gap: float, deadline: float | None
) -> Allocation:
    early = gap if gap > GAP else 0.0  # continuing to the exact answer costs almost nothing
    try:
        best = best_plans(problem, form, [problem.budget], gap=early, deadline=deadline)[0]
    except Late:
        answer = _generally(problem, form, "local", gap, deadline)
        note = "the time limit was over before plan search could begin; give more time."
        return replace(answer, notes=(note, *answer.notes))
    answer = _allocation(problem, best, "plans", gap)
    notes = [_LEAST_NOTE.format(name) for name, b in best.split.items() if b <= LEAST]
    if answer.status != "optimal":
        reason = "at the time limit" if late(deadline) else f"after {MAX_LABELS:,} labels"
        notes.append(f"plan search stopped {reason}, with plans left to try.")
    return replace(answer, notes=tuple(notes))


def _generally(
    problem: Problem, form: Form, solver: str, gap: float, deadline: float | None
) -> Allocation:
    found = solve_general(problem, form, solver=solver, gap=gap, deadline=deadline)
    best = prospect(problem, found.episodes, found.solution, found.bound)
    path, notes = best.plan, found.notes
    assert isinstance(path, Path)  # not a plan of product form
    if path.failing:
        names = dict.fromkeys(f"'{path.skills[i]}'" for i in path.failing)
        notes = (*notes, _FAILING_NOTE.format(", ".join(names)))
    rule = decisions(problem.ground, found.solution, problem.competence(found.episodes))
    answer = _allocation(problem, best, found.solver, gap)
    return replace(answer, rule=rule, failing=path.failing, notes=notes)


def _allocation(problem: Problem, best: Prospect, solver: str, gap: float) -> Allocation:
    task = problem.ground.task
    practice = problem.practice(best.split)
    split = {name: best.split[name] for name in practice}  # not what only turns to a policy
    episodes = [split.get(policy.name, 0) for policy in problem.policies]
    competence = problem.competence(episodes)
    used = {task.skill(name).policy for name in best.skills}
    return Allocation(
        task=task.name,
        budget=problem.budget,
        value=best.value,
        bound=best.bound,
        status="optimal" if is_optimal(best.value, best.bound, gap) else "feasible",
        solver=solver,
        plan=best.plan.skills,
        goal=best.plan.goal,
        allocation=practice,
        competence={
            policy.name: float(competence[u])
            for u, policy in enumerate(problem.policies)
            if policy.name in used or episodes[u]
        },
        spent=sum(int(cost) * b for cost, b in zip(problem.costs, episodes, strict=True)),
        states=problem.ground.counts,
        seconds=0.0,
        continuous=problem.continuous,
        tolerance=gap,
        plans=best.by_start(problem.ground),
    )


def check_arguments(
    solver: str = "auto", gap: float = GAP, time_limit: float | None = None
) -> None:
    """Refuse arguments that are not valid."""
    one_of("solver", solver, CHOICES, ArgumentError)
    number("gap", gap, 0, LARGEST_GAP, error=ArgumentError)
    if time_limit is not None:
        number("time_limit", time_limit, 0, LONGEST_SECONDS, open_low=True, error=ArgumentError)


def cpu_seconds() -> float:
    """CPU time of this process and of the solvers it ran."""
    try:
        import resource  # not on every system
    except ImportError:
        return time.process_time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
