"""Meta-World's scripted experts as a robot with twelve skills that a wrong camera spoils.

It runs in the environment of ``setup.sh``, with our two files and without our package. The camera
of each station shows everything 7 cm off, in a direction that nobody knows; the parameters x, y and
z of a skill correct that. ``--bench`` draws the directions.
"""

import argparse
import json
import sys
import warnings
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import deliberate_client
import deliberate_gym
import metaworld
import numpy as np
from metaworld.policies import ENV_POLICY_MAP

SKILLS = {
    "ButtonPress": "button-press-v3",
    "ButtonPressTopdown": "button-press-topdown-v3",
    "WindowOpen": "window-open-v3",
    "WindowClose": "window-close-v3",
    "PlateSlide": "plate-slide-v3",
    "DrawerOpen": "drawer-open-v3",
    "DrawerClose": "drawer-close-v3",
    "DoorOpen": "door-open-v3",
    "DoorClose": "door-close-v3",
    "FaucetOpen": "faucet-open-v3",
    "HandlePress": "handle-press-v3",
    "LeverPull": "lever-pull-v3",
}
ERROR = 0.07
"""How far off the cameras are [m]."""
SEEN = [4, 5, 6, 36, 37, 38]
"""Where an observation has the positions of the object and of the goal."""
LIMIT = 150
"""The most actions of a skill; the experts need 30 to 100."""


class Station:
    """One environment of Meta-World, whose layout follows from the seed of the episode."""

    def __init__(self, name: str) -> None:
        benchmark = metaworld.MT1(name, seed=0)
        self._env = benchmark.train_classes[name]()
        self._layouts = benchmark.train_tasks

    def reset(self, *, seed: int, options: Any = None) -> Any:
        """Put everything where this layout has it."""
        self._env.set_task(self._layouts[seed % len(self._layouts)])
        return self._env.reset(seed=seed % 2**31)

    def step(self, action: Any) -> Any:
        """Take an action."""
        return self._env.step(action)


class Stations(Mapping[str, Station]):
    """The stations by skill, each made when it is first used, which takes 2 s."""

    def __init__(self) -> None:
        self._made: dict[str, Station] = {}

    def __getitem__(self, skill: str) -> Station:
        if skill not in self._made:
            self._made[skill] = Station(SKILLS[skill])
        return self._made[skill]

    def __iter__(self) -> Iterator[str]:
        return iter(SKILLS)

    def __len__(self) -> int:
        return len(SKILLS)


def workshop(bench: int, stations: Stations) -> deliberate_gym.Gym:
    """All stations, with the errors of their cameras."""
    experts = {skill: ENV_POLICY_MAP[name]() for skill, name in SKILLS.items()}
    errors = {}
    for skill in SKILLS:
        direction = np.random.default_rng([bench, zlib.crc32(skill.encode())]).standard_normal(3)
        errors[skill] = ERROR * direction / np.linalg.norm(direction)

    def act(skill: str, parameters: Mapping[str, float], observation: Any, info: Any) -> Any:
        seen = np.array(observation)
        correction = np.array([parameters[axis] for axis in "xyz"])
        seen[SEEN] += np.tile(errors[skill] + correction, 2)
        return np.clip(experts[skill].get_action(seen), -1, 1)

    return deliberate_gym.Gym(stations, act, success="success", limit=LIMIT)


def main() -> None:
    """Practise through a service, or answer trials that come line by line."""
    parser = argparse.ArgumentParser(description="Practise Meta-World's tasks.")
    parser.add_argument("url", nargs="?", help="where the service is, e.g. http://127.0.0.1:8712")
    parser.add_argument("session", nargs="?", help="name of the session")
    parser.add_argument("--token", help="the robot's token (the variable DELIBERATE_TOKEN)")
    parser.add_argument("--bench", type=int, default=0, help="which errors the cameras have (0)")
    parser.add_argument(
        "--lines", action="store_true", help="read [bench, trial] from stdin, as JSON"
    )
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # the experts ask for more than the environment allows
    stations = Stations()
    if not given.lines:
        gym = workshop(given.bench, stations)
        deliberate_client.practise(given.url, given.session, gym.run, "sawyer", given.token)
        return
    for line in sys.stdin:
        bench, trial = json.loads(line)
        print(json.dumps(workshop(bench, stations).run(trial)), flush=True)


if __name__ == "__main__":
    main()
