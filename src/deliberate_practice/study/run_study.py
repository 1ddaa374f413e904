"""Run a study: every session that is not finished yet, longest first, on any engine.

Sessions are independent and seeded, so results depend neither on the engine nor on the order. The
same seeds are used for all strategies.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deliberate_practice.charts.chart import Look
from deliberate_practice.charts.palette import of_strategies
from deliberate_practice.foundation.blame import told
from deliberate_practice.foundation.errors import ArgumentError, DeliberatePracticeError
from deliberate_practice.practice.robot import ROBOTS
from deliberate_practice.study.cell import Cell, CellFailure, CellResult
from deliberate_practice.study.engines import Engine, make_engine
from deliberate_practice.study.experiment import Experiment, Study
from deliberate_practice.study.loaded import Loaded, load
from deliberate_practice.study.results import Results, open_results
from deliberate_practice.study.run_cell import run_cell
from deliberate_practice.study.summary import Row, failed_sessions, summarise
from deliberate_practice.study.watchdog import NoProgress, watched

QUICK = ("curves", "regions")
"""Robots whose episodes take no time; others count as physics."""


@dataclass(frozen=True)
class Status:
    """The progress of a study.

    Attributes:
        done, count: Finished sessions, and all sessions.
        work, total: Finished work and all work of this run, weighted by its probable duration.
    """

    done: int
    count: int
    work: float
    total: float


@dataclass(frozen=True)
class Finished:
    """An experiment and the results of its sessions, in the order of its cells.

    Attributes:
        loaded: The experiment.
        sessions: Results; sessions that failed have none, and statistics leave them out.
        failures: Sessions that failed, and why.
        company: All strategies that are shown together with its own.
    """

    loaded: Loaded
    sessions: tuple[CellResult, ...]
    failures: tuple[CellFailure, ...] = ()
    company: tuple[str, ...] = ()

    @property
    def experiment(self) -> Experiment:
        """Its definition."""
        return self.loaded.experiment

    @property
    def executions(self) -> int | None:
        """How often a plan was executed to measure its reward; None where rewards are exact."""
        return next((session.executions for session in self.sessions), None)

    @property
    def title(self) -> str:
        """A title in words."""
        asked = self.experiment
        return f"{self.loaded.task.name} on {asked.robot}, approach {asked.approach}"

    @property
    def looks(self) -> dict[str, Look]:
        """How each strategy is drawn, the same in all charts of a study."""
        return of_strategies((*self.company, *self.experiment.strategies))

    @cached_property  # thousands of resamples for each row
    def rows(self) -> list[Row]:
        """Its table."""
        asked = self.experiment
        return summarise(self.loaded.task, asked.robot, self.sessions, asked.against)


def company(loaded: Iterable[Loaded]) -> tuple[str, ...]:
    """All strategies of some experiments, each once."""
    return tuple(dict.fromkeys(s for one in loaded for s in one.experiment.strategies))


@dataclass(frozen=True)
class Job:
    """A session to run: the number of its experiment, and the cell."""

    experiment: int
    cell: Cell


@dataclass(frozen=True)
class Prepared:
    """A study whose tasks are checked and whose finished results are loaded.

    Attributes:
        loaded: Its experiments.
        known: Finished results that belong to it, by key and cell.
        results: The file that keeps further results, if there is one.
        removed: Damaged rows that were removed there; sessions among them are run again.
    """

    loaded: tuple[Loaded, ...]
    known: Mapping[tuple[str, Cell], CellResult]
    results: Results | None
    removed: tuple[str, ...] = ()

    @property
    def done(self) -> int:
        """Sessions that are finished."""
        return len(self.known)

    @property
    def jobs(self) -> list[Job]:
        """Sessions still to run, longest first; one that two experiments share is run once."""
        jobs: dict[tuple[str, Cell], Job] = {}
        for number, loaded in enumerate(self.loaded):
            for cell, key in loaded.keys.items():
                if (key, cell) not in self.known:
                    jobs.setdefault((key, cell), Job(number, cell))
        return sorted(jobs.values(), key=self.weight, reverse=True)

    def weight(self, job: Job) -> float:
        """How long a session probably takes, in episodes of a synthetic robot."""
        experiment = self.loaded[job.experiment].experiment
        if ROBOTS.parse(experiment.robot)[0] in QUICK:
            return job.cell.budget + 1.0
        return 20.0 * (job.cell.budget + experiment.executions)


def run_study(
    study: Study,
    out: str | Path | None = None,
    *,
    engine: Engine | None = None,
    progress: Callable[[Status], None] | None = None,
    begun: Callable[[Prepared], None] | None = None,
) -> list[Finished]:
    """Run every session of a study that is not finished yet.

    Args:
        study: What to run.
        out: A folder in whose ``results.sqlite`` finished sessions are kept; those that are there
            are not run again. Without one nothing is kept.
        engine: Where to run it; processes on this machine, one for each core, by default.
        progress: Called after every session.
        begun: Called once with the finished results, before anything runs.

    Returns:
        The results of every experiment, with failed sessions listed separately.

    Raises:
        DeliberatePracticeError: Something in the study makes no sense; nothing was run.

    Warns:
        UserWarning: A damaged row was removed from the results; its session is run again. Or
            sessions failed.
    """
    results = None if out is None else open_results(out)
    try:
        prepared = prepare(study, results)
        (begun or _warn)(prepared)
        finished = run_prepared(prepared, engine or make_engine(), progress)
        for one in finished if begun is None else ():
            if one.failures:
                warnings.warn(f"{failed_sessions(one.failures)}.", stacklevel=2)
        return finished
    finally:
        if results:
            results.close()


def _warn(prepared: Prepared) -> None:
    for row in prepared.removed:
        warnings.warn(f"results.sqlite: {row} was damaged and is removed.", stacklevel=3)


def prepare(study: Study, results: Results | None = None) -> Prepared:
    """Load and check a study, and read its finished results; damaged rows are removed."""
    loaded = []
    for experiment in study.experiments:
        try:
            loaded.append(load(study.name, experiment))
        except ArgumentError as error:
            several = len(study.experiments) > 1
            raise ArgumentError(
                f"experiment '{experiment.name}': {error}" if several else str(error)
            ) from None
    known: dict[tuple[str, Cell], CellResult] = {}
    removed: list[str] = []
    if results:
        removed = results.remove_damaged()
        results.declare(study.name, loaded)
        for one in loaded:
            known |= {(one.keys[cell], cell): found for cell, found in results.known(one).items()}
    return Prepared(tuple(loaded), known, results, tuple(removed))


def run_prepared(
    prepared: Prepared, engine: Engine, progress: Callable[[Status], None] | None = None
) -> list[Finished]:
    """Run all unfinished sessions, and keep every result as soon as it is there."""
    found = dict(prepared.known)
    failed: dict[tuple[str, Cell], CellFailure] = {}
    jobs, count = prepared.jobs, prepared.done
    weights = [prepared.weight(job) for job in jobs]
    work, total = 0.0, sum(weights)
    with closing(engine.run(_Sessions(prepared.loaded), jobs)) as running:
        for done, (number, (result, seconds)) in enumerate(running, 1):
            key = prepared.loaded[jobs[number].experiment].keys[result.cell]
            if isinstance(result, CellFailure):
                failed[key, result.cell] = result
                if prepared.results:
                    prepared.results.add_failure(key, result)
            else:
                found[key, result.cell] = result
                if prepared.results:
                    prepared.results.add(key, result, seconds)
            work += weights[number]
            if progress:
                progress(Status(count + done, count + len(jobs), work, total))
    return [
        Finished(
            one,
            tuple(found[key, cell] for cell, key in one.keys.items() if (key, cell) in found),
            tuple(failed[key, cell] for cell, key in one.keys.items() if (key, cell) in failed),
            company(prepared.loaded),
        )
        for one in prepared.loaded
    ]


@dataclass(frozen=True)
class _Sessions:
    """The work of an engine: run the session of a job, and measure its duration [s]."""

    loaded: tuple[Loaded, ...]

    def __call__(self, job: Job) -> tuple[CellResult | CellFailure, float]:
        one = self.loaded[job.experiment]
        begun = time.perf_counter()
        try:
            with watched(one.experiment.session_seconds):
                result = run_cell(one.experiment, one.task_of(job.cell.learner), job.cell)
        except NoProgress:
            return self.ended(job)
        except DeliberatePracticeError as error:
            return CellFailure(job.cell, str(error)), time.perf_counter() - begun
        except (Exception, SystemExit) as error:  # of a user-defined part; others go on
            return CellFailure(job.cell, told(error)), time.perf_counter() - begun
        return result, time.perf_counter() - begun

    def ended(self, job: Job) -> tuple[CellFailure, float]:
        """The result of a session that had to be ended."""
        seconds = self.loaded[job.experiment].experiment.session_seconds
        text = f"strategy {job.cell.strategy} made no progress for {seconds:g} s and was ended"
        return CellFailure(job.cell, text), seconds
