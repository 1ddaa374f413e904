"""The live bar of a terminal counts items, and has no time left where nothing is counted."""

from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console

from deliberate_practice.cli.bar import Bar
from deliberate_practice.cli.heartbeat import Heartbeat
from deliberate_practice.cli.progress import watched


def test_a_bar_shows_counts_and_stages() -> None:
    screen = Console(file=io.StringIO(), force_terminal=True, width=100)
    with Bar(screen, "reading the results") as bar:
        assert "reading the results" in (first := _shown(screen))
        assert "left" not in first
        bar.stage("reporting", "figures", 4)
        assert "0 of 4 figures" in _shown(screen)
        bar.update(2, 4)
    assert "2 of 4 figures" in (last := _shown(screen))
    assert "left" in last


def test_elsewhere_there_are_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setenv("FORCE_COLOR", "1")  # colours make no terminal of a pipe
    assert isinstance(watched("comparing", "sessions", 4), Heartbeat)


def _shown(screen: Console) -> str:
    """What was drawn since the last look."""
    stream = screen.file
    assert isinstance(stream, io.StringIO)
    text = stream.getvalue()
    stream.seek(0)
    stream.truncate()
    return text
