"""A missing browser is named, and is a fault where it must be there."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import NEEDED, browser


def test_a_missing_browser_skips_or_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(NEEDED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt-get install chromium"):
        browser()
    monkeypatch.setenv(NEEDED, "1")
    with pytest.raises(pytest.fail.Exception, match="apt-get install chromium"):
        browser()
    program = tmp_path / "chromium"
    program.touch(mode=0o755)
    assert browser() == str(program)
