"""The benchmark of allocation measures the families that it names."""

from __future__ import annotations

import json
from pathlib import Path

import allocation
import pytest
from click.testing import CliRunner
from general_tasks import FAMILIES


def test_a_family_is_measured_and_written(tmp_path: Path) -> None:
    file = tmp_path / "measured.json"
    options = ["--families", "sharing", "--scip-seconds", "0", "--json", str(file)]
    result = CliRunner().invoke(allocation.main, options, catch_exceptions=False)
    assert result.exit_code == 0
    assert "3 of 3" in result.output
    data = json.loads(file.read_text())
    rows = data["general"]["sharing"]
    assert [row["solver"] for row in rows] == ["plans"] * 3
    assert all(row["bound"] <= row["value"] * (1 + 1e-6) for row in rows)
    assert data["compared"] == data["growth"] == []


def test_a_family_that_does_not_exist_is_refused() -> None:
    result = CliRunner().invoke(allocation.main, ["--families", "shared"])
    assert result.exit_code == 2
    assert "'shared' is none of paper, start" in result.output


@pytest.mark.parametrize("name", ["start", "tasks", "sharing"])
def test_the_reduced_set_of_a_family_is_part_of_the_full_one(name: str) -> None:
    def budgets(full: bool) -> list[tuple[str, int]]:
        return [(case.name, case.budget) for case in FAMILIES[name].cases(1, full)]

    reduced, full = budgets(full=False), budgets(full=True)
    assert set(reduced) < set(full)
