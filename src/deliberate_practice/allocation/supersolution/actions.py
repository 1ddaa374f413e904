"""The actions of a task as rectangular arrays, with competences left open.

An action that leaves its state unchanged is repeated, as in ``mdp/moves.py``: per use that leaves,
it leads to target k with the weight

    ρ_k(p) = (p win_k + (1 - p) fail_k) / own(p),    own(p) = ends + p lost_win + (1 - p) lost_fail
                                                             + Σ_k (p win_k + (1 - p) fail_k),

where γ is part of win and fail, and ends = 1 - γ. Nothing is subtracted, so every number has full
relative accuracy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from deliberate_practice.foundation.arrays import BoolArray, FloatArray, IntArray
from deliberate_practice.mdp.ground_task import GroundTask


@dataclass(frozen=True, eq=False)
class Actions:
    """N states, A actions with at most K targets other than their own state.

    Attributes:
        state: State of each action, ascending, shape (A,).
        policy: Its policy, shape (A,).
        target: States it leads to, shape (A, K); unused places point to the action's own state.
        win, fail: γ times the weight of each target given success, given failure, shape (A, K).
        lost_win, lost_fail: γ times the weight that is lost, shape (A,).
        gain: Step reward, shape (A,).
        ends: 1 - γ.
        terminal: Whether a state is a goal, shape (N,).
        reward: Reward of each state, shape (N,).
    """

    state: IntArray
    policy: IntArray
    target: IntArray
    win: FloatArray
    fail: FloatArray
    lost_win: FloatArray
    lost_fail: FloatArray
    gain: FloatArray
    ends: float
    terminal: BoolArray
    reward: FloatArray

    @cached_property
    def first(self) -> IntArray:
        """Index of the first action of every state that has any."""
        return np.flatnonzero(np.diff(self.state, prepend=-1))

    @cached_property
    def acting(self) -> IntArray:
        """The states that have actions."""
        return self.state[self.first]

    def rates(self, p: FloatArray) -> tuple[FloatArray, FloatArray]:
        """ρ(p), and the gain per use that leaves: shapes (A, K) + p.shape[1:] and p.shape.

        Args:
            p: Competence of each action, shape (A, ...).
        """
        extra = (1,) * (p.ndim - 1)
        q = 1.0 - p

        def mixed(win: FloatArray, fail: FloatArray) -> FloatArray:
            return win.reshape(-1, *extra) * p + fail.reshape(-1, *extra) * q

        moving = [mixed(self.win[:, k], self.fail[:, k]) for k in range(self.win.shape[1])]
        own = self.ends + mixed(self.lost_win, self.lost_fail)
        for amount in moving:
            own = own + amount
        rho = np.stack([amount / own for amount in moving], axis=1)
        return rho, self.gain.reshape(-1, *extra) / own

    def only(self, keep: BoolArray | IntArray) -> Actions:
        """These actions alone, over the same states."""
        parts = ("state", "policy", "target", "win", "fail", "lost_win", "lost_fail", "gain")
        return replace(self, **{part: getattr(self, part)[keep] for part in parts})

    def among(self, states: IntArray) -> Actions:
        """The same actions over some states alone, which must contain all states they touch."""
        place = np.zeros(len(self.reward), dtype=np.int64)
        place[states] = np.arange(len(states))
        return replace(
            self,
            state=place[self.state],
            target=np.where(
                self.win + self.fail > 0, place[self.target], place[self.state][:, None]
            ),
            terminal=self.terminal[states],
            reward=self.reward[states],
        )

    def reached(self, starts: IntArray) -> BoolArray:
        """Whether each state can be reached from the starts, shape (N,)."""
        reached = np.zeros(len(self.reward), dtype=np.bool_)
        reached[starts] = True
        leads = (self.win + self.fail) > 0
        while True:
            ahead = self.target[reached[self.state]][leads[reached[self.state]]]
            new = np.unique(ahead[~reached[ahead]])
            if not len(new):
                return reached
            reached[new] = True


def actions_of(ground: GroundTask) -> Actions:
    """The actions of a grounded task; outcomes with the same target are merged."""
    count, gamma = len(ground.action_state), ground.task.discount
    own = ground.action_state[ground.outcome_action]
    away = ground.outcome_target != own
    pairs, place = np.unique(
        ground.outcome_action[away] * len(ground.start) + ground.outcome_target[away],
        return_inverse=True,
    )
    action, target = np.divmod(pairs, len(ground.start))
    column = np.arange(len(pairs)) - np.searchsorted(action, action)
    width = int(column.max(initial=0)) + 1
    targets = np.repeat(ground.action_state[:, None], width, axis=1)
    targets[action, column] = target

    def weights(chosen: BoolArray) -> FloatArray:
        amount = gamma * ground.outcome_weight[away] * chosen[away]
        filled = np.zeros((count, width))
        filled[action, column] = np.bincount(place, amount, minlength=len(pairs))
        return filled

    return Actions(
        state=ground.action_state,
        policy=ground.action_policy,
        target=targets,
        win=weights(ground.outcome_success),
        fail=weights(~ground.outcome_success),
        lost_win=gamma * ground.lost_success,
        lost_fail=gamma * ground.lost_failure,
        gain=ground.step_reward,
        ends=1.0 - gamma,
        terminal=ground.goal >= 0,
        reward=ground.reward,
    )
