"""``deliberate check``: validate a task, count its states, and name its solver."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from deliberate_practice.cli import options
from deliberate_practice.cli.output import amount, console, milliseconds, print_json, table
from deliberate_practice.foundation.errors import ArgumentError

if TYPE_CHECKING:
    from deliberate_practice.mdp.ground_task import GroundTask
    from deliberate_practice.task.model import ServedTask, Task
    from deliberate_practice.task.pddl.explanation import Explanation

EACH = 20
"""Budget units for each practised policy, for which approaches are judged."""


@click.command("check")
@click.option(
    "--write-task",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save the task as a TOML file.",
)
@click.option(
    "--write-mdp",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Save the grounded MDP as JSON.",
)
@options.scene_options
@options.task_options
@click.argument("problem", required=False, metavar="[PROBLEM]")
def check_command(
    task: str,
    problem: str | None,
    parameters: tuple[str, ...],
    max_states: int | None,
    output: str,
    write_task: Path | None,
    write_mdp: Path | None,
    robot: str | None,
    learner: str | None,
) -> None:
    """Validate TASK, and name the solver that applies. Parts that cannot be reached are named, too.

    TASK may be a PDDL domain with a PROBLEM. The output then explains how they became a task.

    \b
    Examples:
      deliberate check my_task.toml
      deliberate check cleanup-multi --set objects=6
      deliberate check cleanup --write-task cleanup.toml --write-mdp cleanup.json
      deliberate check cleanup --robot mujoco --learner cma-es --write-task measured.toml
      deliberate check domain.pddl problem.pddl
    """
    explained: Explanation | None
    if problem is not None or Path(task).suffix == ".pddl":
        described, explained = _from_pddl(task, problem, robot or learner or parameters)
    else:
        described = options.load_for(robot, learner, task, parameters)
        explained = _explained(task)
    from deliberate_practice.allocation.choice import choose_solver
    from deliberate_practice.allocation.forms import form_of, name_of
    from deliberate_practice.mdp import export
    from deliberate_practice.mdp.reachability import notes_on_tasks, reachability
    from deliberate_practice.practice.approaches.losses import expected_losses
    from deliberate_practice.task import toml_writer
    from deliberate_practice.task.model import holds

    grounded, seconds, _ = options.grounded(task, described, max_states)
    form = form_of(grounded)
    solver, why = choose_solver(form)
    reach = reachability(described)
    joint = grounded.task
    warnings = [
        f"goal '{goal.name}' is met at a start already, where nothing is left to do"
        for goal in joint.goals
        if any(holds(goal.when, start.state) for start in joint.start_states)
    ]
    practised = sum(policy.practisable for policy in described.policies.values())
    told = replace(
        reach,
        skills=_wholly([skill.name for skill in described.skills], reach.skills),
        goals=_wholly([goal.name for goal in joint.goals], reach.goals),
    )
    warnings += [*notes_on_tasks(grounded), *told.warnings, *_costly(grounded)]
    warnings += expected_losses(grounded, described, EACH * practised)
    tasks = _tasks(described, (*reach.goals, *reach.blocked_goals))
    if write_task:
        options.write_file(write_task, lambda path: toml_writer.write_task(described, path))
    if write_mdp:
        options.write_file(write_mdp, lambda path: export.write_mdp(grounded, path))
    counts = grounded.counts
    if output == "json":
        print_json(
            {
                "task": described.name,
                "discount": described.discount,
                "states": {
                    "total": counts.total,
                    "reachable": counts.reachable,
                    "kept": counts.kept,
                },
                "skills": len(described.skills),
                "policies": len(described.policies),
                "practised": practised,
                "goals": [goal.name for goal in joint.goals],
                "starts": len(joint.start_states),
                **({"tasks": tasks} if tasks else {}),
                "form": name_of(form),
                "product_form": name_of(form) == "product",
                "solver": solver,
                "why": why,
                "unreachable": {
                    "values": list(reach.values),
                    "skills": list(reach.skills),
                    "goals": list(reach.goals),
                },
                "blocked": {
                    "skills": {name: list(goals) for name, goals in reach.blocked_skills.items()},
                    "goals": {name: list(goals) for name, goals in reach.blocked_goals.items()},
                },
                **({"pddl": asdict(explained)} if explained else {}),
                "warnings": warnings,
                "seconds": seconds,
            }
        )
        return
    out = console()
    reachable = "not counted" if counts.reachable is None else f"{counts.reachable:,}"
    rows = [
        *([label, text] for label, text in (explained.rows if explained else ())),
        [
            "states",
            f"{amount(counts.total)} possible, {reachable} reachable, {counts.kept:,} matter",
        ],
        [
            "skills",
            f"{len(described.skills)}, {len(described.policies)} policies, {practised} practised",
        ],
        *_aims(described),
        ["discount", f"{described.discount:g}"],
        ["form", f"{name_of(form)} form" if name_of(form) != "general" else "general"],
        ["solver", f"{solver}: {why}"],
    ]
    out.print(f"{described.name} is valid (grounded in {milliseconds(seconds)})", style="bold")
    out.print(table(["", ""], rows))
    for warning in warnings:
        out.print(f"warning: {warning}.")
    for path in (write_task, write_mdp):
        if path:
            out.print(f"wrote {path}")


def _from_pddl(task: str, problem: str | None, other: object) -> tuple[Task, Explanation]:
    """The task of a domain and a problem, and how they became one."""
    from deliberate_practice.task.pddl.explanation import explain_pddl
    from deliberate_practice.task.pddl.task import read_pddl

    if problem is None:
        raise ArgumentError(
            f"'{task}' is a PDDL file; name domain and problem: deliberate check DOMAIN PROBLEM."
        )
    if other:
        raise ArgumentError(
            "--set, --robot and --learner need a task file; write one with "
            f"deliberate new --from-pddl {task} {problem}."
        )
    reading = read_pddl(task, problem)
    return reading.task, explain_pddl(reading)


def _explained(task: str) -> Explanation | None:
    """How planners' files became the task of a TOML file; None for other tasks."""
    from deliberate_practice.foundation.text_file import parse_toml, read_text
    from deliberate_practice.practice.domain import is_domain
    from deliberate_practice.task.pddl.explanation import explain_pddl
    from deliberate_practice.task.pddl.task import read_pddl

    if is_domain(task) or "pddl" not in parse_toml(read_text(task)):
        return None
    return explain_pddl(read_pddl(task))


def _wholly(names: Collection[str], unreached: Collection[str]) -> tuple[str, ...]:
    """Unreached skills or goals, without the cases (``name#2``) of one that can be reached."""
    reached = {name.partition("#")[0] for name in names if name not in unreached}
    return tuple(name for name in unreached if name.partition("#")[0] not in reached)


def _costly(ground: GroundTask) -> list[str]:
    """A warning if step costs make every plan worthless, even if every skill succeeds."""
    import numpy as np

    from deliberate_practice.mdp.values import solve

    if not (ground.step_reward < 0).any() or solve(ground, np.ones(len(ground.policy_names))).value:
        return []
    return [
        "no plan pays, even if every skill succeeds: step costs are above the rewards; raise the "
        "rewards of the goals, or lower the costs"
    ]


def _tasks(task: Task, unreached: Collection[str]) -> list[dict[str, object]]:
    """Each of several tasks: its weight, starts, goals, and the goals that can be reached."""
    from deliberate_practice.mdp.joint_task import joint_name

    return [
        {
            "name": one.name,
            "weight": one.weight,
            "starts": max(1, len(one.starts)),
            "goals": [goal.name for goal in one.goals],
            "reachable": [
                goal.name for goal in one.goals if joint_name(one.name, goal.name) not in unreached
            ],
        }
        for one in task.tasks
    ]


def _aims(task: Task) -> list[list[str]]:
    """The rows of goals: one, or one for each of several tasks."""

    def goals(one: Task | ServedTask) -> str:
        return ", ".join(f"{goal.name} ({goal.reward:g})" for goal in one.goals)

    if not task.tasks:
        return [["goals", goals(task)]]
    total = sum(one.weight for one in task.tasks)
    return [
        [
            "task",
            f"{one.name} ({100 * one.weight / total:.3g} %): {goals(one)}; "
            f"{max(1, len(one.starts))} start{'s' * (len(one.starts) > 1)}",
        ]
        for one in task.tasks
    ]
