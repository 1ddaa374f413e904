"""From a task to a sparse abstract MDP over the states that matter.

States are explored breadth first, a whole layer at a time in numpy. A state that can no longer earn
a reward is not entered: in large layers the relaxation recognises most of them, and a backward pass
at the end removes the rest. Of the 8 * 5^n states of Cleanup-Multi with n objects, about 6 n 2^n
are kept.
"""

from __future__ import annotations

import math
import os
import reprlib
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.foundation.checks import LARGEST_BUDGET, whole_number
from deliberate_practice.foundation.deadline import late, with_grace
from deliberate_practice.foundation.errors import ArgumentError, TaskError, TaskTooLarge
from deliberate_practice.mdp.ground_task import GroundTask, StateCounts
from deliberate_practice.mdp.joint_task import joint_task
from deliberate_practice.mdp.relaxation import Relaxation, StateArray
from deliberate_practice.mdp.state_space import CodeArray, NewStates, Space, find
from deliberate_practice.task.model import Task

MAX_STATES = 500_000
"""The most states that grounding explores; each takes about a kilobyte during grounding."""

QUICK = 10_000
"""States that are explored even after the time limit."""

IDLE = 4
"""Layers without a worthless state after which the relaxation is rarely used."""

COUNT_LIMIT = 1_000_000
"""The most possible states for which reachable ones are counted too."""


def ground(
    task: Task,
    max_states: int = MAX_STATES,
    *,
    everything: bool = False,
    deadline: float | None = None,
) -> GroundTask:
    """Build the abstract MDP over all reachable states that can still earn a reward.

    A task that serves several tasks is grounded as their :func:`.joint_task`.

    Args:
        task: The task.
        max_states: Refuse tasks in which more states than this are explored.
        everything: Keep all reachable states, even those that can earn nothing.
        deadline: When to give up.

    Returns:
        The sparse MDP.

    Raises:
        TaskTooLarge: More than ``max_states`` states would be explored, or the deadline has passed.
        TaskError: Nothing can be earned from the start.
        ArgumentError: The argument is not a task, but perhaps the name of one.
    """
    _check_task(task)
    served, task = tuple(one.name for one in task.tasks), joint_task(task)
    max_states = whole_number("max_states", max_states, 1, LARGEST_BUDGET)
    space = Space(task)
    relaxation = None if everything else Relaxation(task)
    limits = _Limits(task, max_states, deadline)
    explored = _explore(space, limits, relaxation)
    grounded = replace(_assemble(space, explored), tasks=served)
    limits.check(len(explored.codes))
    if everything:
        return grounded
    grounded = _drop_worthless(grounded)
    if not grounded.start.any():
        goals = ", ".join(f"'{goal.name}'" for goal in task.goals)
        raise TaskError(
            "goals",
            f"no goal can be reached from the start (goals: {goals}); "
            "check the skills whose effects should lead there.",
        )
    reachable: int | None = len(explored.codes) + task.can_end
    if not explored.complete:
        reachable = None if late(deadline) else count_reachable(task, deadline=deadline)
    return replace(grounded, counts=replace(grounded.counts, reachable=reachable))


def _check_task(task: object) -> None:
    if isinstance(task, str | os.PathLike):
        raise ArgumentError(
            f"task: {str(task)!r} is a name; load it first: dp.load_task({str(task)!r})."
        )
    if not isinstance(task, Task):
        raise ArgumentError(
            f"task: {reprlib.repr(task)} is not a task; give a Task, or what dp.load_task returns."
        )


def count_reachable(
    task: Task, limit: int = COUNT_LIMIT, deadline: float | None = None
) -> int | None:
    """Number of reachable states, failure included; None if more than ``limit`` are possible."""
    task = joint_task(task)
    if task.state_count > limit:
        return None
    try:
        found = _explore(Space(task), _Limits(task, limit, deadline), None, states_only=True)
    except TaskTooLarge:  # too large for the time limit
        return None
    return len(found.codes) + task.can_end


def unreachable(task: Task) -> tuple[list[str], list[str], list[str]]:
    """Values (as ``variable = value``), skills and goals that certainly cannot be reached."""
    task = joint_task(task)
    return Relaxation(task).unreachable(Space(task).start_states())


@dataclass(frozen=True)
class _Exploration:
    """States in order of discovery, with their actions and outcomes; targets are still codes."""

    states: StateArray
    codes: CodeArray
    goal: IntArray
    actions: IntArray  # (source, skill)
    outcomes: IntArray  # (source, skill, outcome)
    targets: CodeArray
    complete: bool  # whether no state was left out as worthless


@dataclass(frozen=True)
class _Limits:
    """The limits of exploration: states and time."""

    task: Task
    max_states: int
    deadline: float | None

    def check(self, states: int) -> None:
        """Raise an error if there are too many states or the deadline has passed."""
        if states > self.max_states:
            self._refuse(
                f"more than {self.max_states:,} states can be reached",
                "raise the limit (--max-states, max_states=)",
            )
        if late(self.deadline if states > QUICK else with_grace(self.deadline)):
            self._refuse(
                f"the time limit was over after {states:,} states",
                "give more time (--time-limit, time_limit=)",
            )

    def _refuse(self, fault: str, other: str) -> NoReturn:
        possible = f"of about 10^{len(str(self.task.state_count)) - 1} possible"
        raise TaskTooLarge(
            "states",
            f"{fault} ({possible}); leave out variables and values that do not matter to the "
            f"goals, or {other}.",
        )


def _explore(
    space: Space, limits: _Limits, relaxation: Relaxation | None, *, states_only: bool = False
) -> _Exploration:
    """Breadth-first search by layers; without a relaxation no state is left out."""
    nothing = space.codes(space.start_states()[:, :0])
    begin = NewStates(space, nothing, relaxation)
    begin.add(space.start_states())
    layer = begin.layer()
    seen = np.sort(space.codes(layer))
    layers, goals = [layer], [_goal_of(space, layer)]
    actions, outcomes, targets = [], [], [nothing]
    known, complete, idle = 0, begin.complete, 0
    while layer.shape[1]:
        # If the relaxation has found nothing several times, it is used only now and then.
        asked = idle < IDLE or len(layers) % (2 * IDLE) == 0
        fresh = NewStates(space, seen, relaxation if asked else None)
        for i, where in space.preconditions.holding(layer, goals[-1] < 0):
            actions.append(np.stack([where + known, np.full(len(where), i)]))
            for j, (_, _, assigns) in enumerate(space.outcomes[i]):
                successors = layer[:, where]
                for v, value in assigns:
                    successors[v] = value
                fresh.add(successors)
                if not states_only:
                    outcomes.append(np.stack([*actions[-1], np.full(len(where), j)]))
                    targets.append(space.codes(successors))
            limits.check(known + layer.shape[1] + fresh.count)
        known += layer.shape[1]
        layer = fresh.layer()
        complete &= fresh.complete
        idle = idle + 1 if fresh.complete else 0
        limits.check(known + layer.shape[1])
        seen = np.sort(np.concatenate([seen, space.codes(layer)]))
        layers.append(layer)
        goals.append(_goal_of(space, layer))
    states = np.concatenate(layers, axis=1)
    return _Exploration(
        states=states,
        codes=space.codes(states),
        goal=np.concatenate(goals),
        actions=np.concatenate([np.zeros((2, 0), dtype=np.int64), *actions], axis=1),
        outcomes=np.concatenate([np.zeros((3, 0), dtype=np.int64), *outcomes], axis=1),
        targets=np.concatenate(targets),
        complete=complete,
    )


def _goal_of(space: Space, states: StateArray) -> IntArray:
    """Index of the goal with the largest reward that holds (the first of equals), or -1."""
    goal = np.full(states.shape[1], -1)
    holds = dict(space.goals.holding(states, goal < 0))
    for g in sorted(holds, key=lambda g: (space.task.goals[g].reward, -g)):
        goal[holds[g]] = g  # the best one last
    return goal


def _assemble(space: Space, exploration: _Exploration) -> GroundTask:
    """Number the states; sort actions by state and skill, outcomes by action."""
    task, n = space.task, exploration.states.shape[1]
    by_code = np.argsort(exploration.codes)
    ordered = exploration.codes[by_code]

    def number(codes: CodeArray) -> IntArray:
        position = find(ordered, codes)
        return np.where(position < 0, -1, by_code[position]) if n else position

    begin = number(space.codes(space.start_states()))
    weights = np.array([start.probability for start in task.start_states if start.probability > 0])
    weights /= math.fsum(weights)
    start = np.zeros(n)
    np.add.at(start, begin[begin >= 0], weights[begin >= 0])

    key = exploration.actions[0] * len(task.skills) + exploration.actions[1]
    action_key = np.sort(key)
    source, skill, outcome = exploration.outcomes
    action = np.searchsorted(action_key, source * len(task.skills) + skill)
    order = np.lexsort((outcome, action))
    widest = max(len(outcomes) for outcomes in space.outcomes)
    weight = np.zeros((len(task.skills), widest))
    success = np.zeros((len(task.skills), widest), dtype=np.bool_)
    for i, outcomes in enumerate(space.outcomes):
        for j, (probability, succeeds, _) in enumerate(outcomes):
            weight[i, j], success[i, j] = probability, succeeds
    rewards = np.array([goal.reward for goal in task.goals])
    return GroundTask(
        task=task,
        states=np.ascontiguousarray(exploration.states.T),
        start=start,
        goal=exploration.goal,
        reward=np.where(exploration.goal >= 0, rewards[exploration.goal], 0.0),
        action_state=action_key // len(task.skills),
        action_skill=action_key % len(task.skills),
        outcome_action=action[order],
        outcome_target=number(exploration.targets)[order],
        outcome_weight=weight[skill, outcome][order],
        outcome_success=success[skill, outcome][order],
        lost_success=space.ends[action_key % len(task.skills), 0],
        lost_failure=space.ends[action_key % len(task.skills), 1],
        counts=StateCounts(task.state_count, None, n),
    )


def _drop_worthless(g: GroundTask) -> GroundTask:
    """Keep the states that can earn a reward and the actions that can lead to one of them."""
    pays = g.step_reward > 0
    alive = g.goal >= 0
    alive[g.action_state[pays]] = True
    leads = g.outcome_target >= 0
    source, target = g.action_state[g.outcome_action[leads]], g.outcome_target[leads]
    before = -1
    while before != (before := int(alive.sum())):
        alive[source[alive[target]]] = True
    number = np.append(
        np.where(alive, np.cumsum(alive) - 1, -1), -1
    )  # the last one is for target -1
    new_target = number[g.outcome_target]
    useful = pays.copy()
    useful[g.outcome_action[new_target >= 0]] = True
    useful &= alive[g.action_state]
    keep = useful[g.outcome_action] & (new_target >= 0)

    def lost(ends: FloatArray, success: bool) -> FloatArray:
        gone = (new_target < 0) & (g.outcome_success == success)
        total = ends.copy()
        np.add.at(total, g.outcome_action[gone], g.outcome_weight[gone])
        return total[useful]

    return replace(
        g,
        states=g.states[alive],
        start=g.start[alive],
        goal=g.goal[alive],
        reward=g.reward[alive],
        action_state=number[g.action_state[useful]],
        action_skill=g.action_skill[useful],
        outcome_action=(np.cumsum(useful) - 1)[g.outcome_action[keep]],
        outcome_target=new_target[keep],
        outcome_weight=g.outcome_weight[keep],
        outcome_success=g.outcome_success[keep],
        lost_success=lost(g.lost_success, True),
        lost_failure=lost(g.lost_failure, False),
        counts=replace(g.counts, kept=int(alive.sum())),
    )
