"""One session: measured as it was asked for, in physics and where the truth is known."""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from pathlib import Path

import pytest

from deliberate_practice.practice.domain import embodied, load_task
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


def test_a_synthetic_session_says_how_its_reward_grew() -> None:
    task, cell = load_task("breakfast"), Cell("deliberate", "bayes", 60, 1)
    often = run_cell(task, "curves", "free", cell, Evaluation(every=10))
    assert [spent for spent, _ in often.curve] == [0, 10, 20, 30, 40, 50, 60]
    assert often.curve[0][1] < often.curve[-1][1] == often.reward
    shorter = run_cell(task, "curves", "free", Cell("deliberate", "bayes", 30, 1))
    assert [spent for spent, _ in shorter.curve] == [0, 25, 30]
    assert run_cell(task, "curves", "free", cell).reward == often.reward  # looking changes nothing


def test_costs_do_not_step_over_points() -> None:
    task = load_task("breakfast")
    task = replace(task, skills=[replace(skill, cost=7) for skill in task.skills])
    found = run_cell(task, "curves", "free", Cell("random", "bayes", 60, 1), Evaluation(every=10))
    assert [spent for spent, _ in found.curve] == [0, 14, 21, 35, 42, 56]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="asks Linux for open files")
def test_a_session_leaves_no_open_file() -> None:
    gc.disable()  # which would close it some day
    try:
        run_cell(load_task("counterexample"), "curves", "free", Cell("random", "bayes", 6, 0))
        assert not [name for name in _open_files() if "cell.db" in name]
    finally:
        gc.enable()


def _open_files() -> list[str]:
    names = []
    for file in Path("/proc/self/fd").iterdir():
        if file.is_symlink():  # the one for this listing is gone
            names.append(os.readlink(file))
    return names
