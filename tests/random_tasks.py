"""Small random tasks for tests, as functions of a numpy random generator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.task.curves import Exponential, PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, ServedTask, Start, Task
from deliberate_practice.task.skill import Condition, Effect, PossibleEffect, Skill

Values = dict[str, list[str]]


def random_task(rng: np.random.Generator, *, product_form: bool) -> Task:
    """A task in which some goal can be reached.

    Args:
        rng: Where randomness comes from.
        product_form: One start, sure effects, rewards only at goals, failures "end" or "stay".
            Otherwise also lists of outcomes, failures that lead elsewhere, several starts and
            negative step rewards.
    """
    while True:
        task = _any_task(rng, product_form)
        try:
            ground(task)
        except TaskError:
            continue
        return task


def random_tasks(rng: np.random.Generator, *, product_form: bool) -> Task:
    """Two or three tasks over the same skills, of which at least one can reach a goal.

    Args:
        rng: Where randomness comes from.
        product_form: As for ``random_task``, for each of them alone.
    """
    while True:
        one = _any_task(rng, product_form)
        variables = {name: list(values) for name, values in one.variables.items()}
        tasks = [
            ServedTask(
                f"task{i}",
                [
                    Goal(f"goal{j}", float(rng.integers(1, 6)), _goal_condition(rng, variables))
                    for j in range(rng.integers(1, 3))
                ],
                [Start(1.0, _change(rng, variables))] if product_form else _starts(rng, variables),
                float(rng.integers(1, 5)) / 4,
            )
            for i in range(rng.integers(2, 4))
        ]
        several = replace(one, goals=(), starts=(), tasks=tasks)
        try:
            ground(several)
        except TaskError:
            continue
        return several


def alone(several: Task) -> dict[str, Task]:
    """Each of several tasks as a task of its own, by name."""
    return {
        one.name: replace(several, goals=one.goals, starts=one.starts, tasks=())
        for one in several.tasks
    }


def random_competence(rng: np.random.Generator, task: Task) -> np.ndarray[Any, Any]:
    """A competence for each policy, in steps of 0.1; some are 0 or 1."""
    return np.asarray(rng.integers(0, 11, len(task.policies)) / 10)


def _any_task(rng: np.random.Generator, product_form: bool) -> Task:
    variables = {
        f"v{i}": [f"x{j}" for j in range(rng.integers(2, 5))] for i in range(rng.integers(2, 5))
    }
    return Task(
        name="random",
        variables=variables,
        goals=[
            Goal(f"goal{i}", float(rng.integers(1, 6)), _goal_condition(rng, variables))
            for i in range(rng.integers(1, 4))
        ],
        skills=_skills(rng, variables, product_form),
        discount=float(rng.choice([0.8, 0.95, 1.0])),
        starts=() if product_form else _starts(rng, variables),
    )


def _skills(rng: np.random.Generator, variables: Values, product_form: bool) -> list[Skill]:
    """Some skills share a policy; then only the first of them says how well it works."""
    skills: list[Skill] = []
    for i in range(rng.integers(3, 8)):
        shares = bool(skills) and rng.random() < 0.25
        policy = str(rng.choice([skill.policy for skill in skills])) if shares else f"skill{i}"
        extra: dict[str, Any] = {} if shares else _learning(rng)
        if not product_form and rng.random() < 0.3:
            extra["step_reward"] = -float(rng.integers(1, 4)) / 20
        skills.append(
            Skill(
                f"skill{i}",
                _condition(rng, variables),
                _result(rng, variables, _change(rng, variables), product_form),
                failure=_failure(rng, variables, product_form),
                policy=policy,
                **extra,
            )
        )
    return skills


def _learning(rng: np.random.Generator) -> dict[str, Any]:
    """Competence (0 in one of five), curve of any kind or none, cost."""
    competence = 0.0 if rng.random() < 0.2 else float(rng.integers(1, 8)) / 10
    kind = rng.choice(["none", "piecewise-linear", "exponential", "table"])
    learning: dict[str, Any] = {"competence": competence}
    if rng.random() < 0.4:
        learning["cost"] = int(rng.integers(1, 4))
    if kind == "table":  # a rise may come late: not concave
        rises = rng.random(int(rng.integers(1, 5))) * (rng.random() < 0.8)
        values = np.minimum(1.0, competence + np.cumsum(rises) / 2)
        learning["curve"] = Table([competence, *np.round(values, 3).tolist()])
    elif kind != "none":
        ceiling = float(rng.choice([1.0, 0.9]))
        formula = PiecewiseLinear if kind == "piecewise-linear" else Exponential
        learning["curve"] = formula(float(rng.integers(1, 9)) / 20, ceiling)
        if rng.random() < 0.3:
            learning["truth"] = Exponential(rate=0.1, competence=0.05, ceiling=0.8)
    return learning


def _result(
    rng: np.random.Generator, variables: Values, effect: Effect, product_form: bool
) -> Effect | Sequence[PossibleEffect]:
    if product_form or rng.random() < 0.6:
        return effect
    others: list[Effect] = [_change(rng, variables), "stay", "end"]
    other = others[int(rng.integers(3))]
    return [PossibleEffect(0.75, effect), PossibleEffect(0.25, other)]


def _failure(
    rng: np.random.Generator, variables: Values, product_form: bool
) -> Effect | Sequence[PossibleEffect]:
    if product_form or rng.random() < 0.5:
        return "end" if rng.random() < 0.5 else "stay"
    return _result(rng, variables, _change(rng, variables), product_form)


def _starts(rng: np.random.Generator, variables: Values) -> list[Start]:
    probabilities: list[float] = [[], [1.0], [0.5, 0.5], [0.25, 0.5, 0.25]][int(rng.integers(4))]
    return [Start(p, _change(rng, variables)) for p in probabilities]


def _condition(rng: np.random.Generator, variables: Values) -> Condition:
    """One or two variables; sometimes several values of which any will do."""
    condition: dict[str, str | Sequence[str]] = {}
    for name in _some(rng, variables):
        values = variables[name]
        several = [value for value in values if rng.random() < 0.5]
        use_several = several and rng.random() < 0.4
        condition[name] = several if use_several else str(rng.choice(values))
    return condition


def _goal_condition(rng: np.random.Generator, variables: Values) -> Condition:
    """Does not hold where every variable has its first value."""
    names = _some(rng, variables)
    return {
        name: str(rng.choice(variables[name][1:] if name == names[0] else variables[name]))
        for name in names
    }


def _change(rng: np.random.Generator, variables: Values) -> dict[str, str]:
    return {name: str(rng.choice(variables[name])) for name in _some(rng, variables)}


def _some(rng: np.random.Generator, variables: Values) -> list[str]:
    count = int(rng.integers(1, 3))
    return [str(name) for name in rng.choice(list(variables), size=count, replace=False)]
