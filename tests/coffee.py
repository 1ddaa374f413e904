"""A small station in which failures can be retried and repaired."""

from __future__ import annotations

from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import parse_task

COFFEE = """
name = "coffee"
discount = 0.98
[variables]
cup = ["shelf", "hand", "tray"]
milk = ["full", "spilled", "poured"]
[[goals]]
name = "served"
reward = 1
when = { cup = "tray", milk = "poured" }
[[skills]]
name = "Grasp"
precondition = { cup = "shelf" }
effect = { cup = "hand" }
failure = "stay"
competence = 0.5
[[skills.parameters]]
name = "width"
mean = 0.05
sd = 0.01
low = 0.0
high = 0.1
[[skills]]
name = "Pour"
precondition = { cup = "hand", milk = "full" }
effect = { milk = "poured" }
failure = { milk = "spilled" }
competence = 0.4
curve = { kind = "exponential", rate = 0.05 }
[[skills]]
name = "Refill"
precondition = { milk = "spilled" }
effect = { milk = "full" }
failure = [{ probability = 0.8, effect = "stay" }, { probability = 0.2, effect = "end" }]
competence = 0.7
curve = { kind = "exponential", rate = 0.05 }
[[skills]]
name = "Serve"
precondition = { cup = "hand", milk = "poured" }
effect = { cup = "tray" }
competence = 0.3
curve = { kind = "exponential", rate = 0.05 }
"""


def coffee() -> Task:
    """Grasp a cup, pour milk, serve it; spilled milk is refilled."""
    return parse_task(COFFEE)
