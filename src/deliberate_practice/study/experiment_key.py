"""What decides the result of a session besides its cell, as one short text."""

from __future__ import annotations

import hashlib
import os

from deliberate_practice.domains.robots import SYNTHETIC
from deliberate_practice.study.run_cell import EVALUATION, Approach, Evaluation
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_writer import task_to_toml


def experiment_key(
    task: Task,
    robot: str,
    approach: Approach,
    evaluation: Evaluation = EVALUATION,
) -> str:
    """A text that is the same for the same task, robot, approach, evaluation and version.

    In physics executions count, and LIBERO's cabinet where one is named. What is as it always was
    is not said, so that results which are kept already still count.
    """
    from deliberate_practice import __version__

    said = [__version__, robot, approach, task_to_toml(task)]
    physics = robot not in SYNTHETIC
    if physics and evaluation != _FIRST:
        said.append(repr(evaluation))
    if not physics and evaluation.every != _FIRST.every:
        said.append(f"every {evaluation.every}")
    if physics and os.environ.get("LIBERO_ASSETS"):
        said.append(f"LIBERO_ASSETS {os.environ['LIBERO_ASSETS']}")
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:32]


_FIRST = Evaluation(100, 20, 25)
"""How rewards were measured before one could choose."""
