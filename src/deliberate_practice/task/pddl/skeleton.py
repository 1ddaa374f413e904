"""A first TOML file beside planners' files."""

from __future__ import annotations

import os
from pathlib import Path

from deliberate_practice.foundation.text_file import write_text
from deliberate_practice.task.pddl.domain import Schema
from deliberate_practice.task.pddl.task import Reading, read_pddl
from deliberate_practice.task.toml_writer import quoted

HEAD = """\
# A planning problem as a task. Replace the competences and curves by those of your robot.
name = {name}
discount = 0.99

[pddl]
domain = {domain}
problem = {problem}
{costs}
# [[goals]]                  # without any: the :goal of the problem with the reward {reward:g}
# name = "goal"
# reward = 1.0
# when = ["(a condition of PDDL)"]

[[skills]]                   # defaults of all actions
schema = "*"
failure = "end"              # "end", "stay" (it may be tried again), or literals: ["(broken ?x)"]
"""
COSTS = """\
action_costs = "{meaning}"  # "step": negative step rewards, "budget": cost of practice, or "ignore"
"""
ACTION = """
[[skills]]
schema = {name}{parameters}
competence = 0.5             # probability of success now
curve = {{ kind = "piecewise-linear", rate = 0.02 }}      # without a curve it is not practised
"""
PAID = """
[[skills]]
schema = {name}{parameters}
competence = 1.0             # the domain pays for its effect, so that it must succeed
"""


def new_pddl_task(domain: str | Path, problem: str | Path, path: str | Path | None = None) -> Path:
    """Write a new TOML file beside planners' files; a file that exists is never changed.

    Args:
        domain: The PDDL domain.
        problem: The PDDL problem.
        path: The TOML file; by default it has the name of the problem's file, in this folder.

    Returns:
        The TOML file.

    Raises:
        TaskError: A PDDL file is not valid, or the TOML file exists.
    """
    reading = read_pddl(domain, problem)
    path = Path(Path(problem).stem + ".toml" if path is None else path)
    write_text(path, _text(reading, domain, problem, path.parent), new=True)
    return path


def _text(reading: Reading, domain: str | Path, problem: str | Path, folder: Path) -> str:
    costs = ":action-costs" in reading.domain.used
    head = HEAD.format(
        name=quoted(reading.task.name),
        domain=quoted(_relative(domain, folder)),
        problem=quoted(_relative(problem, folder)),
        costs=COSTS.format(meaning=reading.action_costs) if costs else "",
        reward=float(reading.problem.goal_reward or 1),
    )
    paid = {
        instance.schema.name
        for instance in reading.instances
        if any(branch.reward > 0 for branch in instance.branches)
    }
    entries = [
        (PAID if name in paid else ACTION).format(name=quoted(name), parameters=_comment(schema))
        for name, schema in reading.domain.schemas.items()
    ]
    return head + "".join(entries)


def _relative(file: str | Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # on another drive
        return Path(file).absolute().as_posix()


def _comment(schema: Schema) -> str:
    """The parameters of a schema, as a comment behind its name."""
    listed = ", ".join(
        f"{name} - {' or '.join(kind.split())}" for name, kind in schema.parameters.items()
    )
    return f"  # {listed}" if listed else ""
