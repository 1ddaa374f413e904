"""Many robots at once: no error, no trial with two robots, never more than the budget."""

from __future__ import annotations

from pathlib import Path

import pytest
from counts import FULL
from service import check, measure, percentiles

ROBOTS, SECONDS, BUDGET = (50, 60.0, 10_000) if FULL else (10, 5.0, 100)


def test_many_robots_share_a_session(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load = measure(tmp_path, "cleanup-multi", ROBOTS, SECONDS, BUDGET, episode=0.2)
    told = check(tmp_path, load, BUDGET)
    assert told >= 30
    assert sum(1 for ran in load.ran if ran) >= ROBOTS // 2
    with capsys.disabled():
        print(f" ask {percentiles(load.asks)} tell {percentiles(load.tells)}")
