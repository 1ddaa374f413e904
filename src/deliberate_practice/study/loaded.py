"""An experiment that is ready to run: its task is loaded, and its results have their keys."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from deliberate_practice.foundation.errors import ArgumentError, TaskError
from deliberate_practice.foundation.registry import Registry
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import domain_code, opened_robot, practised_task
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
        stated: The task as its robot practises it with its first learner, with the stated curves.
        keys: A key for each of its sessions; sessions with equal keys have equal results.
        version: Version of this package.
        others: The task as stated for each further learner whose measured priors differ.
    """

    study: str
    experiment: Experiment
    stated: Task
    keys: Mapping[Cell, str]
    version: str
    others: Mapping[str, Task] = field(default_factory=dict)

    @property
    def task(self) -> Task:
        """The task of the first learner, with the true curves of the experiment."""
        return self.task_of(self.experiment.learners[0])

    def task_of(self, learner: str) -> Task:
        """The task of a learner, with the true curves of the experiment."""
        stated = self.others.get(learner, self.stated)
        truth = self.experiment.truth
        return secretly(stated, factors(truth)) if truth else stated


def load(study: str, experiment: Experiment) -> Loaded:
    """Load the task of an experiment, and check that all its parts can be run here.

    Raises:
        ArgumentError: Something in it makes no sense.
    """
    from deliberate_practice.foundation.version import __version__

    check_names(experiment)
    stated = {learner: _stated(experiment, learner) for learner in experiment.learners}
    first = stated[experiment.learners[0]]
    others = {learner: task for learner, task in stated.items() if task != first}
    loaded = Loaded(study, experiment, first, {}, __version__, others)  # keys follow
    with opened_robot(experiment.robot, loaded.task, 0) as robot:
        if not isinstance(robot, EarningRobot):
            raise ArgumentError(
                f"robot: '{experiment.robot}' cannot measure the reward of its plan, so its "
                "sessions cannot be compared; give it a method earn (see docs/extending.md)."
            )
    return replace(loaded, keys=_keys(loaded))


def _stated(experiment: Experiment, learner: str) -> Task:
    """The task as stated, for its robot and a learner."""
    asked = experiment.task
    task = practised_task(asked, experiment.robot, learner=learner, **experiment.parameters)
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
    experiment = loaded.experiment
    shared = [
        loaded.version,
        experiment.robot,
        ROBOTS.code(experiment.robot),
        domain_code(loaded.task, experiment.robot),
        experiment.approach,
        f"{experiment.executions} {experiment.point_executions} {experiment.every}",
    ]
    tasks = {
        learner: [task_to_toml(loaded.task_of(learner)), os.environ.get("LIBERO_ASSETS", "")]
        for learner in experiment.learners
    }
    keys: dict[tuple[str, ...], str] = {}
    for parts in itertools.product(*(getattr(experiment, kind) for kind in PARTS)):
        codes = map(Registry.code, PARTS.values(), parts)
        text = "\n".join([*shared, *tasks[parts[-1]], *codes])
        keys[parts] = hashlib.sha256(text.encode()).hexdigest()[:32]
    return {c: keys[c.strategy, c.belief, c.learner] for c in experiment.cells}
