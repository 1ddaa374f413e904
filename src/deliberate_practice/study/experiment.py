"""The definition of a study: its experiments, and the sessions of each."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from deliberate_practice.allocation.allocate import LONGEST_SECONDS
from deliberate_practice.beliefs.belief import BELIEFS
from deliberate_practice.foundation.checks import (
    listing,
    number,
    one_of,
    table,
    unique,
    whole_number,
)
from deliberate_practice.foundation.errors import ArgumentError, shown
from deliberate_practice.foundation.registry import Registry
from deliberate_practice.learners.registry import LEARNER, LEARNERS
from deliberate_practice.practice.arguments import APPROACHES
from deliberate_practice.practice.domain import Domain
from deliberate_practice.practice.earning import EXECUTIONS
from deliberate_practice.practice.robot import ROBOTS
from deliberate_practice.strategies.strategy import STRATEGIES
from deliberate_practice.study.cell import Cell
from deliberate_practice.study.wrong_priors import factors
from deliberate_practice.task.model import Task

COMPARED = ("deliberate", "ees", "competence-improvement", "least-competent", "random")
"""The strategies compared by default: ours and the paper's baselines."""
PARTS: Mapping[str, Registry[Any]] = {
    "strategies": STRATEGIES,
    "beliefs": BELIEFS,
    "learners": LEARNERS,
}
"""The parts that an experiment compares, and where their names are looked up."""
LONGEST_NAME = 100
"""The most characters in a name that becomes a file or a folder."""
SESSION_SECONDS = 3600.0
"""Longest time without a finished trial before a session is ended, by default [s]."""
MOST = 10**9
"""The largest valid budget, and the largest number of executions."""
MOST_SESSIONS = 10**6
"""The most sessions of one experiment."""


@dataclass(frozen=True)
class Experiment:
    """Every strategy with every belief and learner at every budget, with the same seeds for all.

    >>> small = Experiment("small", "breakfast", [30, 60], strategies=["deliberate", "random"])
    >>> len(small.cells)
    20

    Args:
        name: Its name: letters, digits, ``-``, ``_`` and ``.``; unique in its study.
        task: A domain or its name, the path of a task file, or a task as its robot practises it.
        budgets: Budgets to compare at.
        robot: A registered robot that can measure the reward of its own plan; the name may carry
            options.
        approach: Whether approaches are executed, or free.
        strategies: Registered strategies; a name may carry options.
        beliefs: Registered beliefs, likewise.
        learners: Registered learners, likewise.
        seeds: Sessions with each strategy, belief, learner and budget, with consecutive seeds.
        first_seed: The first of these seeds.
        executions: Executions of the robot's own plan after practice, unless its reward is exact.
        point_executions: The same for each earlier point of the learning curve.
        every: Budget between two points of that curve; doubled if the budget exceeds 10 times this,
            and so on.
        against: The strategy that the others' probability of improvement refers to.
        parameters: Parameters of the task, e.g. ``{"rate": 0.02}``.
        truth: For the robot ``curves``: factors from the stated figures to the true ones
            (:class:`~.wrong_priors.Factors`), e.g. ``{"rate": 0.5}`` if it learns half as fast.
        session_seconds: A session in which no trial finishes for this long is ended and counts as
            failed [s].

    Raises:
        ArgumentError: A value makes no sense.
    """

    name: str
    task: str | Path | Domain | Task
    budgets: Sequence[int]
    robot: str = "curves"
    approach: Literal["execute", "free"] = "execute"
    strategies: Sequence[str] = COMPARED
    beliefs: Sequence[str] = ("bayes",)
    learners: Sequence[str] = (LEARNER,)
    seeds: int = 5
    first_seed: int = 0
    executions: int = EXECUTIONS
    point_executions: int = 20
    every: int = 25
    against: str | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    truth: Mapping[str, float] = field(default_factory=dict)
    session_seconds: float = SESSION_SECONDS

    def __post_init__(self) -> None:
        _file_name("name", self.name)
        if not isinstance(self.task, str | Path | Domain | Task):
            raise ArgumentError(f'task: {self.task!r} is not valid; write e.g. "cleanup".')
        for key in ("budgets", *PARTS):
            object.__setattr__(self, key, _listed(key, getattr(self, key)))
        for budget in self.budgets:
            whole_number("budgets", budget, 0, MOST)
        for key in PARTS:
            for name in getattr(self, key):
                if not isinstance(name, str):
                    raise ArgumentError(f"{key}: {shown(name)} is not a name; write it in quotes.")
        one_of("approach", self.approach, APPROACHES, ArgumentError)
        for key in ("seeds", "executions", "point_executions", "every"):
            whole_number(key, getattr(self, key), 1, MOST)
        whole_number("first_seed", self.first_seed, 0, MOST)
        sessions = self.seeds * math.prod(len(getattr(self, key)) for key in ("budgets", *PARTS))
        if sessions > MOST_SESSIONS:
            raise ArgumentError(
                f"seeds: {self.seeds:,} make {sessions:,} sessions; at most {MOST_SESSIONS:,} are "
                "possible in one experiment."
            )
        if self.against is not None and self.against not in self.strategies:
            check_names(self)  # one of them may be the one that is misspelt
            one_of("against", self.against, self.strategies, ArgumentError)
        seconds, longest = self.session_seconds, LONGEST_SECONDS
        number("session_seconds", seconds, 0, longest, open_low=True, error=ArgumentError)
        for key in ("parameters", "truth"):
            table(key, getattr(self, key), f"{{ {_EXAMPLES[key]} }}", ArgumentError)
        for key, value in self.parameters.items():
            number(f"parameters: {key}", value, error=ArgumentError)
        if self.parameters and isinstance(self.task, Domain | Task):
            raise ArgumentError(
                "parameters: a task that is there already has its own; make it with them, or name "
                'its domain, e.g. "cleanup".'
            )
        if self.truth:
            if self.robot != "curves":
                raise ArgumentError(
                    f"truth: of robot '{self.robot}' it cannot be chosen; leave it out, or take "
                    'robot = "curves".'
                )
            factors(self.truth)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Its sessions: strategies x beliefs x learners x budgets x seeds."""
        parts = (getattr(self, key) for key in PARTS)
        seeds = range(self.first_seed, self.first_seed + self.seeds)
        product = itertools.product(*parts, self.budgets, seeds)
        return tuple(Cell(*cell) for cell in product)


@dataclass(frozen=True)
class Study:
    """Experiments whose results are kept together.

    Args:
        name: Its name.
        experiments: At least one, each with its own name.

    Raises:
        ArgumentError: A value makes no sense.
    """

    name: str
    experiments: Sequence[Experiment]

    def __post_init__(self) -> None:
        _file_name("name", self.name)
        object.__setattr__(self, "experiments", _experiments(self.experiments))
        unique("experiments", [experiment.name for experiment in self.experiments], ArgumentError)


def check_names(experiment: Experiment) -> None:
    """Refuse robots, strategies, beliefs and learners that cannot be run here.

    Results of those that could be run elsewhere may still be read.
    """
    ROBOTS.bound(experiment.robot)
    for key, registry in PARTS.items():
        for name in getattr(experiment, key):
            registry.bound(name)


def _experiments(value: object) -> tuple[Experiment, ...]:
    if not isinstance(value, Sequence):
        raise ArgumentError(
            f"experiments: {type(value).__name__} is not a list; write e.g. [Experiment(...)]."
        )
    if not value:
        raise ArgumentError("experiments: give at least one.")
    for entry in value:
        if not isinstance(entry, Experiment):
            raise ArgumentError(
                f"experiments: {type(entry).__name__} is not an Experiment; make it one."
            )
    return tuple(value)


def as_file_name(text: str) -> str:
    """A file name that differs for different texts; changed names end in a short hash.

    >>> as_file_name("cleanup-multi"), as_file_name("my task")
    ('cleanup-multi', 'my-task-ef0a31')
    """
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", text).lstrip(".")
    if plain == text and len(plain) <= LONGEST_NAME:
        return plain
    ending = f"-{hashlib.sha256(text.encode()).hexdigest()[:6]}"
    return plain[: LONGEST_NAME - len(ending)] + ending


def _file_name(key: str, value: object) -> None:
    """Names become folders, so they are kept plain."""
    if not isinstance(value, str) or not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*", value):
        raise ArgumentError(
            f"{key}: {shown(value)} is not valid; use letters, digits, '-', '_' and '.', "
            'e.g. "cleanup-free".'
        )
    if len(value) > LONGEST_NAME:
        raise ArgumentError(
            f"{key}: {shown(value)} has {len(value)} letters; use at most {LONGEST_NAME}."
        )


def _listed(key: str, value: object) -> tuple[object, ...]:
    entries = listing(key, value, _EXAMPLES[key], ArgumentError)
    if not entries:
        raise ArgumentError(f"{key}: give at least one.")
    unique(key, entries, ArgumentError)
    return tuple(entries)


_EXAMPLES = {
    "budgets": "100, 150",
    "strategies": '"deliberate", "ees"',
    "beliefs": '"bayes"',
    "learners": '"cma-es"',
    "parameters": "rate = 0.02",
    "truth": "rate = 0.5",
}
