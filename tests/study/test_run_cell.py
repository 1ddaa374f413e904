"""One session in physics: measured as it was asked for."""

from __future__ import annotations

import pytest

from deliberate_practice.domains.library import load_task
from deliberate_practice.domains.robots import embodied
from deliberate_practice.study.cell import Cell
from deliberate_practice.study.run_cell import Evaluation, run_cell


@pytest.mark.slow
def test_physics_is_measured_as_often_as_asked() -> None:
    pytest.importorskip("mujoco")
    task = embodied("mujoco", load_task("cleanup"))
    cell, evaluation = Cell("random", "bayes", 12, 3), Evaluation(8, 4, 5)
    found = run_cell(task, "mujoco", "free", cell, evaluation)
    assert [spent for spent, _ in found.curve] == [0, 5, 10, 12]
    goals = {goal.name: goal.reward for goal in task.goals}
    assert found.goal is not None
    assert (found.reward / goals[found.goal] * 8) % 1 == 0
    assert found.plan
    assert sum(found.episodes.values()) == 12
    assert found.episodes == {name: n for name, n in found.attempts.items() if n}  # all reached
    assert found == run_cell(task, "mujoco", "free", cell, evaluation)
