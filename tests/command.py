"""Run the command line in this process and keep what it printed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from deliberate_practice.cli.app import main


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
