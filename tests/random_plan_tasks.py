"""Small random tasks in plan form, as functions of a numpy random generator."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from deliberate_practice.allocation.plan_form.form import PlanForm, plan_form
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.foundation.arrays import IntArray
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.task.curves import Exponential, PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, Start, Task
from deliberate_practice.task.skill import PossibleEffect, Skill

Rng = np.random.Generator

MOST_SPLITS = 400


def random_plan_task(
    rng: Rng, *, costs: bool | None = None, most_splits: int = MOST_SPLITS
) -> tuple[Problem, PlanForm]:
    """A problem in plan form with few splits: ladders of skills beside single ones.

    Args:
        rng: Where randomness comes from.
        costs: Whether skills have step costs; drawn if None.
        most_splits: The most combinations of levels.
    """
    while True:
        with_costs = bool(rng.random() < 0.4) if costs is None else costs
        try:
            grounded = ground(_task(rng, with_costs))
        except TaskError:
            continue
        form = plan_form(grounded)
        problem = build_problem(grounded, int(rng.integers(2, 10)))
        if isinstance(form, str) or not len(problem.practised):
            continue
        if np.prod([len(table) for table in problem.tables]) <= most_splits:
            return problem, form


def all_splits(problem: Problem) -> IntArray:
    """Every split in whole episodes that the budget allows, one per row."""
    ranges = [range(len(table)) for table in problem.tables]
    splits = np.array(list(itertools.product(*ranges)), dtype=np.int64)
    return splits[splits @ problem.costs <= problem.budget]


def _task(rng: Rng, costs: bool) -> Task:
    """Places on a line with ladders between them, some of several steps, and short cuts."""
    places = [f"p{i}" for i in range(int(rng.integers(2, 4)))]
    rooms = list(places)
    skills: list[Skill] = []
    ways = list(itertools.pairwise(places))
    if len(places) > 2 and rng.random() < 0.5:
        ways.append((places[0], places[-1]))
    ways += [ways[int(rng.integers(len(ways)))] for _ in range(int(rng.integers(0, 2)))]
    for n, (begin, end) in enumerate(ways):
        steps = [f"s{n}{i}" for i in range(int(rng.choice([0, 0, 1, 1, 2])))]
        rooms += steps
        path = [begin, *steps, end]
        for i in range(len(path) - 1):
            skills.append(_skill(rng, f"skill{len(skills)}", path, i, skills, costs))
    goals = [Goal("far", float(rng.integers(1, 5)), {"at": places[-1]})]
    starts = [Start(1.0, {"at": places[0]})]
    if len(places) > 2:
        if rng.random() < 0.3:
            goals.append(Goal("near", float(rng.integers(1, 5)) / 4, {"at": places[1]}))
        else:
            starts = [Start(0.25, {"at": places[0]}), Start(0.75, {"at": places[1]})]
    task = Task("random", {"at": rooms}, goals, skills, float(rng.choice([0.7, 0.95, 1.0])), starts)
    return _several_tasks(rng, task) if rng.random() < 0.3 else task


def _several_tasks(rng: Rng, task: Task) -> Task:
    """The same skills for two tasks whose goals pay differently."""
    return replace(
        task,
        variables={**task.variables, "task": ["one", "two"]},
        goals=[
            Goal(
                f"{goal.name}-{name}",
                goal.reward * float(rng.choice([1, 3])),
                {**goal.when, "task": name},
            )
            for goal in task.goals
            for name in ("one", "two")
        ],
        starts=[
            Start(start.probability * share, {**start.state, "task": name})
            for start in task.starts
            for name, share in (("one", 0.375), ("two", 0.625))
        ],
    )


def _skill(rng: Rng, name: str, path: list[str], i: int, others: list[Skill], costs: bool) -> Skill:
    """The skill of one step of a ladder; its failure stays, is lost, or falls back."""
    words: list[Any] = ["end", "stay"]
    effect: Any = {"at": path[i + 1]}
    if rng.random() < 0.2:
        effect = [
            PossibleEffect(0.75, effect),
            PossibleEffect(0.25, words[int(rng.integers(2))]),
        ]
    options: list[Any] = ["end", "stay", "stay", *({"at": place} for place in path[:i])]
    first, second = (options[int(rng.integers(len(options)))] for _ in range(2))
    failure: Any = first
    if rng.random() < 0.4 and first != second:
        failure = [PossibleEffect(0.5, first), PossibleEffect(0.5, second)]
    shares = bool(others) and rng.random() < 0.3
    return Skill(
        name,
        {"at": path[i]},
        effect,
        failure=failure,
        policy=str(rng.choice([other.policy for other in others])) if shares else name,
        step_reward=-float(rng.choice([0, 0.01, 0.1])) if costs else 0.0,
        **({} if shares else _learning(rng)),
    )


def _learning(rng: Rng) -> dict[str, Any]:
    """Competence (sometimes 0 or tiny), a curve of any kind or none, cost."""
    competence = float(rng.choice([0.0, 1e-12, 0.05, 0.2, 0.5, 0.9, 1.0]))
    learning: dict[str, Any] = {"competence": competence}
    if rng.random() < 0.3:
        learning["cost"] = int(rng.integers(1, 4))
    kind = rng.choice(["none", "linear", "exponential", "table", "linear"])
    if kind == "table":
        rises = rng.random(int(rng.integers(1, 6))) ** 3
        values = np.minimum(1.0, competence + np.cumsum(rises) / 3)
        learning["curve"] = Table([competence, *np.round(values, 3).tolist()])
        if competence == 1e-12:
            learning["curve"] = Table([competence, *np.maximum(competence, values).tolist()])
    elif kind != "none":
        formula = PiecewiseLinear if kind == "linear" else Exponential
        learning["curve"] = formula(float(rng.choice([0.02, 0.1, 0.3])), 1.0)
    return learning
