from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from forecasts import Session, main


def forecasts(out: Path, *more: str) -> Result:
    usual = "--tuning --worlds 2 --labs 1 --workers 1 --out"
    return CliRunner().invoke(main, [*usual.split(), str(out), *more])


@pytest.mark.parametrize(("earned", "side"), [(0.1, -1), (0.2, 0), (0.5, 0), (0.8, 0), (0.9, 1)])
def test_a_reward_is_below_within_or_above_the_band(earned: float, side: int) -> None:
    session = Session("lab 0 free", "tidy", [0.0, 0.2], [1.0, 0.8], earned)
    assert session.side(1) == side
    assert (session.kind, session.approach) == ("lab", "free")


def test_a_stopped_run_goes_on_and_writes_its_part_of_the_page(tmp_path: Path) -> None:
    out, page = tmp_path / "all.jsonl", tmp_path / "page.md"
    assert forecasts(out).exit_code == 0
    whole = out.read_text()
    assert whole.count("\n") == 3
    out.write_text("".join(whole.splitlines(keepends=True)[:2]) + '{"key"')
    page.write_text("# Strategies\n\ntheir table\n")
    stopped = forecasts(out, "--write", str(page))
    assert stopped.exit_code == 0, stopped.output
    assert out.read_text() == whole
    text = page.read_text()
    assert text.startswith("# Strategies\n\ntheir table\n\n## How often forecasts come true\n")
    assert "| random worlds |" in text
    again = forecasts(out, "--write", str(page))
    assert again.exit_code == 0
    assert page.read_text() == text
