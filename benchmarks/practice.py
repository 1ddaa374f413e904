"""How much of what is possible each strategy achieves, over random worlds with hidden truths.

    python benchmarks/practice.py                       all methods; half an hour on one core
    python benchmarks/practice.py --worlds 72 --methods deliberate:bayes,ees:bayes
    python benchmarks/practice.py --out FILE.jsonl      keep finished sessions, and go on
    python benchmarks/practice.py --out studies/measured/practice.jsonl --write docs/benchmark.md

Each world (``random_worlds.py``) is practised in a real session on the synthetic robot. The score
is J / clairvoyant: the true value of what the robot itself would do afterwards, relative to the
best split for the true curves with approaches free of cost. All methods see the same worlds and
seeds, so differences are paired.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import click
import numpy as np
from benchmark_page import write_strategies
from commands import COUNT, MAYBE, Benchmark, workers_option
from kept import practised
from random_worlds import FAMILIES, LARGE, LEVELS, PRIORS, random_world
from rich.console import Console
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
KINDS = {"worlds": CELLS, "long": LONG}

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
AGAINST = (
    "strategy",
    "belief",
    "difference",
    "95 %",
    *FAMILIES,
    "kinds above",
    "kinds below",
)
DIFFERENCES = (
    f"{OURS} minus each other method, over all worlds and by their structure, and the kinds of "
    f"world (of {len(CELLS)}) in which it is significantly above or below (Holm)"
)


@dataclass(frozen=True)
class Score:
    """J / clairvoyant of one session.

    Attributes:
        key: Approach, kind (``worlds`` or ``long``), number of the world, and method.
        score: The score.
    """

    key: str
    score: float


@dataclass(frozen=True)
class Scores:
    """Of one method: by world, and by long world."""

    method: str
    worlds: FloatArray
    long: FloatArray


@click.command(cls=Benchmark)
@click.option("--worlds", default=432, type=COUNT, help="How many worlds (432).")
@click.option(
    "--long", "long_worlds", default=24, type=MAYBE, help=f"More, with over {LARGE} skills (24)."
)
@click.option(
    "--methods",
    help="strategy:belief pairs, separated by commas; by default all where approaches are free, "
    "and the most telling ones where they are executed, which takes longer.",
)
@click.option("--approach", type=click.Choice(["execute", "free", "both"]), default="both")
@workers_option
@click.option("--out", type=Path, help="Keep finished sessions here; a stopped run goes on.")
@click.option("--write", "page", type=Path, help="Write the tables into this page, too.")
def main(
    worlds: int,
    long_worlds: int,
    methods: str | None,
    approach: str,
    workers: int,
    out: Path | None,
    page: Path | None,
) -> None:
    """Print a table for each kind of approach."""
    kinds = ("free", "execute") if approach == "both" else (approach,)
    chosen = {
        kind: (methods or (METHODS if kind == "free" else MOST_TELLING)).split(",")
        for kind in kinds
    }
    counts = {"worlds": worlds, "long": long_worlds}
    keys = [
        f"{kind} {name} {number} {method}"
        for kind in kinds
        for name, count in counts.items()
        for number in range(count)
        for method in chosen[kind]
    ]
    found = {
        one.key: one.score for one in practised(Score, session, keys, "sessions", workers, out)
    }
    parts = []
    for kind in kinds:
        scores = [
            Scores(
                method,
                *(
                    np.array([found[f"{kind} {name} {i} {method}"] for i in range(count)])
                    for name, count in counts.items()
                ),
            )
            for method in chosen[kind]
        ]
        title = f"J / clairvoyant over {worlds} worlds, approach {kind}"
        rows = [row(one) for one in scores]
        console = Console(width=132)
        console.print(title)
        console.print(table([*COLUMNS], rows, numeric=range(2, len(COLUMNS))))
        differences = compared(scores)
        console.print(DIFFERENCES)
        console.print(table([*AGAINST], differences, numeric=range(2, len(AGAINST))))
        parts.append(markdown(title, rows, differences))
    if page:
        write_strategies(page, INTRODUCTION + "\n".join(parts))


def session(key: str) -> Score:
    """Practise once."""
    approach, name, number, method = key.split()
    cells, seed = KINDS[name], int(number)
    world = _world(seed, *cells[seed % len(cells)])
    strategy, belief = method.split(":", 1)
    done = run(
        world.task,
        "curves",
        world.budget,
        strategy=strategy,
        belief=belief,
        approach="free" if approach == "free" else "execute",
        seed=seed,
        journal=None,
    )
    assert done.reward_after is not None  # the robot knows its own truth
    return Score(key, round(done.reward_after / world.clairvoyant, 6))


_world = lru_cache(maxsize=4)(random_world)
"""All sessions in a world come in turn."""


def row(scores: Scores) -> list[str]:
    """One row of the table."""
    values = scores.worlds
    whole, half = _mean(values)

    def mean(word: str) -> str:
        chosen = [s for s, cell in zip(values, _cells(len(values)), strict=True) if word in cell]
        return f"{np.mean(chosen):.3f}" if chosen else ""

    worst = np.sort(values)[: max(1, len(values) // 10)].mean()
    return [
        *scores.method.split(":", 1),
        f"{whole:.3f}",
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
        mean, half = _mean(difference)
        parts = [
            difference[[word in cell for cell in _cells(len(difference))]] for word in FAMILIES
        ]
        rows.append(
            [
                *other.method.split(":", 1),
                f"{mean:+.3f}",
                f"±{half:.3f}",
                *("{:+.3f} ±{:.3f}".format(*_mean(part)) for part in parts),
                str(above),
                str(below),
            ]
        )
    return rows


def _mean(values: FloatArray) -> tuple[float, float]:
    """A mean, and half of its 95 % interval."""
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(values.mean()), float(half)


def _cells(count: int) -> list[tuple[str, str, str]]:
    """The kinds of the first worlds."""
    return [CELLS[i % len(CELLS)] for i in range(count)]


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

Command: `python benchmarks/practice.py --out studies/measured/practice.jsonl --write docs/benchmark.md`

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
