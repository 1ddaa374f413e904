"""How often a quoted budget is enough.

    python benchmarks/quotes.py                       120 commissionings; 100 minutes on one core
    python benchmarks/quotes.py --foreign 24          24 foreign worlds, too
    python benchmarks/quotes.py --tuning --count 12   12 random worlds for development
    python benchmarks/quotes.py --out FILE.jsonl      keep finished ones, and go on
    python benchmarks/quotes.py --out studies/measured/quotes.jsonl --write docs/benchmark-quotes.md

A commissioning is a random world (``random_worlds.py``) or a foreign one (``foreign_worlds.py``)
whose true curves nobody knows. Its target is a part of what the stated curves promise for unlimited
practice. ``deliberate quote`` says which
budgets reach it at 50 % and at 90 %. If 90 % is out of reach, it says how probably any practice
reaches the target, and which budget then does at 90 %. The world is practised with these budgets,
and the true value of the robot's own plan is compared with the target.

Neither the target nor the quote knows the truth, so the shares should be 50 % and 90 % over worlds
whose stated figures are as often right and wrong as the belief expects.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from commands import COUNT, MAYBE, Benchmark, workers_option
from foreign_worlds import CELLS as FOREIGN_CELLS, STYLES, foreign_world
from kept import practised
from random_worlds import FAMILIES, LONGEST, PRIORS, random_world
from rich.console import Console

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.corner_bound import corner_bound
from deliberate_practice.allocation.problem import build_problem
from deliberate_practice.cli.output import table
from deliberate_practice.foundation.estimates import rate
from deliberate_practice.foundation.percent import percent
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.robots.curves import true_curve
from deliberate_practice.study.quoting.quote import quote
from deliberate_practice.study.quoting.result import Amount
from deliberate_practice.study.rehearsal import rehearse
from deliberate_practice.study.wrong_priors import without_truth
from deliberate_practice.task.model import Task

CELLS = list(itertools.product(FAMILIES, PRIORS))
FRESH, TUNING, FOREIGN = 22_000, 20_000, 30_000
"""First seeds of the worlds; fixed before any of these was quoted."""
PARTS = (0.3, 0.8)
"""Least and largest target, as a part of the promise of unlimited practice."""
WORLDS = 60
"""Rehearsals of each budget in a quote, at most."""


COLUMNS = [
    "stated figures",
    "worlds",
    "in reach: quoted",
    "true",
    "at 50 %: quoted",
    "held",
    "at 90 %: quoted",
    "held",
    "if in reach: quoted",
    "held",
]
PAGE = """# Benchmark: quotes

A [quote](practice.md#how-long-will-it-take) states the budget that reaches a target, at 50 % and at
90 %. Is this budget enough as often as stated? **Of all budgets quoted at 50 %, {half} held; of
those at 90 %, {sure}; of those at 90 % if the target is in reach, {given}.**

This page is written by

```sh
python benchmarks/quotes.py --out studies/measured/quotes.jsonl --write docs/benchmark-quotes.md
```

- **Worlds**: {worlds} random worlds ([as here](benchmark.md)) with free approaches and hidden true
  curves. Their seeds were fixed before any of them was quoted.
- **Targets**: {least} to {largest} of the value that the stated curves predict for unlimited
  practice, drawn at random for each world.
- **Commissioning**: the world is practised with each of the quoted budgets. A budget held if the
  true value of the robot's own plan then reaches the target.

{table}

## The columns

Each pair of columns compares the mean of the quoted probabilities with the share that came true.

- **In reach**: with the true curves, some amount of practice reaches the target.
- **At 50 %**, **at 90 %**: the quotes that state such a budget, and the share of these budgets that
  held. A budget is the smallest that is enough in at least 50 % or 90 % of the rehearsed worlds, so
  the mean is above this figure. Quotes that no practice is needed are left out.
- **If in reach**: the same at 90 %, for the quotes that state a budget on the condition that the
  target is in reach, in the worlds where it is.

Shares have 95 % intervals (Wilson). They should agree with the quotes over all worlds together, not
in every row: over all worlds the stated figures are about as often wrong as the belief expects.
"""


@dataclass(frozen=True)
class Commissioning:
    """A quote, and what became of it.

    Attributes:
        seed, family, prior: The world: its number, the shape of its task, and how good its stated
            figures are.
        part: The target, as a part of what the stated curves promise.
        said: How probably any practice reaches the target, as quoted.
        within: Whether it does.
        budgets: The quoted budgets: at 50 %, at 90 %, and at 90 % if the target is within reach,
            which is stated if the second is out of reach. None where there is none.
        chances: How many of the rehearsed worlds reached the target with each.
        held: Whether the target was reached with each.
    """

    seed: int
    family: str
    prior: str
    part: float
    said: float
    within: bool
    budgets: list[int | None]
    chances: list[float | None]
    held: list[bool | None]

    @property
    def key(self) -> int:
        """The world."""
        return self.seed


@click.command(cls=Benchmark)
@click.option("--count", default=120, type=COUNT, help="Random worlds (120).")
@click.option("--foreign", default=0, type=MAYBE, help="Foreign worlds, besides (none).")
@click.option("--tuning", is_flag=True, help="Random worlds for development.")
@workers_option
@click.option("--out", type=Path, help="Keep finished ones here; a stopped run goes on.")
@click.option("--write", type=Path, help="Write the page of the documentation here.")
def main(
    count: int, foreign: int, tuning: bool, workers: int, out: Path | None, write: Path | None
) -> None:
    """Print how often quoted budgets are enough, by the quality of the stated figures."""
    first = TUNING if tuning else FRESH
    worlds = [*range(first, first + count)]
    if not tuning:
        worlds += range(FOREIGN, FOREIGN + foreign)
    found = practised(Commissioning, commissioned, worlds, "worlds", workers, out)
    for rows in filter(None, (_rows(found, PRIORS), _rows(found, STYLES))):
        Console(width=160).print(table(COLUMNS, rows, numeric=range(1, len(COLUMNS))))
    if write:
        write.write_text(page(found), encoding="utf-8")


def commissioned(seed: int) -> Commissioning:
    """Quote a world, and practise it with the quoted budgets."""
    family, prior, task = _world(seed)
    stated = without_truth(task)
    part = float(np.random.default_rng([seed, 7]).uniform(*PARTS))
    target = part * allocate(stated, len(task.policies) * LONGEST).value
    offer = quote(stated, target, approach="free", worlds=WORLDS, seed=seed, workers=1)
    amounts = (offer.half, offer.sure, offer.if_reachable)
    truth = {name: true_curve(policy, LONGEST).tolist() for name, policy in task.policies.items()}
    within = corner_bound(build_problem(ground(task), offer.largest, curves=truth)) >= target

    def held(amount: Amount | None) -> bool | None:
        if amount is None:
            return None
        ended = rehearse(task, amount.budget, approach="free", seed=seed)
        return bool(ended.earnings.reward >= target)

    return Commissioning(
        seed,
        family,
        prior,
        part,
        offer.reachable.value,
        within,
        budgets=[amount.budget if amount else None for amount in amounts],
        chances=[amount.chance.value if amount else None for amount in amounts],
        held=[held(amount) for amount in amounts],
    )


def _world(seed: int) -> tuple[str, str, Task]:
    """The shape of its task, how good its stated figures are, and the task."""
    if seed >= FOREIGN:
        shape, style, _ = FOREIGN_CELLS[seed % len(FOREIGN_CELLS)]
        return shape, style, foreign_world(seed).task
    family, prior = CELLS[seed % len(CELLS)]
    return family, prior, random_world(seed, family, prior, "medium").task


def page(found: Sequence[Commissioning]) -> str:
    """The page of the documentation, on random worlds."""
    mine = [one for one in found if one.prior in PRIORS]
    rows = _rows(mine, PRIORS)
    *_, half, _, sure, _, given = (cell.partition(" of ")[0] for cell in rows[-1])
    return PAGE.format(
        half=half,
        sure=sure,
        given=given,
        worlds=len(mine),
        least=percent(PARTS[0]),
        largest=percent(PARTS[1]),
        table=_markdown(rows),
    )


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |".replace(" (", "<br>(") for cells in (COLUMNS, *rows)]
    return "\n".join([lines[0], "|---" + "|---:" * (len(COLUMNS) - 1) + "|", *lines[1:]])


def _rows(found: Sequence[Commissioning], kinds: Sequence[str]) -> list[list[str]]:
    """A row for each of these qualities of stated figures, and one for all of them."""
    rows = []
    for name, prior in [*((prior, [prior]) for prior in kinds), ("all", kinds)]:
        mine = [one for one in found if one.prior in prior]
        if mine:
            within = [one for one in mine if one.within]
            cells = [*_share((one.said, one.within) for one in mine)]
            for answer, those in enumerate((mine, mine, within)):
                cells += _share(
                    (one.chances[answer], one.held[answer]) for one in those if one.budgets[answer]
                )
            rows.append([name, str(len(mine)), *cells])
    return rows


def _share(pairs: Iterable[tuple[float | None, bool | None]]) -> tuple[str, str]:
    """What was quoted, as a mean; and how often it came true, with the 95 % interval."""
    known = [(said, held) for said, held in pairs if said is not None and held is not None]
    share = rate(sum(held for _, held in known), len(known)) if known else None
    if share is None or share.interval is None:
        return "–", "–"
    low, high = share.interval
    quoted = sum(said for said, _ in known) / len(known)
    true = f"{share.value:.0%} of {len(known)} ({100 * low:.0f} to {high:.0%})"
    return percent(quoted), true.replace("%", " %")


if __name__ == "__main__":
    main()
