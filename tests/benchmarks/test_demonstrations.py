"""The benchmark of practice by demonstrations: its worlds, and its page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from demonstration_worlds import FROZEN, TUNING, demonstration_world
from demonstrations import Score, main, table
from kept import kept

from deliberate_practice.task.toml_writer import task_to_toml


def test_worlds_are_reproducible_and_as_described() -> None:
    for seed in (TUNING[0], TUNING[2], TUNING[21]):
        world = demonstration_world(seed)
        again = demonstration_world(seed)
        assert task_to_toml(again.task) == task_to_toml(world.task)
        assert (again.budget, again.clairvoyant) == (world.budget, world.clairvoyant)
        practised = [p for p in world.task.policies.values() if p.practisable]
        trained = [p for p in practised if p.rounds]
        assert trained
        assert world.mixed or trained == practised
        assert {policy.training_noise for policy in trained} == {world.noise}
        assert 2 <= len(world.task.goals) <= 4
    assert set(FROZEN).isdisjoint(TUNING)


def test_the_benchmark_writes_its_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    options = "--tuning --tasks 2 --seeds 1 --methods random --workers 1 --write"
    result = CliRunner().invoke(main, [*options.split(), str(page)])
    assert result.exit_code == 0, result.output
    written = page.read_text()
    assert "2 random tasks with one seed" in written
    assert "| `random` | " in written


def test_evaluations_and_fading_have_tables_of_their_own(tmp_path: Path) -> None:
    out, page = tmp_path / "all.jsonl", tmp_path / "page.md"
    methods = "--methods deliberate,deliberate:evaluations=none --workers 1"
    usual = f"--tuning --tasks 2 --seeds 1 {methods}".split()
    result = CliRunner().invoke(main, [*usual, "--out", str(out), "--write", str(page)])
    assert result.exit_code == 0, result.output
    found = kept(Score, out)
    assert len(found) == 2 * 5  # two methods, and three other factors
    ours, without = (
        [one.score for one in found if (one.method, one.belief) == (name, "bayes")]
        for name in ("deliberate", "deliberate:evaluations=none")
    )
    written = page.read_text()
    assert f"| all | 2 | {np.mean(ours) - np.mean(without):+.3f} " in written
    fast = [one.score for one in found if one.belief == "bayes:fading=0.6"]
    assert f"| 0.6 | {np.mean(fast):.3f} |" in written
    assert "| `deliberate` | " in written


def test_scores_are_averaged_by_world() -> None:
    found = [
        Score(1, True, "good", "ours", "bayes", 0, 1.0, 0.1),
        Score(1, True, "good", "ours", "bayes", 1, 0.5, 0.3),
        Score(2, False, "noisy", "ours", "bayes", 0, 0.25, 0.2),
    ]
    row = table(found).splitlines()[-1]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:2] == ["`ours`", "0.500"]
    assert cells[3:] == ["0.25", "0.750", "0.250", "20.0%"]


@pytest.mark.parametrize("seed", [TUNING[0]])
def test_the_clairvoyant_splits_in_whole_rounds(seed: int) -> None:
    world = demonstration_world(seed)
    assert world.clairvoyant >= 0.02
    assert world.budget >= min(p.price for p in world.task.policies.values() if p.practisable)
