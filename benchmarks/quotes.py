"""How often a quoted budget is enough.

    python benchmarks/quotes.py                       120 commissionings; 2 hours on one core
    python benchmarks/quotes.py --tuning --count 12   worlds for development
    python benchmarks/quotes.py --out FILE.jsonl      keep finished ones, and go on
    python benchmarks/quotes.py --out studies/measured/quotes.jsonl --write docs/benchmark-quotes.md

A commissioning is a random world (``random_worlds.py``) whose true curves nobody knows. Its target
is a part of what the stated curves promise for unlimited practice. ``deliberate quote`` says which
budgets reach it at 50 % and at 90 %. Then the world is practised with either budget, and the true
value of the robot's own plan is compared with the target. A target that the quote calls out of
reach is counted apart.

Neither the target nor the quote knows the truth, so the shares should be 50 % and 90 % over worlds
whose stated figures are as often right and wrong as the belief expects.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import numpy as np
from kept import keep_line, kept_lines
from processes import worked_off
from random_worlds import FAMILIES, LONGEST, PRIORS, random_world
from rich.console import Console

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.cli.output import table
from deliberate_practice.foundation.estimates import rate
from deliberate_practice.study.quoting.quote import quote
from deliberate_practice.study.rehearsal import rehearse
from deliberate_practice.study.wrong_priors import without_truth

CELLS = list(itertools.product(FAMILIES, PRIORS))
FRESH, TUNING = 21_000, 20_000
"""First seeds of the worlds; fixed before any quote was compared with a reward."""
PARTS = (0.3, 0.8)
"""Least and largest target, as a part of the promise of unlimited practice."""
WORLDS = 60
"""Rehearsals of each budget in a quote, at most."""


COLUMNS = ["stated figures", "worlds", "out of reach", "50 % held", "90 % held"]
PAGE = """# Benchmark: quotes

A [quote](practice.md#how-long-will-it-take) says how much practice reaches a target, at 50 % and at
90 %. Is that budget enough as often as it says? This page is written by

```sh
python benchmarks/quotes.py --out studies/measured/quotes.jsonl --write docs/benchmark-quotes.md
```

- **Worlds**: {worlds} random ones ([as here](benchmark.md)) with free approaches, whose true curves
  nobody knows. Their seeds were fixed before any quote was compared with a reward.
- **Targets**: {least} to {largest} of what the stated curves promise for unlimited practice, drawn
  at random for each world.
- **Commissioning**: the world is practised with each of the two quoted budgets. A budget held if
  the true value of the robot's own plan then reaches the target.
- A target that the quote calls **out of reach** has no budget, and is counted apart.

{table}

Shares have 95 % intervals (Wilson). They should be 50 % and 90 % over worlds whose stated figures
are as often right and wrong as the belief expects; where figures are optimistic, so are quotes.
"""


@dataclass(frozen=True)
class Commissioning:
    """A quote, and what became of it.

    Attributes:
        seed, family, prior: The world.
        part: The target, as a part of what the stated curves promise.
        half, sure: The quoted budgets at 50 % and at 90 %; None if the target is out of reach.
        held_half, held_sure: Whether the target was reached with them.
    """

    seed: int
    family: str
    prior: str
    part: float
    half: int | None
    sure: int | None
    held_half: bool | None
    held_sure: bool | None


@click.command()
@click.option("--count", default=120, help="Commissionings (120).")
@click.option("--tuning", is_flag=True, help="Worlds for development.")
@click.option("--workers", default=os.cpu_count() or 1, help="Processes (one per core).")
@click.option("--out", type=Path, help="Keep finished ones here; a stopped run goes on.")
@click.option("--write", type=Path, help="Write the page of the documentation here.")
def main(count: int, tuning: bool, workers: int, out: Path | None, write: Path | None) -> None:
    """Print how often quoted budgets are enough, by the quality of the stated figures."""
    first = TUNING if tuning else FRESH
    wanted = range(first, first + count)
    found = [one for one in (measured(out) if out else []) if one.seed in wanted]
    done = {one.seed for one in found}
    missing = [seed for seed in wanted if seed not in done]
    for one in worked_off(commissioned, missing, "worlds", count, workers):
        found.append(one)
        if out:
            keep_line(out, json.dumps(asdict(one)))
    Console(width=100).print(table(COLUMNS, list(_rows(found)), numeric=range(1, len(COLUMNS))))
    if write:
        write.write_text(page(found), encoding="utf-8")


def measured(file: Path) -> list[Commissioning]:
    """The commissionings that a file keeps."""
    return [Commissioning(**json.loads(line)) for line in kept_lines(file)]


def commissioned(seed: int) -> Commissioning:
    """Quote a world, and practise it with the quoted budgets."""
    family, prior = CELLS[seed % len(CELLS)]
    world = random_world(seed, family, prior, "medium")
    stated = without_truth(world.task)
    part = float(np.random.default_rng([seed, 7]).uniform(*PARTS))
    promised = allocate(stated, len(world.truth) * LONGEST).value
    target = part * promised
    offer = quote(stated, target, approach="free", worlds=WORLDS, seed=seed, workers=1)
    half, sure = (amount.budget if amount else None for amount in (offer.half, offer.sure))

    def held(budget: int | None) -> bool | None:
        if budget is None:
            return None
        ended = rehearse(world.task, budget, approach="free", seed=seed)
        return bool(ended.earnings.reward >= target)

    return Commissioning(seed, family, prior, part, half, sure, held(half), held(sure))


def page(found: Sequence[Commissioning]) -> str:
    """The page of the documentation."""
    lines = [f"| {' | '.join(cells)} |" for cells in (COLUMNS, *_rows(found))]
    lines.insert(1, "|---" + "|---:" * (len(COLUMNS) - 1) + "|")
    return PAGE.format(
        worlds=len(found),
        least=f"{PARTS[0]:.0%}",
        largest=f"{PARTS[1]:.0%}",
        table="\n".join(lines),
    )


def _rows(found: Sequence[Commissioning]) -> Iterator[list[str]]:
    """A row for each quality of stated figures, and one for all of them."""
    for prior in (*PRIORS, "all"):
        mine = [one for one in found if prior in (one.prior, "all")]
        cells = [prior, str(len(mine)), str(sum(one.sure is None for one in mine))]
        for key in ("held_half", "held_sure"):
            held = [value for one in mine if (value := getattr(one, key)) is not None]
            share = rate(sum(held), len(held)) if held else None
            ends = share.interval if share else None
            cells.append(
                f"{share.value:.0%} ({ends[0]:.0%} to {ends[1]:.0%})" if share and ends else "–"
            )
        yield cells


if __name__ == "__main__":
    main()
