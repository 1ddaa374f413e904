"""Run the command line in this process and keep what it printed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from deliberate_practice.cli.app import main

DOOR = """
name = "door"
variables = { door = ["shut", "open"] }
goals = [{ name = "opened", reward = 1, when = { door = "open" } }]
[[skills]]
name = "Open"
precondition = { door = "shut" }
effect = { door = "open" }
competence = 0.2
curve = { kind = "exponential", rate = 0.05, ceiling = 0.9 }
parameters = [{ name = "pull", mean = 0.2, sd = 0.1, low = 0.0, high = 0.5 }]
"""
"""A task of one skill with a parameter."""


@dataclass(frozen=True)
class Printed:
    """What a command printed, and its exit status."""

    out: str
    err: str
    status: int

    @property
    def data(self) -> Any:
        """Its JSON."""
        assert self.status == 0, self.err
        return json.loads(self.out)


Run = Callable[..., Printed]


def runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A function that runs a command: its arguments, or one line of them."""

    def call(*arguments: str) -> Printed:
        words = arguments[0].split() if len(arguments) == 1 else arguments
        monkeypatch.setattr(sys, "argv", ["deliberate", *words])
        monkeypatch.setenv("COLUMNS", "80")
        status = 0
        try:
            main()
        except SystemExit as stop:
            status = int(stop.code or 0)
        printed = capsys.readouterr()
        return Printed(printed.out, printed.err, status)

    return call
