"""``deliberate frontier``: the best allocation for every budget."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.output import (
    arrows,
    console,
    figure,
    milliseconds,
    paragraph,
    print_json,
    table,
)
from deliberate_practice.cli.progress import watched

if TYPE_CHECKING:
    from deliberate_practice.allocation.frontier import Frontier


@click.command("frontier")
@click.option("--max-budget", type=int, help="The largest budget of interest.")
@click.option("--hours", type=float, help="The largest budget as a time, with --episode-seconds.")
@options.episode_seconds_option
@options.solver_option
@click.option(
    "--time-limit", type=float, help="Stop after this many seconds with the bounds found so far."
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save a chart (png, pdf, svg, csv, html).",
)
@options.experience_option
@options.scene_options
@options.task_options
def frontier_command(
    task: str,
    parameters: tuple[str, ...],
    max_states: int | None,
    output: str,
    max_budget: int | None,
    hours: float | None,
    episode_seconds: float | None,
    solver: str,
    time_limit: float | None,
    experience: Path | None,
    robot: str | None,
    learner: str | None,
    plot: Path | None,
) -> None:
    """Show the best split for every budget up to a maximum. Each has its plan and its value.

    The output marks the budgets at which the best plan changes.

    \b
    Examples:
      deliberate frontier cleanup --max-budget 300 --plot frontier.png
      deliberate frontier cleanup --robot mujoco --max-budget 300
      deliberate frontier breakfast --max-budget 80
      deliberate frontier my_task.toml --max-budget 300 --experience experience.toml
      deliberate frontier my_task.toml --hours 24 --episode-seconds 90 --format json
    """
    units = options.episodes("--max-budget", max_budget, hours, episode_seconds)
    described = options.load_for(robot, learner, task, parameters)
    described = options.experienced(described, experience)
    from deliberate_practice.allocation.frontier import frontier
    from deliberate_practice.allocation.frontier_chart import frontier_chart
    from deliberate_practice.beliefs.expected import expected_task
    from deliberate_practice.charts.write import check_format, write_chart

    described = expected_task(described, units)
    if plot:
        check_format(plot)
        options.check_folder("--plot", plot)
    grounded, _, left = options.grounded(task, described, max_states, time_limit)
    options.warn(grounded)
    with options.naming(task), watched("finding the frontier", "budgets") as shown:
        found = frontier(grounded, units, solver=solver, time_limit=left, progress=shown.update)
    if plot:
        write_chart(frontier_chart(found), plot)
    if output == "json":
        print_json(found.as_data())
    else:
        _print(found)
        if plot:
            console().print(f"picture {plot}")


def _print(found: Frontier) -> None:
    out = console()
    out.print(f"{found.task}: what a practice budget buys", style="bold")
    step = max(1, -(-len(found.budgets) // 12))
    shown = sorted({*range(0, len(found.budgets), step), len(found.budgets) - 1})
    rows = [
        [
            str(found.budgets[i]),
            figure(found.values[i]),
            figure(found.marginal[i]),
            figure(found.bounds[i]),
            found.goals[i] or "none",
        ]
        for i in shown
    ]
    columns = ["budget", "value", "one more adds", "at most", "aim for"]
    out.print(table(columns, rows, numeric=(0, 1, 2, 3)))
    for switch in found.switches:
        aim = switch.goal or ("none" if switch.task == found.task else f"{switch.task}: none")
        out.print(f"from {switch.budget} on: {aim}: {arrows(switch.plan, switch.goal)}")
    proof = (
        "proven optimal at every budget"
        if found.proven
        else "not proven everywhere: between value and 'at most'"
    )
    out.print(f"{proof} ({found.solver}, {milliseconds(found.seconds)})")
    for note in found.notes:
        paragraph("note", note)
