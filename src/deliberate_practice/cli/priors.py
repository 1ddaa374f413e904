"""``deliberate priors``: measure the learning curve of each skill."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.output import console, print_json, stopped, table
from deliberate_practice.cli.progress import watched
from deliberate_practice.foundation.errors import ArgumentError, TaskError
from deliberate_practice.foundation.text_file import parse_toml, read_text

if TYPE_CHECKING:
    from deliberate_practice.study.learning_curves import LearningCurve


@click.command("priors")
@options.part_option("robot", "Executes the skills", "mujoco")
@options.part_option("learner", "Improves the parameters of a skill", "cma-es")
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
    help="Attempts between two points of a curve, rounded up likewise (12).",
)
@click.option(
    "--skills", metavar="S;S;...", help="Measure only these policies, separated by semicolons."
)
@click.option("--workers", type=int, help="Processes (one per core).")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the priors to this file (TOML); other skills in it keep theirs.",
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
    seeds: int,
    attempts: int,
    executions: int,
    every: int,
    skills: str | None,
    workers: int | None,
    out: Path | None,
    plot: Path | None,
) -> None:
    """Measure the learning curve of every skill of TASK, practised alone.

    The measurement uses seeds that no session uses. To state the priors in a task file of your own,
    copy the competence of each skill from FILE, and its rate and ceiling as
    curve = { kind = "exponential", rate = ..., ceiling = ... }.

    \b
    Examples:
      deliberate priors cleanup --plot curves.png --out priors.toml
      deliberate priors cleanup --skills "Close(top);Pick(object)" --seeds 4
    """
    from deliberate_practice.charts.write import check_format, write_chart
    from deliberate_practice.practice.domain import in_scene
    from deliberate_practice.study.learning_curves import learning_curves

    if plot:
        check_format(plot)
    options.check_folder("--plot", plot)
    options.check_folder("--out", out)
    known = _known(out) if out else {}  # its faults come before the long work, not after
    robot, learner = robot or "mujoco", learner or "cma-es"
    described = in_scene(options.load(task, parameters), robot, priors=False)
    options.grounded(task, described, max_states)
    chosen = [name.strip() for name in skills.split(";")] if skills else None
    names = chosen or [p.name for p in described.policies.values() if p.practisable]
    so_far: list[LearningCurve] = []
    with _keeping(out, names, so_far), watched("learning", "skills", len(names)) as bar:

        def keep(curve: LearningCurve) -> None:
            """A skill takes minutes: a stop keeps the skills that are done."""
            so_far.append(curve)
            so_far.sort(key=lambda done: names.index(done.policy))
            if out:
                options.write_file(out, lambda path: _write(path, known, so_far))
            bar.update(len(so_far), len(names))

        curves = learning_curves(
            described,
            robot,
            seeds,
            attempts,
            executions,
            learner=learner,
            every=every,
            workers=workers if workers is not None else os.cpu_count() or 1,
            policies=names,
            finished=keep,
        )
    if plot:
        from deliberate_practice.study.figures.curves import curves_chart

        write_chart(curves_chart(f"{described.name} on {robot}, {seeds} seeds", curves), plot)
    if output == "json":
        each = [vars(curve) for curve in curves]
        print_json({"task": described.name, "robot": robot, "learner": learner, "curves": each})
        return
    columns = ["skill", "start", "rate", "most", *map(str, curves[0].attempts)]
    shown = [
        [c.policy, f"{c.start:.2f}", f"{c.rate:.3f}", *(f"{x:.2f}" for x in points)]
        for c in curves
        for points in [(c.ceiling, *c.competence)]
    ]
    console().print("Competence by attempts, and the exponential curve that fits it best")
    console().print(table(columns, shown, numeric=range(1, len(columns))))


@contextmanager
def _keeping(
    out: Path | None, names: Sequence[str], done: Sequence[LearningCurve]
) -> Iterator[None]:
    """On Ctrl-C, report which skills are kept and how to measure the others."""
    try:
        yield
    except KeyboardInterrupt:
        measured = {curve.policy for curve in done}
        left = ";".join(name for name in names if name not in measured)
        if not out:
            kept = "nothing is kept; with --out FILE every skill is, as soon as it is measured."
        elif not done:
            kept = "no skill is measured yet."
        else:
            kept = f"{len(done)} of {len(names)} skills are kept in {out}."
            kept += f' Go on with the same command and --skills "{left}"' * bool(left)
        raise stopped(kept) from None


def _known(path: Path) -> dict[str, dict[str, object]]:
    """The priors that a file already has."""
    if not path.exists():
        return {}
    try:
        return parse_toml(read_text(path))
    except TaskError as error:
        raise ArgumentError(f"--out: {path} is not a file of priors: {error.message}") from None


def _write(
    path: Path, known: Mapping[str, Mapping[str, object]], curves: Sequence[LearningCurve]
) -> None:
    """Write one table per skill; skills that were not measured again keep theirs."""
    tables = dict(known)
    for curve in curves:
        tables[curve.policy] = {
            "competence": round(curve.start, 3),
            "rate": round(curve.rate, 4),
            "ceiling": round(curve.ceiling, 3),
            "attempts": list(curve.attempts),
            "measured": [round(value, 3) for value in curve.competence],
            "error": [round(value, 3) for value in curve.error],
            "explored": [round(value, 3) for value in curve.explored],
        }
    lines = ["# Learning curves measured by `deliberate priors`, and what fits them best."]
    for name, values in tables.items():
        heading = f"[{json.dumps(name, ensure_ascii=False)}]"  # quoted as TOML does it
        lines += ["", heading, *(f"{key} = {value}" for key, value in values.items())]
    whole = path.resolve()  # where a link leads
    part = whole.with_name(whole.name + ".part")  # a stop in between leaves the file as it was
    part.write_text("\n".join(lines) + "\n", encoding="utf-8")
    part.replace(whole)
