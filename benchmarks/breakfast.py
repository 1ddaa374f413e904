"""How reliable, forceful and fast the skills of Breakfast are with good parameters.

    python benchmarks/breakfast.py

Success over many starts, how often a limit of the robot ended the motion (the reflex), the largest
force of the acting hand, CPU time of the planning, of the interaction alone and of a whole skill;
then the same for both whole plans. With ``--camera`` the door is looked at by the camera instead of
being told by the simulator.
"""

from __future__ import annotations

import time

import click
import numpy as np
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.domains.breakfast.perception import DoorCamera
from deliberate_practice.domains.breakfast.skills import good
from deliberate_practice.domains.breakfast.workcell import BreakfastWorkcell
from deliberate_practice.practice.domain import load_task
from deliberate_practice.robots.mujoco.attempt import Attempt, Execution
from deliberate_practice.robots.mujoco.motion_planning import NoPath
from deliberate_practice.robots.mujoco.robot import lacking, succeeded

TASK = load_task("breakfast")
PLANS = (
    ("PickBread", "PlaceBread", "StartToaster"),
    ("OpenMicrowave", "PickBowl", "PlaceBowl", "CloseMicrowave"),
)
TIMED = 10
"""Attempts of each skill that are timed."""


@click.command()
@click.option("--episodes", default=200, help="Attempts per skill and plan (200).")
@click.option("--camera", is_flag=True, help="Look at the door with the camera.")
def main(episodes: int, camera: bool) -> None:
    """Print two tables."""
    console = Console(width=130)
    cell = BreakfastWorkcell()
    if camera:
        cell.look = DoorCamera(cell.model)
    columns = ["skill", "success", "no path", "reflex", "force N", "largest N"]
    columns += ["planning ms", "interaction ms", "whole ms", "steps"]
    rows = [_skill(cell, skill.name, episodes) for skill in TASK.skills]
    console.print(f"{episodes} starts of each skill; medians, CPU time on one thread")
    console.print(table(columns, rows, numeric=range(1, 10)))
    rows = [_plan(cell, plan, episodes) for plan in PLANS]
    console.print("whole plans")
    console.print(table(["plan", "success", "largest N", "CPU ms"], rows, numeric=range(1, 4)))


def _skill(cell: BreakfastWorkcell, name: str, episodes: int) -> list[str]:
    start = TASK.start_states[0].state
    wanted = lacking(TASK.skill(name).precondition, start)
    attempts = [
        Attempt(cell.prepare(wanted, seed), name, good(name), seed) for seed in range(episodes)
    ]
    done = cell.execute_all(attempts)
    forces = [execution.force for execution in done]
    planning, contact, steps, whole = _times(cell, attempts[:TIMED])
    return [
        name,
        f"{np.mean(_successes(cell, attempts, done)):.3f}",
        f"{np.mean([bool(execution.reason) for execution in done]):.3f}",
        f"{np.mean([bool(execution.stopped) for execution in done]):.3f}",
        f"{np.median(forces):.1f}",
        f"{max(forces):.1f}",
        f"{planning:.1f}",
        f"{contact:.1f}",
        f"{whole:.1f}",
        f"{steps:.0f}",
    ]


def _times(cell: BreakfastWorkcell, attempts: list[Attempt]) -> np.ndarray:
    """Medians of planning, interaction [ms], steps of the interaction, whole skill [ms]."""
    rows = []
    for attempt in attempts:
        fresh = Attempt(attempt.state, attempt.skill, attempt.values, attempt.seed + 10**6)
        try:
            began = time.process_time()
            motion = cell.motion(fresh)
            planned = time.process_time() - began
        except NoPath:
            continue
        (done,) = cell.execute_all([fresh], film=True)
        at_contact = done.film[0][-1]
        arm = cell.arms[cell.primitives[attempt.skill].arm]
        interaction = cell.executor.whole(arm, motion.controls, at_contact)
        began = time.process_time()
        cell.world.run(at_contact, interaction)
        contact = time.process_time() - began
        began = time.process_time()
        cell.attempt(Attempt(attempt.state, attempt.skill, attempt.values, attempt.seed + 10**7))
        whole = time.process_time() - began
        rows.append((1e3 * planned, 1e3 * contact, len(interaction), 1e3 * whole))
    return np.asarray(np.median(rows, axis=0))


def _plan(cell: BreakfastWorkcell, plan: tuple[str, ...], episodes: int) -> list[str]:
    states = [cell.reset(seed) for seed in range(episodes)]
    going, largest, began = list(range(episodes)), 0.0, time.process_time()
    for step, skill in enumerate(plan):
        attempts = [Attempt(states[i], skill, good(skill), 1_000 * step + i) for i in going]
        done = cell.execute_all(attempts)
        largest = max(largest, *(execution.force for execution in done))
        kept = _successes(cell, attempts, done)
        for index, execution in zip(going, done, strict=True):
            states[index] = execution.state
        going = [index for index, good_ in zip(going, kept, strict=True) if good_]
    spent = 1e3 * (time.process_time() - began) / episodes
    return [", ".join(plan), f"{len(going) / episodes:.3f}", f"{largest:.1f}", f"{spent:.0f}"]


def _successes(
    cell: BreakfastWorkcell, attempts: list[Attempt], done: list[Execution]
) -> list[bool]:
    return [
        not execution.stopped
        and succeeded(TASK.skill(a.skill), cell.abstract(a.state), cell.abstract(execution.state))
        for a, execution in zip(attempts, done, strict=True)
    ]


if __name__ == "__main__":
    main()
