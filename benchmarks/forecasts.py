"""How often the reward at the end falls into the band that the forecast stated.

    python benchmarks/forecasts.py                         fresh worlds and lab tasks; 3 minutes
    python benchmarks/forecasts.py --tuning --worlds 36    worlds for development
    python benchmarks/forecasts.py --out FILE.jsonl        keep finished sessions, and go on
    python benchmarks/forecasts.py --out studies/measured/forecasts.jsonl --write docs/benchmark.md

A session practises a random world (``random_worlds.py``) or a lab task (``lab_tasks.py``) with the
strategy ``deliberate`` on the belief ``bayes``. It states its forecast after 0, 25, 50 and 75 % of
the budget. The reward at the end is the true value of the plan that the robot would then execute.
The band is nominally 80 %: one reward in ten should lie below it, and one in ten above it.

The seeds of both sets were fixed before any band was compared with a reward.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from benchmark_page import write_forecasts
from commands import MAYBE, Benchmark, workers_option
from kept import practised
from lab_tasks import BUDGETS, FROZEN, TUNING, lab_task
from random_worlds import FAMILIES, LEVELS, PRIORS, random_world
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.foundation.estimates import rate
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.showing.forecast import forecast
from deliberate_practice.study.rehearsal import rehearse

STAGES = (0.0, 0.25, 0.5, 0.75)
"""Parts of the budget that are spent when a forecast is stated."""
CELLS = list(itertools.product(FAMILIES, PRIORS, LEVELS))
APPROACHES = ("free", "execute")
FRESH_WORLDS, TUNING_WORLDS = 9_000, 5_000
"""First seeds of the random worlds."""
ROUNDING = 1e-9
"""A reward so near to an end of the band lies within it."""


@dataclass(frozen=True)
class Session:
    """The forecasts of a session, and what became of them.

    Attributes:
        key: Kind (``worlds`` or ``lab``), seed and approach.
        group: The quality of the priors of a world, or the station of a lab task.
        low, high: The ends of the band at each stage.
        earned: The reward at the end.
    """

    key: str
    group: str
    low: list[float]
    high: list[float]
    earned: float

    @property
    def kind(self) -> str:
        """``worlds`` or ``lab``."""
        return self.key.split()[0]

    @property
    def approach(self) -> str:
        """``free`` or ``execute``."""
        return self.key.split()[-1]

    def side(self, stage: int) -> int:
        """-1 below the band of a stage, 0 within, 1 above it."""
        if self.earned < self.low[stage] - ROUNDING:
            return -1
        return int(self.earned > self.high[stage] + ROUNDING)


@click.command(cls=Benchmark)
@click.option("--worlds", default=144, type=MAYBE, help="How many random worlds (144).")
@click.option(
    "--labs", default=72, type=MAYBE, help="How many lab tasks, at most 72 with --tuning (72)."
)
@click.option("--tuning", is_flag=True, help="Worlds and tasks for development.")
@click.option("--out", type=Path, help="Keep finished sessions here; a stopped run goes on.")
@workers_option
@click.option("--write", "page", type=Path, help="Write the table into this page, too.")
def main(
    worlds: int, labs: int, tuning: bool, workers: int, out: Path | None, page: Path | None
) -> None:
    """Print how often the reward fell below, into and above the band."""
    keys = list(_keys(worlds, labs, tuning))
    found = practised(Session, session, keys, "sessions", workers, out)
    screen = Console(width=132)
    screen.print(f"{len(keys)} sessions; how many rewards fell into the band of 80 %")
    rows = list(_rows(found))
    screen.print(table(COLUMNS, rows, numeric=range(1, len(COLUMNS))))
    if page:
        lines = ["| " + " | ".join(cells) + " |" for cells in rows]
        head = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
        text = INTRODUCTION.format(worlds=worlds, labs=labs)
        write_forecasts(page, "\n".join([text, *head, *lines, ""]))


def session(key: str) -> Session:
    """Practise once, and keep every forecast and the reward at the end."""
    kind, number, approach = key.split()
    seed = int(number)
    if kind == "worlds":
        family, prior, level = CELLS[seed % len(CELLS)]
        world = random_world(seed, family, prior, level)
        task, budget, group = world.task, world.budget, prior
    else:
        lab = lab_task(seed)
        task, budget, group = lab.task, BUDGETS[seed // 4 % 2], lab.station
    low: list[float] = []
    high: list[float] = []

    def look(state: State, curriculum: Curriculum) -> None:
        if len(low) < len(STAGES) and state.spent >= STAGES[len(low)] * budget:
            ahead = forecast(state, curriculum)
            low.append(ahead.low)
            high.append(ahead.high)

    earned = rehearse(task, budget, approach=approach, seed=seed, look=look).earnings.reward
    return Session(key, group, low, high, earned)


def _keys(worlds: int, labs: int, tuning: bool) -> Iterator[str]:
    """The sessions of a run; the two approaches take turns."""
    first = TUNING_WORLDS if tuning else FRESH_WORLDS
    for i in range(worlds):
        yield f"worlds {first + i} {APPROACHES[(i + i // len(CELLS)) % 2]}"
    for i, seed in enumerate((TUNING if tuning else FROZEN)[:labs]):
        yield f"lab {seed} {APPROACHES[(i + i // 8) % 2]}"


INTRODUCTION = """Written by
`python benchmarks/forecasts.py --out studies/measured/forecasts.jsonl --write docs/benchmark.md`.

A session states what to expect at the end, with a band that is nominally 80 %. Here {worlds} random
worlds (as above) and {labs} lab tasks with recoverable failures (`benchmarks/lab_tasks.py`) are
practised with `deliberate` on `bayes`, with free and with executed approaches in turn. Forecasts
are stated after 0, 25, 50 and 75 % of the budget. The reward at the end is the true value of the
plan that the robot would then execute. The rules for forecasts were chosen on other worlds
(`--tuning`); the seeds of both sets were fixed before any band was compared with a reward.

Each cell has the percentage of rewards within the band, its 95 % interval (Wilson), and the
percentages below / above the band, of which 10 / 10 are nominal.
"""

COLUMNS = ["", *(f"{100 * stage:.0f} % spent" for stage in STAGES), "all stages"]


def _rows(found: Sequence[Session]) -> Iterator[list[str]]:
    groups = {
        "random worlds": [one for one in found if one.kind == "worlds"],
        "lab tasks": [one for one in found if one.kind == "lab"],
        **{
            f"approach {name}": [one for one in found if one.approach == name]
            for name in APPROACHES
        },
        **{
            f"worlds, {prior} priors": [one for one in found if one.group == prior]
            for prior in PRIORS
        },
    }
    yield ["all", *_cells(found)]
    for name, mine in groups.items():
        if mine:
            yield [name, *_cells(mine)]


def _cells(mine: Sequence[Session]) -> Iterator[str]:
    every = range(len(STAGES))
    for stages in (*([i] for i in every), every):
        sides = [one.side(i) for one in mine for i in stages if i < len(one.low)]
        if not sides:
            yield "-"
            continue
        within = rate(sides.count(0), len(sides))
        low, high = within.interval or (0.0, 1.0)
        below, above = sides.count(-1) / len(sides), sides.count(1) / len(sides)
        # The four forecasts of a session are not independent: together they have no interval.
        interval = f" [{100 * low:.0f}, {100 * high:.0f}]" if len(stages) == 1 else ""
        yield f"{100 * within.value:.0f}{interval}, {100 * below:.0f} / {100 * above:.0f}"


if __name__ == "__main__":
    os.nice(15)  # it may run beside other work
    main()
