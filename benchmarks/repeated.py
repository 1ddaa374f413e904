"""Whether the sessions in studies/measured are those that the code practises today.

    python benchmarks/repeated.py                                 4 sessions of each experiment
    python benchmarks/repeated.py --only breakfast-paper --each 9
    python benchmarks/repeated.py --out FILE.jsonl                keep what is finished, and go on
    python benchmarks/repeated.py --out studies/measured/repeated.jsonl

Sessions are drawn at random from every experiment of ``make paper`` and ``make paper-kitchen``, and
are practised once more. A session is the same if its reward, its plan, its episodes and its curve
are, to the last bit. Physics takes most of the time: 10 minutes of CPU.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import click
from commands import COUNT, Benchmark, workers_option
from kept import practised
from packed import unpacked
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.loaded import Loaded
from deliberate_practice.study.results import Results
from deliberate_practice.study.run_cell import run_cell

MEASURED = Path(__file__).parents[1] / "studies" / "measured"
STUDIES = ("paper", "kitchen")
DRAW = 1
"""Seed of the draw of sessions."""
COLUMNS = ["experiment", "sessions", "repeated", "the same"]

Key = tuple[str, str, str, str, str, int, int]
"""Study and experiment; strategy, belief, learner, budget and seed of the session."""


@dataclass(frozen=True)
class Repeated:
    """A session that was practised once more.

    Attributes:
        study, experiment, strategy, belief, learner, budget, seed: The session.
        was, reward: The reward that is kept, and that of today.
        same: Whether everything else is the same too.
    """

    study: str
    experiment: str
    strategy: str
    belief: str
    learner: str
    budget: int
    seed: int
    was: float
    reward: float
    same: bool

    @property
    def key(self) -> Key:
        """The session."""
        cell = (self.strategy, self.belief, self.learner, self.budget, self.seed)
        return self.study, self.experiment, *cell


@click.command(cls=Benchmark)
@click.option("--each", default=4, type=COUNT, help="Sessions of each experiment (4).")
@click.option("--only", help="Only these experiments, separated by commas.")
@workers_option
@click.option("--out", type=Path, help="Keep finished sessions here; a stopped run goes on.")
@click.pass_context
def main(
    context: click.Context, each: int, only: str | None, workers: int, out: Path | None
) -> None:
    """Practise sessions of the studies once more; status 1 if one of them differs."""
    names = only.split(",") if only else [name for study in STUDIES for name in sessions(study)]
    keys = [key for study in STUDIES for key in _drawn(study, each) if key[1] in names]
    found = practised(Repeated, repeated, keys, "sessions", workers, out)
    Console(width=100).print(table(COLUMNS, list(rows(found)), numeric=range(1, len(COLUMNS))))
    others = [one for one in found if not one.same]
    for one in others:
        click.echo(f"differs: {one.key}, {one.was:g} before, {one.reward:g} now")
    context.exit(1 if others else 0)


def rows(found: Sequence[Repeated]) -> Iterator[list[str]]:
    """A row for each experiment."""
    for study, experiment in dict.fromkeys((one.study, one.experiment) for one in found):
        mine = [one for one in found if (one.study, one.experiment) == (study, experiment)]
        _, results = sessions(study)[experiment]
        counts = (len(results), len(mine), sum(one.same for one in mine))
        yield [experiment, *map(str, counts)]


def repeated(key: Key) -> Repeated:
    """Practise a session once more."""
    study, experiment, strategy, belief, learner, budget, seed = key
    loaded, results = sessions(study)[experiment]
    before = results[Cell(strategy, belief, learner, budget, seed)]
    now = run_cell(loaded.experiment, loaded.task, before.cell)
    return Repeated(*key, before.reward, now.reward, now == before)


def _drawn(study: str, each: int) -> Iterator[Key]:
    """Sessions of every experiment, drawn at random."""
    for name, (_, results) in sessions(study).items():
        cells = random.Random(f"{DRAW} {name}").sample([*results], min(each, len(results)))
        for cell in cells:
            yield study, name, cell.strategy, cell.belief, cell.learner, cell.budget, cell.seed


@cache
def sessions(study: str) -> Mapping[str, tuple[Loaded, Mapping[Cell, CellResult]]]:
    """The experiments of a study and their sessions, by name."""
    with (
        unpacked(MEASURED / f"{study}-sessions.sqlite.gz") as file,
        closing(Results(file)) as results,
    ):
        return {one.experiment.name: (one, results.known(one)) for one in results.experiments()}


if __name__ == "__main__":
    main()
