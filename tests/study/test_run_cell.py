"""One session: measured as it was asked for, in physics and where the truth is known."""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deliberate_practice.practice.domain import load_task, practised_task
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.experiment import Experiment
from deliberate_practice.study.run_cell import run_cell
from deliberate_practice.task.model import Task


@pytest.mark.slow
def test_physics_is_measured_as_often_as_asked() -> None:
    pytest.importorskip("mujoco")
    task = practised_task("cleanup", "mujoco")
    often = {"robot": "mujoco", "executions": 8, "point_executions": 4, "every": 5}
    found = _run(task, "random", 12, seed=3, **often)
    assert [spent for spent, _ in found.curve] == [0, 5, 10, 12]
    goals = {goal.name: goal.reward for goal in task.goals}
    assert found.goal is not None
    assert found.executions == 8
    assert (found.undiscounted / goals[found.goal] * 8) % 1 == 0
    discounted = found.undiscounted * task.discount ** len(found.plan)
    assert found.reward == pytest.approx(discounted)
    assert found.plan
    assert sum(found.episodes.values()) == 12
    assert found.episodes == {name: n for name, n in found.attempts.items() if n}  # all reached
    assert found == _run(task, "random", 12, seed=3, **often)


def test_a_synthetic_session_says_how_its_reward_grew() -> None:
    task = load_task("breakfast")
    often = _run(task, "deliberate", 60, every=10)
    assert [spent for spent, _ in often.curve] == [0, 10, 20, 30, 40, 50, 60]
    assert often.curve[0][1] < often.curve[-1][1] == often.reward
    assert often.executions is None  # the truth is known
    shorter = _run(task, "deliberate", 30)
    assert [spent for spent, _ in shorter.curve] == [0, 25, 30]
    assert _run(task, "deliberate", 60).reward == often.reward  # looking changes nothing


def test_costs_do_not_step_over_points() -> None:
    task = load_task("breakfast")
    task = replace(task, skills=[replace(skill, cost=7) for skill in task.skills])
    found = _run(task, "random", 60, every=10)
    assert [spent for spent, _ in found.curve] == [0, 14, 21, 35, 42, 56]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="asks Linux for open files")
def test_a_session_leaves_no_open_file() -> None:
    gc.disable()  # which would close it some day
    try:
        _run(load_task("counterexample"), "random", 6)
        assert not [name for name in _open_files() if "session.db" in name]
    finally:
        gc.enable()


def _run(task: Task, strategy: str, budget: int, seed: int = 1, **asked: Any) -> CellResult:
    experiment = Experiment("e", task, [budget], approach="free", **asked)
    return run_cell(experiment, task, Cell(strategy, "bayes", "cma-es", budget, seed))


def _open_files() -> list[str]:
    names = []
    for file in Path("/proc/self/fd").iterdir():
        if file.is_symlink():  # the one for this listing is gone
            names.append(os.readlink(file))
    return names
