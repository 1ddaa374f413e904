"""An independent, slow and simple answer: every plan times every split, on the task's own words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deliberate_practice.task.curves import Curve, Exponential, PiecewiseLinear, Table
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Skill

TIE = 1e-9


@dataclass(frozen=True)
class Answer:
    value: float
    spent: int
    plan: tuple[str, ...]
    allocation: dict[str, int]


def best_by_brute_force(task: Task, budget: int, most_plans: int = 4000) -> Answer | None:
    """The best plan and split with the documented tie rule; None if there are too many plans."""
    plans = list(itertools.islice(_plans(task), most_plans + 1))
    if len(plans) > most_plans:
        return None
    options = []
    for episodes in _splits(task, budget):
        competence = {name: _competence(task, name, b) for name, b in episodes.items()}
        for plan, reward in plans:
            options.append((_value(task, plan, reward, competence), plan, episodes))
    top = max((value for value, _, _ in options), default=0.0)
    if top <= 0:
        return Answer(0.0, 0, (), {})

    def preference(option: tuple[float, tuple[int, ...], dict[str, int]]) -> tuple[object, ...]:
        _, plan, episodes = option
        spent = sum(task.policies[name].cost * b for name, b in episodes.items())
        return spent, len(plan), [-episodes[name] for name in task.policies], plan

    equal = [option for option in options if option[0] >= top * math.exp(-TIE)]
    _, plan, episodes = min(equal, key=preference)
    return Answer(
        value=top,
        spent=sum(task.policies[name].cost * b for name, b in episodes.items()),
        plan=tuple(task.skills[i].name for i in plan),
        allocation={name: b for name, b in episodes.items() if b},
    )


def best_of_several(tasks: Sequence[tuple[float, Task]], budget: int) -> float:
    """The largest weighted mean of the values of several tasks over the same skills.

    Args:
        tasks: The weight of each task, and the task, which has one start.
        budget: Budget units.
    """
    plans = [(weight, task, list(_plans(task))) for weight, task in tasks]
    total = math.fsum(weight for weight, _ in tasks)
    best = 0.0
    for episodes in _splits(tasks[0][1], budget):
        competence = {name: _competence(tasks[0][1], name, b) for name, b in episodes.items()}
        values = (
            weight * max((_value(task, *plan, competence) for plan in mine), default=0.0)
            for weight, task, mine in plans
        )
        best = max(best, math.fsum(values) / total)
    return best


def _plans(task: Task) -> Iterator[tuple[tuple[int, ...], float]]:
    """All ways from the start to a goal that visit no state twice."""
    (start,) = task.start_states

    def extend(
        state: dict[str, str], plan: tuple[int, ...], visited: frozenset[tuple[str, ...]]
    ) -> Iterator[tuple[tuple[int, ...], float]]:
        rewards = [goal.reward for goal in task.goals if _holds(goal.when, state)]
        if rewards:
            yield plan, max(rewards)
            return
        for i, skill in enumerate(task.skills):
            if _holds(skill.precondition, state) and isinstance(skill.effect, Mapping):
                after = {**state, **skill.effect}
                key = tuple(after.values())
                if key not in visited:
                    yield from extend(after, (*plan, i), visited | {key})

    first = dict(start.state)
    return extend(first, (), frozenset({tuple(first.values())}))


def _splits(task: Task, budget: int) -> Iterator[dict[str, int]]:
    """All ways to hand out at most the budget."""

    def extend(names: Sequence[str], left: int) -> Iterator[dict[str, int]]:
        if not names:
            yield {}
            return
        policy = task.policies[names[0]]
        most = left // policy.cost if policy.practisable else 0
        for b in range(most + 1):
            for rest in extend(names[1:], left - b * policy.cost):
                yield {names[0]: b, **rest}

    return extend(list(task.policies), budget)


def _competence(task: Task, name: str, b: int) -> float:
    policy = task.policies[name]
    return policy.competence if policy.curve is None else _curve(policy.curve, policy.competence, b)


def _curve(curve: Curve, p: float, b: int) -> float:
    if isinstance(curve, Table):
        return curve.values[min(b, len(curve.values) - 1)]
    if isinstance(curve, PiecewiseLinear):
        return min(curve.ceiling, p + curve.rate * b)
    assert isinstance(curve, Exponential)
    return p + (curve.ceiling - p) * (1 - math.exp(-curve.rate * b))


def _value(
    task: Task, plan: tuple[int, ...], reward: float, competence: Mapping[str, float]
) -> float:
    for i in plan:
        reward *= _factor(task.skills[i], competence[task.skills[i].policy], task.discount)
    return reward


def _factor(skill: Skill, f: float, gamma: float) -> float:
    if f == 0:
        return 0.0
    if skill.failure == "end":
        return gamma * f
    # "stay": try until it works; each attempt costs a step of discount.
    return gamma * f / (1 - gamma * (1 - f))


def _holds(condition: Mapping[str, str | Sequence[str]], state: Mapping[str, str]) -> bool:
    return all(
        state[name] == values if isinstance(values, str) else state[name] in values
        for name, values in condition.items()
    )
