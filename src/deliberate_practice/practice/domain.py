"""A domain: a task with its scenes and measured priors; and tasks and robots by name.

A task remembers its domain, so a session or a study that holds the task finds the scene again.
"""

from __future__ import annotations

import inspect
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deliberate_practice.foundation.blame import blamed
from deliberate_practice.foundation.checks import LARGEST_SEED, whole_number
from deliberate_practice.foundation.errors import ArgumentError, TaskError, choose_from, shown
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.foundation.registry import Registry, source_hash
from deliberate_practice.learners.registry import LEARNER
from deliberate_practice.practice.robot import ROBOTS, MakeRobot, Robot
from deliberate_practice.task.curves import Exponential
from deliberate_practice.task.model import Task, allowed_values
from deliberate_practice.task.skill import Condition, Parameter, Skill
from deliberate_practice.task.toml_reader import read_task

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

PACKAGES = ("mujoco", "ompl", "cv2")
"""Packages of the extra ``sim`` that a scene may need."""

LARGEST_THREADS = 1_000


@dataclass(frozen=True)
class Scene:
    """Where a robot practises the skills of a domain.

    Attributes:
        robot: Makes the robot, from the task, the session's seed, and the processors it may use.
        parameters: The parameters of every skill; None if the task states them itself.
        priors: The file of priors that ``deliberate priors`` measured there, with a table for each
            learner; None if nothing was measured.
        description: What may differ from one session to the next, e.g. ``cabinet: ours``. A session
            records it, and does not go on in a scene that is described otherwise.
        choice: A sentence that says how a user chooses what is described.
    """

    robot: MakeRobot
    parameters: Callable[[Task], Mapping[str, tuple[Parameter, ...]]] | None = None
    priors: Callable[[], Path | Traversable | None] = field(default=lambda: None)
    description: Callable[[], str] = field(default=lambda: "")
    choice: str = ""

    def practised(self, task: Task, *, learner: object = LEARNER, priors: bool = True) -> Task:
        """The task with the scene's parameters, and with the measured curves as its priors.

        Priors that were measured with the learner are accurate. For another learner those of
        ``cma-es`` are the best guess, and their quality is unknown.

        Args:
            task: The task as stated.
            learner: The learner or its name; options after the name do not matter.
            priors: Whether measured competences and curves replace the stated ones.
        """
        known = self.parameters(task) if self.parameters else {}
        skills = [
            replace(skill, parameters=known.get(skill.name, skill.parameters))
            for skill in task.skills
        ]
        task = replace(task, skills=skills)
        file = self.priors() if priors else None
        measured = tomllib.loads(file.read_text(encoding="utf-8")) if file else {}
        name = learner.partition(":")[0] if isinstance(learner, str) else ""
        if name in measured:
            return replace(with_curves(task, measured[name]), priors="accurate")
        if LEARNER in measured:
            return replace(with_curves(task, measured[LEARNER]), priors="unknown")
        return task


@dataclass(frozen=True)
class Domain:
    """A task with the scenes in which robots can practise it.

    Attributes:
        name: Its name.
        make: Makes the task, with keyword parameters that all have defaults.
        scenes: By robot: a scene, or ``module:attribute`` of one that is imported when it is used.
        like: The domain's own task that another task of the domain is compared with; it may have
            other goals, competences and curves, and fewer skills. By default the task itself.
    """

    name: str
    make: Callable[..., Task]
    scenes: Mapping[str, str | Scene] = field(default_factory=dict)
    like: Callable[[Task], Task] | None = None

    def task(self, **parameters: float | str) -> Task:
        """The task of the domain.

        Raises:
            ArgumentError: It has no such parameter.
        """
        _check_parameters(self.name, self.make, parameters)
        return replace(self.make(**parameters), domain=self.name)

    def scene(self, robot: str) -> Scene | None:
        """The scene in which a robot practises the task; None if the robot has no scene.

        Raises:
            ArgumentError: The scene needs a package that is not installed.
        """
        scene = self.scenes.get(robot)
        if not isinstance(scene, str):
            return scene
        module, _, attribute = scene.partition(":")
        try:
            loaded: Scene = getattr(import_module(module), attribute)
        except ModuleNotFoundError as error:
            if error.name not in PACKAGES:
                raise
            raise ArgumentError(
                f"robot: {robot} needs the package {error.name}; take --robot curves, or run: "
                + install_command("sim")
            ) from None
        return loaded

    def check(self, task: Task) -> None:
        """Refuse a task that robots in the scenes of this domain cannot practise.

        Raises:
            ArgumentError: Its variables, start or skills differ from the domain's own.
        """
        fault = _difference(task, self.like(task) if self.like else self.make())
        if fault:
            raise ArgumentError(
                f"task '{task.name}': it says that it belongs to the domain '{self.name}', but "
                f'{fault}. Mend it, or leave out: domain = "{self.name}".'
            )


DOMAINS: Registry[Domain] = Registry(
    "domain",
    {
        "counterexample": "deliberate_practice.domains.counterexample:COUNTEREXAMPLE",
        "cleanup": "deliberate_practice.domains.cleanup:CLEANUP",
        "cleanup-multi": "deliberate_practice.domains.cleanup:CLEANUP_MULTI",
        "breakfast": "deliberate_practice.domains.breakfast:BREAKFAST",
        "kitchen": "deliberate_practice.domains.kitchen:KITCHEN",
    },
)

register_domain = DOMAINS.register


def load_task(name: str | Path, **parameters: float | str) -> Task:
    """The task of a domain by name, or a task file by path.

    >>> len(load_task("cleanup-multi:objects=2").skills)
    14

    Args:
        name: The name of a domain, which may carry parameters, or a path.
        parameters: Parameters of the task: ``competence`` and ``rate`` of all practised policies,
            and further ones of the domain.
    """
    if is_domain(name):
        key, stated = DOMAINS.parse(name)
        return DOMAINS[key].task(**{**stated, **parameters})
    if not os.path.exists(name) and not Path(name).suffix:
        raise ArgumentError(
            "task: " + choose_from(str(name), DOMAINS) + " Or give the path of a task file."
        )
    return task_file(Path(name), **parameters)


def is_domain(name: object) -> bool:
    """Whether a text names a domain, with parameters or without; otherwise it is a path."""
    return isinstance(name, str) and name.partition(":")[0] in DOMAINS


def task_file(path: Path | Traversable, **parameters: float | str) -> Task:
    """The task of a file, optionally with another competence or rate of all practised policies."""

    def read(*, competence: float | None = None, rate: float | None = None) -> Task:
        return read_task(Path(str(path))).with_priors(competence, rate)

    _check_parameters(str(path), read, parameters)
    try:
        return read(**parameters)  # type: ignore[arg-type]  # they are numbers: checked above
    except TaskError as error:
        raise (error if error.file else error.within("parameters")) from None


def practised_task(
    task: str | Path | Domain | Task,
    robot: object,
    *,
    learner: object = LEARNER,
    **parameters: float | str,
) -> Task:
    """The task as a robot practises it.

    Args:
        task: A task, which is taken as it is, or a domain, its name, or the path of a task file:
            then a robot with a scene practises with the parameters and priors that belong to it.
        robot: The robot or its name.
        learner: The learner or its name: priors are measured for each learner.
        parameters: Parameters of the task. With numbers among them measured priors are not used,
            because they may be of another task; words choose a variant that keeps them.
    """
    if isinstance(task, Task):
        return task
    stated = task.task(**parameters) if isinstance(task, Domain) else load_task(task, **parameters)
    named = DOMAINS.parse(task)[1] if isinstance(task, str) and is_domain(task) else {}
    own = all(isinstance(value, str) for value in (*named.values(), *parameters.values()))
    return in_scene(stated, robot, learner=learner, priors=own)


def in_scene(task: Task, robot: object, *, learner: object = LEARNER, priors: bool = True) -> Task:
    """A task with the parameters and priors of its robot's scene; without a scene, as it is."""
    if isinstance(robot, str):
        ROBOTS.parse(robot)  # an unknown name is refused, also where no scene depends on it
    scene = scene_of(task, robot)
    return scene.practised(task, learner=learner, priors=priors) if scene else task


def with_curves(task: Task, priors: Mapping[str, Mapping[str, Any]]) -> Task:
    """The task with measured curves instead of the stated ones.

    Args:
        task: The task.
        priors: Competence, rate and ceiling by policy; other policies keep their stated curves.
    """

    def measured(skill: Skill) -> Skill:
        if skill.policy not in priors:
            return skill
        prior = priors[skill.policy]
        curve = Exponential(prior["rate"], prior["ceiling"])
        return replace(skill, competence=prior["competence"], curve=curve)

    return replace(task, skills=[measured(skill) for skill in task.skills])


def scene_of(task: Task, robot: object) -> Scene | None:
    """The scene in which a robot practises a task; None if there is none.

    Args:
        task: The task.
        robot: Its name, which may carry options; a robot that is no name has no scene.

    Raises:
        ArgumentError: The task names an unknown domain, or differs from the domain it names.
    """
    if not (task.domain and isinstance(robot, str)):
        return None
    domain = DOMAINS[task.domain]
    scene = domain.scene(robot.partition(":")[0])
    if scene:
        domain.check(task)
    return scene


def domain_code(task: Task, robot: str) -> str:
    """A text that changes with the code of a task's domain and its scene, if they are not ours.

    Args:
        task: A task, which may belong to a domain.
        robot: A registered name, which may carry options.
    """
    code = DOMAINS.code(task.domain) if task.domain else ""
    if not code:
        return ""
    domain = DOMAINS[task.domain]
    scene = domain.scene(ROBOTS.parse(robot)[0])
    parts = [domain.make, *([scene.robot] if scene else [])]
    return " ".join([code, *map(source_hash, parts)])


def make_robot(name: str, task: Task, seed: int, *, threads: int = 1) -> Robot:
    """A robot for a task.

    Args:
        name: A registered name, which may carry options.
        task: The task, as :func:`practised_task` returns it.
        seed: Seed of the session, for everything hidden in the robot.
        threads: Processors that one robot may use; results do not depend on it.

    Raises:
        ArgumentError: There is no robot of that name, or it cannot do the task.
        PartFailed: What makes it raised an exception.
    """
    make = ROBOTS.resolve(name)
    whole_number("seed", seed, 0, LARGEST_SEED)
    whole_number("threads", threads, 1, LARGEST_THREADS)
    with blamed(f"robot {name}"):
        return make(task, seed, threads)


@contextmanager
def opened_robot(name: str, task: Task, seed: int, *, threads: int = 1) -> Iterator[Robot]:
    """A robot as :func:`make_robot` makes it, closed in the end if it has a method ``close``."""
    robot = make_robot(name, task, seed, threads=threads)
    try:
        yield robot
    finally:
        with blamed(f"robot {name}"):
            getattr(robot, "close", lambda: None)()


def _check_parameters(name: str, make: Callable[..., Task], given: Mapping[str, Any]) -> None:
    valid = inspect.signature(make).parameters
    for key in given:
        if key not in valid:
            raise ArgumentError(f"task '{name}': parameter {choose_from(key, valid)}")
        if isinstance(given[key], str) and not isinstance(valid[key].default, str):
            raise ArgumentError(
                f"task '{name}': parameter '{key}': {shown(given[key])} is not a number; write "
                "e.g. rate=0.02."
            )


def _difference(task: Task, own: Task) -> str | None:
    """The first difference that the robot in the scene cannot handle; None if there is none."""
    stated = {name: tuple(values) for name, values in task.variables.items()}
    if stated != {name: tuple(values) for name, values in own.variables.items()}:
        return "its variables or their values differ"
    starts = task.start_states
    if task.tasks:  # several tasks may begin in the same state
        if any(start.state != own.start_states[0].state for start in starts):
            return "one of its tasks starts elsewhere"
    elif starts != own.start_states:
        return "it starts elsewhere"
    known = {skill.name: skill for skill in own.skills}
    for skill in task.skills:
        if skill.name not in known:
            return f"the robot has no skill '{skill.name}'"
        same = known[skill.name]
        if _values(skill.precondition) != _values(same.precondition):
            return f"the precondition of skill '{skill.name}' differs"
        for key in ("effect", "failure", "policy"):
            if getattr(skill, key) != getattr(same, key):
                return f"the {key} of skill '{skill.name}' differs"
    return None


def _values(condition: Condition) -> dict[str, set[str]]:
    return {name: set(allowed_values(values)) for name, values in condition.items()}
