"""Small random tasks whose numbers span 24 orders of magnitude, as functions of a generator.

Each family stresses one way to lose digits. All of them keep the value finite: a positive step
reward needs a discount below 1, and outcomes whose probabilities sum to more than 1 do as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from exact_values import ExactTask

import deliberate_practice as dp

MOST_SPLITS = 80
DISCOUNTS = (1.0, 0.99, 0.5, 1 - 1e-12, 1e-6)

Rng = np.random.Generator
Effect = Any  # a mapping, a word or a list of outcomes


@dataclass(frozen=True)
class ExtremeTask:
    """A task with a budget that few enough splits fit into."""

    task: dp.Task
    budget: int


def extreme_task(family: str, seed: int) -> ExtremeTask:
    """A task of a family in which a goal with a reward can be reached."""
    rng = np.random.default_rng([sorted(FAMILIES).index(family), seed])
    while True:
        task = FAMILIES[family](rng)
        budget = int(rng.integers(0, 9))
        tables = {
            policy.name: [policy.competence]
            if policy.curve is None
            else policy.table(budget // policy.cost).tolist()
            for policy in task.policies.values()
        }
        if prod(len(set(table)) for table in tables.values()) > MOST_SPLITS:
            continue
        if sum(len(table) > 1 for table in tables.values()) > 3:
            continue
        if ExactTask(task).goal_is_reachable(tables):
            return ExtremeTask(task, budget)


def _product(rng: Rng) -> dp.Task:
    """Plans of product form: rewards, competences and rates of any size."""
    places = _places(rng)
    skills = [
        _skill(rng, i, places, failure=str(rng.choice(["end", "stay"])))
        for i in range(int(rng.integers(2, 7)))
    ]
    return _task(rng, places, _shared(rng, skills))


def _retries(rng: Rng) -> dp.Task:
    """Retries without discount at competences below 1e-10, fall-backs among them."""
    places = _places(rng)
    skills = []
    for i in range(int(rng.integers(2, 7))):
        failure: Effect = "stay" if rng.random() < 0.7 else {"s": str(rng.choice(places[:-1]))}
        tiny = float(10 ** rng.uniform(-18, -10)) if rng.random() < 0.7 else _competence(rng)
        skills.append(_skill(rng, i, places, failure=failure, competence=tiny))
    return replace(_task(rng, places, _shared(rng, skills)), discount=1.0)


def _outcomes(rng: Rng) -> dp.Task:
    """Effects and failures that are lists, with probabilities near 0 and near 1."""
    places = _places(rng)
    task = _task(rng, places, [])
    surely = task.discount < 0.999
    skills = [
        _skill(
            rng,
            i,
            places,
            effect=_list(rng, places, surely) if rng.random() < 0.5 else None,
            failure=_list(rng, places, surely) if rng.random() < 0.7 else "end",
        )
        for i in range(int(rng.integers(2, 6)))
    ]
    return replace(task, skills=_shared(rng, skills))


def _general(rng: Rng) -> dp.Task:
    """Fall-backs, several starts, random effects, step costs and shared policies together."""
    places = _places(rng)
    task = _task(rng, places, [])
    skills = []
    for i in range(int(rng.integers(3, 8))):
        kind = rng.integers(4)
        failure: Effect = ["end", "stay", {"s": str(rng.choice(places[:-1]))}, None][kind]
        skill = _skill(
            rng,
            i,
            places,
            effect=_list(rng, places, task.discount < 0.999) if rng.random() < 0.3 else None,
            failure=_list(rng, places, task.discount < 0.999) if failure is None else failure,
        )
        if rng.random() < 0.4:
            skill = replace(skill, step_reward=-_magnitude(rng))
        skills.append(skill)
    return replace(task, skills=_shared(rng, skills), starts=_starts(rng, places))


def _steps(rng: Rng) -> dp.Task:
    """Step rewards of both signs; where circles could earn for ever the discount is below 1."""
    places = _places(rng)
    task = _task(rng, places, [])
    skills = []
    for i in range(int(rng.integers(2, 7))):
        failure: Effect = ["end", "stay", {"s": str(rng.choice(places[:-1]))}][rng.integers(3)]
        sign = 1 if task.discount < 1 and rng.random() < 0.4 else -1
        step = sign * _magnitude(rng) if rng.random() < 0.7 else 0.0
        skills.append(replace(_skill(rng, i, places, failure=failure), step_reward=step))
    return replace(task, skills=_shared(rng, skills), starts=_starts(rng, places))


def _cancelling(rng: Rng) -> dp.Task:
    """Step costs that use up nearly all of the reward they lead to, or slightly more."""
    task = [_product, _retries, _general][rng.integers(3)](rng)
    reward = max(goal.reward for goal in task.goals)
    skills = []
    for skill in task.skills:
        p = task.policies[skill.policy].competence or 1.0
        share = 1 - float(10 ** rng.uniform(-9, -0.1)) * rng.choice([1, 1, 1, -1])
        cost = reward * p * task.discount * share if rng.random() < 0.5 else 0.0
        skills.append(replace(skill, step_reward=-cost))
    return replace(task, skills=skills)


def _forbidden(rng: Rng) -> dp.Task:
    """A task of ordinary numbers beside one skill that nobody would use at its price."""
    places = _places(rng)
    skills = []
    for i in range(int(rng.integers(2, 6))):
        failure: Effect = ["end", "stay", {"s": str(rng.choice(places[:-1]))}][rng.integers(3)]
        skills.append(
            replace(
                _skill(rng, i, places, failure=failure, competence=float(rng.integers(1, 8)) / 10),
                step_reward=float(rng.choice([0.0, 0.0, -0.01, -0.1])),
            )
        )
    absurd = replace(
        _skill(rng, len(skills), places, failure="end", competence=1.0),
        name="Forbidden",
        policy="Forbidden",
        step_reward=-float(rng.choice([1e12, 1e9, 1e6])),
    )
    skills.insert(int(rng.integers(len(skills) + 1)), absurd)
    goals = [dp.Goal("g", float(rng.integers(1, 11)) / 2, {"s": places[-1]})]
    task = _task(rng, places, _shared(rng, skills))
    return replace(task, goals=goals, discount=float(rng.choice([1.0, 0.99, 0.9])))


def _ordinary(rng: Rng) -> dp.Task:
    """Two variables and numbers of every day: what must work is checked to the same digits."""
    sides = ["l", "r"]
    places = _places(rng)[-3:]
    skills = []
    for i in range(int(rng.integers(3, 8))):
        needs = {"s": str(rng.choice(places[:-1])), "t": [*sides] if rng.random() < 0.5 else "l"}
        change = {"s": str(rng.choice(places)), "t": str(rng.choice(sides))}
        back = {"s": places[0], "t": str(rng.choice(sides))}
        failure: Effect = ["end", "stay", back][rng.integers(3)]
        p = float(rng.integers(0, 10)) / 10
        step = float(rng.choice([0.0, 0.0, -0.05]))
        skills.append(
            dp.Skill(
                f"Skill{i}", needs, change, failure=failure, step_reward=step, **_learns(rng, p)
            )
        )
    goals = [
        dp.Goal(f"g{i}", float(rng.integers(1, 5)), {"s": places[-1], "t": sides[i]})
        for i in range(2)
    ]
    return dp.Task(
        "ordinary",
        {"s": places, "t": sides},
        goals,
        _shared(rng, skills),
        float(rng.choice([1.0, 0.95])),
    )


FAMILIES: dict[str, Callable[[Rng], dp.Task]] = {
    "product": _product,
    "retries": _retries,
    "outcomes": _outcomes,
    "general": _general,
    "steps": _steps,
    "cancelling": _cancelling,
    "forbidden": _forbidden,
    "ordinary": _ordinary,
}


def _places(rng: Rng) -> list[str]:
    return [f"x{i}" for i in range(int(rng.integers(3, 7)))]


def _task(rng: Rng, places: Sequence[str], skills: Sequence[dp.Skill]) -> dp.Task:
    """The last place is a goal; sometimes the one before it is a goal of another size."""
    goals = [dp.Goal("g", _magnitude(rng), {"s": places[-1]})]
    if len(places) > 3 and rng.random() < 0.3:
        goals.append(dp.Goal("h", _magnitude(rng), {"s": [places[-2], places[-1]]}))
    return dp.Task(
        "extreme",
        {"s": places},
        goals,
        skills or [dp.Skill("None", {}, "end", 1.0)],
        float(rng.choice(DISCOUNTS)),
    )


def _skill(
    rng: Rng,
    i: int,
    places: Sequence[str],
    *,
    failure: Effect,
    effect: Effect = None,
    competence: float | None = None,
) -> dp.Skill:
    """A skill that mostly leads one place on; the first ones make a way from start to goal."""
    at = i if i < len(places) - 1 else int(rng.integers(len(places) - 1))
    to = at + 1 if rng.random() < 0.6 else int(rng.integers(len(places)))
    needs: Any = places[at] if rng.random() < 0.8 else [places[at], str(rng.choice(places))]
    return dp.Skill(
        f"Skill{i}",
        {"s": needs},
        {"s": places[to]} if effect is None else effect,
        failure=failure,
        **_learns(rng, _competence(rng) if competence is None else competence),
    )


def _learns(rng: Rng, competence: float) -> dict[str, Any]:
    """Competence, curve of any kind or none, cost."""
    learns: dict[str, Any] = {"competence": competence}
    if rng.random() < 0.3:
        learns["cost"] = int(rng.integers(1, 4))
    kind = rng.choice(["none", "none", "linear", "exponential", "table"])
    if kind == "table":
        later = [_competence(rng) for _ in range(int(rng.integers(1, 5)))]
        learns["curve"] = dp.Table(sorted([competence, *later]))
        del learns["competence"]
    elif kind != "none":
        rate = float(10 ** rng.uniform(-13, 2)) if rng.random() < 0.5 else float(rng.random())
        ceiling = 1.0 if rng.random() < 0.7 else competence + (1 - competence) * float(rng.random())
        learns["curve"] = (dp.PiecewiseLinear if kind == "linear" else dp.Exponential)(
            rate, ceiling
        )
    return learns


def _shared(rng: Rng, skills: Sequence[dp.Skill]) -> list[dp.Skill]:
    """Let some skills share the policy of an earlier one, which alone states how well it works."""
    shared: list[dp.Skill] = []
    for skill in skills:
        own = [other.policy for other in shared if other.policy != "Forbidden"]
        if own and skill.policy != "Forbidden" and rng.random() < 0.2:
            skill = replace(
                skill, policy=str(rng.choice(own)), competence=None, curve=None, cost=None
            )
        shared.append(skill)
    return shared


def _list(rng: Rng, places: Sequence[str], surely: bool) -> list[dp.PossibleEffect]:
    """Two or three outcomes; probabilities sum to 1 within 1e-9, not above it unless discounted."""
    effects: list[Effect] = ["end", "stay", *({"s": place} for place in places)]
    while True:
        small = float(10 ** rng.uniform(-13, -0.1))
        weights = [small, 1 - small]
        if rng.random() < 0.4:
            split = float(10 ** rng.uniform(-13, -0.1))
            weights = [small, (1 - small) * split, (1 - small) * (1 - split)]
        if rng.random() < 0.2:
            weights[-1] -= float(10 ** rng.uniform(-13, -9.5))
        total = sum((Fraction(weight) for weight in weights), Fraction(0))
        if min(weights) >= 0 and abs(total - 1) < Fraction(1, 2 * 10**9) and (total <= 1 or surely):
            break
    rng.shuffle(weights)
    chosen = rng.choice(len(effects), size=len(weights), replace=False)
    return [
        dp.PossibleEffect(weight, effects[i]) for weight, i in zip(weights, chosen, strict=True)
    ]


def _starts(rng: Rng, places: Sequence[str]) -> list[dp.Start]:
    """None stated, or two or three, of which one may be nearly impossible or already a goal."""
    if rng.random() < 0.5:
        return []
    small = float(10 ** rng.uniform(-12, -0.3))
    chosen = rng.choice(len(places), size=2, replace=False)
    return [
        dp.Start(small, {"s": places[chosen[0]]}),
        dp.Start(1 - small, {"s": places[chosen[1]]}),
    ]


def _magnitude(rng: Rng) -> float:
    """A reward: mostly anything from 1e-12 to 1e12, sometimes ordinary."""
    return float(10 ** rng.uniform(-12, 12)) if rng.random() < 0.7 else float(rng.integers(1, 5))


def _competence(rng: Rng) -> float:
    """0, 1, tiny, nearly 1, or anything between."""
    kinds = [
        0.0,
        1.0,
        float(10 ** rng.uniform(-12, 0)),
        1 - float(10 ** rng.uniform(-12, -1)),
        float(rng.random()),
        float(rng.random()),
    ]
    return kinds[rng.integers(len(kinds))]
