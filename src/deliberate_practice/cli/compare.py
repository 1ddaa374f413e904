"""``deliberate compare``: strategies side by side, over budgets and seeds."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.output import console, print_json, stopped, warnings_as_messages
from deliberate_practice.cli.progress import watched
from deliberate_practice.cli.session_options import APPROACH
from deliberate_practice.cli.tables.comparison import as_json, print_table
from deliberate_practice.foundation.errors import ArgumentError

if TYPE_CHECKING:
    from deliberate_practice.study.engines import Engine
    from deliberate_practice.study.experiment import Study
    from deliberate_practice.study.run_study import Finished, Prepared, Status

IN_THE_FILE = (
    *("budgets", "strategies", "beliefs", "learners", "seeds", "robot", "approach", "against"),
    *("first_seed", "parameters", "max_states"),
)
"""Options that a study file replaces."""


@click.command("compare")
@click.option("--budgets", metavar="N,N,...", help="Budgets, separated by commas.")
@click.option(
    "--strategies",
    metavar="S,S,...",
    help="Strategies, separated by commas (default: deliberate and the paper's baselines).",
)
@click.option("--beliefs", metavar="B,B,...", help="Beliefs, in the same way (default bayes).")
@click.option("--learners", metavar="L,L,...", help="Learners, in the same way (default cma-es).")
@click.option("--seeds", type=int, help="Sessions for each combination, with seeds 0, 1, ... (5).")
@click.option("--first-seed", type=int, help="Begin with this seed instead of 0.")
@options.part_option("robot", "The robot that practises", "curves")
@click.option(
    "--approach",
    type=click.Choice(["execute", "free"]),
    help=APPROACH,
)
@click.option(
    "--against",
    metavar="S",
    help="Show the probability that each other strategy is better than this one.",
)
@click.option(
    "--engine",
    default="local",
    metavar="[local|ray]",
    help="Processes on this machine (default), or a Ray cluster.",
)
@click.option("--workers", type=int, help="Processes of the local engine (one per core).")
@click.option(
    "--session-seconds",
    type=float,
    help="End a session in which no trial finishes for this many seconds (default 3600); it counts "
    "as failed.",
)
@click.option("--address", help="Address of the Ray cluster, e.g. head-node:6379, or auto.")
@click.option(
    "--cpus-per-cell", type=float, help="Processors that Ray reserves for each session (1)."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Save tables and charts in this folder, and keep finished sessions there: the same "
    "command goes on where it stopped.",
)
@options.task_options
@click.pass_context
def compare_command(
    context: click.Context,
    task: str,
    parameters: tuple[str, ...],
    max_states: int | None,
    output: str,
    budgets: str | None,
    strategies: str | None,
    beliefs: str | None,
    learners: str | None,
    seeds: int | None,
    first_seed: int | None,
    robot: str | None,
    approach: str | None,
    against: str | None,
    engine: str,
    workers: int | None,
    session_seconds: float | None,
    address: str | None,
    cpus_per_cell: float | None,
    out: Path | None,
) -> None:
    """Compare strategies on TASK over budgets and seeds. All practise on a simulated robot.

    TASK may also be a study file with [study] and [[experiments]], which replaces these options.
    Names may carry options: running-average:eps=0.8,form=exponential.

    \b
    Examples:
      deliberate compare cleanup --budgets 100,150,250 --seeds 20 --approach free
      deliberate compare breakfast --budgets 30,60 --strategies deliberate,ees --out results
      deliberate compare my_task.toml --budgets 200 --beliefs bayes,running-average
      deliberate compare breakfast --budgets 60 --robot regions --learners cma-es,cma-es-paper
      deliberate compare my_study.toml --out results --engine ray --address head-node:6379
    """
    from dataclasses import replace

    from deliberate_practice.foundation.registry import choices
    from deliberate_practice.practice.domain import is_domain
    from deliberate_practice.study.comparison import comparison
    from deliberate_practice.study.engines import make_engine
    from deliberate_practice.study.study_file import is_study, read_study

    of_file = not is_domain(task) and is_study(task)
    if of_file:
        _refuse_what_the_file_says(context, task)
        study = read_study(task)
    else:
        described = options.load_for(robot, None, task, parameters)  # a bad file is told first
        if budgets is None:
            raise ArgumentError("--budgets: give at least one, e.g. --budgets 100,150,250.")
        options.warn(options.grounded(task, described, max_states).task)
        asked: dict[str, Any] = {
            "strategies": strategies and choices(strategies),
            "beliefs": beliefs and choices(beliefs),
            "learners": learners and choices(learners),
            "seeds": seeds,
            "first_seed": first_seed,
            "robot": robot,
            "approach": approach,
            "against": against,
        }
        given = {key: value for key, value in asked.items() if value is not None}
        study = comparison(described, _numbers(budgets), **given)
    if session_seconds is not None:
        changed = [replace(e, session_seconds=session_seconds) for e in study.experiments]
        study = replace(study, experiments=changed)
    runs_on = make_engine(engine, workers=workers, address=address, cpus=cpus_per_cell)
    try:
        finished = _run(study, runs_on, out)
        if out:
            from deliberate_practice.study.saving import save_experiment

            with warnings_as_messages():
                for one in finished:
                    save_experiment(one, out / one.experiment.name if of_file else out)
    except KeyboardInterrupt:
        kept = (
            f"finished sessions are kept in {out}: the same command goes on."
            if out
            else "nothing is kept; with --out DIR finished sessions are."
        )
        raise stopped(kept) from None
    if output == "json":
        experiments = [as_json(one) for one in finished]
        print_json({"study": study.name, "experiments": experiments} if of_file else experiments[0])
    else:
        for one in finished:
            print_table(one, named=of_file)
        if out:
            console().print(f"saved   tables and pictures in {out}")
    if any(one.failures for one in finished):
        raise click.exceptions.Exit(1)


def _refuse_what_the_file_says(context: click.Context, file: str) -> None:
    from click.core import ParameterSource

    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") == ParameterSource.COMMANDLINE
        if given and parameter.name in IN_THE_FILE:
            raise ArgumentError(
                f"{parameter.opts[0]}: the study {file} says this itself; change it there."
            )


def _run(study: Study, engine: Engine, out: Path | None) -> list[Finished]:
    """Run the study, and show how many sessions are done and how long the rest takes."""
    from deliberate_practice.study.run_study import run_study

    with ExitStack() as stack:
        shown: Any = None

        def begun(prepared: Prepared) -> None:
            nonlocal shown
            for row in prepared.removed:
                click.echo(
                    f"deliberate: {out}/results.sqlite: {row} was damaged and is removed; if it "
                    "was a session of this study, that is run again.",
                    err=True,
                )
            if prepared.done:
                click.echo(
                    f"deliberate: {prepared.done} finished sessions are taken from {out}; remove "
                    f"{out}/results.sqlite to run them again.",
                    err=True,
                )
            count = prepared.done + len(prepared.jobs)
            shown = stack.enter_context(watched("comparing", "sessions", count, done=prepared.done))

        def show(status: Status) -> None:
            shown.update(status.done, status.count, status.work / status.total)

        finished = run_study(study, out, engine=engine, progress=show, begun=begun)
    work = "computing the best that is possible, for comparison"
    with watched(work, "experiments", len(finished)) as bar:
        for number, one in enumerate(finished, 1):
            _ = one.rows  # may take seconds where that is hard to prove
            bar.update(number, len(finished))
    return finished


def _numbers(text: str) -> list[int]:
    try:
        numbers = [int(word) for word in text.split(",") if word.strip()]
    except ValueError:
        raise ArgumentError(
            f"--budgets: '{text}' is not a list of whole numbers; write e.g. 100,150,250."
        ) from None
    if any(number < 0 for number in numbers):
        raise ArgumentError(f"--budgets: '{text}' has a negative number; budgets are at least 0.")
    return numbers
