"""A Franka arm as a robot: it learns where to press a button; a reflex costs no episode.

Run it with ``python examples/franka_robot.py`` and the address of the robot, where
``deliberate serve`` runs and DELIBERATE_TOKEN is an admin's token (``pip install franky-control``).
After a reflex the arm recovers, the trial is aborted and refunded, and the robot waits until
somebody says ``deliberate ready button``.
"""

import sys
from collections.abc import Sequence
from typing import Any

import franky

import deliberate_practice as dp

TASK = """
name = "button"
variables = { button = ["up", "down"] }
goals = [{ name = "pressed", reward = 1.0, when = { button = "down" } }]
[[skills]]
name = "Press"
precondition = { button = "up" }
effect = { button = "down" }
competence = 0.2
curve = { kind = "exponential", rate = 0.05, ceiling = 0.95 }
parameters = [
  { name = "x", unit = "m", mean = 0.0, sd = 0.02, low = -0.05, high = 0.05 },
  { name = "y", unit = "m", mean = 0.0, sd = 0.02, low = -0.05, high = 0.05 },
]"""
HOME = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]
DEPTH, TABLE, FORCE = 0.05, 0.035, 10.0  # reach down [m], the table is deeper [m], stop [N]


class Franka:
    """Presses with the hand; ``arm`` is a ``franky.Robot``."""

    def __init__(self, arm: Any):
        self._arm = arm

    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        """Run each trial from the home position."""
        return [self._run(trial) for trial in trials]

    def _run(self, trial: dp.Trial) -> dp.Result:
        try:
            self._arm.move(franky.JointMotion(HOME))
            return dp.run_episode(trial, self._execute)
        except franky.ControlException as reflex:
            print(f"reflex: {reflex}; recovered: {self._arm.recover_from_errors()}")
            return dp.Result("aborted")

    def _execute(self, step: dp.Step) -> bool:
        aside = franky.Affine([step.parameters["x"], step.parameters["y"], 0.0])
        self._arm.move(franky.CartesianMotion(aside, franky.ReferenceType.Relative))
        above = self._arm.current_pose.end_effector_pose.translation[2]
        down = franky.CartesianMotion(franky.Affine([0, 0, DEPTH]), franky.ReferenceType.Relative)
        touched, stop = franky.Measure.FORCE_Z > FORCE, franky.CartesianStopMotion()
        down.add_reaction(franky.CartesianPoseReaction(touched, stop))
        self._arm.move(down)
        return bool(above - self._arm.current_pose.end_effector_pose.translation[2] < TABLE)


def refund(session: dp.RemoteSession, trial: dp.Trial, result: dp.Result) -> None:
    """Give the unit of an aborted trial back."""
    print(f"trial {trial.id}: {trial.skill}: {result.outcome}")
    if result.outcome == "aborted":
        session.refund(trial.id)


if __name__ == "__main__":
    host = sys.argv[1] if sys.argv[1:] else "127.0.0.1"
    try:
        arm = franky.Robot(host, relative_dynamics_factor=0.1)
    except franky.NetworkException as error:
        sys.exit(f"no Franka answers at {host} ({error}); give its address, e.g. 172.16.0.2")
    remote = dp.RemoteSession("http://127.0.0.1:8712", "button")
    remote.start(TASK, 60, gate="abort")
    dp.practise(remote, Franka(arm), refund)
