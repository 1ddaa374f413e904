"""Beliefs by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.belief import Belief
from deliberate_practice.beliefs.running_average import RunningAverage
from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.task.model import Task

BELIEFS: dict[str, Callable[..., Belief]] = {
    "bayes": BayesBelief.prior,
    "running-average": RunningAverage.prior,
}


def make_belief(name: str, task: Task, **options: object) -> Belief:
    """The belief of that name before any attempt.

    >>> import deliberate_practice as dp
    >>> belief = make_belief("running-average", dp.load_task("counterexample"), eps=0.8)
    >>> belief.curve("pi1", 4).round(2).tolist()
    [0.1, 0.2, 0.3, 0.4, 0.5]

    Args:
        name: One of ``BELIEFS``.
        task: The task whose stated competences and curves are the prior.
        options: Whatever else that belief's ``prior`` takes.
    """
    if name not in BELIEFS:
        raise ArgumentError("belief: " + choose_from(name, BELIEFS))
    valid = list(inspect.signature(BELIEFS[name]).parameters)[1:]  # the first is the task
    for option in options:
        if option not in valid:
            raise ArgumentError(f"option of belief '{name}': " + choose_from(option, valid))
    return BELIEFS[name](task, **options)
