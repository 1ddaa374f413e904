"""A domain of your own: a task, and a MuJoCo scene in which a robot practises it.

Run it with ``python examples/own_domain.py`` (it needs the extra ``sim``). A pusher on a rail
shoves a puck that is to stop 0.4 m away, and learns how fast to shove.
"""

from collections.abc import Sequence

import mujoco
import numpy as np

import deliberate_practice as dp
from deliberate_practice.testing import check_domain

MODEL = """
<mujoco>
  <default> <geom friction="0.2"/> </default>
  <worldbody>
    <geom type="plane" size="2 2 0.1"/>
    <body pos="-0.1 0 0.03">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <geom type="box" size="0.01 0.03 0.02" mass="1"/>
    </body>
    <body name="puck" pos="0 0 0.015">
      <freejoint/> <geom type="box" size="0.02 0.02 0.015" mass="0.1"/>
    </body>
  </worldbody>
  <actuator> <velocity joint="rail" kv="100"/> </actuator>
</mujoco>
"""
TASK = """
name = "shove"
variables = { puck = ["near", "in the zone"] }
goals = [{ name = "in-zone", reward = 1.0, when = { puck = "in the zone" } }]
[[skills]]
name = "Shove"
precondition = { puck = "near" }
effect = { puck = "in the zone" }
competence = 0.1
curve = { kind = "exponential", rate = 0.08, ceiling = 0.95 }
parameters = [{ name = "speed", unit = "m/s", mean = 0.8, sd = 0.5, low = 0.2, high = 2.5 }]
"""


class Pusher:
    """The robot in the scene; where exactly the puck begins is random."""

    def __init__(self, task: dp.Task, seed: int = 0, threads: int = 1):
        self._model = mujoco.MjModel.from_xml_string(MODEL)

    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        """Reset the scene, then execute the steps of each trial."""
        return [self._run(trial) for trial in trials]

    def earn(self, intention: dp.Intention, executions: int) -> dp.Earnings:
        """Execute the plan so many times."""
        return dp.measured_earnings(self, intention, executions)

    def _run(self, trial: dp.Trial) -> dp.Result:
        self._data = mujoco.MjData(self._model)
        self._data.qpos[1:3] += np.random.default_rng(trial.seed).normal(0, 0.01, 2)  # the puck's
        return dp.run_episode(trial, self._shove)

    def _shove(self, step: dp.Step) -> bool:
        speed = step.parameters["speed"]
        for velocity, seconds in ((speed, 0.15 / speed), (0.0, 1.5)):
            self._data.ctrl[0] = velocity
            mujoco.mj_step(self._model, self._data, round(seconds / self._model.opt.timestep))
        return bool(abs(self._data.qpos[1] - 0.4) < 0.06)


SHOVE = dp.Domain("shove", lambda: dp.parse_task(TASK), {"mujoco": dp.Scene(Pusher)})
dp.register_domain("shove", SHOVE)

if __name__ == "__main__":
    check_domain(SHOVE, trials=4)
    done = dp.run("shove", "mujoco", 40, journal=None, executions=50)
    print(f"It shoves at {done.deployed['Shove']['speed']:.2f} m/s.")
    before, after = done.reward_before, done.reward_after
    print(f"Reward {before:.2f} before practice, {after:.2f} after {done.spent} episodes.")
