"""A study as data: which experiments, and which sessions belong to each."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deliberate_practice.allocation.allocate import LONGEST_SECONDS
from deliberate_practice.beliefs.registry import BELIEFS
from deliberate_practice.domains.robots import ROBOTS
from deliberate_practice.foundation.checks import (
    listing,
    number,
    one_of,
    table,
    unique,
    whole_number,
)
from deliberate_practice.foundation.errors import ArgumentError, shown
from deliberate_practice.practice.arguments import APPROACHES
from deliberate_practice.strategies.registry import make_strategy
from deliberate_practice.study.cell import Cell
from deliberate_practice.study.run_cell import Approach, Evaluation
from deliberate_practice.study.wrong_priors import factors
from deliberate_practice.task.model import Task

STRATEGIES = ("deliberate", "ees", "competence-improvement", "least-competent", "random")
"""What is compared unless something else is said: ours and the paper's baselines."""
LONGEST_NAME = 100
"""Letters of a name that becomes a file or a folder."""
SESSION_SECONDS = 3600.0
"""Longest time without a finished trial before a session is ended, by default [s]."""
MOST = 10**9
"""No budget, and no number of seeds or executions, is larger."""


@dataclass(frozen=True)
class Experiment:
    """Every strategy with every belief at every budget, with the same seeds for all.

    >>> small = Experiment("small", "breakfast", [30, 60], strategies=["deliberate", "random"])
    >>> len(small.cells)
    20

    Args:
        name: What to call it: letters, digits, ``-``, ``_`` and ``.``; unique in its study.
        task: A built-in name, the path of a task file, or a task as its robot practises it.
        budgets: Budgets to compare at.
        robot: A simulated robot.
        approach: Whether approaches are executed, or free.
        strategies: Registered strategies.
        beliefs: Registered beliefs.
        seeds: Sessions with each strategy, belief and budget; their seeds are 0, 1, ...
        executions: In physics: executions of the robot's own plan after practice.
        point_executions: In physics: executions for each point of the curve on the way.
        every: Budget between two points of the curve; twice as much above 10 times that, and so on.
        against: The strategy that the others' probability of improvement refers to.
        parameters: What the task lets one change, e.g. ``{"rate": 0.02}``.
        truth: Of the robot ``curves``: what its true figures are, as factors on the stated ones
            (:class:`~.wrong_priors.Factors`), e.g. ``{"rate": 0.5}`` if it learns half as fast.
        session_seconds: A session in which no trial finishes for this long is ended and counts as
            failed [s].

    Raises:
        ArgumentError: A value makes no sense.
    """

    name: str
    task: str | Path | Task
    budgets: Sequence[int]
    robot: str = "curves"
    approach: Approach = "execute"
    strategies: Sequence[str] = STRATEGIES
    beliefs: Sequence[str] = ("bayes",)
    seeds: int = 5
    executions: int = Evaluation.executions
    point_executions: int = Evaluation.point_executions
    every: int = Evaluation.every
    against: str | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)
    truth: Mapping[str, float] = field(default_factory=dict)
    session_seconds: float = SESSION_SECONDS

    def __post_init__(self) -> None:
        _file_name("name", self.name)
        if not isinstance(self.task, str | Path | Task):
            raise ArgumentError(f'task: {self.task!r} is not valid; write e.g. "cleanup".')
        for key in ("budgets", "strategies", "beliefs"):
            object.__setattr__(self, key, _listed(key, getattr(self, key)))
        for budget in self.budgets:
            whole_number("budgets", budget, 0, MOST)
        for key in ("strategies", "beliefs"):
            for name in getattr(self, key):
                if not isinstance(name, str):
                    raise ArgumentError(f"{key}: {shown(name)} is not a name; write it in quotes.")
        for key, valid in (("robot", ROBOTS), ("approach", APPROACHES)):
            one_of(key, getattr(self, key), valid, ArgumentError)
        for key in ("seeds", "executions", "point_executions", "every"):
            whole_number(key, getattr(self, key), 1, MOST)
        if self.against is not None and self.against not in self.strategies:
            _check_strategies(self.strategies)  # one of them may be the one that is misspelt
            one_of("against", self.against, self.strategies, ArgumentError)
        seconds, longest = self.session_seconds, LONGEST_SECONDS
        number("session_seconds", seconds, 0, longest, open_low=True, error=ArgumentError)
        for key in ("parameters", "truth"):
            table(key, getattr(self, key), f"{{ {_EXAMPLES[key]} }}", ArgumentError)
        for key, value in self.parameters.items():
            number(f"parameters: {key}", value, error=ArgumentError)
        if self.parameters and isinstance(self.task, Task):
            raise ArgumentError(
                "parameters: a task that is there already has its own; make it with them, or name "
                'it, e.g. "cleanup".'
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
        """Its sessions: strategies x beliefs x budgets x seeds."""
        product = itertools.product(self.strategies, self.beliefs, self.budgets, range(self.seeds))
        return tuple(Cell(*cell) for cell in product)

    @property
    def evaluation(self) -> Evaluation:
        """How rewards are measured in physics."""
        return Evaluation(self.executions, self.point_executions, self.every)


@dataclass(frozen=True)
class Study:
    """Experiments whose results are kept together.

    Args:
        name: What to call it.
        experiments: At least one, each with a name of its own.

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
    """Refuse strategies and beliefs that cannot be run here.

    Results of those that could be run elsewhere may still be read.
    """
    _check_strategies(experiment.strategies)
    for belief in experiment.beliefs:
        one_of("belief", belief, BELIEFS, ArgumentError)


def _check_strategies(names: Sequence[str]) -> None:
    for name in names:
        make_strategy(name)


def _experiments(value: object) -> tuple[Experiment, ...]:
    if not isinstance(value, Sequence):
        kind = type(value).__name__
        raise ArgumentError(f"experiments: {kind} is not a list; write e.g. [Experiment(...)].")
    if not value:
        raise ArgumentError("experiments: give at least one.")
    for entry in value:
        if not isinstance(entry, Experiment):
            kind = type(entry).__name__
            raise ArgumentError(f"experiments: {kind} is not an Experiment; make it one.")
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
    "parameters": "rate = 0.02",
    "truth": "rate = 0.5",
}
