"""A session records its cabinet, and goes on with no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deliberate_practice.domains.cleanup import simulated
from deliberate_practice.domains.cleanup.cabinet import OURS
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.run import run
from deliberate_practice.practice.sessions import open_session


def test_a_session_goes_on_with_its_own_cabinet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = tmp_path / "j.db"
    cabinets = [OURS, replace(OURS, name="LIBERO's")]
    for own, other in (cabinets, cabinets[::-1]):
        monkeypatch.setattr(simulated, "chosen_cabinet", lambda own=own: own)
        run("cleanup", "mujoco", 0, journal=db, name=own.name, executions=1)
        with open_session(db, own.name) as session:
            assert session.settings.scene == f"cabinet: {own.name}"
        again = run("cleanup", None, journal=db, name=own.name, resume=True, executions=1)
        assert again.name == own.name
        monkeypatch.setattr(simulated, "chosen_cabinet", lambda other=other: other)
        with pytest.raises(ArgumentError) as refused:
            run("cleanup", None, journal=db, name=own.name, resume=True, executions=1)
        assert str(refused.value) == (
            f"resume: session '{own.name}' was started with cabinet: {own.name}, and now there is "
            f"cabinet: {other.name}; make it as it was, or choose another name (--name). Set "
            "LIBERO_ASSETS to the folder libero/libero/assets of LIBERO, or unset it for our "
            "cabinet."
        )
