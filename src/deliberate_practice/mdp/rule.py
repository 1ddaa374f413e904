"""The skills that a decision rule uses: in every state it can reach, and on its likeliest paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.joint_task import joint_name
from deliberate_practice.mdp.most_probable import Edges, Way, step_edges, ways_along
from deliberate_practice.mdp.values import Solution
from deliberate_practice.task.model import SEVERAL


@dataclass(frozen=True)
class StartPath:
    """Skills that lead from one start state to a goal.

    Attributes:
        task: Name of the task.
        start: The start state, as variable -> value.
        probability: Probability that an episode is of this task and begins in this state.
        skills: Names of the skills, in order.
        failing: Positions of skills whose failure leads on.
        goal: The goal of the task that they reach; None if none can be reached.
        reward: The reward of that goal.
    """

    task: str
    start: Mapping[str, str]
    probability: float
    skills: tuple[str, ...] = ()
    failing: tuple[int, ...] = ()
    goal: str | None = None
    reward: float = 0.0

    def as_data(self) -> dict[str, object]:
        """The path as plain data, as ``--format json`` prints it."""
        return {
            "task": self.task,
            "start": dict(self.start),
            "probability": self.probability,
            "goal": self.goal,
            "plan": list(self.skills),
            "failing": list(self.failing),
        }


@dataclass(frozen=True)
class Path:
    """Skills that lead to a goal.

    Attributes:
        skills: Names of the skills, in order.
        failing: Positions of skills whose failure leads on; none if successes alone reach a goal.
        goal: Name of the goal; None if no goal can be reached. If there are several tasks, the
            goals of all tasks in one text.
        starts: If there are several starts or tasks, the path from each start, in file order.
    """

    skills: tuple[str, ...] = ()
    failing: tuple[int, ...] = ()
    goal: str | None = None
    starts: tuple[StartPath, ...] = ()

    @property
    def used(self) -> tuple[str, ...]:
        """The skills of the path; if there are several tasks, those of each task's path."""
        return used_skills(self.skills, self.starts)


def used_skills(skills: tuple[str, ...], starts: tuple[StartPath, ...]) -> tuple[str, ...]:
    """The skills of a path; if there are several tasks, those of each task's path in turn."""
    paths = task_paths(starts)
    return tuple(skill for path in paths for skill in path.skills) if len(paths) > 1 else skills


def task_paths(starts: tuple[StartPath, ...]) -> tuple[StartPath, ...]:
    """The path of each task, which is the path from its most probable start."""
    best: dict[str, StartPath] = {}
    for path in starts:
        known = best.setdefault(path.task, path)
        if path.probability > known.probability:
            best[path.task] = path
    return tuple(best.values())


def most_likely_path(ground: GroundTask, solution: Solution, competence: FloatArray) -> Path:
    """The most probable way to a goal under the optimal decision rule.

    It relies on successes alone. Only if these reach no goal does it rely on failures too.
    """
    search = _Search(ground, solution, competence)
    path = _path(ground, search.way_to_goal(_start_probabilities(ground)))
    starts = start_paths(ground, lambda state: _path(ground, search.way_to_goal({state: 1.0})))
    if ground.tasks:
        goals = [joint_name(path.task, path.goal) for path in task_paths(starts) if path.goal]
        path = replace(path, goal=" and ".join(goals) or None)
    return replace(path, starts=starts)


def start_paths(ground: GroundTask, path_from: Callable[[int], Path]) -> tuple[StartPath, ...]:
    """The path from each start, in file order; none if the task has only one start.

    Args:
        ground: The task; starts that it dropped can earn nothing, so they have an empty path.
        path_from: The path from a start state.
    """
    if not ground.has_several_starts:
        return ()
    kept = {tuple(ground.describe(state).values()): state for state in _start_probabilities(ground)}
    rewards = {goal.name: goal.reward for goal in ground.task.goals}
    paths = []
    for start in ground.task.start_states:
        if start.probability > 0:
            where = dict(start.state)
            state = kept.get(tuple(where.values()))
            path = Path() if state is None else path_from(state)
            goal, reward = path.goal, rewards[path.goal] if path.goal else 0.0
            task = where.pop(SEVERAL) if ground.tasks else ground.task.name
            if goal and ground.tasks:
                goal = goal.removeprefix(joint_name(task, ""))
            paths.append(
                StartPath(task, where, start.probability, path.skills, path.failing, goal, reward)
            )
    return tuple(paths)


def decisions(
    ground: GroundTask, solution: Solution, competence: FloatArray
) -> tuple[tuple[Mapping[str, str], str], ...]:
    """The skill to use in every state that the optimal decision rule can reach."""
    possible = ground.probabilities(competence) > 0
    states = met_states(ground, solution.actions, np.flatnonzero(ground.start), possible)
    skills = ground.action_skill[solution.actions[states]].tolist()
    return tuple(
        (ground.describe(state), ground.task.skills[skill].name)
        for state, skill in zip(states.tolist(), skills, strict=True)
    )


def met_states(
    ground: GroundTask, rule: IntArray, starts: IntArray, possible: BoolArray | None = None
) -> IntArray:
    """The states in which a decision rule acts and that it may meet, ascending.

    Args:
        ground: The abstract MDP.
        rule: Action of each state, -1 for stopping, shape (N,).
        starts: Where it may begin.
        possible: The outcomes that may happen; all by default.
    """
    acts = rule[ground.action_state[ground.outcome_action]] == ground.outcome_action
    if possible is not None:
        acts &= possible
    source, target = ground.action_state[ground.outcome_action[acts]], ground.outcome_target[acts]
    met = np.zeros(len(ground.start), dtype=np.bool_)
    met[starts] = True
    count = -1
    while count != (count := int(np.count_nonzero(met))):
        met[target[met[source]]] = True
    return np.flatnonzero(met & (rule >= 0))


class _Search:
    """Finds ways under a decision rule; its steps are listed once for all starts."""

    def __init__(self, ground: GroundTask, solution: Solution, competence: FloatArray) -> None:
        self._goal = ground.goal

        @cache
        def edges(failures: bool) -> Edges:
            return step_edges(ground, competence, solution.actions, failures)

        self._edges = edges

    def way_to_goal(self, starts: Mapping[int, float]) -> Way | None:
        """The most probable way to a goal, through failures only if there is no other."""
        for failures in (False, True):
            for way in ways_along(self._edges(failures), starts):
                if self._goal[way.state] >= 0:
                    return way
        return None


def _path(ground: GroundTask, way: Way | None) -> Path:
    if way is None:
        return Path()
    return Path(
        skills=tuple(ground.task.skills[skill].name for skill, _ in way.steps),
        failing=tuple(i for i, (_, success) in enumerate(way.steps) if not success),
        goal=ground.task.goals[int(ground.goal[way.state])].name,
    )


def _start_probabilities(ground: GroundTask) -> dict[int, float]:
    return {int(state): float(ground.start[state]) for state in np.flatnonzero(ground.start)}
