"""How reliable, forceful and fast the skills of Breakfast are with good parameters.

    python benchmarks/breakfast.py                      200 starts of all; 5 minutes of CPU
    python benchmarks/breakfast.py --out FILE.jsonl     keep finished starts, and go on
    python benchmarks/breakfast.py --camera --episodes 50 \
      --out studies/measured/breakfast-skills.jsonl

Success over many starts, how often a limit of the robot ended the motion (the reflex), the largest
force of the acting hand, CPU time of the planning, of the interaction alone and of a whole skill;
then the same for both whole plans. With ``--camera`` the door is looked at by the camera instead of
being told by the simulator. The last command is that of ``docs/breakfast.md``.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import click
import numpy as np
from commands import COUNT, Benchmark, workers_option
from kept import practised
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.domains.breakfast.perception import DoorCamera
from deliberate_practice.domains.breakfast.skills import good
from deliberate_practice.domains.breakfast.workcell import BreakfastWorkcell
from deliberate_practice.practice.domain import load_task
from deliberate_practice.robots.mujoco.attempt import Attempt, Execution
from deliberate_practice.robots.mujoco.motion_planning import NoPath
from deliberate_practice.robots.mujoco.robot import lacking, succeeded
from deliberate_practice.robots.mujoco.workcell import Unperceived

TASK = load_task("breakfast")
SKILLS = [skill.name for skill in TASK.skills]
PLANS = (
    "PickBread, PlaceBread, StartToaster",
    "OpenMicrowave, PickBowl, PlaceBowl, CloseMicrowave",
)


@dataclass(frozen=True)
class Outcome:
    """A skill or a whole plan from one start.

    Attributes:
        name: The skill, or the skills of the plan.
        start: The seed of the start.
        camera: Whether the door was looked at by the camera.
        success: Whether all succeeded.
        force: The largest of the acting hands [N].
        reason: Why the robot did not move, if it did not.
        stopped: The limit of the robot that ended the motion, if one did.
        planning, interaction, whole: CPU time [ms]; None if it was not measured.
        steps: Of the interaction.
    """

    name: str
    start: int
    camera: bool
    success: bool
    force: float
    reason: str
    stopped: str
    planning: float | None
    interaction: float | None
    whole: float
    steps: int | None

    @property
    def key(self) -> tuple[str, int, bool]:
        """What was done, where, and how the door was known."""
        return self.name, self.start, self.camera


@click.command(cls=Benchmark)
@click.option("--episodes", default=200, type=COUNT, help="Attempts per skill and plan (200).")
@click.option("--camera", is_flag=True, help="Look at the door with the camera.")
@workers_option
@click.option("--out", type=Path, help="Keep finished starts here; a stopped run goes on.")
def main(episodes: int, camera: bool, workers: int, out: Path | None) -> None:
    """Print two tables."""
    keys = list(product([*SKILLS, *PLANS], range(episodes), [camera]))
    found = practised(Outcome, outcome, keys, "starts", workers, out)
    console = Console(width=130)
    columns = ["skill", "success", "no path", "reflex", "force N", "largest N"]
    columns += ["planning ms", "interaction ms", "whole ms", "steps"]
    rows = [_skill(name, [one for one in found if one.name == name]) for name in SKILLS]
    console.print(f"{episodes} starts of each skill; medians, CPU time on one thread")
    console.print(table(columns, rows, numeric=range(1, 10)))
    rows = [_plan(name, [one for one in found if one.name == name]) for name in PLANS]
    console.print("whole plans")
    console.print(table(["plan", "success", "largest N", "CPU ms"], rows, numeric=range(1, 4)))


def outcome(piece: tuple[str, int, bool]) -> Outcome:
    """Execute a skill or a plan from a start."""
    name, _, camera = piece
    return (_executed_plan if name in PLANS else _executed_skill)(_cell(camera), *piece)


@cache
def _cell(camera: bool) -> BreakfastWorkcell:
    cell = BreakfastWorkcell()
    if camera:
        cell.look = DoorCamera(cell.model)
    return cell


def _executed_skill(cell: BreakfastWorkcell, name: str, start: int, camera: bool) -> Outcome:
    wanted = lacking(TASK.skill(name).precondition, TASK.start_states[0].state)
    attempt = Attempt(cell.prepare(wanted, start), name, good(name), start)
    (done,) = cell.execute_all([attempt])
    planning, interaction, steps = _times(cell, attempt)
    again = Attempt(attempt.state, name, attempt.values, start + 10**7)  # nothing is remembered
    began = time.process_time()
    cell.attempt(again)
    return Outcome(
        name,
        start,
        camera,
        _succeeded(cell, attempt, done),
        round(done.force, 2),
        done.reason,
        done.stopped,
        planning,
        interaction,
        _since(began),
        steps,
    )


def _times(
    cell: BreakfastWorkcell, attempt: Attempt
) -> tuple[float | None, float | None, int | None]:
    """CPU time of planning and of the interaction [ms], and steps of the interaction."""
    fresh = Attempt(attempt.state, attempt.skill, attempt.values, attempt.seed + 10**6)
    try:
        began = time.process_time()
        motion = cell.motion(fresh)
        planned = _since(began)
    except (NoPath, Unperceived):
        return None, None, None
    (done,) = cell.execute_all([fresh], film=True)
    at_contact = done.film[0][-1]
    arm = cell.arms[cell.primitives[attempt.skill].arm]
    interaction = cell.executor.whole(arm, motion.controls, at_contact)
    began = time.process_time()
    cell.world.run(at_contact, interaction)
    return planned, _since(began), len(interaction)


def _executed_plan(cell: BreakfastWorkcell, plan: str, start: int, camera: bool) -> Outcome:
    state, largest, success = cell.reset(start), 0.0, True
    reason = stopped = ""
    began = time.process_time()
    for step, skill in enumerate(plan.split(", ")):
        attempt = Attempt(state, skill, good(skill), 1_000 * step + start)
        (done,) = cell.execute_all([attempt])
        state, largest = done.state, max(largest, done.force)
        reason, stopped = done.reason, done.stopped
        success = _succeeded(cell, attempt, done)
        if not success:
            break
    whole, force = _since(began), round(largest, 2)
    return Outcome(plan, start, camera, success, force, reason, stopped, None, None, whole, None)


def _succeeded(cell: BreakfastWorkcell, attempt: Attempt, done: Execution) -> bool:
    before, after = cell.abstract(attempt.state), cell.abstract(done.state)
    return not done.stopped and succeeded(TASK.skill(attempt.skill), before, after)


def _since(began: float) -> float:
    """CPU time [ms]."""
    return round(1e3 * (time.process_time() - began), 1)


def _skill(name: str, found: Sequence[Outcome]) -> list[str]:
    forces = [one.force for one in found]
    timed = [one for one in found if one.steps is not None]
    return [
        name,
        f"{np.mean([one.success for one in found]):.3f}",
        f"{np.mean([bool(one.reason) for one in found]):.3f}",
        f"{np.mean([bool(one.stopped) for one in found]):.3f}",
        f"{np.median(forces):.1f}",
        f"{max(forces):.1f}",
        f"{median([one.planning for one in timed]):.1f}",
        f"{median([one.interaction for one in timed]):.1f}",
        f"{median([one.whole for one in timed]):.1f}",
        f"{median([one.steps for one in timed]):.0f}",
    ]


def _plan(name: str, found: Sequence[Outcome]) -> list[str]:
    return [
        name,
        f"{np.mean([one.success for one in found]):.3f}",
        f"{max(one.force for one in found):.1f}",
        f"{np.mean([one.whole for one in found]):.0f}",
    ]


def median(values: Sequence[float | None]) -> float:
    """Of what was measured."""
    return float(np.median([value for value in values if value is not None]))


if __name__ == "__main__":
    main()
