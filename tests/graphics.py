"""Tests that draw are skipped where nothing can be drawn."""

from __future__ import annotations

import pytest

from deliberate_practice.robots.mujoco import canvas


def _works() -> bool:
    try:
        canvas.backend()
    except canvas.RenderingUnavailable:
        return False
    return True


needs_gl = pytest.mark.skipif(not _works(), reason="no OpenGL library works on this machine")
