"""A compiled scene and its physics: states in, states out."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from mujoco.rollout import Rollout

from deliberate_practice.errors import ArgumentError
from deliberate_practice.task.mdp import FloatArray

STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS
"""What a state vector holds: time, positions and velocities. Every run starts the solver cold, so
that a state and its controls decide everything that follows, bit for bit."""

BATCH = 64
"""How many runs are in memory at the same time."""


class World:
    """Runs matrices of controls from state vectors, alone or in batches, with the same result.

    Args:
        model: The compiled scene.
        threads: How many processors a batch may use.
    """

    def __init__(self, model: mujoco.MjModel, threads: int = 1) -> None:
        if threads < 1:
            raise ArgumentError(f"threads: {threads} must be at least 1.")
        self.model = model
        self.timestep = float(model.opt.timestep)
        self._pool = Rollout(nthread=threads if threads > 1 else 0)
        self._workers = [mujoco.MjData(model) for _ in range(threads)]
        self._data = mujoco.MjData(model)

    def run(self, state: FloatArray, controls: FloatArray) -> FloatArray:
        """The state after executing the controls, one row per step."""
        return self.run_all([state], [controls])[0]

    def run_all(
        self, states: Sequence[FloatArray], controls: Sequence[FloatArray]
    ) -> list[FloatArray]:
        """The final state of each of several independent runs, which may differ in length."""
        if len(states) != len(controls):
            raise ArgumentError(f"controls: {len(controls)} for {len(states)} states.")
        final: list[FloatArray] = []
        for begin in range(0, len(states), BATCH):
            rows = controls[begin : begin + BATCH]
            trajectories = self._roll(np.stack(states[begin : begin + BATCH]), _padded(rows))
            final += [
                trajectory[len(own) - 1].copy()
                for trajectory, own in zip(trajectories, rows, strict=True)
            ]
        return final

    def trajectory(self, state: FloatArray, controls: FloatArray) -> FloatArray:
        """The state after every step."""
        return np.asarray(self._roll(state[None], controls[None])[0])

    def view(self, state: FloatArray) -> mujoco.MjData:
        """Everything that follows from a state, contacts too; valid until the next call."""
        mujoco.mj_resetData(self.model, self._data)
        mujoco.mj_setState(self.model, self._data, state, STATE)
        mujoco.mj_forward(self.model, self._data)
        return self._data

    def state(self, data: mujoco.MjData) -> FloatArray:
        """The state vector of some data of this world's model."""
        out = np.empty(mujoco.mj_stateSize(self.model, STATE))
        mujoco.mj_getState(self.model, data, out, STATE)
        return out

    def close(self) -> None:
        """End the threads."""
        self._pool.close()

    def _roll(self, states: FloatArray, controls: FloatArray) -> FloatArray:
        model = [self.model] * len(states)
        trajectories, _ = self._pool.rollout(model, self._workers, states, controls)
        return np.asarray(trajectories)


def _padded(controls: Sequence[FloatArray]) -> FloatArray:
    """Matrices of equal length: shorter runs go on with their last control, for nothing."""
    steps = max(len(rows) for rows in controls)
    return np.stack(
        [
            np.concatenate([rows, np.repeat(rows[-1:], steps - len(rows), axis=0)])
            for rows in controls
        ]
    )
