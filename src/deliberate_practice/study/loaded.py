"""An experiment that is ready to run: its task is loaded, and its results have their keys."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from deliberate_practice.foundation.errors import ArgumentError, TaskError
from deliberate_practice.foundation.registry import Registry
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import domain_code, make_robot, practised_task
from deliberate_practice.practice.robot import ROBOTS, EarningRobot
from deliberate_practice.study.cell import Cell
from deliberate_practice.study.experiment import PARTS, Experiment, check_names
from deliberate_practice.study.wrong_priors import factors, secretly
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_writer import task_to_toml


@dataclass(frozen=True)
class Loaded:
    """An experiment as it is run and kept.

    Attributes:
        study: The study it belongs to.
        experiment: Its definition.
        stated: The task as its robot practises it, with the stated curves.
        keys: A key for each of its sessions; sessions with equal keys have equal results.
        version: Version of this package.
    """

    study: str
    experiment: Experiment
    stated: Task
    keys: Mapping[Cell, str]
    version: str

    @cached_property
    def task(self) -> Task:
        """The task with the true curves of the experiment."""
        if not self.experiment.truth:
            return self.stated
        return secretly(self.stated, factors(self.experiment.truth))


def load(study: str, experiment: Experiment) -> Loaded:
    """Load the task of an experiment, and check that all its parts can be run here.

    Raises:
        ArgumentError: Something in it makes no sense.
    """
    from deliberate_practice import __version__

    check_names(experiment)
    loaded = Loaded(study, experiment, _stated(experiment), {}, __version__)  # keys follow
    if not isinstance(make_robot(experiment.robot, loaded.task, 0), EarningRobot):
        raise ArgumentError(
            f"robot: '{experiment.robot}' cannot measure the reward of its plan, so its sessions "
            "cannot be compared; give it a method earn (see docs/extending.md)."
        )
    return replace(loaded, keys=_keys(loaded))


def _stated(experiment: Experiment) -> Task:
    """The task as stated, for its robot."""
    asked = experiment.task
    task = practised_task(asked, experiment.robot, **experiment.parameters)
    try:
        ground(task)
    except TaskError as error:
        known = error.file or isinstance(asked, Task)
        raise (error if known else error.within(str(asked))) from None
    return task


def _keys(loaded: Loaded) -> dict[Cell, str]:
    """A hash of everything that decides the result of each session besides its cell.

    This is the task, the robot, the approach, the evaluation, the version of this package, and the
    code of every part from elsewhere.
    """
    experiment, task = loaded.experiment, loaded.task
    shared = [
        loaded.version,
        experiment.robot,
        ROBOTS.code(experiment.robot),
        domain_code(task, experiment.robot),
        experiment.approach,
        f"{experiment.executions} {experiment.point_executions} {experiment.every}",
        task_to_toml(task),
        os.environ.get("LIBERO_ASSETS", ""),
    ]
    keys: dict[tuple[str, ...], str] = {}
    for parts in itertools.product(*(getattr(experiment, kind) for kind in PARTS)):
        codes = map(Registry.code, PARTS.values(), parts)
        keys[parts] = hashlib.sha256("\n".join([*shared, *codes]).encode()).hexdigest()[:32]
    return {c: keys[c.strategy, c.belief, c.learner] for c in experiment.cells}
