"""Transitions of an MDP's actions, without the subtraction that rounds small chances away.

An action that leaves its state unchanged is executed again, so its value is that of leaving:

    q_a = (r_a + Σ_{t != s} γP_at v_t) / own_a,      own_a = 1 - γP_as.

own_a is not computed by that subtraction but as the sum of all other events: the chance of moving
on, of losing, and 1 - γ. So it has full relative accuracy, even for a skill of competence 1e-12
that may be retried for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.mdp.ground_task import GroundTask

if TYPE_CHECKING:
    from scipy import sparse

DENSE = 100
"""The largest number of states for which full matrices are faster than sparse ones."""

ENDLESS = 1e-7
"""Episodes whose chance of ending is below this at each step count as endless."""


@dataclass(frozen=True, eq=False)
class Moves:
    """The actions of an MDP for fixed competences.

    Attributes:
        state: State of each action, ascending, shape (A,).
        first: Index of the first action of every state that has any.
        onward: γP_at for t != s, shape (A, N); a full matrix if there are few states.
        leak: Chance that the episode ends: 1 - γ, plus the discounted loss, shape (A,).
        gain: Step reward of each action, shape (A,).
        reward: Reward of arriving in a state, 0 where there is no goal, shape (N,).
    """

    state: IntArray
    first: IntArray
    onward: FloatArray | sparse.csr_array
    leak: FloatArray
    gain: FloatArray
    reward: FloatArray

    @cached_property
    def own(self) -> FloatArray:
        """1 - γP_as of each action, shape (A,)."""
        total: FloatArray = self.leak + self.onward.sum(axis=1)
        return total

    @cached_property
    def costs(self) -> bool:
        """Whether some step reward is negative, so that terms of a value can cancel."""
        return bool((self.gain < 0).any())

    @cached_property
    def endless(self) -> bool:
        """Whether episodes may be so long that gains below rounding add up to a visible one."""
        return bool((self.leak < ENDLESS * self.own).any())

    def gains(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """r_a + Σ_t N_at (v_t - v_s) - leak_a v_s, and the sum of its absolute terms."""
        own = values[self.state]
        if isinstance(self.onward, np.ndarray):
            terms = self.onward * (values[None, :] - own[:, None])
            rise, size = terms.sum(axis=1), np.abs(terms).sum(axis=1)
        else:
            rates = self.onward.tocoo()
            action, target = rates.coords
            terms, count = rates.data * (values[target] - own[action]), len(own)
            rise = np.bincount(action, terms, minlength=count)
            size = np.bincount(action, np.abs(terms), minlength=count)
        loss = self.leak * own
        return self.gain + rise - loss, np.abs(self.gain) + size + np.abs(loss)

    def chain(
        self, rule: IntArray
    ) -> tuple[IntArray, FloatArray | sparse.csr_array, FloatArray | sparse.csr_array, FloatArray]:
        """The Markov chain of a decision rule, over the states in which it acts.

        Args:
            rule: Action of each state, -1 for stopping, shape (N,).

        Returns:
            These n states; N among them, shape (n, n); N to the others, shape (n, N - n); and the
            rates of leaving them, shape (n,).
        """
        acting = np.flatnonzero(rule >= 0)
        rows = self.onward[rule[acting]]
        outward = rows[:, np.flatnonzero(rule < 0)]
        return acting, rows[:, acting], outward, self.leak[rule[acting]] + outward.sum(axis=1)

    @cached_property
    def acting(self) -> IntArray:
        """The states that have actions, ascending."""
        return self.state[self.first]

    @cached_property
    def place(self) -> IntArray:
        """The number of each action's state among these, shape (A,)."""
        begins = np.zeros(len(self.state), dtype=np.int64)
        begins[self.first] = 1
        return np.asarray(begins.cumsum() - 1)

    def q(self, values: FloatArray, gain: FloatArray) -> FloatArray:
        """(gain_a + Σ γP_at v_t) / own_a; gain / 0 for an action that never leaves its state."""
        q: FloatArray = gain + self.onward @ values
        q *= self._per_own
        if len(self._stuck):
            stuck = gain[self._stuck]
            q[self._stuck] = np.where(stuck == 0, 0.0, np.copysign(np.inf, stuck))
        return q

    @cached_property
    def _stuck(self) -> IntArray:
        """Actions that never leave their state."""
        return np.flatnonzero(self.own <= 0)

    @cached_property
    def _per_own(self) -> FloatArray:
        return 1.0 / np.where(self.own > 0, self.own, 1.0)


def moves(ground: GroundTask, action_competence: FloatArray) -> Moves:
    """The actions of a grounded task, for a competence of each action, shape (A,)."""
    gamma = ground.task.discount
    flow = gamma * ground.outcome_probabilities(action_competence)
    away = ground.outcome_target != ground.action_state[ground.outcome_action]
    lost = action_competence * ground.lost_success + (1.0 - action_competence) * ground.lost_failure
    return Moves(
        state=ground.action_state,
        first=ground.first_action,
        onward=_matrix(ground, flow, away),
        leak=(1.0 - gamma) + gamma * lost,
        gain=ground.step_reward,
        reward=ground.reward,
    )


def _matrix(ground: GroundTask, flow: FloatArray, away: BoolArray) -> FloatArray | sparse.csr_array:
    n, actions = len(ground.start), len(ground.action_state)
    action, target = ground.outcome_action, ground.outcome_target
    if n <= DENSE:
        cells = np.bincount(action * n + target, flow * away, minlength=actions * n)
        return cells.astype(np.float64).reshape(actions, n)
    from scipy import sparse

    places = (action[away], target[away])
    return sparse.csr_array((flow[away], places), shape=(actions, n))
