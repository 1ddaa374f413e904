"""Goals and skills that lie behind another goal, which ends the episode before they are reached."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import unreachable
from deliberate_practice.mdp.joint_task import joint_task
from deliberate_practice.task.model import Task, allowed_values
from deliberate_practice.task.skill import Condition

MOST_CHECKS = 400_000
"""Preconditions checked (states x skills) before only the relaxation is used; about 0.3 s."""

State = tuple[str, ...]
"""A value of each variable, in the order of the task."""


@dataclass(frozen=True)
class Reachability:
    """Values, skills and goals that the robot can never use.

    Attributes:
        values: ``variable = value`` that never occurs, even if goals did not end episodes.
        skills: Skills that can never start, even then.
        goals: Goals that can never be met, even then.
        blocked_skills: Skills that can only start in or behind a goal, with the goals where every
            way to them ends.
        blocked_goals: The same for goals.
        exact: Whether every state was checked; otherwise there may be more entries.
    """

    values: tuple[str, ...]
    skills: tuple[str, ...]
    goals: tuple[str, ...]
    blocked_skills: Mapping[str, tuple[str, ...]]
    blocked_goals: Mapping[str, tuple[str, ...]]
    exact: bool

    @property
    def warnings(self) -> list[str]:
        """One sentence for each entry that is never used, with its fix."""
        lines = [f"goal '{name}' can never be reached" for name in self.goals]
        lines += _blocked_goal_lines(self.blocked_goals)
        lines += [f"skill '{name}' can never be started" for name in self.skills]
        lines += [
            f"skill '{name}' can never be used: it can only be started after "
            f"{_listed(goals)}, where the episode ends"
            for name, goals in self.blocked_skills.items()
        ]
        return lines + [f"{value} never occurs" for value in self.values]


def reachability(task: Task, most_checks: int = MOST_CHECKS) -> Reachability:
    """Find the skills and goals behind another goal, exactly if the task is small enough.

    Every way to a blocked goal or skill has a first state in which a goal holds. The goals of these
    states are named.

    Args:
        task: Any task.
        most_checks: States times skills that are checked; in larger tasks only those that the
            relaxed task rules out are found.
    """
    task = joint_task(task)
    graph = _explore(task, most_checks)
    return _relaxed(task) if graph is None else _exactly(task, graph)


@lru_cache(maxsize=16)
def notes_on_goals(ground: GroundTask) -> tuple[str, ...]:
    """Sentences about goals that lie behind another goal, and about tasks that earn nothing.

    For most tasks there are none, and at once.
    """
    task = ground.task
    earned = {task.goals[i].name for i in set(ground.goal.tolist()) if i >= 0}
    if all(goal.name in earned for goal in task.goals):
        return ()
    return (*notes_on_tasks(ground), *_blocked_goal_lines(reachability(task).blocked_goals))


def notes_on_tasks(ground: GroundTask) -> tuple[str, ...]:
    """A sentence about each of several tasks in which nothing can be earned."""
    earning = {ground.tasks[i] for i in ground.states[ground.start > 0, 0]} if ground.tasks else {}
    return tuple(
        f"task '{name}' earns nothing: none of its goals can be reached from its starts"
        for name in ground.tasks
        if name not in earning
    )


def _blocked_goal_lines(blocked: Mapping[str, Sequence[str]]) -> list[str]:
    return [
        f"goal '{name}' can never be reached: every way to it passes through {_listed(goals)}, "
        "where the episode ends; give each finished result a state of its own, e.g. a variable "
        f"served = {json.dumps(['no', *goals, name], ensure_ascii=False)} that a skill Serve sets, "
        "and let the goals ask for that"
        for name, goals in blocked.items()
    ]


def _listed(goals: Sequence[str]) -> str:
    return " or ".join(f"goal '{name}'" for name in goals)


@dataclass
class _Graph:
    """All states that skills can lead to if no goal ends the episode."""

    starts: list[State]
    goals: dict[State, list[int]]  # the goals that hold, perhaps none
    startable: dict[State, list[int]] = field(default_factory=dict)
    successors: dict[State, set[State]] = field(default_factory=dict)


def _explore(task: Task, most_checks: int) -> _Graph | None:
    """The graph, or None if it is too large."""
    names = list(task.variables)
    index = {name: v for v, name in enumerate(names)}
    preconditions = [_tests(index, skill.precondition) for skill in task.skills]
    goals = [_tests(index, goal.when) for goal in task.goals]
    changes = [
        [
            [(index[name], value) for name, value in option.effect.items()]
            for option in (*skill.success_effects, *skill.failure_effects)
            if option.probability > 0 and not isinstance(option.effect, str)
        ]
        for skill in task.skills
    ]
    graph = _Graph(
        [tuple(s.state[name] for name in names) for s in task.start_states if s.probability > 0],
        {},
    )
    waiting, checked = list(dict.fromkeys(graph.starts)), 0
    known = set(waiting)
    while waiting:
        state = waiting.pop()
        checked += len(task.skills) + len(task.goals)
        if checked > most_checks:
            return None
        graph.goals[state] = [i for i, tests in enumerate(goals) if _met(tests, state)]
        graph.startable[state] = [i for i, tests in enumerate(preconditions) if _met(tests, state)]
        reached = graph.successors[state] = {
            _changed(state, change) for i in graph.startable[state] for change in changes[i]
        }
        waiting += reached - known
        known |= reached
    return graph


Tests = Sequence[tuple[int, Collection[str]]]


def _tests(index: Mapping[str, int], condition: Condition) -> Tests:
    return [(index[name], set(allowed_values(values))) for name, values in condition.items()]


def _met(tests: Tests, state: State) -> bool:
    return all(state[v] in values for v, values in tests)


def _changed(state: State, change: Sequence[tuple[int, str]]) -> State:
    values = list(state)
    for v, value in change:
        values[v] = value
    return tuple(values)


def _exactly(task: Task, graph: _Graph) -> Reachability:
    # Episodes end at the first goal.
    going_on = {s: () if graph.goals[s] else after for s, after in graph.successors.items()}
    entered = _reached_from(going_on, graph.starts)
    met = {i for state in entered for i in graph.goals[state]}
    started = {i for state in entered if not graph.goals[state] for i in graph.startable[state]}
    goals: dict[str, set[str]] = {g.name: set() for i, g in enumerate(task.goals) if i not in met}
    skills: dict[str, set[str]] = {
        skill.name: set() for i, skill in enumerate(task.skills) if i not in started
    }
    for end, states in _by_best_goal(task, graph, entered).items() if goals or skills else ():
        for state in _reached_from(graph.successors, states):
            for i in graph.goals[state]:
                goals.get(task.goals[i].name, set()).add(end)
            for i in graph.startable[state]:
                skills.get(task.skills[i].name, set()).add(end)
    occurring = [set(values) for values in zip(*graph.goals, strict=True)]
    return Reachability(
        values=tuple(
            f"{name} = {value}"
            for occurs, (name, values) in zip(occurring, task.variables.items(), strict=True)
            for value in values
            if value not in occurs
        ),
        skills=tuple(name for name, ends in skills.items() if not ends),
        goals=tuple(name for name, ends in goals.items() if not ends),
        blocked_skills={name: _in_order(task, ends) for name, ends in skills.items() if ends},
        blocked_goals={name: _in_order(task, ends) for name, ends in goals.items() if ends},
        exact=True,
    )


def _by_best_goal(task: Task, graph: _Graph, entered: Iterable[State]) -> dict[str, list[State]]:
    """States where episodes end, by the goal that counts there."""
    groups: dict[str, list[State]] = {}
    for state in entered:
        if graph.goals[state]:
            best = max(graph.goals[state], key=lambda i: (task.goals[i].reward, -i))
            groups.setdefault(task.goals[best].name, []).append(state)
    return groups


def _reached_from(
    successors: Mapping[State, Collection[State]], states: Iterable[State]
) -> set[State]:
    """These states and all their successors."""
    seen = set(states)
    waiting = list(seen)
    while waiting:
        news = set(successors[waiting.pop()]) - seen
        seen |= news
        waiting += news
    return seen


def _relaxed(task: Task) -> Reachability:
    """Entries the relaxed task rules out if skills that only start in a goal change nothing."""
    values, skills, goals = unreachable(task)
    over = {skill.name: _implied(task, skill.precondition) for skill in task.skills}
    idle = [
        replace(skill, effect="stay", failure="stay") if over[skill.name] else skill
        for skill in task.skills
    ]
    _, later_skills, later_goals = unreachable(replace(task, skills=idle))
    ends = _in_order(task, {name for names in over.values() for name in names})
    return Reachability(
        values=tuple(values),
        skills=tuple(skills),
        goals=tuple(goals),
        blocked_skills={
            skill.name: over[skill.name] or ends
            for skill in task.skills
            if skill.name not in skills and (over[skill.name] or skill.name in later_skills)
        },
        blocked_goals={name: ends for name in later_goals if name not in goals},
        exact=False,
    )


def _implied(task: Task, condition: Condition) -> tuple[str, ...]:
    """The goals that hold wherever a condition holds."""
    return tuple(
        goal.name
        for goal in task.goals
        if all(
            name in condition
            and set(allowed_values(condition[name])) <= set(allowed_values(values))
            for name, values in goal.when.items()
        )
    )


def _in_order(task: Task, names: Collection[str]) -> tuple[str, ...]:
    return tuple(goal.name for goal in task.goals if goal.name in names)
