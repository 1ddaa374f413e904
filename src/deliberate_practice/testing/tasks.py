"""Small tasks for testing parts."""

from __future__ import annotations

from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import parse_task

ASSEMBLY = """
name = "assembly"
discount = 0.98

[variables]
part = ["tray", "hand", "jig"]
screw = ["out", "in"]

[[goals]]
name = "placed"
reward = 1.0
when = { part = "jig", screw = "in" }

[[skills]]
name = "Pick"
precondition = { part = "tray" }
effect = { part = "hand" }
failure = "stay"
competence = 0.9

[[skills]]
name = "Place"
precondition = { part = "hand" }
effect = { part = "jig" }
competence = 0.2
curve = { kind = "exponential", rate = 0.05, ceiling = 0.95 }

[[skills.parameters]]
name = "x"
mean = 0.1
sd = 0.05
low = -0.2
high = 0.4

[[skills.parameters]]
name = "tilt"
mean = 0.0
sd = 0.2
low = -0.7
high = 0.7

[[skills]]
name = "Screw"
precondition = { part = "jig", screw = "out" }
effect = { screw = "in" }
competence = 0.3
curve = { kind = "piecewise-linear", rate = 0.02 }
cost = 2
"""
"""A task of product form; one skill has parameters, another costs twice as much."""

MENDING = """
name = "mending"
discount = 0.95

[variables]
cup = ["shelf", "hand", "floor", "rack"]

[[goals]]
name = "racked"
reward = 2.0
when = { cup = "rack" }

[[skills]]
name = "Grasp"
precondition = { cup = "shelf" }
effect = { cup = "hand" }
failure = { cup = "floor" }
competence = 0.4
curve = { kind = "exponential", rate = 0.04 }

[[skills]]
name = "Lift"
precondition = { cup = "floor" }
effect = { cup = "hand" }
failure = "stay"
competence = 0.5

[[skills]]
name = "Rack"
precondition = { cup = "hand" }
effect = { cup = "rack" }
failure = [{ probability = 0.5, effect = { cup = "floor" } }, { probability = 0.5, effect = "end" }]
competence = 0.2
curve = { kind = "table", values = [0.2, 0.3, 0.45, 0.6, 0.7] }
"""
"""The robot can recover from failures, so the answer is a decision rule, not a plan."""


def small_tasks() -> list[Task]:
    """One task of product form and one general task."""
    return [parse_task(ASSEMBLY), parse_task(MENDING)]
