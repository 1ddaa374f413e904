"""Tests that need a browser are skipped where there is none, unless it must be there."""

from __future__ import annotations

import os
import shutil

import pytest

NEEDED = "DELIBERATE_NEEDS_BROWSER"
"""Set to 1 where a missing browser is a fault, as on the machine that checks every change."""


def browser() -> str:
    """The program of a browser; skips the test, or fails it, if there is none."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program:
        return program
    message = "there is no browser; on Debian or Ubuntu as root: apt-get install chromium"
    if os.environ.get(NEEDED) == "1":
        pytest.fail(f"{message} ({NEEDED}=1 forbids to skip this)")
    pytest.skip(message)
