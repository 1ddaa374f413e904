"""Tests that draw are skipped where nothing can be drawn."""

from __future__ import annotations

import pytest

from deliberate_practice.robots.mujoco import rendering


def _works() -> bool:
    try:
        rendering.backend()
    except rendering.RenderingUnavailable:
        return False
    return True


needs_gl = pytest.mark.skipif(not _works(), reason="no OpenGL library works on this machine")
