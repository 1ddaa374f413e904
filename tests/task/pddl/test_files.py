"""PDDL files that are something else: refused early, with nothing of them in the message."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.foundation.text_file import LARGEST_FILE
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import read_task

DOMAIN = """
(define (domain lamp) (:predicates (on))
  (:action switch :parameters () :precondition (not (on)) :effect (on)))
"""
PROBLEM = "(define (problem light) (:domain lamp) (:init) (:goal (on)))"
TOML = """
name = "lamp"
pddl = { domain = "domain.pddl", problem = "problem.pddl" }
[[skills]]
schema = "switch"
competence = 0.5
"""
SECRET = "root:x:0:0:hunter2:/root:/bin/bash"


@pytest.mark.parametrize("which", ["domain", "problem"])
@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        f"\n\n  {SECRET}\n",
        f"; a comment\n{SECRET}",
        f"({SECRET})",
        f"() {SECRET}",
        f"(define {SECRET})",
        f"(({SECRET}",
        "\0" + SECRET,
    ],
)
def test_nothing_of_a_file_that_is_not_pddl_is_quoted(
    tmp_path: Path, which: str, text: str
) -> None:
    with pytest.raises(TaskError) as caught:
        _read(tmp_path, **{which: text})
    message = str(caught.value)
    assert f"this is not a PDDL {which}; begin with (define ({which} NAME) ...)." in message
    assert re.search(rf"{which}.pddl:\d+:\d+", message)
    assert not any(word in message for word in ("hunter2", "bash", "x:0"))


@pytest.mark.skipif(os.name != "posix", reason="devices and pipes")
@pytest.mark.parametrize("kind", ["device", "pipe", "large"])
def test_a_file_that_never_ends_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    _read(tmp_path)
    path = tmp_path / "domain.pddl"
    path.unlink()
    if kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        with path.open("wb") as file:
            file.truncate(LARGEST_FILE + 1)
    with pytest.raises(TaskError, match=r"a device, a pipe or a socket|larger than 4 MB"):
        read_task(tmp_path / "t.toml")


def _read(folder: Path, domain: str = DOMAIN, problem: str = PROBLEM) -> Task:
    (folder / "domain.pddl").write_text(domain)
    (folder / "problem.pddl").write_text(problem)
    (folder / "t.toml").write_text(TOML)
    return read_task(folder / "t.toml")
