"""What lies behind a goal: the same as every state of the task and every pair of them says."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from counts import count
from random_tasks import random_task

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.mdp.reachability import reachability
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Start, Task, holds
from deliberate_practice.task.skill import Skill
from deliberate_practice.task.toml_reader import parse_task

Matrix = npt.NDArray[np.bool_]

COFFEE = """
name = "coffee"
[variables]
cup = ["shelf", "espresso", "cappuccino"]
milk = ["cold", "steamed"]
[[goals]]
name = "espresso"
reward = 1.0
when = { cup = "espresso" }
[[goals]]
name = "cappuccino"
reward = 3.0
when = { cup = "cappuccino" }
[[skills]]
name = "Brew"
precondition = { cup = "shelf" }
effect = { cup = "espresso" }
competence = 0.9
[[skills]]
name = "Steam"
precondition = { milk = "cold" }
effect = { milk = "steamed" }
competence = 0.2
curve = { kind = "exponential", rate = 0.05 }
[[skills]]
name = "Pour"
precondition = { cup = "espresso", milk = "steamed" }
effect = { cup = "cappuccino" }
competence = 0.6
"""


class Enumerated:
    """All states of a task, what leads where, and what follows from that; slow and simple."""

    def __init__(self, task: Task) -> None:
        self.task = task
        names = list(task.variables)
        self.states = [
            dict(zip(names, values, strict=True))
            for values in itertools.product(*task.variables.values())
        ]
        self.steps: Matrix = np.zeros((len(self.states),) * 2, dtype=np.bool_)
        for i, state in enumerate(self.states):
            for skill in task.skills:
                if holds(skill.precondition, state):
                    for outcome in (*skill.success_effects, *skill.failure_effects):
                        if outcome.probability > 0 and not isinstance(outcome.effect, str):
                            self.steps[i, self.states.index({**state, **outcome.effect})] = True
        self.begin = [
            self.states.index(dict(start.state))
            for start in task.start_states
            if start.probability > 0
        ]
        self.best = [self._best(state) for state in self.states]

    def _best(self, state: dict[str, str]) -> str | None:
        met = [goal for goal in self.task.goals if holds(goal.when, state)]
        return max(met, key=lambda goal: goal.reward).name if met else None

    def reached(self, leaving: Matrix, begin: list[int] | None = None) -> set[int]:
        """States reached from the start where only some states may be left."""
        allowed = (self.steps & leaving[:, None]) | np.eye(len(self.states), dtype=np.bool_)
        closure = allowed
        for _ in range(len(self.states).bit_length()):
            closure = (closure.astype(np.uint8) @ closure.astype(np.uint8)) > 0
        return {int(j) for i in begin or self.begin for j in np.flatnonzero(closure[i])}


def compare_with_enumeration(task: Task) -> tuple[int, int]:
    """Check a task; how many goals and skills are blocked in it."""
    every = Enumerated(task)
    goal_free = np.array([name is None for name in every.best])
    anywhere = every.reached(np.ones(len(every.states), dtype=np.bool_))
    entered = every.reached(goal_free)
    found = reachability(task)
    assert found.exact
    for things, kind, blocked, never in (
        (task.goals, "goal", found.blocked_goals, found.goals),
        (task.skills, "skill", found.blocked_skills, found.skills),
    ):
        for thing in things:
            condition = thing.when if isinstance(thing, Goal) else thing.precondition
            where = {i for i, state in enumerate(every.states) if holds(condition, state)}
            used = where & (entered if kind == "goal" else {i for i in entered if goal_free[i]})
            assert (thing.name in never) == (not where & anywhere)
            assert (thing.name in blocked) == (not used and bool(where & anywhere))
            if thing.name not in blocked:
                continue
            ends = set(blocked[thing.name])
            for name in {every.best[i] for i in entered} - {None}:
                last = [i for i in entered if every.best[i] == name]
                behind = every.reached(np.ones(len(every.states), dtype=np.bool_), last)
                assert (name in ends) == bool(behind & where)
            outside = np.array([name not in ends for name in every.best])
            away = every.reached(outside)  # every way passes through one of them
            assert not {i for i in away if outside[i]} & where
    return len(found.blocked_goals), len(found.blocked_skills)


def test_the_same_as_enumeration_on_random_tasks() -> None:
    rng = np.random.default_rng(5)
    blocked = [
        compare_with_enumeration(random_task(rng, product_form=bool(i % 2)))
        for i in range(count(1000))
    ]
    assert sum(goals > 0 for goals, _ in blocked) > len(blocked) / 100
    assert sum(skills > 0 for _, skills in blocked) > len(blocked) / 20


def test_the_relaxed_answer_for_large_tasks_is_never_wrong() -> None:
    rng = np.random.default_rng(6)
    found = 0
    for i in range(count(1000)):
        task = random_task(rng, product_form=bool(i % 2))
        exact, relaxed = reachability(task), reachability(task, most_checks=0)
        assert not relaxed.exact
        assert set(relaxed.blocked_goals) <= {*exact.blocked_goals, *exact.goals}
        assert set(relaxed.blocked_skills) <= {*exact.blocked_skills, *exact.skills}
        assert set(relaxed.goals) <= set(exact.goals)
        found += bool(relaxed.blocked_skills)
    assert found


@pytest.mark.parametrize("most_checks", [0, 10_000])
def test_a_goal_behind_a_goal_is_named_with_the_one_in_between(most_checks: int) -> None:
    found = reachability(parse_task(COFFEE), most_checks)
    assert found.blocked_goals == {"cappuccino": ("espresso",)}
    assert found.blocked_skills == {"Pour": ("espresso",)}
    text = found.warnings[0]
    assert "every way to it passes through goal 'espresso', where the episode ends" in text
    assert 'served = ["no", "espresso", "cappuccino"]' in text


def test_what_the_warning_advises_mends_the_task() -> None:
    task = parse_task(COFFEE)
    served = replace(
        task,
        variables={**task.variables, "served": ["no", "espresso", "cappuccino"]},
        goals=[Goal(g.name, g.reward, {"served": g.name}) for g in task.goals],
        skills=[
            *task.skills,
            *(
                Skill(f"Serve {name}", {"cup": name}, {"served": name}, competence=1.0)
                for name in ("espresso", "cappuccino")
            ),
        ],
    )
    assert reachability(served).warnings == []
    assert allocate(served, 20).notes == ()
    assert allocate(served, 60).goal == "cappuccino"


def test_allocate_says_it_too() -> None:
    (note,) = allocate(parse_task(COFFEE), 20).notes
    assert note.startswith("goal 'cappuccino' can never be reached: every way to it passes")


def test_a_start_that_is_a_goal_hides_everything_behind_it() -> None:
    task = Task(
        name="line",
        variables={"x": ["a", "b", "c"]},
        goals=[Goal("near", 1.0, {"x": "b"}), Goal("far", 2.0, {"x": "c"})],
        skills=[Skill("Go", {"x": "b"}, {"x": "c"}, 0.5, curve=PiecewiseLinear(rate=0.1))],
        starts=[Start(1.0, {"x": "b"})],
    )
    found = reachability(task)
    assert found.blocked_goals == {"far": ("near",)}
    assert found.blocked_skills == {"Go": ("near",)}
    assert found.values == ("x = a",)
