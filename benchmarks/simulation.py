"""How well and how fast the simulated robot works, and how much its step matters.

    python benchmarks/simulation.py
    python benchmarks/simulation.py --objects 4 --episodes 200

Success and CPU time of each skill with good parameters, of its interaction and with its motion
planning. With one object: episodes and physics steps per second on one and on two threads; and the
same attempts, with parameters drawn around good ones, at steps of 1, 2 and 4 ms: how often the
outcomes agree. With four: how success depends on what is already in a drawer.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import click
import numpy as np
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.domains.cleanup.skills import good
from deliberate_practice.domains.cleanup.task import DRAWERS, cleanup
from deliberate_practice.domains.cleanup.workcell import CleanupWorkcell
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.attempt import Attempt
from deliberate_practice.robots.mujoco.robot import lacking, succeeded
from deliberate_practice.task.model import Task

PUSHED = "Close(top)"
REPEATS = 3  # of an interaction; the fastest counts, as others may use the machine too
SPREAD = 0.03  # of the parameters around good ones [m]


@click.command()
@click.option(
    "--objects", type=click.Choice(["1", "4"]), default="1", help="Things to put away (1)."
)
@click.option("--episodes", default=20, help="Attempts per skill (20).")
def main(objects: str, episodes: int) -> None:
    """Print tables."""
    console = Console(width=100)
    task, cell = cleanup(int(objects)), CleanupWorkcell(int(objects))
    rows = [_skill(cell, task, skill.name, episodes) for skill in task.skills]
    columns = ["skill", "success", "interaction ms", "whole skill ms", "steps"]
    console.print("CPU time per attempt with good parameters, one thread")
    console.print(table(columns, rows, numeric=range(1, 5)))
    if len(cell.things) > 1:
        rows = [_into(cell, task, drawer, episodes) for drawer in DRAWERS]
        console.print("Placing with so many things in the drawer already: success")
        console.print(table(["drawer", *map(str, range(len(cell.things)))], rows, range(1, 5)))
        return
    console.print(f"{PUSHED} in batches of 64")
    console.print(table(["threads", "attempts/s", "steps/s"], [_batch(1), _batch(2)], [1, 2]))
    console.print(f"{PUSHED} with parameters off by {SPREAD} m, against steps of 1 ms")
    console.print(
        table(["step", "success", "agreement", "CPU ms"], _steps(10 * episodes), [1, 2, 3])
    )


def _skill(cell: CleanupWorkcell, task: Task, name: str, episodes: int) -> list[str]:
    starts = [_start(cell, task, name, seed) for seed in range(episodes)]
    attempts = [Attempt(start, name, good(name), seed) for seed, start in enumerate(starts)]
    began = time.process_time()
    after = _states(cell, attempts)
    whole = time.process_time() - began
    motions = [cell.motion(attempt) for attempt in attempts]
    at_contact = cell.world.run_all(
        starts, [motion.controls[: motion.contact] for motion in motions]
    )
    interactions = [motion.controls[motion.contact :] for motion in motions]
    contact = min(_cpu_seconds(cell, at_contact, interactions) for _ in range(REPEATS))
    steps = np.mean([len(motion.controls) for motion in motions])
    return [
        name,
        f"{_success(cell, task, attempts, after):.3f}",
        f"{1e3 * contact / episodes:.1f}",
        f"{1e3 * whole / episodes:.1f}",
        f"{steps:.0f}",
    ]


def _cpu_seconds(
    cell: CleanupWorkcell, states: Sequence[FloatArray], controls: Sequence[FloatArray]
) -> float:
    began = time.process_time()
    cell.world.run_all(states, controls)
    return time.process_time() - began


def _into(cell: CleanupWorkcell, task: Task, drawer: str, episodes: int) -> list[str]:
    """Success of placing into a drawer, by how many of the others are in it already."""
    row, names = [drawer], list(cell.things)
    for present in range(len(names)):
        attempts = []
        for seed in range(episodes):
            turn = seed % len(names)
            name, *others = names[turn:] + names[:turn]
            placed = dict.fromkeys(others[:present], drawer)
            skill = f"Place({name},{drawer})"
            start = _start(cell, task, skill, seed, placed)
            attempts.append(Attempt(start, skill, good(skill), seed))
        row.append(f"{_success(cell, task, attempts, _states(cell, attempts)):.3f}")
    return row


def _batch(threads: int) -> list[str]:
    cell = CleanupWorkcell(threads=threads)
    attempts = _drawn(cell, 64)
    began = time.perf_counter()
    _states(cell, attempts)
    seconds = time.perf_counter() - began
    steps = sum(len(cell.motion(attempt).controls) for attempt in attempts)
    return [str(threads), f"{len(attempts) / seconds:.0f}", f"{steps / seconds:.0f}"]


def _steps(episodes: int) -> list[list[str]]:
    outcomes, rows = {}, []
    for timestep in (0.001, 0.002, 0.004):
        cell = CleanupWorkcell(timestep=timestep)
        attempts = _drawn(cell, episodes)
        began = time.process_time()
        after = _states(cell, attempts)
        spent = 1e3 * (time.process_time() - began) / episodes
        ends = _successes(cell, cleanup(), attempts, after)
        outcomes[timestep] = np.array(ends)
        agree = (outcomes[timestep] == outcomes[0.001]).mean()
        rows.append(
            [f"{1e3 * timestep:.0f} ms", f"{np.mean(ends):.2f}", f"{agree:.1%}", f"{spent:.1f}"]
        )
    return rows


def _states(cell: CleanupWorkcell, attempts: Sequence[Attempt]) -> list[FloatArray]:
    return [execution.state for execution in cell.execute_all(attempts)]


def _drawn(cell: CleanupWorkcell, count: int) -> list[Attempt]:
    """Attempts whose parameters are off, so that some fail."""
    rng = np.random.default_rng(7)
    attempts = []
    for seed in range(count):
        values = {k: v + SPREAD * rng.standard_normal() for k, v in good(PUSHED).items()}
        attempts.append(Attempt(_start(cell, cleanup(), PUSHED, seed), PUSHED, values, seed))
    return attempts


def _start(
    cell: CleanupWorkcell,
    task: Task,
    name: str,
    seed: int,
    besides: Mapping[str, str] | None = None,
) -> FloatArray:
    wanted = lacking(task.skill(name).precondition, task.start_states[0].state)
    return cell.prepare({**wanted, **(besides or {})}, seed)


def _success(
    cell: CleanupWorkcell, task: Task, attempts: Sequence[Attempt], after: Sequence[FloatArray]
) -> float:
    return float(np.mean(_successes(cell, task, attempts, after)))


def _successes(
    cell: CleanupWorkcell, task: Task, attempts: Sequence[Attempt], after: Sequence[FloatArray]
) -> list[bool]:
    return [
        succeeded(task.skill(attempt.skill), cell.abstract(attempt.state), cell.abstract(state))
        for attempt, state in zip(attempts, after, strict=True)
    ]


if __name__ == "__main__":
    main()
