"""What probes of the whole plan do to forecasts and rewards, with composition gaps and without.

    python benchmarks/probes.py                                  216 fresh worlds; 6 minutes
    python benchmarks/probes.py --tuning --worlds 36             worlds for development
    python benchmarks/probes.py --out FILE.jsonl                 keep finished sessions, and go on
    python benchmarks/probes.py --worlds 0 --physics 8           Cleanup-Multi in physics
    python benchmarks/probes.py --physics 8 --out studies/measured/probes.jsonl \
        --write docs/benchmark-probes.md

A session practises a random world (``random_worlds.py``) with the strategy ``deliberate`` on the
belief ``bayes``, with probes and without. In worlds with gaps every second pair of skills loses 10
to 50 % of its successes when one follows the other. The forecast is what the robot expects of its
own plan when the budget is spent; the reward is the true value of that plan, gaps included.

The rule of probes and the prior of gaps were settled on the worlds of ``--tuning``.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import click
import numpy as np
from commands import MAYBE, Benchmark, workers_option
from intervals import said
from kept import practised
from random_worlds import FAMILIES, LEVELS, PRIORS, random_world
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.run import run
from deliberate_practice.practice.showing.forecast import forecast
from deliberate_practice.study.rehearsal import rehearse
from deliberate_practice.study.statistics import mean
from deliberate_practice.task.model import Gap, Task

CELLS = list(itertools.product(FAMILIES, PRIORS, LEVELS))
FRESH, TUNING = 70_000, 50_000
"""First seeds of the worlds."""
GAPPED = 0.5
"""Probability that a pair of policies has a gap."""
LOST = (0.1, 0.5)
"""The least and the most that such a pair loses."""
PROBES = ("never", "auto")
GROUPS: tuple[tuple[str, Literal["free", "execute"]], ...] = (
    ("gaps", "free"),
    ("none", "free"),
    ("gaps", "execute"),
    ("none", "execute"),
)
PHYSICS_TASK, PHYSICS_BUDGET = "cleanup-multi", 300


@dataclass(frozen=True)
class Session:
    """A forecast and what became of it.

    Attributes:
        key: World, gaps, approach and probes.
        forecast: Expected reward when the budget is spent.
        reward: True or measured reward.
        scale: What a clairvoyant earns without gaps; in physics 1.
        probes: Episodes that were probes.
        budget: Budget units.
    """

    key: str
    forecast: float
    reward: float
    scale: float
    probes: int
    budget: int

    @property
    def error(self) -> float:
        """How far the forecast was off, relative to what a clairvoyant earns."""
        return abs(self.forecast - self.reward) / self.scale


@click.command(cls=Benchmark)
@click.option("--worlds", default=216, type=MAYBE, help="How many random worlds (216).")
@click.option("--physics", default=0, type=MAYBE, help="Seeds of Cleanup-Multi in physics (0).")
@click.option("--tuning", is_flag=True, help="Worlds for development.")
@workers_option
@click.option("--out", type=Path, help="Keep finished sessions here; a stopped run goes on.")
@click.option("--write", "page", type=Path, help="Also write the tables here, as Markdown.")
def main(
    worlds: int, physics: int, tuning: bool, workers: int, out: Path | None, page: Path | None
) -> None:
    """Print errors of forecasts and rewards, with probes and without."""
    keys = list(_keys(worlds, physics, tuning))
    rows = list(_rows(practised(Session, session, keys, "sessions", workers, out)))
    Console(width=150).print(table(COLUMNS, rows, numeric=range(1, len(COLUMNS))))
    if page:
        introduction = INTRODUCTION.format(worlds=worlds)
        if physics:
            introduction += PHYSICS.format(budget=PHYSICS_BUDGET, seeds=physics)
        head = ["| " + " | ".join(COLUMNS) + " |", "|---" + "|---:" * (len(COLUMNS) - 1) + "|"]
        lines = ["| " + " | ".join(cells) + " |" for cells in rows]
        page.write_text(
            "\n".join(
                [
                    introduction,
                    *head,
                    *lines,
                    NOTES,
                ]
            )
        )


def session(key: str) -> Session:
    """Practise once."""
    number, gaps, approach, probes = key.split()
    strategy, seed = f"deliberate:probes={probes}", int(number)
    if gaps == "physics":
        return _in_physics(key, strategy, seed)
    world = random_world(seed, *CELLS[seed % len(CELLS)])
    task = with_gaps(world.task, seed) if gaps == "gaps" else world.task
    last: list[tuple[State, Curriculum]] = []

    def look(state: State, curriculum: Curriculum) -> None:
        last[:] = [(state, curriculum)]

    earned = rehearse(
        task, world.budget, strategy=strategy, approach=approach, seed=seed, look=look
    ).earnings.reward
    state, curriculum = last[0]
    probed = sum(record.kind == "probe" for record in state.records.values())
    expected = forecast(state, curriculum).value
    return Session(key, expected, earned, world.clairvoyant, probed, world.budget)


def with_gaps(task: Task, seed: int) -> Task:
    """The task with true gaps between every second pair of its policies."""
    rng = np.random.default_rng([77, seed])
    gaps = []
    for before, policy in itertools.product(task.policies, repeat=2):
        chosen, lost = rng.random() < GAPPED, float(np.round(rng.uniform(*LOST), 2))
        if chosen and before != policy:
            gaps.append(Gap(before, policy, lost))
    return replace(task, gaps=gaps)


def _in_physics(key: str, strategy: str, seed: int) -> Session:
    done = run(
        PHYSICS_TASK,
        "mujoco",
        PHYSICS_BUDGET,
        strategy=strategy,
        approach="free",
        seed=seed,
        journal=None,
    )
    assert done.reward_after is not None
    return Session(key, done.expected_reward, done.reward_after, 1.0, done.probes, PHYSICS_BUDGET)


def _keys(worlds: int, physics: int, tuning: bool) -> Iterator[str]:
    first = TUNING if tuning else FRESH
    for (gaps, approach), i, probes in itertools.product(GROUPS, range(worlds), PROBES):
        yield f"{first + i} {gaps} {approach} {probes}"
    for seed, probes in itertools.product(range(physics), PROBES):
        yield f"{seed} physics free {probes}"


COLUMNS = [
    "",
    "error without probes",
    "with probes",
    "difference",
    "error falls by",
    "reward without",
    "difference",
    "probes",
]

NAMES = {
    "gaps free": "gaps, free approaches",
    "none free": "no gaps, free approaches",
    "gaps execute": "gaps, executed approaches",
    "none execute": "no gaps, executed approaches",
    "physics free": "Cleanup-Multi in physics",
}


def _rows(found: Sequence[Session]) -> Iterator[list[str]]:
    for group, name in NAMES.items():
        mine = [one for one in found if one.key.split(" ", 1)[1].startswith(f"{group} ")]
        without, with_probes = ([one for one in mine if one.key.endswith(p)] for p in PROBES)
        if mine:
            yield [name, *_cells(without, with_probes)]


def _cells(without: Sequence[Session], with_probes: Sequence[Session]) -> list[str]:
    errors = [np.mean([one.error for one in mine]) for mine in (without, with_probes)]
    pairs = list(zip(without, with_probes, strict=True))
    rewards = [one.reward / one.scale for one in without]
    gains = [(b.reward - a.reward) / a.scale for a, b in pairs]
    return [
        f"{errors[0]:.3f}",
        f"{errors[1]:.3f}",
        said(mean([b.error - a.error for a, b in pairs]), "+.3f"),
        f"{1 - errors[1] / errors[0]:.0%}",
        f"{np.mean(rewards):.3f}",
        said(mean(gains), "+.3f"),
        f"{np.mean([one.probes / one.budget for one in with_probes]):.1%}",
    ]


INTRODUCTION = """# Benchmark: probes of the whole plan

Tests of single skills are not enough to judge a plan, because some skills succeed less often right
after another one. A [probe](practice.md#probes) is an episode that executes the whole plan. This
page is written by

```sh
python benchmarks/probes.py --physics 8 --out studies/measured/probes.jsonl \\
    --write docs/benchmark-probes.md
```

`deliberate` on `bayes` practises {worlds} random worlds ([as here](benchmark.md)) four times: with
composition gaps and without, with `probes=auto` and with `probes=never`; each with free and with
executed approaches. In worlds with gaps every ordered pair of policies has one with probability
0.5, and then loses 10 to 50 % of its successes.

The forecast is the reward that the robot expects of its own plan when the budget is spent, and the
reward is the true value of that plan. Both are relative to the reward of a clairvoyant in the same
world without gaps. The rules for probes were chosen on other worlds (`--tuning`).
"""

PHYSICS = """
The last row is Cleanup-Multi in physics, with a budget of {budget} episodes, {seeds} seeds and free
approaches. Its errors and rewards are absolute.
"""

NOTES = """
Differences are paired, with 95 % bootstrap intervals over worlds. The last column is the share of
the budget that was spent on probes. With executed approaches practice itself goes through most
pairs, so probes have less to find. Without gaps probes cost reward, so they are not the default.
"""


if __name__ == "__main__":
    os.nice(15)  # it may run beside other work
    main()
