"""Sessions of studies: their curves."""

from __future__ import annotations

from deliberate_practice.domains.library import load_task
from deliberate_practice.study.cell import Cell
from deliberate_practice.study.run_cell import Evaluation, run_cell


def test_a_synthetic_session_says_how_its_reward_grew() -> None:
    task, cell = load_task("breakfast"), Cell("deliberate", "bayes", 60, 1)
    often = run_cell(task, "curves", "free", cell, Evaluation(every=10))
    assert [spent for spent, _ in often.curve] == [0, 10, 20, 30, 40, 50, 60]
    assert often.curve[0][1] < often.curve[-1][1] == often.reward
    shorter = run_cell(task, "curves", "free", Cell("deliberate", "bayes", 30, 1))
    assert [spent for spent, _ in shorter.curve] == [0, 25, 30]
    assert run_cell(task, "curves", "free", cell).reward == often.reward  # looking changes nothing
