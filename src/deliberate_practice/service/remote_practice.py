"""Practise a session behind a service on a robot of this computer."""

from __future__ import annotations

from deliberate_practice.practice.earning import EXECUTIONS, measure
from deliberate_practice.practice.loop import Progress, practise
from deliberate_practice.practice.operating.idle import Idle
from deliberate_practice.practice.robot import EarningRobot, Robot
from deliberate_practice.service.remote_session import RemoteSession


def practise_remotely(
    session: RemoteSession,
    robot: Robot,
    progress: Progress[RemoteSession] | None = None,
    executions: int = EXECUTIONS,
) -> Idle:
    """Practise until there is nothing more to do, as ``run`` does on this computer.

    The reward of the robot's own plan is measured before and afterwards, if the robot can do that.

    Args:
        session: The session.
        robot: The robot.
        progress: Called after every trial that was told.
        executions: Executions of a measurement, if the reward is not exact.

    Returns:
        Why there is nothing more to do.
    """
    if isinstance(robot, EarningRobot) and not session.state.settled:
        measure(session, robot, executions)
    idle = practise(session, robot, progress)
    if isinstance(robot, EarningRobot) and not session.open:
        measure(session, robot, executions)
    return idle
