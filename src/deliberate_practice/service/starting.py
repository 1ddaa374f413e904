"""Start a session from the text of a request; nothing in it leads to a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.practice.domain import DOMAINS, is_domain, practised_task, scene_of
from deliberate_practice.practice.robot import ROBOTS
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.practice.showing.session_data import session_row
from deliberate_practice.service.asked import NewSession
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import parse_task


def start(db: Path, new: NewSession) -> dict[str, Any]:
    """Write a new session into the journal; its row in a list.

    Raises:
        JournalError: The name is taken, or the journal cannot be written.
        DeliberatePracticeError: A value makes no sense.
    """
    if not new.name.strip("."):
        raise ArgumentError("name: a name of dots alone cannot stand in an address.")
    if new.robot is not None:
        ROBOTS.resolve(new.robot)  # an unknown one is refused
    stated = _task(new.task)
    task = practised_task(stated, new.robot, learner=new.learner) if new.robot else stated
    described = task if isinstance(task, Task) else practised_task(task, None)
    scene = scene_of(described, new.robot) if new.robot else None
    session = start_session(
        db,
        new.name,
        described,
        new.budget,
        new.strategy,
        new.belief,
        new.seed,
        approach=new.approach,
        learner=new.learner,
        robot=new.robot,
        scene=scene.description() if scene else "",
        trial_seconds=new.trial_seconds,
        gate=new.gate,
    )
    with session:
        return session_row(session)


def _task(text: str) -> str | Task:
    """The name of a domain, or the task of a text."""
    if is_domain(text):
        return text
    if "\n" in text or "=" in text:
        return parse_task(text, alone=True)
    raise ArgumentError(
        "task: " + choose_from(text, DOMAINS) + " Or send the text of a task file (TOML)."
    )
