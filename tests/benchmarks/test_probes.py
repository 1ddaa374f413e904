"""The benchmark of probes: its worlds, and its page."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result
from probes import CELLS, LOST, TUNING, main, with_gaps
from random_worlds import random_world


def probes(out: Path, page: Path) -> Result:
    words = ["--tuning", "--worlds", "2", "--workers", "1", "--out", str(out), "--write", str(page)]
    return CliRunner().invoke(main, words)


def test_every_second_pair_has_a_gap() -> None:
    shares = []
    for seed in range(TUNING, TUNING + 12):
        task = random_world(seed, *CELLS[seed % len(CELLS)]).task
        gapped = with_gaps(task, seed)
        assert gapped == with_gaps(task, seed)
        assert all(LOST[0] <= gap.lost <= LOST[1] for gap in gapped.gaps)
        shares.append(len(gapped.gaps) / (len(task.policies) * (len(task.policies) - 1)))
    assert 0.4 < sum(shares) / len(shares) < 0.6


def test_a_stopped_run_goes_on_and_writes_its_page(tmp_path: Path) -> None:
    out, page = tmp_path / "all.jsonl", tmp_path / "page.md"
    done = probes(out, page)
    assert done.exit_code == 0, done.output
    whole, text = out.read_text(), page.read_text()
    assert whole.count("\n") == 16
    assert "2 random worlds" in text
    assert "| no gaps, executed approaches |" in text
    out.write_text("".join(whole.splitlines(keepends=True)[:9]) + '{"key"')
    page.unlink()
    assert probes(out, page).exit_code == 0
    assert (out.read_text(), page.read_text()) == (whole, text)
