"""``deliberate allocate``: how to split a budget, proven optimal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from deliberate_practice.allocation.tolerances import GAP, TIE
from deliberate_practice.cli import options
from deliberate_practice.cli.output import (
    amount,
    console,
    failing_marked,
    figure,
    milliseconds,
    paragraph,
    plan_lines,
    print_json,
    table,
)
from deliberate_practice.cli.progress import watched
from deliberate_practice.foundation.errors import ArgumentError

if TYPE_CHECKING:
    from deliberate_practice.allocation.result import Allocation
    from deliberate_practice.allocation.sensitivity import Variation
    from deliberate_practice.allocation.verification import Verification
    from deliberate_practice.mdp.ground_task import GroundTask


@click.command("allocate")
@options.budget_options
@options.until_option
@options.solver_option
@click.option("--gap", type=float, default=GAP, help="Relative gap that counts as optimal (1e-6).")
@click.option(
    "--time-limit", type=float, help="Stop after this many seconds with the best answer so far."
)
@click.option(
    "--verify", "verifying", is_flag=True, help="Check the answer by independent methods."
)
@click.option(
    "--sensitivity",
    "varying",
    is_flag=True,
    help="Show which learning rates, halved or doubled, would change the plan.",
)
@click.option("--continuous", is_flag=True, help="Allow fractions of episodes, as in the paper.")
@options.experience_option
@options.scene_options
@options.task_options
def allocate_command(
    task: str,
    parameters: tuple[str, ...],
    max_states: int | None,
    output: str,
    budget: int | None,
    hours: float | None,
    episode_seconds: float | None,
    until: str | None,
    solver: str,
    gap: float,
    time_limit: float | None,
    experience: Path | None,
    robot: str | None,
    learner: str | None,
    verifying: bool,
    varying: bool,
    continuous: bool,
) -> None:
    """Split a practice budget over the skills of TASK. The split maximises the expected reward.

    \b
    Examples:
      deliberate allocate breakfast --budget 60
      deliberate allocate cleanup --hours 5 --episode-seconds 120 --verify
      deliberate allocate cleanup-multi --set objects=6 --budget 700
      deliberate allocate my_task.toml --budget 250 --format json
      deliberate allocate my_task.toml --until 07:00
      deliberate allocate my_task.toml --budget 250 --experience experience.toml
    """
    from deliberate_practice.cli.budgets import budget_of

    described = options.load_for(robot, learner, task, parameters)
    described = options.experienced(described, experience)
    with options.naming(task):
        described, units, end = budget_of(described, budget, hours, episode_seconds, until)
    from dataclasses import replace

    from deliberate_practice.allocation.allocate import allocate
    from deliberate_practice.beliefs.expected import expected_task

    described = expected_task(described, units)
    grounded, grounding, left = options.grounded(task, described, max_states, time_limit)
    if varying and continuous:
        raise ArgumentError("--sensitivity needs whole episodes; leave out --continuous.")
    work = watched(f"splitting {units} over {len(described.policies)} policies")
    with options.naming(task), work:
        found = allocate(
            grounded, units, solver=solver, gap=gap, time_limit=left, continuous=continuous
        )
        found = replace(found, grounding_seconds=grounding)
        checked, varied = None, None
        if verifying:
            from deliberate_practice.allocation.verification import verify  # loads a solver

            checked = verify(grounded, found)
        if varying:
            from deliberate_practice.allocation.sensitivity import sensitivity

            varied = sensitivity(
                grounded, units, found, solver=solver, gap=gap, time_limit=time_limit
            )
    if output == "json":
        print_json(_as_json(found, checked, varied))
    else:
        _print(grounded, found, checked, varied, timed=end is not None)
    if checked and not checked.passed:
        raise click.exceptions.Exit(1)


def _as_json(
    found: Allocation, checked: Verification | None, varied: tuple[Variation, ...] | None
) -> dict[str, object]:
    data = found.as_data()
    if checked:
        data["verification"] = {
            "passed": checked.passed,
            "checks": [vars(check) for check in checked.checks],
        }
    if varied is not None:
        data["sensitivity"] = [{**vars(v), "plan": list(v.plan)} for v in varied]
    return data


def _print(
    grounded: GroundTask,
    found: Allocation,
    checked: Verification | None,
    varied: tuple[Variation, ...] | None,
    *,
    timed: bool,
) -> None:
    from deliberate_practice.mdp.values import solve
    from deliberate_practice.study.quoting.words import budget_in_words

    out = console()
    before = solve(grounded, grounded.competence).value
    goal = f"aim for {found.goal}" if found.goal else "nothing can be earned"
    spent, budget = f"{found.spent:.15g}", f"{found.budget}"
    columns = ["skill", "episodes", "competence now", "after"]
    if timed:
        spent, budget = (budget_in_words(b, timed=True) for b in (found.spent, found.budget))
        columns.insert(2, "time")
    out.print(f"{found.task} with a budget of {budget}: {goal}", style="bold")
    rows = []
    for name, competence in found.competence.items():
        policy, episodes = grounded.task.policies[name], found.allocation.get(name, 0)
        row = [name, f"{episodes:g}", figure(policy.competence), figure(competence)]
        if timed:
            row.insert(2, budget_in_words(episodes * policy.cost, timed=True))
        rows.append(row)
    if rows:
        out.print(table(columns, rows, numeric=range(1, len(columns))))
    skills = failing_marked(found.plan, found.failing)
    for line in plan_lines(skills, found.goal, found.plans):
        paragraph("plan", line)
    out.print(f"value   {figure(found.value)} (without practice {figure(before)})")
    if found.status == "optimal":
        rounding = not found.gap or found.gap < TIE
        proof = "proven optimal" if rounding else f"proven optimal within {found.gap:.1e}"
    elif found.gap is None:
        proof = f"not proven: at most {figure(found.bound)} is possible"
    else:
        gap = f"{100 * found.gap:.2g} %" if found.gap < 10 else f"{100 * found.gap:.0f} %"
        proof = f"not proven: at most {figure(found.bound)} is possible, gap {gap}"
    out.print(f"proof   {proof} ({found.solver}, {milliseconds(found.seconds)})")
    states = found.states
    out.print(
        f"spent   {spent} of {budget}{'' if timed else ' units'}; {states.kept:,} of "
        f"{amount(states.total)} states matter (found in {milliseconds(found.grounding_seconds)})"
    )
    for note in found.notes:
        paragraph("note", note)
    if checked:
        marks = {True: "passed", False: "FAILED", None: "open"}
        out.print(
            table(
                ["check", "", "detail"],
                [[c.name, marks[c.passed], c.detail] for c in checked.checks],
            )
        )
    if varied is not None:
        _print_sensitivity(found, varied)


def _print_sensitivity(found: Allocation, varied: tuple[Variation, ...]) -> None:
    out = console()
    changing = [v for v in varied if v.changes]
    if not changing:
        out.print("No rate, halved or doubled alone, changes the plan.")
        return
    rows = [
        [v.policy, f"x {v.factor:g}", v.goal or "none", figure(v.value), figure(v.kept_value)]
        for v in changing
    ]
    out.print("The plan would change if a skill were learned at another rate:")
    out.print(
        table(["skill", "rate", "aim for", "value", "value of this split"], rows, numeric=(3, 4))
    )
