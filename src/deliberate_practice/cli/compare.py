"""``deliberate compare``: strategies side by side, over budgets and seeds."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.output import console, figure, print_json, table
from deliberate_practice.errors import ArgumentError

if TYPE_CHECKING:
    from deliberate_practice.study.comparison import Row


@click.command("compare")
@click.option("--budgets", required=True, metavar="N,N,...", help="Budgets, separated by commas.")
@click.option(
    "--strategies",
    default="deliberate,ees,competence-improvement,least-competent,random",
    metavar="S,S,...",
    help="Strategies, separated by commas (deliberate and the paper's baselines).",
)
@click.option("--beliefs", default="bayes", metavar="B,B,...", help="Beliefs (bayes).")
@click.option("--seeds", type=int, default=5, help="Sessions per cell, paired by seed (5).")
@click.option("--robot", default="curves", metavar="[curves|regions|mujoco]", help="(curves)")
@click.option(
    "--approach",
    type=click.Choice(["execute", "free"]),
    default="execute",
    help="Execute the skills that lead to a precondition (default), or be put there.",
)
@click.option("--workers", type=int, help="Processes (one per core).")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Save tables and pictures in this folder. Finished sessions are kept in it too: the same "
    "command goes on where it was stopped.",
)
@options.task_options
def compare_command(
    task: str,
    parameters: tuple[str, ...],
    max_states: int | None,
    output: str,
    budgets: str,
    strategies: str,
    beliefs: str,
    seeds: int,
    robot: str,
    approach: Literal["execute", "free"],
    workers: int | None,
    out: Path | None,
) -> None:
    """Compare strategies on TASK over budgets and seeds, on a simulated robot.

    \b
    Examples:
      deliberate compare cleanup --budgets 100,150,250 --seeds 20 --approach free
      deliberate compare breakfast --budgets 30,60 --strategies deliberate,ees --out results
      deliberate compare my_task.toml --budgets 200 --beliefs bayes,running-average
    """
    from rich.progress import Progress

    from deliberate_practice.domains.robots import embodied
    from deliberate_practice.study.comparison import compare
    from deliberate_practice.study.results import Results, study_key

    described = embodied(robot, options.load(task, parameters), priors=not parameters)
    options.grounded(task, described, max_states)
    if out:
        options.write_file(out, lambda path: path.mkdir(parents=True, exist_ok=True))
    kept = Results(out / "results.sqlite") if out else None
    known = len(kept.known(study_key(described, robot, approach))) if kept else 0
    if known:
        click.echo(
            f"deliberate: {known} finished sessions are taken from {out}; remove "
            f"{out}/results.sqlite if strategies or beliefs have changed since.",
            err=True,
        )
    screen = console(err=True)
    try:
        with Progress(console=screen, transient=True, disable=not screen.is_terminal) as bar:
            job = bar.add_task("sessions", total=None)
            rows, results = compare(
                described,
                _numbers(budgets),
                _words(strategies),
                _words(beliefs),
                seeds,
                robot=robot,
                approach=approach,
                workers=workers if workers is not None else os.cpu_count() or 1,
                progress=lambda done, count: bar.update(job, completed=done, total=count),
                results=kept,
            )
    except KeyboardInterrupt:
        going_on = (
            f"; finished sessions are kept in {out}: the same command goes on." if out else "."
        )
        click.echo(f"deliberate: stopped{going_on}", err=True)
        raise click.exceptions.Exit(130) from None
    finally:
        if kept:
            kept.close()
    data = [_as_json(row) for row in rows]
    sessions = [{**vars(r.cell), "reward": r.reward, "goal": r.goal, **r.attempts} for r in results]
    if out:
        from deliberate_practice.study.figure import plot_comparison, plot_progress

        title = f"{described.name}, {seeds} seeds, approach {approach}"
        plain = [{k: v for k, v in row.items() if k not in ("ci95", "goals")} for row in data]
        options.write_file(out / "table.csv", lambda path: _write_csv(path, plain))
        options.write_file(out / "sessions.csv", lambda path: _write_csv(path, sessions))
        options.write_file(out / "rewards.png", lambda path: plot_comparison(title, rows, path))
        if all(result.curve for result in results):
            points = [
                {**vars(r.cell), "spent": spent, "reward": reward}
                for r in results
                for spent, reward in r.curve
            ]
            options.write_file(out / "progress.csv", lambda path: _write_csv(path, points))
            options.write_file(out / "progress.png", lambda p: plot_progress(title, results, p))
    if output == "json":
        print_json({"task": described.name, "approach": approach, "robot": robot, "rows": data})
        return
    columns = ["strategy", "belief", "budget", "reward", "95 %", "of possible", "aims for"]
    shown = console()
    shown.print(f"{described.name}: {seeds} seeds, approach {approach}", style="bold")
    shown.print(table(columns, [_cells(row) for row in rows], numeric=(2, 3, 5)))
    if out:
        shown.print(f"saved   tables and pictures in {out}")


def _as_json(row: Row) -> dict[str, object]:
    return {**vars(row), "ci95": list(row.ci95)}


def _cells(row: Row) -> list[str]:
    return [
        row.strategy,
        row.belief,
        str(row.budget),
        figure(row.mean),
        f"{row.ci95[0]:.3f} to {row.ci95[1]:.3f}",
        "" if row.fraction is None else f"{row.fraction:.0%}",
        ", ".join(f"{goal} {count}" for goal, count in row.goals.items()),
    ]


def _write_csv(path: Path, rows: list[dict[str, object]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _numbers(text: str) -> list[int]:
    try:
        numbers = [int(word) for word in _words(text)]
    except ValueError:
        raise ArgumentError(
            f"--budgets: '{text}' is not a list of whole numbers; write e.g. 100,150,250."
        ) from None
    if any(number < 0 for number in numbers):
        raise ArgumentError(f"--budgets: '{text}' has a negative number; budgets are at least 0.")
    return numbers
