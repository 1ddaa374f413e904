"""The approach of a trial: the route and the rule to a skill, with the deployed parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from deliberate_practice.practice.curriculum import rule_of
from deliberate_practice.practice.robot import Approach, Choice, OnFailure, Step
from deliberate_practice.task.model import Task, allowed_values
from deliberate_practice.task.skill import Skill

if TYPE_CHECKING:
    from deliberate_practice.mdp.routes import Route


def approach_to(task: Task, way: Route, deployed: Callable[[str], Step]) -> Approach:
    """The approach along a route.

    Args:
        task: The task.
        way: The route with its rule.
        deployed: A skill by name, as it is now deployed.
    """
    rule, limit = rule_of(way)
    return approach_of(task, way.skill, way.skills, way.start, way.failing, rule, limit, deployed)


def approach_of(
    task: Task,
    skill: str,
    route: Sequence[str],
    start: Mapping[str, str],
    failing: Sequence[int],
    rule: Sequence[tuple[Mapping[str, str], str]],
    limit: int,
    deployed: Callable[[str], Step],
) -> Approach:
    """The approach to a skill.

    Args:
        task: The task.
        skill: The skill to reach.
        route: Skills to execute first, if all goes as expected.
        start: Where the episode begins, if the task has several starts.
        failing: Positions of skills on the route whose failure leads on.
        rule: The skill to execute in each state that may be met; empty if the route is everything.
        limit: The most executions on the way.
        deployed: A skill by name, as it is now deployed.
    """
    steps = {name: deployed(name) for name in dict.fromkeys((*route, *(u for _, u in rule)))}
    needed = task.skill(skill).precondition if rule else {}

    def on_failure(place: int, name: str) -> OnFailure:
        if place in failing:
            return "continue"
        return "retry" if _leaves_all(task.skill(name)) else "end"

    return Approach(
        tuple(replace(steps[name], on_failure=on_failure(i, name)) for i, name in enumerate(route)),
        start,
        tuple(Choice(when, steps[name]) for when, name in rule),
        limit,
        {name: list(allowed_values(values)) for name, values in needed.items()},
    )


def _leaves_all(skill: Skill) -> bool:
    """Whether a failure changes nothing, unless it ends the episode."""
    kinds = [option.effect for option in skill.failure_effects if option.probability > 0]
    return "stay" in kinds and all(kind in ("stay", "end") for kind in kinds)
