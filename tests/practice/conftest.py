"""A small task with costs, shared policies, parameters and an approach, and how to start on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from damaged_journal import copied, write_journal

from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import parse_task

TASK = """
name = "shelf"
discount = 0.95
[variables]
cup = ["table", "hand", "shelf", "box"]
lid = ["shut", "open"]

[[goals]]
name = "shelved"
reward = 1
when = { cup = "shelf" }

[[goals]]
name = "boxed"
reward = 2
when = { cup = "box" }

[[skills]]
name = "Pick"
precondition = { cup = "table" }
effect = { cup = "hand" }
failure = "stay"
competence = 0.5
curve = { kind = "piecewise-linear", rate = 0.02 }
[[skills.parameters]]
name = "height"
unit = "m"
mean = 0.1
sd = 0.05
low = 0.0
high = 0.3

[[skills]]
name = "Lift"
precondition = { lid = "shut", cup = "hand" }
effect = { lid = "open" }
policy = "Reach"
competence = 0.3
cost = 2
curve = { kind = "exponential", rate = 0.05, ceiling = 0.9 }

[[skills]]
name = "Shelve"
precondition = { cup = "hand" }
effect = { cup = "shelf" }
policy = "Reach"

[[skills]]
name = "Box"
precondition = { cup = "hand", lid = "open" }
effect = { cup = "box" }
competence = 0.2
cost = 3
curve = { kind = "piecewise-linear", rate = 0.03 }
truth = { kind = "table", values = [0.1, 0.1, 0.1, 0.9] }
[[skills.parameters]]
name = "depth"
mean = 0.2
sd = 0.1
low = 0.0
high = 0.5
[[skills.parameters]]
name = "angle"
mean = 0.0
sd = 0.3
low = -1.0
high = 1.0
"""

Start = Callable[..., Session]


@pytest.fixture
def shelf() -> Task:
    return parse_task(TASK)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def start(shelf: Task, db: Path) -> Start:
    """Start a session on the small task; everything may be given otherwise."""

    def call(budget: int = 30, name: str = "s", **options: object) -> Session:
        return start_session(db, name, shelf, budget, **{"strategy": "random", **options})  # type: ignore[arg-type]  # tests choose freely

    return call


@pytest.fixture
def closed(shelf: Task, db: Path) -> Path:
    """A journal that was closed: everything is in one file."""
    write_journal(shelf, db).close()
    return db


@pytest.fixture
def killed(shelf: Task, db: Path, tmp_path: Path) -> Path:
    """A journal whose process was killed: its last commits are in the log."""
    session = write_journal(shelf, db)
    copy = copied(db, tmp_path / "killed")
    session.close()
    assert copy.with_name(copy.name + "-wal").stat().st_size > 0
    return copy
