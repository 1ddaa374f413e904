"""The scene of the domain in MuJoCo: a slide drops a block before a ram, which shoves it."""

from collections.abc import Sequence

import mujoco
import numpy as np

import deliberate_practice as dp

MODEL = """
<mujoco model="sorting">
  <default> <geom friction="0.2"/> </default>
  <worldbody>
    <geom type="plane" size="3 1 0.1"/>
    <body name="ram" pos="-0.1 0 0.03">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.01 0.05 0.02" mass="1"/>
    </body>
    <body name="block" pos="0 0 0.015">
      <freejoint/>
      <geom type="box" size="0.02 0.02 0.015" mass="0.1"/>
    </body>
  </worldbody>
  <actuator> <velocity joint="rail" kv="100"/> </actuator>
</mujoco>
"""
BINS = {"Push(near)": 0.3, "Push(far)": 0.6}
"""Where each bin is along the rail [m]."""
HALF_WIDTH = 0.06
"""Of a bin [m]."""


class Ram:
    """The robot of the scene; the block lands at a random place."""

    def __init__(self, task: dp.Task, seed: int = 0, threads: int = 1):
        self._model = mujoco.MjModel.from_xml_string(MODEL)

    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        """Reset the scene, then execute the steps of each trial."""
        return [self._run(trial) for trial in trials]

    def earn(self, intention: dp.Intention, executions: int) -> dp.Earnings:
        """Execute the plan so many times."""
        return dp.measured_earnings(self, intention, executions)

    def _run(self, trial: dp.Trial) -> dp.Result:
        self._rng = np.random.default_rng(trial.seed)
        self._data = mujoco.MjData(self._model)
        return dp.run_episode(trial, self._execute)

    def _execute(self, step: dp.Step) -> bool:
        if step.skill == "Load":
            self._data.qpos[1:3] += self._rng.normal(0, 0.01, 2)
            self._move(0.0, 0.1)
            return bool(abs(self._data.qpos[2]) < 0.03)
        speed = step.parameters["speed"]
        self._move(speed, 0.15 / speed)
        self._move(0.0, 1.5)
        return bool(abs(self._data.qpos[1] - BINS[step.skill]) < HALF_WIDTH)

    def _move(self, speed: float, seconds: float) -> None:
        self._data.ctrl[0] = speed
        mujoco.mj_step(self._model, self._data, round(seconds / self._model.opt.timestep))


SCENE = dp.Scene(Ram)
