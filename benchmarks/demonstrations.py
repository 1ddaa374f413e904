"""How much of what is possible each strategy achieves where policies are trained elsewhere.

    python benchmarks/demonstrations.py                        all 120 tasks, about 4 CPU minutes
    python benchmarks/demonstrations.py --tuning --tasks 12    tasks for development
    python benchmarks/demonstrations.py --write FILE.md        write the page with the table, too

Each task (``demonstration_worlds.py``) is practised on the synthetic robot in a session without a
journal, with free approaches. J is the true value of what the robot itself would do afterwards,
with the versions that it really trained. The score is J / clairvoyant.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import click
import numpy as np
from demonstration_worlds import FROZEN, TUNING, DemonstrationWorld, demonstration_world

from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.replay import State
from deliberate_practice.study import statistics
from deliberate_practice.study.rehearsal import rehearse

METHODS = (
    "deliberate,deliberate:evaluations=all,deliberate:evaluations=none,uniform,kalman-gain,random"
)
HEAD = (
    "| strategy | J / clairvoyant | 95 % interval | worst tenth | some by attempts | all trained | "
    "budget on evaluations |"
)

PAGE = """# Benchmark: practice by demonstrations

Policies that are trained elsewhere improve in rounds of demonstrations, a training run and
evaluations ([demonstrations](demonstrations.md)). This page is written by
`python benchmarks/demonstrations.py --write docs/benchmark-demonstrations.md`.

Every strategy practises {tasks} random tasks with {seeds}: chains and graphs with 2 to 4 goals. In
half of the tasks every practised skill is trained elsewhere; in the others about half of the skills
are, and the rest is practised by attempts. A round has 5, 10 or 20 demonstrations of 1 to 3 units,
a training run of 0 to 10 units, and at most 5 evaluations of 1 or 2 units. Stated curves are good,
noisy (by a factor of 2) or optimistic, a third each. Some truths set in late, some have low
ceilings, and 8 % never improve. Trained versions scatter around the true curve with a standard
deviation of 0, 0.05 or 0.1. The generator was fixed before the first run with these seeds.

J is the true value of what the robot itself would do afterwards, with the versions that it really
trained. The clairvoyant knows the true curves (not the scatter), needs no evaluation, and splits
the whole budget exactly. Every strategy uses the belief `bayes`, and approaches are free.

{table}

Intervals are bootstrap intervals over tasks. `deliberate` weighs every evaluation against its
price; the others take all that the task allows, but for `evaluations=none`. The row with
`evaluations=all` compares plans at equal spending on evaluations. `kalman-gain` looks at neither
plans nor rewards.
{minutes:.0f} CPU minutes.
"""


@dataclass(frozen=True)
class Score:
    """What one session achieved.

    Attributes:
        world: The number of its world.
        mixed: Whether some of its skills are practised by attempts.
        method: The strategy.
        score: J / clairvoyant.
        evaluated: Part of the budget that went to evaluations.
    """

    world: int
    mixed: bool
    method: str
    score: float
    evaluated: float


@click.command()
@click.option("--tasks", "count", default=len(FROZEN), help="How many tasks (120).")
@click.option("--seeds", default=2, help="Sessions of each method on each task (2).")
@click.option("--methods", default=METHODS, help="Strategies, separated by commas.")
@click.option("--belief", default="bayes", help="Belief of all strategies.")
@click.option("--tuning", is_flag=True, help="Tasks for development instead of the frozen ones.")
@click.option("--workers", default=os.cpu_count() or 1, help="Processes (one per core).")
@click.option("--write", "page", type=Path, help="Write the page with the table here.")
def main(
    count: int,
    seeds: int,
    methods: str,
    belief: str,
    tuning: bool,
    workers: int,
    page: Path | None,
) -> None:
    """Print the table."""
    chosen = (TUNING if tuning else FROZEN)[:count]
    work = partial(scores, methods.split(","), belief, seeds)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(work, chosen))
    seconds = sum(spent for _, spent in found)
    rows = table([score for mine, _ in found for score in mine])
    click.echo(rows)
    click.echo(f"{len(chosen)} tasks, {seeds} seeds, {seconds:.0f} CPU seconds")
    if page:
        page.write_text(written(len(chosen), seeds, rows, seconds))


def written(tasks: int, seeds: int, rows: str, seconds: float) -> str:
    """The page with the table."""
    often = "one seed" if seeds == 1 else f"{seeds} seeds"
    return PAGE.format(tasks=tasks, seeds=often, table=rows, minutes=seconds / 60)


def scores(
    methods: Sequence[str], belief: str, seeds: int, number: int
) -> tuple[list[Score], float]:
    """All sessions on one task, and their CPU seconds."""
    begun = time.process_time()
    world = demonstration_world(number)
    found = [session(world, method, belief, k) for method in methods for k in range(seeds)]
    return found, time.process_time() - begun


def session(world: DemonstrationWorld, method: str, belief: str, seed: int) -> Score:
    """One session."""
    spent = [0]

    def look(state: State, curriculum: Curriculum) -> None:
        tests = (record.cost for record in state.records.values() if record.kind == "test")
        spent[0] = sum(tests)

    options = {"strategy": method, "belief": belief, "approach": "free"}
    done = rehearse(world.task, world.budget, **options, seed=seed, look=look)
    score, part = done.earnings.reward / world.clairvoyant, spent[0] / world.budget
    return Score(world.seed, world.mixed, method, score, part)


def table(found: Sequence[Score]) -> str:
    """A row for each method, as Markdown."""
    methods = dict.fromkeys(score.method for score in found)
    rules = "|---|" + "---:|" * (HEAD.count("|") - 2)
    return "\n".join([HEAD, rules, *(_row(method, found) for method in methods)])


def _row(method: str, found: Sequence[Score]) -> str:
    mine = [score for score in found if score.method == method]
    means = list(_by_world(mine))
    whole = statistics.mean(means)
    assert whole.interval is not None
    worst = sorted(means)[: max(1, len(means) // 10)]
    parts = [
        np.mean([score.score for score in mine if score.mixed == mixed])
        if any(score.mixed == mixed for score in mine)
        else np.nan
        for mixed in (True, False)
    ]
    evaluated = np.mean([score.evaluated for score in mine])
    low, high = whole.interval
    cells = [f"`{method}`", f"{whole.value:.3f}", f"{low:.3f} to {high:.3f}"]
    cells += [f"{np.mean(worst):.2f}", *(f"{part:.3f}" for part in parts), f"{evaluated:.1%}"]
    return f"| {' | '.join(cells)} |"


def _by_world(mine: Sequence[Score]) -> Iterator[float]:
    """The mean score of each world."""
    for number in dict.fromkeys(score.world for score in mine):
        yield float(np.mean([score.score for score in mine if score.world == number]))


if __name__ == "__main__":
    main()
