"""Run a study: every session that is not finished yet, longest first, on any engine.

Sessions are independent and seeded, so results depend neither on the engine nor on the order. The
same seeds are used for all strategies.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from deliberate_practice.beliefs.registry import make_belief
from deliberate_practice.charts.chart import Look
from deliberate_practice.charts.palette import of_strategies
from deliberate_practice.domains.library import load_task
from deliberate_practice.domains.robots import SYNTHETIC, embodied, make_robot
from deliberate_practice.foundation.blame import told
from deliberate_practice.foundation.errors import ArgumentError, DeliberatePracticeError, TaskError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.study.cell import Cell, CellFailure, CellResult
from deliberate_practice.study.engines import Engine, make_engine
from deliberate_practice.study.experiment_key import experiment_key
from deliberate_practice.study.plan import Experiment, Study, check_names
from deliberate_practice.study.results import Recorded, Results, open_results, practised_task
from deliberate_practice.study.run_cell import run_cell
from deliberate_practice.study.summary import Row, summarise
from deliberate_practice.study.watchdog import NoProgress, watched
from deliberate_practice.task.model import Task


@dataclass(frozen=True)
class Status:
    """How far a study is.

    Attributes:
        done, count: Sessions finished, and in all.
        work, total: What was and is to be run now, weighted by how long it probably takes.
    """

    done: int
    count: int
    work: float
    total: float


@dataclass(frozen=True)
class Finished:
    """An experiment and the results of its sessions, in the order of its cells.

    Attributes:
        recorded: The experiment.
        sessions: Results; sessions that failed have none, and statistics leave them out.
        failures: Sessions that failed, and why.
        company: All strategies that are shown together with its own.
    """

    recorded: Recorded
    sessions: tuple[CellResult, ...]
    failures: tuple[CellFailure, ...] = ()
    company: tuple[str, ...] = ()

    @property
    def experiment(self) -> Experiment:
        """What it is; its task is the task itself, as it is stated."""
        return self.recorded.experiment

    @property
    def title(self) -> str:
        """What it is, in words."""
        asked = self.experiment
        return f"{self.recorded.task.name} on {asked.robot}, approach {asked.approach}"

    @property
    def looks(self) -> dict[str, Look]:
        """How each strategy is drawn, the same in all charts of a study."""
        return of_strategies((*self.company, *self.experiment.strategies))

    @cached_property  # thousands of resamples for each row
    def rows(self) -> list[Row]:
        """Its table."""
        asked = self.experiment
        return summarise(self.recorded.task, asked.robot, self.sessions, asked.against)


def company(recorded: Iterable[Recorded]) -> tuple[str, ...]:
    """All strategies of some experiments, each once."""
    return tuple(dict.fromkeys(s for one in recorded for s in one.experiment.strategies))


@dataclass(frozen=True)
class Job:
    """A session to run: the number of its experiment, and the cell."""

    experiment: int
    cell: Cell


@dataclass(frozen=True)
class Prepared:
    """A study that is checked and knows what is finished.

    Attributes:
        recorded: Its experiments.
        known: Finished results that belong to it, by key of the experiment.
        results: Where further ones are kept, if anywhere.
        removed: Damaged rows that were removed there; sessions among them are run again.
    """

    recorded: tuple[Recorded, ...]
    known: Mapping[str, Mapping[Cell, CellResult]]
    results: Results | None
    removed: tuple[str, ...] = ()

    @property
    def done(self) -> int:
        """Sessions that are finished."""
        return sum(map(len, self.known.values()))

    @property
    def jobs(self) -> list[Job]:
        """Sessions still to run, longest first; one that two experiments share is run once."""
        jobs: dict[tuple[str, Cell], Job] = {}
        for number, recorded in enumerate(self.recorded):
            for cell in recorded.experiment.cells:
                if cell not in self.known[recorded.key]:
                    jobs.setdefault((recorded.key, cell), Job(number, cell))
        return sorted(jobs.values(), key=self.weight, reverse=True)

    def weight(self, job: Job) -> float:
        """How long a session probably takes, in episodes of a synthetic robot."""
        experiment = self.recorded[job.experiment].experiment
        if experiment.robot in SYNTHETIC:
            return job.cell.budget + 1.0
        return 20.0 * (job.cell.budget + experiment.executions)


def run_study(
    study: Study,
    out: str | Path | None = None,
    *,
    engine: Engine | None = None,
    progress: Callable[[Status], None] | None = None,
) -> list[Finished]:
    """Run every session of a study that is not finished yet.

    Args:
        study: What to run.
        out: A folder in whose ``results.sqlite`` finished sessions are kept; those that are there
            are not run again. Without one nothing is kept.
        engine: Where to run it; processes on this machine, one for each core, by default.
        progress: Called after every session.

    Returns:
        The results of every experiment.

    Raises:
        DeliberatePracticeError: Something in the study makes no sense; nothing was run.

    Warns:
        UserWarning: A damaged row was removed from the results; its session is run again.
    """
    results = None
    if out is not None:
        results = open_results(out)
    try:
        prepared = prepare(study, results)
        for row in prepared.removed:
            warnings.warn(f"{out}/results.sqlite: {row} was damaged and is removed.", stacklevel=2)
        return run_prepared(prepared, engine or make_engine(), progress)
    finally:
        if results:
            results.close()


def prepare(study: Study, results: Results | None = None) -> Prepared:
    """Load and check the tasks of a study, and see what is finished; damaged rows are removed."""
    from deliberate_practice import __version__

    recorded = []
    for experiment in study.experiments:
        try:
            asked = _checked(experiment)
        except ArgumentError as error:
            several = len(study.experiments) > 1
            raise ArgumentError(
                f"experiment '{experiment.name}': {error}" if several else str(error)
            ) from None
        task = practised_task(asked)
        key = experiment_key(task, asked.robot, asked.approach, asked.evaluation)
        recorded.append(Recorded(study.name, asked, key, __version__))
    known: dict[str, dict[Cell, CellResult]] = {one.key: {} for one in recorded}
    removed: list[str] = []
    if results:
        removed = results.remove_damaged()
        results.declare(study.name, recorded)
        kept = {key: results.known(key) for key in known}
        for one in recorded:
            mine = {cell: kept[one.key].get(cell) for cell in one.experiment.cells}
            known[one.key] |= {cell: found for cell, found in mine.items() if found}
    return Prepared(tuple(recorded), known, results, tuple(removed))


def run_prepared(
    prepared: Prepared, engine: Engine, progress: Callable[[Status], None] | None = None
) -> list[Finished]:
    """Run what is not finished; every result is kept as soon as it is there."""
    found = {key: dict(known) for key, known in prepared.known.items()}
    failed: dict[tuple[str, Cell], CellFailure] = {}
    jobs, count = prepared.jobs, prepared.done
    weights = [prepared.weight(job) for job in jobs]
    work, total = 0.0, sum(weights)
    with closing(engine.run(_Sessions(prepared.recorded), jobs)) as running:
        for done, (number, (result, seconds)) in enumerate(running, 1):
            key = prepared.recorded[jobs[number].experiment].key
            if isinstance(result, CellFailure):
                failed[key, result.cell] = result
                if prepared.results:
                    prepared.results.add_failure(key, result)
            else:
                found[key][result.cell] = result
                if prepared.results:
                    prepared.results.add(key, result, seconds)
            work += weights[number]
            if progress:
                progress(Status(count + done, count + len(jobs), work, total))
    return [
        Finished(
            one,
            tuple(found[one.key][c] for c in one.experiment.cells if c in found[one.key]),
            tuple(failed[one.key, c] for c in one.experiment.cells if (one.key, c) in failed),
            company(prepared.recorded),
        )
        for one in prepared.recorded
    ]


@dataclass(frozen=True)
class _Sessions:
    """The work of an engine: run the session of a job, and say how long it took [s]."""

    recorded: tuple[Recorded, ...]

    def __call__(self, job: Job) -> tuple[CellResult | CellFailure, float]:
        one = self.recorded[job.experiment].experiment
        begun = time.perf_counter()
        try:
            with watched(one.session_seconds):
                result = self._run(job)
        except NoProgress:
            return self.ended(job)
        except DeliberatePracticeError as error:
            return CellFailure(job.cell, str(error)), time.perf_counter() - begun
        except (Exception, SystemExit) as error:  # of a user-defined part; others go on
            return CellFailure(job.cell, told(error)), time.perf_counter() - begun
        return result, time.perf_counter() - begun

    def _run(self, job: Job) -> CellResult:
        one = self.recorded[job.experiment]
        robot, approach = one.experiment.robot, one.experiment.approach
        return run_cell(one.task, robot, approach, job.cell, one.experiment.evaluation)

    def ended(self, job: Job) -> tuple[CellFailure, float]:
        """What came of a session that had to be ended."""
        seconds = self.recorded[job.experiment].experiment.session_seconds
        text = f"strategy {job.cell.strategy} made no progress for {seconds:g} s and was ended"
        return CellFailure(job.cell, text), seconds


def _checked(experiment: Experiment) -> Experiment:
    """The experiment with its task loaded."""
    check_names(experiment)
    loaded = replace(experiment, task=_loaded(experiment), parameters={})
    task = practised_task(loaded)
    for belief in experiment.beliefs:
        make_belief(belief, task)
    make_robot(experiment.robot, task, 0)
    return loaded


def _loaded(experiment: Experiment) -> Task:
    """The task as stated, for its robot."""
    named, parameters = experiment.task, experiment.parameters
    if isinstance(named, Task):
        return named
    task = embodied(experiment.robot, load_task(named, **parameters), priors=not parameters)
    try:
        ground(task)
    except TaskError as error:
        raise (error if error.file else error.within(str(named))) from None
    return task
