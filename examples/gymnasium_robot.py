"""A Gymnasium environment as a robot: two skills of a car that is too weak for its hill.

Run it with ``python examples/gymnasium_robot.py`` (Gymnasium comes with the extra ``sim``). The car
swings up the left slope, which is the approach of its climb to the right. Each skill has a tank of
30 units of fuel, and learns how hard to push.
"""

from collections.abc import Sequence

import gymnasium
import numpy as np

import deliberate_practice as dp
from deliberate_practice.testing import check_robot

SKILL = """
[[skills]]
name = "{name}"
precondition = {{ car = "{before}" }}
effect = {{ car = "{after}" }}
competence = 0.2
curve = {{ kind = "exponential", rate = 0.1, ceiling = 0.95 }}
parameters = [{{ name = "force", mean = 0.2, sd = 0.3, low = 0.0, high = 1.0 }}]
"""
TASK = dp.parse_task(
    'name = "mountain-car"\nvariables = { car = ["valley", "left slope", "flag"] }\n'
    'goals = [{ name = "flag", reward = 1.0, when = { car = "flag" } }]\n'
    + SKILL.format(name="Swing", before="valley", after="left slope")
    + SKILL.format(name="Climb", before="left slope", after="flag")
)
TANK, LEFT, FLAG = 30.0, -0.9, 0.45


class Car:
    """Runs trials in ``MountainCarContinuous-v0``."""

    def __init__(self, task: dp.Task, seed: int = 0, threads: int = 1):
        self._env = gymnasium.make("MountainCarContinuous-v0", max_episode_steps=2000)

    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        """Reset the car, then execute the steps of each trial."""
        return [self._run(trial) for trial in trials]

    def earn(self, intention: dp.Intention, executions: int) -> dp.Earnings:
        """Drive as planned so many times."""
        return dp.measured_earnings(self, intention, executions)

    def _run(self, trial: dp.Trial) -> dp.Result:
        # A trial without a route begins at the precondition: a climb begins on the slope.
        on_slope = trial.steps[0].skill == "Climb"
        low, high = (LEFT - 0.05, LEFT) if on_slope else (-0.6, -0.4)
        self._state, _ = self._env.reset(seed=trial.seed, options={"low": low, "high": high})
        return dp.run_episode(trial, self._execute)

    def _execute(self, step: dp.Step) -> bool:
        force, fuel = step.parameters["force"], TANK
        for _ in range(120):
            position, velocity = self._state
            if position >= FLAG if step.skill == "Climb" else position <= LEFT:
                return True
            direction = 1.0 if step.skill == "Climb" or velocity > 0 else -1.0
            push = direction * force if fuel > 0 else 0.0
            fuel -= push**2
            self._state, *_ = self._env.step(np.array([push], dtype=np.float32))
        return False


dp.register_robot("car", Car)

if __name__ == "__main__":
    check_robot(Car(TASK), TASK)
    done = dp.run(TASK, "car", 80, journal=None, executions=50)
    for policy, parameters in done.deployed.items():
        tried = done.attempts[policy]
        print(f"{policy}: force {parameters['force']:.2f} after {tried} attempts")
    drives = done.measured[-1].earnings.successes
    print(f"The car reaches the flag in {sum(drives)} of {len(drives)} drives.")
