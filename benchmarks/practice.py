"""How much of what is possible each strategy achieves, over random worlds with hidden truths.

    python benchmarks/practice.py --out docs/benchmark.md      the whole table; about an hour
    python benchmarks/practice.py --worlds 72 --methods deliberate:bayes,ees:bayes

Each world (``random_worlds.py``) is practised in a real session on the synthetic robot. The score
is J / clairvoyant: the true value of what the robot itself would do afterwards, relative to the
best split for the true curves with approaches free of cost. All methods see the same worlds and
seeds, so differences are paired.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Literal

import click
import numpy as np
from benchmark_page import write_strategies
from random_worlds import FAMILIES, LARGE, LEVELS, PRIORS, random_world
from rich.console import Console
from rich.progress import track
from scipy.stats import ttest_rel

from deliberate_practice.cli.output import table
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.practice.run import run

WINDOW = "running-average:estimator=window"  # no tests: all of the budget is for practice
METHODS = (
    f"deliberate:bayes,deliberate:{WINDOW},deliberate-paper:{WINDOW},"
    f"deliberate-paper:bayes,ees:{WINDOW},ees:bayes,ees-predicators:bayes,uniform:bayes,"
    "competence-improvement:bayes,least-competent:bayes,random:bayes"
)
MOST_TELLING = f"deliberate:bayes,deliberate-paper:{WINDOW},ees:{WINDOW},ees:bayes,random:bayes"
OURS = "deliberate:bayes"
CELLS = list(itertools.product(FAMILIES, PRIORS, LEVELS))
LONG = list(itertools.product(["long"], PRIORS, LEVELS))

COLUMNS = (
    "strategy",
    "belief",
    "all",
    "95 %",
    *PRIORS,
    *LEVELS,
    "worst tenth",
    f"> {LARGE} skills",
)
AGAINST = ("strategy", "belief", "difference", "95 %", "kinds above", "kinds below")
DIFFERENCES = (
    f"{OURS} minus each other method, and the kinds of world (of {len(CELLS)}) in which it is "
    "significantly above or below (Holm)"
)


@dataclass(frozen=True)
class Scores:
    """Of one method: by world, and by long world."""

    method: str
    worlds: FloatArray
    long: FloatArray


@click.command()
@click.option("--worlds", default=432, help="How many worlds (432).")
@click.option("--long", "long_worlds", default=24, help=f"More, with over {LARGE} skills (24).")
@click.option(
    "--methods",
    help="strategy:belief pairs, separated by commas; by default all where approaches are free, "
    "and the most telling ones where they are executed, which takes longer.",
)
@click.option("--approach", type=click.Choice(["execute", "free", "both"]), default="both")
@click.option("--workers", default=os.cpu_count() or 1, help="Processes (one per core).")
@click.option("--out", type=Path, help="Also write the tables here, as Markdown.")
def main(
    worlds: int,
    long_worlds: int,
    methods: str | None,
    approach: str,
    workers: int,
    out: Path | None,
) -> None:
    """Print a table for each kind of approach."""
    pages = []
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for kind in ("free", "execute") if approach == "both" else (approach,):
            scores = []
            chosen = methods or (METHODS if kind == "free" else MOST_TELLING)
            for method in chosen.split(","):
                work = partial(score, method, kind)
                seeds = [(CELLS, i) for i in range(worlds)] + [
                    (LONG, i) for i in range(long_worlds)
                ]
                values = np.array(
                    list(
                        track(
                            pool.map(work, seeds, chunksize=4),
                            description=f"{method}, approach {kind}",
                            total=len(seeds),
                            console=Console(stderr=True),
                            transient=True,
                        )
                    )
                )
                scores.append(Scores(method, values[:worlds], values[worlds:]))
            title = f"J / clairvoyant over {worlds} worlds, approach {kind}"
            rows = [row(one) for one in scores]
            console = Console(width=132)
            console.print(title)
            console.print(table([*COLUMNS], rows, numeric=range(2, len(COLUMNS))))
            differences = compared(scores)
            console.print(DIFFERENCES)
            console.print(table([*AGAINST], differences, numeric=range(2, len(AGAINST))))
            pages.append(markdown(title, rows, differences))
    if out:
        write_strategies(out, INTRODUCTION + "\n".join(pages))


def score(
    method: str,
    approach: Literal["execute", "free"],
    world: tuple[list[tuple[str, str, str]], int],
) -> float:
    """J / clairvoyant in one world."""
    cells, seed = world
    drawn = random_world(seed, *cells[seed % len(cells)])
    strategy, belief = method.split(":", 1)
    done = run(
        drawn.task,
        "curves",
        drawn.budget,
        strategy=strategy,
        belief=belief,
        approach=approach,
        seed=seed,
        journal=None,
    )
    assert done.reward_after is not None  # the robot knows its own truth
    return done.reward_after / drawn.clairvoyant


def row(scores: Scores) -> list[str]:
    """One row of the table."""
    values = scores.worlds
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0

    def mean(word: str) -> str:
        chosen = [s for i, s in enumerate(values) if word in CELLS[i % len(CELLS)]]
        return f"{np.mean(chosen):.3f}" if chosen else ""

    worst = np.sort(values)[: max(1, len(values) // 10)].mean()
    return [
        *scores.method.split(":", 1),
        f"{values.mean():.3f}",
        f"±{half:.3f}",
        *(mean(word) for word in (*PRIORS, *LEVELS)),
        f"{worst:.2f}",
        f"{scores.long.mean():.3f}" if len(scores.long) else "none",
    ]


def compared(all_scores: list[Scores]) -> list[list[str]]:
    """The rows of the second table: ours against each other method."""
    ours = next((one for one in all_scores if one.method == OURS), None)
    rows = []
    for other in all_scores:
        if ours is None or other is ours or len(ours.worlds) < 2 * len(CELLS):
            continue
        difference = ours.worlds - other.worlds
        below = holm([cell_p(difference[i :: len(CELLS)], "less") for i in range(len(CELLS))])
        above = holm([cell_p(difference[i :: len(CELLS)], "greater") for i in range(len(CELLS))])
        half = 1.96 * difference.std(ddof=1) / np.sqrt(len(difference))
        mean = f"{difference.mean():+.3f}"
        rows.append([*other.method.split(":", 1), mean, f"±{half:.3f}", str(above), str(below)])
    return rows


def cell_p(difference: FloatArray, alternative: Literal["less", "greater"]) -> float:
    """Paired t-test of one cell."""
    if not difference.std():
        return 1.0 if not difference.mean() else 0.5
    return float(ttest_rel(difference, np.zeros(len(difference)), alternative=alternative).pvalue)


def holm(p_values: list[float], level: float = 0.05) -> int:
    """How many hypotheses Holm's procedure rejects."""
    rejected = 0
    for i, p in enumerate(sorted(p_values)):
        if p > level / (len(p_values) - i):
            break
        rejected += 1
    return rejected


INTRODUCTION = """# Practice quality of the strategies

How much of the possible reward does each strategy earn? All strategies practise in the same random
worlds with the same seeds, so differences are paired.

**The score** is J / clairvoyant: the true value of the robot's own plan after practice, relative to
the best split of the same budget for the true curves with free approaches. 1 is perfect.

| the worlds | |
|---|---|
| structure | 2 to 5 goals and shared policies (`benchmarks/random_worlds.py`). Chains of skills and drawers, like Cleanup, where half of the skills already work; and graphs, like Breakfast, where a goal needs several objects, each with its own skills, and three in ten work |
| true curves of the other skills | linear or exponential (25 % each), measured on CMA-ES (12 %), late in their rise or low in their ceiling (15 % each), or flat, so that practice has no effect (8 %) |
| priors | good, noisy by a factor of 2, optimistic or uninformative |
| budgets | low, medium and high: 0.55, 0.9 and 1.5 times the need of the most rewarding plan |
| > 5 skills | additional worlds whose best plan practises more than 5 policies |

The difference to the paper's rule depends on the family. It was 0.068 ± 0.016 where all skills of a
plan are in series (648 worlds of chains, drawers and layered graphs, half of the skills working).
It is 0.14 ± 0.06 in graphs like Breakfast (72 worlds), where more skills have to be learned.

Command: `python benchmarks/practice.py --out docs/benchmark.md`

"""  # noqa: E501 - a row of a table is one line


def markdown(title: str, rows: list[list[str]], differences: list[list[str]]) -> str:
    """The same tables for the documentation."""
    lines = [f"## {title}", "", *_table(COLUMNS, rows), ""]
    if differences:
        lines += [f"{DIFFERENCES}:", "", *_table(AGAINST, differences), ""]
    return "\n".join(lines)


def _table(columns: Sequence[str], rows: list[list[str]]) -> list[str]:
    heading = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return heading + [f"| {' | '.join(cells)} |" for cells in rows]


if __name__ == "__main__":
    main()
