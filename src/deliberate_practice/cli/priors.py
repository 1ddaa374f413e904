"""``deliberate priors``: measure the learning curve of each skill, or try its search prior."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.output import print_json, stopped
from deliberate_practice.cli.progress import watched
from deliberate_practice.cli.tables.priors import print_budgets, print_curves, print_samples
from deliberate_practice.foundation.errors import ArgumentError

if TYPE_CHECKING:
    from deliberate_practice.study.learning_curves import LearningCurve
    from deliberate_practice.study.natural_budgets import NaturalBudgets
    from deliberate_practice.study.prior_files import Measurements
    from deliberate_practice.study.prior_samples import PriorSample
    from deliberate_practice.task.model import Task


@click.command("priors")
@options.part_option("robot", "Executes the skills", "mujoco")
@options.part_option("learner", "Improves the parameters of a skill", "cma-es")
@click.option(
    "--samples",
    type=int,
    metavar="N",
    help="Measure the search priors instead of curves: attempt N draws for each skill, and count "
    "those that are executed, touch the object of the skill, and succeed.",
)
@click.option(
    "--seeds",
    type=int,
    default=16,
    help="Runs of learning for each skill, each with its own seed (16).",
)
@click.option(
    "--attempts",
    type=int,
    default=72,
    help="Attempts in each run, rounded up to whole rounds of the learner (72).",
)
@click.option(
    "--executions",
    type=int,
    default=10,
    help="Executions of the deployed parameters at each point of a curve (10).",
)
@click.option(
    "--every",
    type=int,
    default=12,
    help="Attempts between two points of a curve, rounded up in the same way (12).",
)
@click.option(
    "--skills", metavar="S;S;...", help="Measure only these policies, separated by semicolons."
)
@click.option("--workers", type=int, help="Processes (one per core).")
@click.option(
    "--measured",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    metavar="FILE.json",
    help="Read curves from this file instead of measuring them; --out FILE.json or --format json "
    "wrote it. May be repeated.",
)
@click.option(
    "--pool",
    is_flag=True,
    help="Fit one curve to all skills of a verb, such as Place(top) and Place(bottom).",
)
@click.option(
    "--budgets",
    "deriving",
    is_flag=True,
    help="Show the budgets at which each goal is the best one, with their uncertainty, and "
    "suggest a budget for each goal.",
)
@click.option(
    "--max-budget", type=int, default=1_000, help="The largest budget for --budgets (1000)."
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the priors into the learner's table of this file (TOML), or all measurements "
    "(FILE.json); the priors of other skills and learners in the file stay.",
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save a chart of the curves (png, pdf, svg, csv, html).",
)
@options.task_options
def priors_command(
    task: str,
    parameters: tuple[str, ...],
    max_states: int | None,
    output: str,
    robot: str | None,
    learner: str | None,
    samples: int | None,
    seeds: int,
    attempts: int,
    executions: int,
    every: int,
    skills: str | None,
    workers: int | None,
    measured: tuple[Path, ...],
    pool: bool,
    deriving: bool,
    max_budget: int,
    out: Path | None,
    plot: Path | None,
) -> None:
    """Measure the learning curve of every skill of TASK. Each is practised alone.

    The measurement uses seeds that no session uses. To state the priors in a task file of your own,
    copy the competence of each skill from FILE, and its rate and ceiling as
    curve = { kind = "exponential", rate = ..., ceiling = ... }.

    \b
    Examples:
      deliberate priors cleanup --plot curves.png --out priors.toml
      deliberate priors cleanup --skills "Close(top);Pick(object)" --seeds 4
      deliberate priors cleanup --samples 200
      deliberate priors cleanup --learner cma-es-paper --out measured.json
      deliberate priors cleanup --measured measured.json --pool --budgets --out priors.toml
    """
    from deliberate_practice.charts.write import check_format, write_chart
    from deliberate_practice.practice.domain import in_scene
    from deliberate_practice.study.learning_curves import chosen_policies, refitted
    from deliberate_practice.study.prior_files import Measurements

    if plot:
        check_format(plot)
    options.check_folder("--plot", plot)
    options.check_folder("--out", out)
    saved = _saved(measured, robot, learner) if measured else None
    robot = saved.robot if saved else robot or "mujoco"
    described = in_scene(options.load(task, parameters), robot, priors=False)
    options.grounded(task, described, max_states)
    listed = [name.strip() for name in skills.split(";")] if skills else None
    names = chosen_policies(described, listed)
    workers = workers if workers is not None else os.cpu_count() or 1
    if samples is not None:
        _refuse({"--measured": measured, "--pool": pool, "--budgets": deriving, "--plot": plot})
        _sample(described, robot, samples, names, workers, out, output)
        return
    if saved:
        found = _chosen(saved, described, names)
        found = found.with_curves(refitted(found.curves, pool=pool))
        _writer(out, found)(found.curves)
    else:
        counts = {"seeds": seeds, "attempts": attempts, "executions": executions, "every": every}
        empty = Measurements(described.name, robot, learner or "cma-es", ())
        found = _measure(described, empty, names, workers, out, pool, counts)
    derived = _derive(described, found, pool, max_budget, workers) if deriving else None
    if plot:
        from deliberate_practice.study.figures.curves import curves_chart

        lengths = sorted({len(curve.rates) for curve in found.curves})
        seeds_of_all = " to ".join(map(str, dict.fromkeys((lengths[0], lengths[-1]))))
        title = f"{described.name} on {found.robot}, {seeds_of_all} seeds"
        write_chart(curves_chart(title, found.curves), plot)
    if output == "json":
        print_json({**found.as_data(), **({"budgets": derived.as_data()} if derived else {})})
        return
    print_curves(found.curves)
    if derived:
        print_budgets(derived)


def _refuse(given: Mapping[str, object]) -> None:
    """Refuse options that only curves have."""
    for option, value in given.items():
        if value:
            raise ArgumentError(f"--samples measures no curves; leave out {option}.")


def _measure(
    task: Task,
    empty: Measurements,
    names: Sequence[str],
    workers: int,
    out: Path | None,
    pool: bool,
    counts: dict[str, int],
) -> Measurements:
    """Measure curves; what is done is in the file at once.

    Args:
        task: The task.
        empty: What the measurements are called.
        names: The policies to measure.
        workers: Processes.
        out: The file that keeps them.
        pool: Whether priors of one verb are pooled there.
        counts: Seeds, attempts, executions and distance of points.
    """
    from deliberate_practice.study.learning_curves import learning_curves, refitted

    def fitted(curves: Sequence[LearningCurve]) -> Sequence[LearningCurve]:
        return refitted(curves, pool=True) if pool else curves

    write = _writer(out, empty)  # faults of the file come before the long work, not after
    work = watched("learning", "skills", len(names))
    with _keeping(out, names, pool=pool) as done, work as bar:

        def keep(curve: LearningCurve) -> None:
            done[curve.policy] = curve
            write(fitted([done[name] for name in names if name in done]))
            bar.update(len(done), len(names))

        curves = learning_curves(
            task,
            empty.robot,
            learner=empty.learner,
            workers=workers,
            policies=names,
            finished=keep,
            **counts,
        )
    return empty.with_curves(fitted(curves))


def _writer(out: Path | None, measured: Measurements) -> Callable[[Sequence[LearningCurve]], None]:
    """A function that writes curves into a file, besides what is there now."""
    from deliberate_practice.study import prior_files

    if out is None:
        return lambda curves: None
    if out.suffix != ".json":
        known = prior_files.read_priors(out)
        return lambda curves: options.write_file(
            out, lambda path: prior_files.write_priors(path, measured.learner, curves, known)
        )
    kept = prior_files.read_measurements(out) if out.exists() else measured
    for key in ("task", "robot", "learner"):
        before, now = getattr(kept, key), getattr(measured, key)
        if before != now:
            raise ArgumentError(
                f"--out: {out} holds measurements of {key} {before}, not of {now}; choose another "
                "file."
            )
    return lambda curves: options.write_file(
        out, lambda path: prior_files.write_measurements(path, kept.with_curves(curves))
    )


def _saved(files: Sequence[Path], robot: str | None, learner: str | None) -> Measurements:
    """All curves of some files, which were measured with this robot and learner, if it is given."""
    from deliberate_practice.study.prior_files import joined, read_measurements

    found = joined([read_measurements(file) for file in files])
    for key, given in (("robot", robot), ("learner", learner)):
        if given not in (None, getattr(found, key)):
            raise ArgumentError(
                f"--{key}: {given} differs from {getattr(found, key)}, with which --measured was "
                "measured; leave it out."
            )
    return found


def _chosen(saved: Measurements, task: Task, names: Sequence[str]) -> Measurements:
    """The saved curves of some skills of a task, in its order."""
    from dataclasses import replace

    known = {curve.policy: curve for curve in saved.curves}
    curves = tuple(known[name] for name in names if name in known)
    if not curves:
        raise ArgumentError(
            f"--measured: of the skills of {task.name} nothing was measured there, only of "
            f"{', '.join(known)}."
        )
    return replace(saved, task=task.name, curves=curves)


def _derive(
    task: Task, found: Measurements, pool: bool, max_budget: int, workers: int
) -> NaturalBudgets:
    """Budgets of each goal from the measured curves."""
    from deliberate_practice.study.natural_budgets import RESAMPLES, natural_budgets

    with watched("drawing seeds again", "resamples", RESAMPLES) as bar:
        return natural_budgets(
            task,
            found.curves,
            pool=pool,
            max_budget=max_budget,
            resamples=RESAMPLES,
            workers=workers,
            progress=bar.update,
        )


def _sample(
    task: Task,
    robot: str,
    samples: int,
    names: Sequence[str],
    workers: int,
    out: Path | None,
    output: str,
) -> None:
    """Try draws from the search priors."""
    from deliberate_practice.study.prior_samples import prior_samples

    if out and out.suffix != ".json":
        raise ArgumentError(f"--out: samples are written as JSON; {out} must end in .json.")

    def data(done: Sequence[PriorSample]) -> dict[str, object]:
        skills = [sample.as_data() for sample in done]
        return {"task": task.name, "robot": robot, "samples": samples, "skills": skills}

    with (
        _keeping(out, names) as done,
        watched("trying search priors", "skills", len(names)) as bar,
    ):

        def keep(sample: PriorSample) -> None:
            done[sample.skill] = sample
            if out:
                text = json.dumps(data([done[name] for name in names if name in done]))
                options.write_file(out, lambda path: path.write_text(text + "\n"))
            bar.update(len(done), len(names))

        found = prior_samples(task, robot, samples, policies=names, workers=workers, finished=keep)
    if output == "json":
        print_json(data(found))
    else:
        print_samples(found)


@contextmanager
def _keeping(
    out: Path | None, names: Sequence[str], *, pool: bool = False
) -> Iterator[dict[str, Any]]:
    """Collect what is done, by skill; on Ctrl-C, say what is kept and how to measure the others."""
    done: dict[str, Any] = {}
    try:
        yield done
    except KeyboardInterrupt:
        left = ";".join(name for name in names if name not in done)
        if not out:
            kept = "nothing is kept; with --out FILE every skill is, as soon as it is measured."
        elif not done:
            kept = "no skill is measured yet."
        else:
            kept = f"{len(done)} of {len(names)} skills are kept in {out}."
            kept += f' Go on with the same command and --skills "{left}"' * bool(left)
            if pool and out.suffix != ".json":  # which forgets the seeds that a pool needs
                kept += "; only skills that are measured by one command are pooled"
        raise stopped(kept) from None
