"""The abstract MDP of a task as sparse arrays."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.task.model import SEVERAL, Task


@dataclass(frozen=True)
class StateCounts:
    """The number of states of a task: possible, reachable (None: not counted), and kept."""

    total: int
    reachable: int | None
    kept: int


@dataclass(frozen=True, eq=False)  # compared by identity, so that results can be cached
class GroundTask:
    """A task as a sparse MDP: N states, A actions (a skill in a state), K outcomes of actions.

    The outcomes of an action may have a total weight below 1: the rest is lost, with value 0. The
    lost weight is stored too, because 1 minus the other weights would round it away if it is small.

    Attributes:
        task: The task from which it was made; if there were several, as one.
        states: Index of each variable's value, shape (N, variables).
        start: Probability of starting in each state, shape (N,); worthless states are left out.
        goal: Index of the goal that holds, -1 for none, shape (N,). Goal states are terminal.
        reward: Reward of arriving in a state, shape (N,).
        action_state: State of each action, ascending, shape (A,).
        action_skill: Index of its skill in file order, shape (A,).
        outcome_action: Action of each outcome, ascending, shape (K,).
        outcome_target: State it leads to, shape (K,).
        outcome_weight: Its probability given success or given failure, shape (K,).
        outcome_success: Whether it belongs to success, shape (K,).
        lost_success: Probability that a success of an action has value 0, shape (A,).
        lost_failure: Probability that a failure of an action has value 0, shape (A,).
        counts: Sizes before and after pruning.
        tasks: Names of the tasks if there are several. The first variable of a state is then the
            index of its task.
    """

    task: Task
    states: npt.NDArray[np.unsignedinteger]
    start: FloatArray
    goal: IntArray
    reward: FloatArray
    action_state: IntArray
    action_skill: IntArray
    outcome_action: IntArray
    outcome_target: IntArray
    outcome_weight: FloatArray
    outcome_success: BoolArray
    lost_success: FloatArray
    lost_failure: FloatArray
    counts: StateCounts
    tasks: tuple[str, ...] = ()

    @cached_property
    def policy_names(self) -> tuple[str, ...]:
        """Names of the policies, in file order; competences are arrays in this order."""
        return tuple(self.task.policies)

    @cached_property
    def action_policy(self) -> IntArray:
        """Index of each action's policy, shape (A,)."""
        index = {name: u for u, name in enumerate(self.policy_names)}
        of_skill = np.array([index[skill.policy] for skill in self.task.skills])
        return of_skill[self.action_skill]

    @cached_property
    def first_action(self) -> IntArray:
        """Index of the first action of every state that has any."""
        return np.flatnonzero(np.diff(self.action_state, prepend=-1))

    @cached_property
    def branching(self) -> bool:
        """Whether an execution can lead on in several ways: by a failure, or by chance.

        Otherwise a decision rule is one sequence of skills from each start, each of which succeeds
        or ends the episode.
        """
        several = len(self.outcome_action) > len(np.unique(self.outcome_action))
        return bool(several or not self.outcome_success.all())

    @cached_property
    def step_reward(self) -> FloatArray:
        """Reward of executing each action, shape (A,)."""
        return np.array([skill.step_reward for skill in self.task.skills])[self.action_skill]

    @property
    def competence(self) -> FloatArray:
        """Stated competence of each policy, shape (policies,)."""
        return np.array([policy.competence for policy in self.task.policies.values()])

    def probabilities(self, competence: FloatArray) -> FloatArray:
        """Probability of each outcome, shape (K,), for the given competences of the policies."""
        return self.outcome_probabilities(competence[self.action_policy])

    def outcome_probabilities(self, action_competence: FloatArray) -> FloatArray:
        """Probability of each outcome, shape (K,), for a competence of each action, shape (A,)."""
        p = action_competence[self.outcome_action]
        return self.outcome_weight * np.where(self.outcome_success, p, 1.0 - p)

    def by_action(self, amounts: FloatArray) -> FloatArray:
        """Sum of an amount of each outcome, shape (K,), over the outcomes of each action."""
        actions = len(self.action_state)
        return np.bincount(self.outcome_action, amounts, minlength=actions).astype(np.float64)

    def by_policy(self, amounts: FloatArray) -> FloatArray:
        """Sum of an amount of each action, shape (A,), over the actions of each policy."""
        policies = len(self.policy_names)
        return np.bincount(self.action_policy, amounts, minlength=policies).astype(np.float64)

    @cached_property
    def has_several_starts(self) -> bool:
        """Whether episodes may begin in several states or be of several tasks."""
        possible = sum(start.probability > 0 for start in self.task.start_states)
        return bool(self.tasks) or possible > 1

    def without(self, skills: Collection[str]) -> GroundTask:
        """The same states, if some skills cannot be executed."""
        allowed = np.array([skill.name not in skills for skill in self.task.skills])
        kept = allowed[self.action_skill]
        outcomes = kept[self.outcome_action]
        return replace(
            self,
            action_state=self.action_state[kept],
            action_skill=self.action_skill[kept],
            outcome_action=(np.cumsum(kept) - 1)[self.outcome_action[outcomes]],
            outcome_target=self.outcome_target[outcomes],
            outcome_weight=self.outcome_weight[outcomes],
            outcome_success=self.outcome_success[outcomes],
            lost_success=self.lost_success[kept],
            lost_failure=self.lost_failure[kept],
        )

    def own_state(self, state: int) -> dict[str, str]:
        """A state as variable -> value in the words of its task."""
        words = self.describe(state)
        if self.tasks:
            del words[SEVERAL]
        return words

    def describe(self, state: int) -> dict[str, str]:
        """A state as variable -> value."""
        return {
            name: values[self.states[state, v]]
            for v, (name, values) in enumerate(self.task.variables.items())
        }
