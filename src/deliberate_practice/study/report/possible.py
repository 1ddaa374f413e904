"""The possible rewards in the tasks of a study: frontiers for the stated and measured priors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from deliberate_practice.allocation.forms import General, form_of
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import DOMAINS, in_scene
from deliberate_practice.study.aims import aims
from deliberate_practice.study.figures.units import budget_unit
from deliberate_practice.study.frontiers import (
    FrontierStudy,
    episodes_per_hour,
    frontier_study,
)
from deliberate_practice.study.grouping import grouped
from deliberate_practice.study.report.content import Progress
from deliberate_practice.study.run_study import Finished
from deliberate_practice.study.wrong_priors import VARIANTS, without_truth
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_writer import task_to_toml

FRONTIER_SECONDS = 30.0
"""For each frontier of a task that is not of product form."""

STATED, MEASURED = "stated priors", "priors measured in physics"


@dataclass(frozen=True)
class Possible:
    """What practice can buy in the tasks of one name.

    Attributes:
        task: The name.
        goals: All of their goals, in the order of the tasks.
        budgets: At which they were practised.
        unit: The unit of these budgets.
        studies: Frontiers by where the priors are from.
        priors: Where they are from, by the text of the task.
    """

    task: str
    goals: Sequence[str]
    budgets: Sequence[int]
    unit: str
    studies: Mapping[str, FrontierStudy]
    priors: Mapping[str, str]

    def of(self, one: Finished) -> FrontierStudy:
        """The frontiers of an experiment's own task."""
        return self.studies[self.priors[_text(one)]]


def possible(
    finished: Sequence[Finished], episode_seconds: float, progress: Progress | None = None
) -> dict[str, Possible]:
    """By name of the task: for the tasks of a study, and the other priors that we know of.

    Args:
        finished: Experiments.
        episode_seconds: How long an episode takes; frontiers reach an hour beyond all budgets [s].
        progress: Called after every frontier.
    """
    groups = grouped(finished, lambda one: one.loaded.task.name)
    tasks = {name: _tasks(group) for name, group in groups.items()}
    count, done = sum(map(len, tasks.values())) * len(VARIANTS), 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress:
            progress("frontiers", done, count)

    return {
        name: _of_name(name, group, tasks[name], episode_seconds, step)
        for name, group in groups.items()
    }


def _tasks(group: Sequence[Finished]) -> dict[str, Task]:
    """Tasks of one name by where their priors are from."""
    _, tasks = _named(group)
    own = {
        words: task
        for one in group
        for words, task in _known(_stated(one).domain, one.experiment.learners[0]).items()
    }
    if not any(task in own.values() for task in tasks.values()):  # only of the same domain
        return tasks
    more = {w: task for w, task in own.items() if not any(known.startswith(w) for known in tasks)}
    return {**tasks, **more}


def _of_name(
    name: str,
    group: Sequence[Finished],
    tasks: Mapping[str, Task],
    episode_seconds: float,
    step: Callable[[], None],
) -> Possible:
    budgets = sorted({budget for one in group for budget in one.experiment.budgets})
    last = budgets[-1] + episodes_per_hour(episode_seconds)
    studies = {
        words: frontier_study(
            tasks[words],
            last,
            solver=_quick_solver(tasks[words]),
            time_limit=FRONTIER_SECONDS,
            finished=step,
        )
        for words in sorted(tasks, key=lambda words: words.startswith(MEASURED))
    }
    goals = dict.fromkeys(
        goal
        for words, study in studies.items()
        for found in study.frontiers.values()
        for goal in aims(tasks[words], found.goals)
    )
    priors, _ = _named(group)
    unit = budget_unit(group[0].loaded.task)
    return Possible(name, list(goals), budgets, unit, studies, priors)


def _named(group: Sequence[Finished]) -> tuple[dict[str, str], dict[str, Task]]:
    """Words for every task that is stated, by its text; and the tasks by these words."""
    first = {text: ones[0] for text, ones in grouped(group, _text).items()}
    origins = {text: _origin(one) for text, one in first.items()}
    count = Counter(origins.values())
    priors = {
        text: origin if count[origin] == 1 else f"{origin} of {first[text].experiment.name}"
        for text, origin in origins.items()
    }
    return priors, {priors[text]: _stated(one) for text, one in first.items()}


def _origin(one: Finished) -> str:
    """Where priors are from; those that somebody set for a simulated robot are stated."""
    task = _stated(one)
    if one.experiment.robot != "mujoco" or not task.domain:
        return STATED
    known = _known(task.domain, one.experiment.learners[0])
    measured = known.get(MEASURED, task)  # without the simulator nobody can tell
    return MEASURED if measured == task else STATED


def _known(domain: str, learner: str) -> dict[str, Task]:
    """The task of a domain with all priors that come with it, for a learner."""
    if domain not in DOMAINS:
        return {}
    found = {STATED: DOMAINS[domain].task()}
    if "mujoco" in DOMAINS[domain].scenes:
        with suppress(ArgumentError):  # without the simulator its priors are not there either
            found[MEASURED] = in_scene(found[STATED], "mujoco", learner=learner)
    return found


def _text(one: Finished) -> str:
    return task_to_toml(_stated(one))


def _stated(one: Finished) -> Task:
    """The task of an experiment, without what is secretly true."""
    return without_truth(one.loaded.stated)


def _quick_solver(task: Task) -> str:
    """Plans, or local search where rules are more than plans: there proofs take minutes."""
    return "local" if isinstance(form_of(ground(task)), General) else "auto"
