"""A Gymnasium environment as a robot: two skills of a car that is too weak for its hill.

Run it with ``python examples/gymnasium_robot.py`` (Gymnasium comes with the extra ``gym``). The car
swings up the left slope, which is the approach of its climb to the right. Each skill has a tank of
30 units of fuel, and learns how hard to push.
"""

from collections.abc import Generator, Mapping
from typing import Any

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


def drive(skill: str, parameters: Mapping[str, float], seen: Any, _: Any) -> Generator[Any, Any]:
    """Push with the skill's force, to the right or along with the motion, until the tank is dry."""
    fuel = TANK
    while True:
        direction = 1.0 if skill == "Climb" or seen[1] > 0 else -1.0
        push = direction * parameters["force"] if fuel > 0 else 0.0
        fuel -= push**2
        seen, _ = yield np.array([push], dtype=np.float32)


def there(skill: str, seen: Any, _: Any) -> bool:
    """Whether the car is where the skill leads."""
    return bool(seen[0] >= FLAG if skill == "Climb" else seen[0] <= LEFT)


def place(state: Mapping[str, str]) -> dict[str, Any]:
    """Where the car begins: on the slope if the climb is practised alone."""
    low, high = (LEFT - 0.05, LEFT) if state.get("car") == "left slope" else (-0.6, -0.4)
    return {"low": low, "high": high}


def car(task: dp.Task, seed: int = 0, threads: int = 1) -> dp.GymRobot:
    """The robot, which a session makes for its task."""
    return dp.GymRobot(task, "MountainCarContinuous-v0", drive, there, reset=place, limit=120)


dp.register_robot("car", car)

if __name__ == "__main__":
    check_robot(car(TASK), TASK)
    done = dp.run(TASK, "car", 80, journal=None, executions=50)
    for policy, parameters in done.deployed.items():
        tried = done.attempts[policy]
        print(f"{policy}: force {parameters['force']:.2f} after {tried} attempts")
    drives = done.measured[-1].earnings.successes
    print(f"The car reaches the flag in {sum(drives)} of {len(drives)} drives.")
