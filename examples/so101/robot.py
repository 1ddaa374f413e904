"""A simulated SO-101 whose base is turned and whose camera is off: four skills to correct.

It runs in the environment of ``setup.sh``, with our two files and without our package. Movements
have hardly more time than they need, so the parameters ``yaw`` and ``pitch`` must undo the turn of
the base [rad]. Touching has to undo the error of the camera, with ``x``, ``y`` and ``z`` [m].
"""

import argparse
import warnings
from collections.abc import Generator, Mapping
from typing import Any

import deliberate_client
import deliberate_gym
import gymnasium
import numpy as np
import so101_nexus.mujoco  # noqa: F401 - registers the environments
from so101_nexus.config import MoveConfig, TouchConfig

ENVS = {
    "MoveUp": ("MuJoCoMove-v1", MoveConfig(direction="up")),
    "MoveLeft": ("MuJoCoMove-v1", MoveConfig(direction="left")),
    "Touch": ("MuJoCoTouch-v1", TouchConfig(touch_margin=0.03)),
    "Press": ("MuJoCoTouch-v1", TouchConfig(touch_margin=0.01)),
}
UP, LEFT = np.array([0.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
MOVES = {"MoveUp": (UP, 8), "MoveLeft": (LEFT, 8)}
"""The direction of each movement, and the actions that it may take."""
TURN, OFF = 0.7, 0.07
"""How far the base is turned [rad], and how far the camera is off [m]."""
TOUCH_ACTIONS = 40
REACH = 0.02
"""From this distance on the hand slows down [m]."""


def turned(direction: Any, yaw: float, pitch: float) -> Any:
    """A direction, turned by two angles towards the other two axes."""
    side, other = np.roll(direction, 1), np.roll(direction, 2)
    return np.cos(pitch) * (np.cos(yaw) * direction + np.sin(yaw) * side) + np.sin(pitch) * other


def desk(bench: int) -> deliberate_gym.Gym:
    """The arm; the number draws its errors."""
    rng = np.random.default_rng(bench)
    angle = rng.uniform(0, 2 * np.pi)
    yaw, pitch = TURN * np.cos(angle), TURN * np.sin(angle)
    off = rng.standard_normal(3)
    off *= OFF / np.linalg.norm(off)

    def act(
        skill: str, parameters: Mapping[str, float], observation: Any, info: Any
    ) -> Generator[Any, Any]:
        action = np.zeros(7, dtype=np.float32)
        if skill in MOVES:
            direction, count = MOVES[skill]
            action[:3] = turned(direction, yaw + parameters["yaw"], pitch + parameters["pitch"])
            for _ in range(count):
                yield action
            return
        correction = np.array([parameters[axis] for axis in "xyz"])
        for _ in range(TOUCH_ACTIONS):
            seen = observation[-3:] + off + correction  # from the hand to the cube
            action[:3] = np.clip(seen / REACH, -1, 1)
            observation, _ = yield action

    envs = {
        skill: gymnasium.make(
            name, config=config, control_mode="pd_ee_delta_pose", max_episode_steps=-1
        )
        for skill, (name, config) in ENVS.items()
    }
    return deliberate_gym.Gym(envs, act, success="success")


def main() -> None:
    """Practise through a service."""
    parser = argparse.ArgumentParser(description="Practise with a simulated SO-101.")
    parser.add_argument("url", help="where the service is, e.g. http://127.0.0.1:8712")
    parser.add_argument("session", help="name of the session")
    parser.add_argument("--token", help="the robot's token (the variable DELIBERATE_TOKEN)")
    parser.add_argument("--bench", type=int, default=0, help="which errors the arm has (0)")
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # the environment warns of weights that nobody uses
    gym = desk(given.bench)
    deliberate_client.practise(given.url, given.session, gym.run, "so101", given.token)


if __name__ == "__main__":
    main()
