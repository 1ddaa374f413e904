"""The benchmark of practice by demonstrations: its worlds, and its page."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from demonstration_worlds import FROZEN, TUNING, demonstration_world
from demonstrations import Score, main, table

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


def test_scores_are_averaged_by_world() -> None:
    found = [
        Score(1, True, "ours", 1.0, 0.1),
        Score(1, True, "ours", 0.5, 0.3),
        Score(2, False, "ours", 0.25, 0.2),
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
