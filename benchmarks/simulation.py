"""How fast the simulated robot is, and how much its step matters.

    python benchmarks/simulation.py

CPU time of each skill's interaction and of a whole skill with its motion planning; episodes and
physics steps per second on one and on two threads; and the same attempts, with parameters drawn
around good ones, at steps of 1, 2 and 4 ms: how often the outcomes agree.
"""

from __future__ import annotations

import time

import click
import numpy as np
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.domains.cleanup.skills import good
from deliberate_practice.domains.cleanup.task import cleanup
from deliberate_practice.domains.cleanup.workcell import CleanupWorkcell
from deliberate_practice.robots.mujoco.attempt import Attempt
from deliberate_practice.robots.mujoco.robot import lacking, succeeded
from deliberate_practice.task.mdp import FloatArray

TASK = cleanup()
PUSHED = "Close(top)"
SPREAD = 0.03  # of the parameters around good ones [m]


@click.command()
@click.option("--episodes", default=20, help="Attempts per skill (20).")
def main(episodes: int) -> None:
    """Print three tables."""
    console = Console(width=100)
    cell = CleanupWorkcell()
    rows = [_skill(cell, skill.name, episodes) for skill in TASK.skills]
    columns = ["skill", "success", "interaction ms", "whole skill ms", "steps"]
    console.print("CPU time per attempt with good parameters, one thread")
    console.print(table(columns, rows, numeric=range(1, 5)))
    console.print(f"{PUSHED} in batches of 64")
    console.print(table(["threads", "attempts/s", "steps/s"], [_batch(1), _batch(2)], [1, 2]))
    console.print(f"{PUSHED} with parameters off by {SPREAD} m, against steps of 1 ms")
    console.print(
        table(["step", "success", "agreement", "CPU ms"], _steps(10 * episodes), [1, 2, 3])
    )


def _skill(cell: CleanupWorkcell, name: str, episodes: int) -> list[str]:
    starts = [_start(cell, name, seed) for seed in range(episodes)]
    attempts = [Attempt(start, name, good(name), seed) for seed, start in enumerate(starts)]
    began = time.process_time()
    after = cell.attempt_all(attempts)
    whole = time.process_time() - began
    motions = [cell.motion(attempt) for attempt in attempts]
    at_contact = cell.world.run_all(
        starts, [motion.controls[: motion.contact] for motion in motions]
    )
    interactions = [motion.controls[motion.contact :] for motion in motions]
    began = time.process_time()
    cell.world.run_all(at_contact, interactions)
    contact = time.process_time() - began
    success = np.mean([_succeeded(cell, a, s) for a, s in zip(attempts, after, strict=True)])
    steps = np.mean([len(motion.controls) for motion in motions])
    return [
        name,
        f"{success:.2f}",
        f"{1e3 * contact / episodes:.1f}",
        f"{1e3 * whole / episodes:.1f}",
        f"{steps:.0f}",
    ]


def _batch(threads: int) -> list[str]:
    cell = CleanupWorkcell(threads=threads)
    attempts = _drawn(cell, 64)
    began = time.perf_counter()
    cell.attempt_all(attempts)
    seconds = time.perf_counter() - began
    steps = sum(len(cell.motion(attempt).controls) for attempt in attempts)
    return [str(threads), f"{len(attempts) / seconds:.0f}", f"{steps / seconds:.0f}"]


def _steps(episodes: int) -> list[list[str]]:
    outcomes, rows = {}, []
    for timestep in (0.001, 0.002, 0.004):
        cell = CleanupWorkcell(timestep=timestep)
        attempts = _drawn(cell, episodes)
        began = time.process_time()
        after = cell.attempt_all(attempts)
        spent = 1e3 * (time.process_time() - began) / episodes
        ends = [_succeeded(cell, a, s) for a, s in zip(attempts, after, strict=True)]
        outcomes[timestep] = np.array(ends)
        agree = (outcomes[timestep] == outcomes[0.001]).mean()
        rows.append(
            [f"{1e3 * timestep:.0f} ms", f"{np.mean(ends):.2f}", f"{agree:.1%}", f"{spent:.1f}"]
        )
    return rows


def _drawn(cell: CleanupWorkcell, count: int) -> list[Attempt]:
    """Attempts whose parameters are off, so that some fail."""
    rng = np.random.default_rng(7)
    attempts = []
    for seed in range(count):
        values = {k: v + SPREAD * rng.standard_normal() for k, v in good(PUSHED).items()}
        attempts.append(Attempt(_start(cell, PUSHED, seed), PUSHED, values, seed))
    return attempts


def _start(cell: CleanupWorkcell, name: str, seed: int) -> FloatArray:
    start = TASK.start_states[0].state
    return cell.prepare(lacking(TASK.skill(name).precondition, start), seed)


def _succeeded(cell: CleanupWorkcell, attempt: Attempt, after: FloatArray) -> bool:
    return succeeded(TASK.skill(attempt.skill), cell.abstract(attempt.state), cell.abstract(after))


if __name__ == "__main__":
    main()
