"""How much of what is possible each strategy achieves where policies are trained elsewhere.

    python benchmarks/demonstrations.py                        all 120 tasks; 4 minutes on one core
    python benchmarks/demonstrations.py --tuning --tasks 12    tasks for development
    python benchmarks/demonstrations.py --out FILE.jsonl       keep finished sessions, and go on
    python benchmarks/demonstrations.py --out studies/measured/demonstrations.jsonl \
        --write docs/benchmark-demonstrations.md

Each task (``demonstration_worlds.py``) is practised on the synthetic robot in a session without a
journal, with free approaches. J is the true value of what the robot itself would do afterwards,
with the versions that it really trained. The score is J / clairvoyant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path

import click
import numpy as np
from commands import COUNT, Benchmark, workers_option
from demonstration_worlds import FROZEN, PRIORS, TUNING, demonstration_world
from intervals import said
from kept import practised

from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.replay import State
from deliberate_practice.study import statistics
from deliberate_practice.study.rehearsal import rehearse

METHODS = (
    "deliberate,deliberate:evaluations=all,deliberate:evaluations=none,uniform,kalman-gain,random"
)
OURS, WITHOUT = "deliberate", "deliberate:evaluations=none"
FADING = {
    factor: "bayes" if factor == "0.8" else f"bayes:fading={factor}"
    for factor in ("1", "0.9", "0.8", "0.6")
}
"""The belief by how much of its evidence it keeps over a training run."""
HEAD = (
    "| strategy | J / clairvoyant | 95 % interval | worst tenth | some by attempts | all trained | "
    "budget on evaluations |"
)

PAGE = """# Benchmark: practice by demonstrations

Policies that are trained elsewhere improve in rounds of demonstrations, a training run and
evaluations ([demonstrations](demonstrations.md)). This page is written by

```sh
python benchmarks/demonstrations.py --out studies/measured/demonstrations.jsonl \\
    --write docs/benchmark-demonstrations.md
```

Every strategy practises {tasks} random tasks with {seeds}: chains and graphs with 2 to 4 goals. In
half of the tasks every practised skill is trained elsewhere; in the others about half of the skills
are, and the rest is practised by attempts. A round has 5, 10 or 20 demonstrations of 1 to 3 units,
a training run of 0 to 10 units, and at most 5 evaluations of 1 or 2 units. Stated curves are good,
noisy (by a factor of 2) or optimistic, a third each. Some truths set in late, some have low
ceilings, and 8 % never improve. Trained versions scatter around the true curve with a standard
deviation of 0, 0.05 or 0.1. The generator was fixed before the first run with these seeds.

J is the true value of the robot's own plan after practice, with the versions that it really
trained. The clairvoyant knows the true curves (not the scatter), needs no evaluation, and splits
the whole budget exactly. Every strategy uses the belief `bayes`, and approaches are free.

{table}

Intervals are bootstrap intervals over tasks, here and below. `deliberate` weighs every evaluation
against its price; the others take all that the task allows, except `evaluations=none`. The row
with `evaluations=all` compares plans at equal spending on evaluations. `kalman-gain` considers
neither plans nor rewards.
{more}"""

MORE = """
## Are evaluations worth their price?

The table has the score of `deliberate` minus that of `deliberate:evaluations=none`, by the quality
of the stated curves:

| stated curves | tasks | difference |
|---|---:|---:|
{evaluated}

## How fast evidence fades

A training run takes weight from all evidence before it, by a factor
([fading](demonstrations.md#what-is-believed)). The score of `deliberate` by this factor:

| factor | J / clairvoyant | 95 % interval |
|---|---:|---:|
{fading}
"""


Key = tuple[int, str, str, int]
"""World, strategy, belief and seed of a session."""
_world = lru_cache(maxsize=4)(demonstration_world)
"""All sessions of a world in turn."""


@dataclass(frozen=True)
class Score:
    """What one session achieved.

    Attributes:
        world: The number of its world.
        mixed: Whether some of its skills are practised by attempts.
        prior: The quality of its stated curves.
        method, belief, seed: The strategy, its belief and its seed.
        score: J / clairvoyant.
        evaluated: Part of the budget that went to evaluations.
    """

    world: int
    mixed: bool
    prior: str
    method: str
    belief: str
    seed: int
    score: float
    evaluated: float

    @property
    def key(self) -> Key:
        """The session."""
        return self.world, self.method, self.belief, self.seed


@click.command(cls=Benchmark)
@click.option("--tasks", "count", default=len(FROZEN), type=COUNT, help="How many tasks (120).")
@click.option("--seeds", default=2, type=COUNT, help="Sessions of each method on each task (2).")
@click.option("--methods", default=METHODS, help="Strategies, separated by commas.")
@click.option("--belief", default="bayes", help="Belief of all strategies.")
@click.option("--tuning", is_flag=True, help="Tasks for development instead of the frozen ones.")
@workers_option
@click.option("--out", type=Path, help="Keep finished sessions here; a stopped run goes on.")
@click.option("--write", "page", type=Path, help="Write the page with the table here.")
def main(
    count: int,
    seeds: int,
    methods: str,
    belief: str,
    tuning: bool,
    workers: int,
    out: Path | None,
    page: Path | None,
) -> None:
    """Print the table."""
    chosen = (TUNING if tuning else FROZEN)[:count]
    named = methods.split(",")
    beliefs = FADING.values() if {OURS, WITHOUT} <= {*named} and belief == "bayes" else []
    keys = [
        (number, *kind, seed)
        for number in chosen
        for kind in (*product(named, [belief]), *((OURS, other) for other in beliefs))
        for seed in range(seeds)
    ]
    found = practised(Score, session, list(dict.fromkeys(keys)), "sessions", workers, out)
    rows = table([score for score in found if score.belief == belief])
    often = "one seed" if seeds == 1 else f"{seeds} seeds"
    more = MORE.format(evaluated=evaluated(found), fading=fading(found)) if beliefs else ""
    click.echo(f"{rows}\n{len(chosen)} tasks, {often}\n{more}")
    if page:
        text = PAGE.format(tasks=len(chosen), seeds=often, table=rows, more=more)
        page.write_text(text, encoding="utf-8")


def session(key: Key) -> Score:
    """One session."""
    number, method, belief, seed = key
    world = _world(number)
    spent = [0]

    def look(state: State, curriculum: Curriculum) -> None:
        tests = (record.cost for record in state.records.values() if record.kind == "test")
        spent[0] = sum(tests)

    options = {"strategy": method, "belief": belief, "approach": "free"}
    done = rehearse(world.task, world.budget, **options, seed=seed, look=look)
    score, part = done.earnings.reward / world.clairvoyant, spent[0] / world.budget
    return Score(
        number, world.mixed, world.prior, method, belief, seed, round(score, 6), round(part, 6)
    )


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


def evaluated(found: Sequence[Score]) -> str:
    """What evaluations that are worth their price add to none, by the quality of stated curves."""
    lines = []
    for prior in ("all", *PRIORS):
        mine = [one for one in found if prior in ("all", one.prior) and one.belief == "bayes"]
        with_them, without = (
            list(_by_world([one for one in mine if one.method == name])) for name in (OURS, WITHOUT)
        )
        if not mine:
            continue
        gain = statistics.mean([a - b for a, b in zip(with_them, without, strict=True)])
        lines.append(f"| {prior} | {len(without)} | {said(gain, '+.3f')} |")
    return "\n".join(lines)


def fading(found: Sequence[Score]) -> str:
    """The score of our strategy by the factor of its belief."""
    lines = []
    for factor, belief in FADING.items():
        mine = [one for one in found if (one.method, one.belief) == (OURS, belief)]
        whole = statistics.mean(list(_by_world(mine)))
        low, high = whole.interval or (np.nan, np.nan)
        lines.append(f"| {factor} | {whole.value:.3f} | {low:.3f} to {high:.3f} |")
    return "\n".join(lines)


def _by_world(mine: Sequence[Score]) -> Iterator[float]:
    """The mean score of each world."""
    for number in dict.fromkeys(score.world for score in mine):
        yield float(np.mean([score.score for score in mine if score.world == number]))


if __name__ == "__main__":
    main()
