"""A compiled scene and its physics: states in, states out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from mujoco.rollout import Rollout

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError

STATE = mujoco.mjtState.mjSTATE_FULLPHYSICS
"""What a state vector holds: time, positions and velocities. Every run starts the solver cold, so
that a state and its controls decide everything that follows, bit for bit."""

BATCH = 4
"""Runs for each processor in a batch, if there are several processors."""


@dataclass(frozen=True)
class Run:
    """What came of executing controls.

    Attributes:
        states: The state after every step.
        sensors: What the model's sensors showed, one row per step.
    """

    states: FloatArray
    sensors: FloatArray


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
        return [run.states[-1] for run in self.measure_all(states, controls)]

    def measure_all(
        self,
        states: Sequence[FloatArray],
        controls: Sequence[FloatArray],
        models: Sequence[mujoco.MjModel] | None = None,
    ) -> list[Run]:
        """Several independent runs, which may differ in length, and what the sensors showed.

        Args:
            states: Where each begins.
            controls: Of each, one row per step.
            models: The scene of each, which differs from the world's in its numbers at most.
        """
        if len(states) != len(controls):
            raise ArgumentError(f"controls: {len(controls)} for {len(states)} states.")
        models = [self.model] * len(states) if models is None else models
        runs: dict[int, Run] = {}
        # Runs of similar length share a batch, because a batch takes as long as its longest run.
        order = sorted(range(len(states)), key=lambda index: len(controls[index]))
        batch = BATCH * len(self._workers) if len(self._workers) > 1 else 1
        for begin in range(0, len(order), batch):
            part = order[begin : begin + batch]
            trajectories, sensors = self._pool.rollout(
                [models[index] for index in part],
                self._workers,
                np.stack([states[index] for index in part]),
                _padded([controls[index] for index in part]),
            )
            for index, trajectory, shown in zip(part, trajectories, sensors, strict=True):
                steps = len(controls[index])
                runs[index] = Run(trajectory[:steps], shown[:steps])
        return [runs[index] for index in range(len(states))]

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


def _padded(controls: Sequence[FloatArray]) -> FloatArray:
    """Matrices of equal length: shorter runs go on with their last control, for nothing."""
    steps = max(len(rows) for rows in controls)
    return np.stack(
        [
            np.concatenate([rows, np.repeat(rows[-1:], steps - len(rows), axis=0)])
            for rows in controls
        ]
    )
