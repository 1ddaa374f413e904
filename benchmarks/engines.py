"""What engines cost, and how studies scale: trivial sessions by the thousand, Cleanup on 1 and 2.

    python benchmarks/engines.py                    # overhead and scaling on synthetic Cleanup
    python benchmarks/engines.py --physics 4        # scaling on so many sessions in physics too
    python benchmarks/engines.py --ray              # overhead of a Ray cluster on this machine too

Times are wall time; scaling needs two cores that nobody else uses.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from deliberate_practice.study.cell import CellResult
from deliberate_practice.study.engines import Engine, make_engine
from deliberate_practice.study.experiment import Experiment, Study
from deliberate_practice.study.results import Results
from deliberate_practice.study.run_study import Job, prepare, run_prepared, run_study


@click.command()
@click.option("--cells", default=1000, help="Trivial sessions (1000).")
@click.option("--physics", default=0, metavar="N", help="Sessions in physics to scale on too.")
@click.option("--ray", is_flag=True, help="A Ray cluster on this machine too.")
def main(cells: int, physics: int, ray: bool) -> None:
    """Measure and print."""
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for workers in (1, 2):
        overhead(f"local, {workers} workers", make_engine(workers=workers), cells)
    if ray:
        overhead("ray", make_engine("ray"), cells)
    strategies = ["deliberate", "ees", "random"]
    budgets = [100, 150, 250]  # long enough that the start of the workers does not count
    scaling(Experiment("cleanup", "cleanup", budgets, "curves", "free", strategies, seeds=20))
    if physics:
        scaling(
            Experiment(
                "physics",
                "cleanup",
                [100],
                robot="mujoco",
                approach="free",
                strategies=["deliberate"],
                seeds=physics,
            )
        )


def overhead(name: str, engine: Engine, cells: int) -> float:
    """A study whose sessions do nothing, but are sent, run, kept and counted like all others.

    Returns:
        CPU time of this process for each session [s].
    """
    experiment = Experiment("trivial", "counterexample", [0], strategies=["random"], seeds=cells)
    with tempfile.TemporaryDirectory() as folder:
        results = Results(Path(folder) / "results.sqlite")
        with closing(results):
            prepared = prepare(Study("trivial", [experiment]), results)
            times: list[float] = []
            begun, busy = time.perf_counter(), time.process_time()
            run_prepared(prepared, _Trivial(engine), lambda _: times.append(time.perf_counter()))
            whole, cpu = time.perf_counter() - begun, (time.process_time() - busy) / cells
            assert len(results.known(prepared.loaded[0])) == cells
    each, steady = whole / cells, (times[-1] - times[0]) / (cells - 1)
    print(
        f"{name}: {cells} trivial sessions in {whole:.2f} s, {1000 * each:.2f} ms each "
        f"({1000 * steady:.2f} ms once the workers are there; {1000 * cpu:.2f} ms of CPU here)"
    )
    return cpu


def scaling(experiment: Experiment) -> None:
    """The same study with 1 and with 2 workers; results must be equal."""
    seconds, found = {}, []
    for workers in (1, 2):
        begun = time.perf_counter()
        found.append(run_study(Study("scaling", [experiment]), engine=make_engine(workers=workers)))
        seconds[workers] = time.perf_counter() - begun
    if found[0] != found[1]:
        sys.exit("results depend on the number of workers")
    print(
        f"{experiment.name}: {len(experiment.cells)} sessions in {seconds[1]:.1f} s with 1 worker, "
        f"{seconds[2]:.1f} s with 2: {seconds[1] / seconds[2]:.2f} times as fast"
    )


@dataclass(frozen=True)
class _Trivial:
    """An engine that runs nothing instead of sessions."""

    engine: Engine

    def run(
        self, work: Callable[[Any], Any], pieces: Sequence[Any]
    ) -> Generator[tuple[int, Any], None, None]:
        """As the engine does."""
        return self.engine.run(_nothing, pieces)


def _nothing(job: Job) -> tuple[CellResult, float]:
    return CellResult(job.cell, 0.0, 0.0, None, {}), 0.0


if __name__ == "__main__":
    main()
