"""Small random tasks of errands: several starts, step costs, and parts in any order.

A robot has a few errands, each of one or two skills, and may do them in any order. Doors are closed
or open at the start, and an errand needs its doors open. So plans of different starts share their
last steps, and plans of one start differ in their order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from deliberate_practice.allocation.plan_form.form import PlanForm, plan_form
from deliberate_practice.allocation.problem import Problem, build_problem
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.task.curves import PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, Start, Task
from deliberate_practice.task.skill import PossibleEffect, Skill

Rng = np.random.Generator

MOST_SPLITS = 400


def random_errands(rng: Rng, most_splits: int = MOST_SPLITS) -> tuple[Problem, PlanForm]:
    """A problem in plan form with few splits, several starts and step costs."""
    while True:
        try:
            grounded = ground(_task(rng))
        except TaskError:
            continue
        form = plan_form(grounded)
        problem = build_problem(grounded, int(rng.integers(2, 9)))
        if isinstance(form, str) or not form.costs or not len(problem.practised):
            continue
        if np.prod([len(table) for table in problem.tables]) <= most_splits:
            return problem, form


def _task(rng: Rng) -> Task:
    errands = [f"errand{i}" for i in range(int(rng.integers(1, 4)))]
    doors = [f"door{i}" for i in range(int(rng.integers(1, 4)))]
    goals = int(rng.integers(1, 3))
    cost = float(rng.choice([0.01, 0.05, 0.1]))
    skills: list[Skill] = []

    def add(name: str, precondition: dict[str, Any], effect: dict[str, Any]) -> None:
        others = [skill.policy for skill in skills]
        shares = bool(others) and rng.random() < 0.15
        skills.append(
            Skill(
                name,
                precondition,
                effect,
                failure=_failure(rng),
                policy=str(rng.choice(others)) if shares else name,
                step_reward=-cost * float(rng.choice([1.0, 1.0, 1.0, 2.0])),
                **({} if shares else _learning(rng)),
            )
        )

    for door in doors:
        add(f"Open({door})", {door: "closed"}, {door: "open"})
    for errand in errands:
        for goal in range(goals):
            needed = {d: "open" for d in doors if goal == 0 or rng.random() < 0.5}
            add(f"Do({errand},{goal})", {errand: "todo", **needed}, {errand: f"done{goal}"})
    chances = rng.dirichlet(np.ones(int(rng.integers(2, 5))))
    starts = [
        Start(float(chance), {d: str(rng.choice(["open", "closed"])) for d in doors})
        for chance in chances
    ]
    return Task(
        "errands",
        {
            **{d: ["closed", "open"] for d in doors},
            **{e: ["todo", *(f"done{g}" for g in range(goals))] for e in errands},
        },
        [
            Goal(f"goal{g}", float(rng.integers(1, 5)) / 2, dict.fromkeys(errands, f"done{g}"))
            for g in range(goals)
        ],
        skills,
        float(rng.choice([0.7, 0.95, 1.0])),
        starts,
    )


def _failure(rng: Rng) -> Any:
    options: list[Any] = [
        "stay",
        "end",
        [PossibleEffect(0.7, "stay"), PossibleEffect(0.3, "end")],
    ]
    return options[int(rng.integers(len(options)))]


def _learning(rng: Rng) -> dict[str, Any]:
    competence = float(rng.choice([0.0, 0.05, 0.2, 0.5, 0.9, 1.0]))
    learning: dict[str, Any] = {"competence": competence}
    kind = rng.choice(["none", "none", "linear", "table"])
    if kind == "linear":
        learning["curve"] = PiecewiseLinear(float(rng.choice([0.05, 0.1, 0.3])), 1.0)
    elif kind == "table":
        rises = rng.random(int(rng.integers(1, 5))) ** 2 / 2
        values = np.minimum(1.0, competence + np.cumsum(rises))
        learning["curve"] = Table([competence, *np.round(values, 3).tolist()])
    if rng.random() < 0.2:
        learning["cost"] = int(rng.integers(1, 4))
    return learning
