"""How somebody sets the scene of a trial, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from deliberate_practice.practice.robot import Trial
from deliberate_practice.practice.showing.reasons import listed
from deliberate_practice.practice.showing.trial_data import needed
from deliberate_practice.task.model import Task


@dataclass(frozen=True)
class Setting:
    """The scene of a trial before anything moves.

    Attributes:
        holds: The values that each variable may have.
        text: The same in words, and the next step of the robot.
    """

    holds: Mapping[str, list[str]]
    text: str

    def as_data(self) -> dict[str, Any]:
        """The setting as plain data."""
        return asdict(self)


def setting(task: Task, trial: Trial) -> Setting:
    """The scene that a trial begins in.

    If the robot executes the approach, the scene is a start of the task. Otherwise the precondition
    of the attempted skill holds, and somebody sees to that.
    """
    approach = trial.approach
    if not (approach.executed or approach.start):
        holds = needed(task, trial.skill)
        return Setting(holds, f"Set the scene: {_words(holds)}. {trial.skill} begins there.")
    stated = {**task.start_states[0].state, **approach.start}
    start = {name: [str(value)] for name, value in stated.items()}
    way = f"executes {listed(approach.skills)}, then " if approach.route else ""
    return Setting(start, f"Set the scene: {_words(start)}. The robot {way}attempts {trial.skill}.")


def _words(holds: Mapping[str, list[str]]) -> str:
    """Conditions in words.

    >>> _words({"bread": ["toaster"], "door": ["open", "ajar"]})
    'bread: toaster; door: open or ajar'
    """
    parts = [f"{name}: {' or '.join(values)}" for name, values in holds.items()]
    return "; ".join(parts) or "anything goes"
