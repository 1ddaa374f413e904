"""How reliably and quickly the arms of Breakfast find a way, and how free of collisions it is.

    python benchmarks/planning.py                      200 scenes of each skill; 3 minutes of CPU
    python benchmarks/planning.py --out FILE.jsonl     keep finished scenes, and go on
    python benchmarks/planning.py --camera --out studies/measured/breakfast-planning.jsonl

A scene is a start with everything that a skill does not ask for drawn at random: places, the
angle of the door, what the other hand holds, parameters of the skill anywhere within their bounds.
Two paths are planned in it, to where the interaction begins and home from where it ends, and all
of the skill is rolled in physics, free motions too. With ``--camera`` the door is looked at by the
camera instead of being told by the simulator, with ``--good`` the parameters are those with which
skills succeed. The last command is that of ``docs/breakfast.md``.

- *found*: paths found, of those asked for. What needs no path, since the door was not perceived, is
  counted apart.
- *planning*: CPU time of a path: search, simplification, and the tries with other elbows.
- *force*: the largest force of the acting hand in the whole skill.
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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import click
import numpy as np
from commands import COUNT, Benchmark, workers_option
from kept import practised
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
        ms: CPU time of planning it.
        depth: The deepest penetration of its execution [m].
        where: Between which bodies.
        left: How deep what the interaction had left in touch was in each other [m].
    """

    reason: str = ""
    ms: float = 0.0
    depth: float = 0.0
    where: str = ""
    left: float = 0.0


@dataclass(frozen=True)
class Scene:
    """What was planned and executed in a scene.

    Attributes:
        key: Skill, number, how the door is known (camera or told), parameters (any or good).
        force: The largest of the acting hand [N].
        kept: The fields of each way that are not empty.
        unseen: Why no way was asked for, if none was.
    """

    key: str
    force: float = 0.0
    kept: Sequence[Mapping[str, Any]] = field(default_factory=list)
    unseen: str = ""

    @property
    def skill(self) -> str:
        """The skill."""
        return self.key.split()[0]

    @property
    def ways(self) -> list[Way]:
        """The way there, and the way home if there was one."""
        return [Way(**fields) for fields in self.kept]


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
        return self.executed(attempt)[1]

    def executed(self, attempt: Attempt) -> tuple[float, tuple[Way, ...]]:
        """The largest force of the hand [N], and the ways."""
        arm = self.cell.primitives[attempt.skill].arm
        timer = self.timers[arm]
        timer.clear()
        try:
            self.cell.motion(attempt)
        except NoPath as reason:
            return 0.0, (Way(str(reason), timer.ms),)
        ms = timer.ms
        (done,) = self.cell.execute_all([attempt], film=True)
        # It planned the same way again, from memory, and home if no limit ended it before.
        there, *rest = done.film
        ways = [self._followed(arm, attempt.state, there, "", ms)]
        if len(rest) == 2:
            interaction, home = rest
            ways.append(self._followed(arm, interaction[-1], home, timer.reason, timer.last))
        return done.force, tuple(ways)

    def _followed(
        self, arm: str, start: FloatArray, states: FloatArray, reason: str, ms: float
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
        return Way(reason, ms, deepest, where, left)

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
        self.ms = self.last = 0.0
        self.reason = ""

    def plan(self, *scene: Any) -> FloatArray:
        """What the planner says; CPU time [ms] of all calls, and time and failure of the last."""
        began, self.reason = time.process_time(), ""
        try:
            return self.planner.plan(*scene)
        except NoPath as reason:
            self.reason = str(reason)
            raise
        finally:
            self.last = 1e3 * (time.process_time() - began)
            self.ms += self.last


@click.command(cls=Benchmark)
@click.option("--scenes", default=200, type=COUNT, help="Random scenes of each skill (200).")
@click.option("--camera", is_flag=True, help="Look at the door with the camera.")
@click.option("--good", "fixed", is_flag=True, help="With good parameters instead of any.")
@workers_option
@click.option("--out", type=Path, help="Keep finished scenes here; a stopped run goes on.")
def main(scenes: int, camera: bool, fixed: bool, workers: int, out: Path | None) -> None:
    """Print a table, and what went wrong."""
    kind = f"{'camera' if camera else 'told'} {'good' if fixed else 'any'}"
    keys = [f"{skill} {number} {kind}" for skill in SKILLS for number in range(scenes)]
    found = practised(Scene, scene, keys, "scenes", workers, out)
    console = Console(width=120)
    door = "seen by the camera" if camera else "told by the simulator"
    console.print(f"{scenes} scenes of each skill, door {door}; medians, CPU time on one thread")
    console.print(table(COLUMNS, list(_rows(found)), numeric=range(2, len(COLUMNS))))
    every = [way for one in found for way in one.ways]
    unseen = Counter(f"{one.skill}: {one.unseen}" for one in found if one.unseen)
    deep = Counter(way.where for way in every if way.where)
    reasons = Counter(way.reason for way in every if way.reason)
    for title, counts in (("no path", reasons), ("not perceived", unseen), ("touched", deep)):
        for what, times in counts.most_common(10):
            console.print(f"{title}, {times} times: {what}")


def scene(key: str) -> Scene:
    """Plan and execute a skill in a scene."""
    skill, number, door, parameters = key.split()
    station = _station(door == "camera")
    try:
        force, ways = station.executed(station.start(skill, int(number), parameters == "good"))
    except Unperceived as reason:
        return Scene(key, unseen=str(reason))
    return Scene(key, round(force, 1), [_short(way) for way in ways])


@cache
def _station(camera: bool) -> Station:
    return Station(camera)


def _short(way: Way) -> dict[str, Any]:
    """What is not empty; times to a tenth of a millisecond, depths to a hundredth of a millimetre.

    What was touched has a place, however little it was.
    """
    places = {"ms": 1, "depth": 5, "left": 5}
    found = {
        name: round(value, places[name]) if name in places else value
        for name, value in asdict(way).items()
    }
    return {name: value for name, value in found.items() if value}


def _values(skill: str, name: str) -> list[str]:
    """What a variable may be when a skill begins; a hand that is not asked to is empty."""
    asked = TASK.skill(skill).precondition
    if name in asked:
        return list(allowed_values(asked[name]))
    empty = name == HANDS[primitives()[skill].arm]
    return [value for value in TASK.variables[name] if not (empty and value == "gripper")]


COLUMNS = [
    "skill",
    "way",
    "paths",
    "found",
    "planning ms",
    "95 %",
    "depth mm",
    "left in touch mm",
    "force N",
]


def _rows(found: Sequence[Scene]) -> Iterator[list[str]]:
    """Both ways of each skill, and all of them."""
    for skill in SKILLS:
        mine = [one for one in found if one.skill == skill]
        for number, name in enumerate(("there", "home")):
            ways = [one.ways[number] for one in mine if len(one.ways) > number]
            yield _row(skill, name, ways, mine)
    yield _row("all", "", [way for one in found for way in one.ways], found)


def _row(skill: str, way: str, ways: Sequence[Way], scenes: Sequence[Scene]) -> list[str]:
    if not ways:
        return [skill, way, "0", *[""] * 6]
    spent = np.quantile([w.ms for w in ways], (0.5, 0.95))
    return [
        skill,
        way,
        str(len(ways)),
        f"{np.mean([not w.reason for w in ways]):.3f}",
        f"{spent[0]:.1f}",
        f"{spent[1]:.1f}",
        f"{1e3 * max(w.depth for w in ways):.2f}",
        f"{1e3 * max(w.left for w in ways):.2f}",
        f"{max(one.force for one in scenes):.1f}",
    ]


if __name__ == "__main__":
    main()
