"""A robot of your own: one method that runs trials, and one that measures what a plan earns.

Run it with ``python examples/own_robot.py``. This bench has an arm that picks a peg and puts it
into a hole; where the hole is, nobody knows. Replace ``_execute`` by calls of your own robot.
"""

from collections.abc import Sequence

import numpy as np

import deliberate_practice as dp
from deliberate_practice.testing import check_robot

TASK = dp.parse_task("""
name = "peg-in-hole"
discount = 1.0
[variables]
peg = ["tray", "hand", "hole"]
[[goals]]
name = "inserted"
reward = 1.0
when = { peg = "hole" }
[[skills]]
name = "Pick"
precondition = { peg = "tray" }
effect = { peg = "hand" }
competence = 0.95
[[skills]]
name = "Insert"
precondition = { peg = "hand" }
effect = { peg = "hole" }
competence = 0.05
curve = { kind = "exponential", rate = 0.05, ceiling = 0.95 }
parameters = [{ name = "x", unit = "mm", mean = 0.0, sd = 4.0, low = -12.0, high = 12.0 }]
""")


class Bench:
    """Everything random comes from a trial's seed, so the same trial ends the same way again."""

    def __init__(self, task: dp.Task, seed: int = 0, threads: int = 1, *, hole: float = 5.0):
        self._hole = hole

    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        """Reset, execute the approach, attempt the skill: for each trial."""
        return [self._run(trial) for trial in trials]

    def earn(self, intention: dp.Intention, executions: int) -> dp.Earnings:
        """Execute the robot's own plan so many times; without this method rewards are unknown."""
        return dp.measured_earnings(self, intention, executions)

    def _run(self, trial: dp.Trial) -> dp.Result:
        rng = np.random.default_rng(trial.seed)
        return dp.run_episode(trial, lambda step: self._execute(step, rng))

    def _execute(self, step: dp.Step, rng: np.random.Generator) -> bool:
        if step.skill == "Pick":
            return bool(rng.random() < 0.95)
        return abs(step.parameters["x"] + rng.normal(0, 0.5) - self._hole) < 1.5  # [mm]


dp.register_robot("bench", Bench)  # now also by name, with options: "bench:hole=-3"

if __name__ == "__main__":
    check_robot(Bench(TASK), TASK)
    for robot in ("bench", "bench:hole=-3"):
        done = dp.run(TASK, robot, 60, journal=None)
        x = done.deployed["Insert"]["x"]
        print(f"{robot}: inserts at x = {x:.1f} mm, reward {done.reward_after:.2f}")
