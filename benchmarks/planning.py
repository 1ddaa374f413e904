"""How reliably and quickly the arms of Breakfast find a way, and how free of collisions it is.

    python benchmarks/planning.py

A scene is a start with everything that a skill does not ask for drawn at random: places, the
angle of the door, what the other hand holds, parameters of the skill anywhere within their bounds.
Two paths are planned in it, to where the interaction begins and home from where it ends, and all
of the skill is rolled in physics, free motions too. With ``--camera`` the door is looked at by the
camera instead of being told by the simulator, with ``--good`` the parameters are those with which
skills succeed.

- *found*: paths found, of those asked for. What needs no path, since the door was not perceived, is
  counted apart.
- *planning*: CPU time of a path: search, simplification, and the tries with other elbows.
- *depth*: how deep the acting robot, or what it holds, gets into anything at all while it follows
  the two paths, the true door, the other robot and its own links included: the largest penetration
  of MuJoCo's contacts in every fourth state of the simulation. Not counted is what is touched on
  purpose: the held thing by its own hand and closed fingers by each other. What is in touch when a
  path begins, since the interaction left it so, is listed as *left in touch*, and not counted until
  the two have come apart; from then on it is. A thing that is dropped on the way is counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.domains.breakfast.perception import DoorCamera
from deliberate_practice.domains.breakfast.scene import LEFT, RIGHT
from deliberate_practice.domains.breakfast.skills import good, primitives
from deliberate_practice.domains.breakfast.workcell import BreakfastWorkcell
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.practice.domain import load_task
from deliberate_practice.robots.mujoco.attempt import Attempt
from deliberate_practice.robots.mujoco.motion_planning import MotionPlanner, NoPath
from deliberate_practice.robots.mujoco.workcell import Unperceived
from deliberate_practice.task.model import allowed_values

TASK = load_task("breakfast")
SKILLS = [skill.name for skill in TASK.skills]
HANDS = {LEFT: "bread", RIGHT: "bowl"}
"""What each robot's hand can hold."""

EVERY = 4
"""Of so many states of a simulation one is checked for collisions."""


@dataclass(frozen=True)
class Way:
    """One of the two free motions of a skill.

    Attributes:
        reason: Why there was none, if there was none.
        seconds: CPU time of planning it.
        depth: The deepest penetration of its execution [m].
        where: Between which bodies.
        left: How deep what the interaction had left in touch was in each other [m].
    """

    reason: str = ""
    seconds: float = 0.0
    depth: float = 0.0
    where: str = ""
    left: float = 0.0


class Station:
    """The workcell of Breakfast, its planners timed.

    Args:
        camera: Whether the door is looked at by the camera.
    """

    def __init__(self, camera: bool = False) -> None:
        self.cell = BreakfastWorkcell()
        self.cell.executor.rolls_free_motion = True
        if camera:
            self.cell.look = DoorCamera(self.cell.model)
        self.timers = {prefix: Timer(planner) for prefix, planner in self.cell.planners.items()}
        planners: dict[str, Any] = self.cell.planners  # what plans can also be timed
        planners.update(self.timers)

    def start(self, skill: str, number: int, fixed: bool = False) -> Attempt:
        """A skill in a random scene; ``fixed`` are its parameters if they should be good ones."""
        rng = np.random.default_rng([SKILLS.index(skill), number])
        wanted = {name: str(rng.choice(_values(skill, name))) for name in TASK.variables}
        parameters = self.cell.primitives[skill].parameters
        drawn = {p.name: float(rng.uniform(p.low, p.high)) for p in parameters}
        state = self.cell.prepare(wanted, int(rng.integers(2**31)))
        return Attempt(state, skill, good(skill) if fixed else drawn, int(rng.integers(2**31)))

    def ways(self, attempt: Attempt) -> tuple[Way, ...]:
        """The way there and, if there was one and no limit ended the interaction, the way home.

        Raises:
            Unperceived: No way was asked for.
        """
        arm = self.cell.primitives[attempt.skill].arm
        timer = self.timers[arm]
        timer.clear()
        try:
            self.cell.motion(attempt)
        except NoPath as reason:
            return (Way(str(reason), timer.seconds),)
        seconds = timer.seconds
        (done,) = self.cell.execute_all([attempt], film=True)
        # It planned the same way again, from memory, and home if no limit ended it before.
        there, *rest = done.film
        ways = [self._executed(arm, attempt.state, there, "", seconds)]
        if len(rest) == 2:
            interaction, home = rest
            ways.append(self._executed(arm, interaction[-1], home, timer.reason, timer.last))
        return tuple(ways)

    def _executed(
        self, arm: str, start: FloatArray, states: FloatArray, reason: str, seconds: float
    ) -> Way:
        held = self.cell.held(start).get(arm)
        resting = self._depths(arm, held, start)
        deepest, where, left = 0.0, "", max(resting.values(), default=0.0)
        for state in states[::EVERY]:
            depths = self._depths(arm, held, state)
            resting = {pair: resting[pair] for pair in resting if pair in depths}
            left = max([left, *(depths[pair] for pair in resting)])
            for pair, depth in depths.items():
                if pair not in resting and depth > deepest:
                    deepest, where = depth, " and ".join(sorted(pair))
        return Way(reason, seconds, deepest, where, left)

    def _depths(
        self, arm: str, held: str | None, state: FloatArray
    ) -> Mapping[frozenset[str], float]:
        """How deep bodies are in each other that touch, if one is the arm's and not on purpose."""
        model, data = self.cell.model, self.cell.world.view(state)
        fingers = {f"{arm}left_finger", f"{arm}right_finger"}
        hand = {f"{arm}hand", *fingers}
        found: dict[frozenset[str], float] = {}
        for geoms, distance in zip(data.contact.geom, data.contact.dist, strict=True):
            pair = frozenset(model.body(model.geom_bodyid[geom]).name for geom in geoms)
            purpose = pair == fingers or (held in pair and pair & hand)
            if purpose or not any(name == held or name.startswith(arm) for name in pair):
                continue
            found[pair] = max(float(-distance), found.get(pair, 0.0))
        return found


class Timer:
    """A planner that notes how long it takes."""

    def __init__(self, planner: MotionPlanner) -> None:
        self.planner = planner
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self.seconds = self.last = 0.0
        self.reason = ""

    def plan(self, *scene: Any) -> FloatArray:
        """What the planner says; CPU time [s] of all calls, and time and failure of the last."""
        began, self.reason = time.process_time(), ""
        try:
            return self.planner.plan(*scene)
        except NoPath as reason:
            self.reason = str(reason)
            raise
        finally:
            self.last = time.process_time() - began
            self.seconds += self.last


@click.command()
@click.option("--scenes", default=200, help="Random scenes of each skill (200).")
@click.option("--camera", is_flag=True, help="Look at the door with the camera.")
@click.option("--good", "fixed", is_flag=True, help="With good parameters instead of any.")
def main(scenes: int, camera: bool, fixed: bool) -> None:
    """Print a table, and what went wrong."""
    console, station = Console(width=110), Station(camera)
    rows, every, unseen = [], list[Way](), Counter[str]()
    for skill in SKILLS:
        both: tuple[list[Way], list[Way]] = ([], [])
        for number in range(scenes):
            try:
                found = station.ways(station.start(skill, number, fixed))
            except Unperceived as reason:
                unseen[f"{skill}: {reason}"] += 1
                continue
            for ways, way in zip(both, found, strict=False):
                ways.append(way)
        rows += [_row(skill, "there", both[0]), _row(skill, "home", both[1])]
        every += both[0] + both[1]
    rows.append(_row("all", "", every))
    columns = [
        "skill",
        "way",
        "paths",
        "found",
        "planning ms",
        "95 %",
        "depth mm",
        "left in touch mm",
    ]
    door = "seen by the camera" if camera else "told by the simulator"
    console.print(f"{scenes} scenes of each skill, door {door}; medians, CPU time on one thread")
    console.print(table(columns, rows, numeric=range(2, 8)))
    deep = Counter(way.where for way in every if way.depth > 0)
    reasons = Counter(way.reason for way in every if way.reason)
    for title, counts in (("no path", reasons), ("not perceived", unseen), ("touched", deep)):
        for what, times in counts.most_common(10):
            console.print(f"{title}, {times} times: {what}")


def _values(skill: str, name: str) -> list[str]:
    """What a variable may be when a skill begins; a hand that is not asked to is empty."""
    asked = TASK.skill(skill).precondition
    if name in asked:
        return list(allowed_values(asked[name]))
    empty = name == HANDS[primitives()[skill].arm]
    return [value for value in TASK.variables[name] if not (empty and value == "gripper")]


def _row(skill: str, way: str, ways: list[Way]) -> list[str]:
    if not ways:
        return [skill, way, "0", *[""] * 5]
    spent = 1e3 * np.quantile([w.seconds for w in ways], (0.5, 0.95))
    return [
        skill,
        way,
        str(len(ways)),
        f"{np.mean([not w.reason for w in ways]):.3f}",
        f"{spent[0]:.1f}",
        f"{spent[1]:.1f}",
        f"{1e3 * max(w.depth for w in ways):.2f}",
        f"{1e3 * max(w.left for w in ways):.2f}",
    ]


if __name__ == "__main__":
    main()
