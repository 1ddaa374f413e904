"""How fast the simulated robot works, and how much its physics matters.

    python benchmarks/simulation.py
    python benchmarks/simulation.py --objects 4 --episodes 200

Success, reflexes, the largest force and CPU time of each skill with good parameters, of its
interaction and of the whole skill with its motion planning; ``good_parameters.py`` has their
success in changed scenes. With one object also attempts and physics steps per second on one and on
two threads, and the same attempts, with parameters drawn around good ones, at steps of 1, 2 and
4 ms: how often the outcomes agree. With four: how success depends on what is already in a drawer.
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
from deliberate_practice.robots.mujoco.attempt import Attempt, Execution
from deliberate_practice.robots.mujoco.impedance import with_gains
from deliberate_practice.robots.mujoco.motion_planning import NoPath
from deliberate_practice.robots.mujoco.robot import lacking, succeeded
from deliberate_practice.task.model import Task

PUSHED = "Close(top)"
REPEATS = 3  # of an interaction; the fastest counts, as others may use the machine too
SPREAD = 0.7  # of the parameters around good ones, as a part of the prior's standard deviation


@click.command()
@click.option(
    "--objects", type=click.Choice(["1", "4"]), default="1", help="Things to put away (1)."
)
@click.option("--episodes", default=20, help="Attempts per skill (20).")
def main(objects: str, episodes: int) -> None:
    """Print tables."""
    console = Console(width=110)
    task, cell = cleanup(int(objects)), CleanupWorkcell(int(objects))
    rows = [_skill(cell, task, skill.name, episodes) for skill in task.skills]
    columns = ["skill", "success", "reflex", "largest N"]
    columns += ["interaction ms", "whole skill ms", "steps"]
    console.print("Good parameters; CPU time per attempt, one thread")
    console.print(table(columns, rows, numeric=range(1, 7)))
    if len(cell.things) > 1:
        rows = [_into(cell, task, drawer, episodes) for drawer in DRAWERS]
        console.print("Placing with so many things in the drawer already: success")
        console.print(table(["drawer", *map(str, range(len(cell.things)))], rows, range(1, 5)))
        return
    console.print(f"{PUSHED} in batches of 64")
    console.print(table(["threads", "attempts/s", "steps/s"], [_batch(1), _batch(2)], [1, 2]))
    console.print(f"{PUSHED} with parameters off by {SPREAD} sd, against steps of 1 ms")
    console.print(
        table(["step", "success", "agreement", "CPU ms"], _steps(10 * episodes), [1, 2, 3])
    )


def _skill(cell: CleanupWorkcell, task: Task, name: str, episodes: int) -> list[str]:
    attempts = _good(cell, task, name, episodes)
    began = time.process_time()
    done = cell.execute_all(attempts)
    whole = time.process_time() - began
    contact, steps = _interactions(cell, attempts)
    return [
        name,
        f"{np.mean(_successes(cell, task, attempts, done)):.3f}",
        f"{np.mean([bool(execution.stopped) for execution in done]):.3f}",
        f"{max(execution.force for execution in done):.0f}",
        f"{1e3 * contact:.1f}",
        f"{1e3 * whole / episodes:.1f}",
        f"{steps:.0f}",
    ]


def _interactions(cell: CleanupWorkcell, attempts: Sequence[Attempt]) -> tuple[float, float]:
    """CPU time of an interaction [s], and its steps."""
    films = cell.execute_all(attempts, film=True)
    states, motions = [], []
    for attempt, done in zip(attempts, films, strict=True):
        if done.film:
            states.append(done.film[0][-1])
            motions.append(cell.motion(attempt))
    controls = [motion.controls for motion in motions]
    models = [with_gains(cell.model, motion.gains) for motion in motions]
    seconds = []
    for _ in range(REPEATS):
        began = time.process_time()
        cell.world.measure_all(states, controls, models)
        seconds.append(time.process_time() - began)
    return min(seconds) / len(states), float(np.mean([len(rows) for rows in controls]))


def _good(cell: CleanupWorkcell, task: Task, name: str, episodes: int) -> list[Attempt]:
    """Attempts of a skill with good parameters."""
    return [
        Attempt(_start(cell, task, name, seed), name, good(name), seed) for seed in range(episodes)
    ]


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
        done = cell.execute_all(attempts)
        row.append(f"{np.mean(_successes(cell, task, attempts, done)):.3f}")
    return row


def _batch(threads: int) -> list[str]:
    cell = CleanupWorkcell(threads=threads)
    attempts = _drawn(cell, 64)
    began = time.perf_counter()
    cell.execute_all(attempts)
    seconds = time.perf_counter() - began
    steps = 0
    for attempt in attempts:
        try:
            steps += len(cell.motion(attempt).controls)
        except NoPath:
            continue
    return [str(threads), f"{len(attempts) / seconds:.0f}", f"{steps / seconds:.0f}"]


def _steps(episodes: int) -> list[list[str]]:
    outcomes, rows = {}, []
    for timestep in (0.001, 0.002, 0.004):
        cell = CleanupWorkcell(timestep=timestep)
        attempts = _drawn(cell, episodes)
        began = time.process_time()
        done = cell.execute_all(attempts)
        spent = 1e3 * (time.process_time() - began) / episodes
        ends = _successes(cell, cleanup(), attempts, done)
        outcomes[timestep] = np.array(ends)
        agree = (outcomes[timestep] == outcomes[0.001]).mean()
        rows.append(
            [f"{1e3 * timestep:.0f} ms", f"{np.mean(ends):.2f}", f"{agree:.1%}", f"{spent:.1f}"]
        )
    return rows


def _drawn(cell: CleanupWorkcell, count: int) -> list[Attempt]:
    """Attempts whose parameters are off, so that some fail."""
    rng = np.random.default_rng(7)
    parameters, attempts = cell.primitives[PUSHED].parameters, []
    for seed in range(count):
        values = {
            p.name: good(PUSHED)[p.name] + SPREAD * p.sd * rng.standard_normal() for p in parameters
        }
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


def _successes(
    cell: CleanupWorkcell, task: Task, attempts: Sequence[Attempt], done: Sequence[Execution]
) -> list[bool]:
    return [
        not execution.stopped
        and succeeded(
            task.skill(attempt.skill), cell.abstract(attempt.state), cell.abstract(execution.state)
        )
        for attempt, execution in zip(attempts, done, strict=True)
    ]


if __name__ == "__main__":
    main()
