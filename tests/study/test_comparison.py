"""Comparisons: independent of workers and order, and right in their statistics."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.study import summary
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.comparison import compare, comparison
from deliberate_practice.study.engines import Engine, make_engine
from deliberate_practice.study.loaded import load
from deliberate_practice.study.results import Results
from deliberate_practice.study.run_study import Finished, Status
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill

LEARNS = PiecewiseLinear(rate=0.05)
BOTH = ["deliberate", "random"]


def _one() -> Engine:
    return make_engine(workers=1)


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    task = load_task("breakfast")
    one = compare(task, [12, 30], strategies=BOTH, seeds=2, engine=_one())
    two = compare(task, [12, 30], strategies=BOTH, seeds=2, engine=make_engine(workers=2))
    assert one == two
    assert one.rows == two.rows


def test_finished_sessions_are_not_run_again(tmp_path: Path) -> None:
    task = load_task("breakfast")
    whole = compare(task, [12, 30], strategies=BOTH, seeds=2, engine=_one())
    done: list[tuple[int, int]] = []

    def note(status: Status) -> None:
        done.append((status.done, status.count))

    def some(budgets: list[int]) -> Finished:
        return compare(
            task, budgets, strategies=BOTH, seeds=2, out=tmp_path, engine=_one(), progress=note
        )

    some([12])
    assert some([12, 30]) == whole
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4), (5, 8), (6, 8), (7, 8), (8, 8)]
    done.clear()
    assert some([12, 30]) == whole
    assert done == []
    other = comparison("breakfast", [12], strategies=BOTH, parameters={"rate": 0.02})
    with closing(Results(tmp_path / "results.sqlite")) as results:
        assert len(results.known(whole.loaded)) == 8
        assert not results.known(load("other", other.experiments[0]))


def test_a_file_that_holds_no_results_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results.sqlite").write_text("a letter to my aunt" * 100)
    with pytest.raises(ArgumentError, match="not a file of results"):
        Results(tmp_path / "results.sqlite")


def test_rows_summarise_their_sessions() -> None:
    done = []
    finished = compare(
        load_task("counterexample"),
        [20],
        strategies=["ees", "deliberate"],
        beliefs=["running-average"],
        seeds=3,
        approach="free",
        engine=_one(),
        progress=lambda status: done.append((status.done, status.count)),
    )
    results = finished.sessions
    assert [(row.strategy, row.budget, row.seeds) for row in finished.rows] == [
        ("ees", 20, 3),
        ("deliberate", 20, 3),
    ]
    for row in finished.rows:
        rewards = [r.reward for r in results if r.cell.strategy == row.strategy]
        assert row.mean == pytest.approx(np.mean(rewards))
        assert row.ci95
        assert row.ci95[0] <= row.mean <= row.ci95[1]
        assert row.drawn is None  # of three seeds it is too wide
        assert row.std == pytest.approx(np.std(rewards, ddof=1))
        assert row.clairvoyant == pytest.approx(4.0)
        assert sum(row.goals.values()) == 3
    assert done[-1] == (6, 6)
    assert len({(r.cell.strategy, r.cell.seed) for r in results}) == 6


def test_a_task_may_be_named() -> None:
    named, given = (
        compare(task, [5], strategies=["random"], seeds=1, engine=_one())
        for task in ("counterexample", load_task("counterexample"))
    )
    assert named.sessions == given.sessions
    assert named.rows == given.rows


def test_only_what_is_proven_best_is_what_a_clairvoyant_gets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Local search finds good splits of a general task, but proves none of them."""
    skill = Skill("Go", {"at": "a"}, {"at": "b"}, 0.2, failure={"at": "c"}, curve=LEARNS)
    retry = Skill("Again", {"at": "c"}, {"at": "b"}, 0.2, curve=LEARNS)
    task = Task("general", {"at": ["a", "b", "c"]}, [Goal("b", 1.0, {"at": "b"})], [skill, retry])
    sessions = [CellResult(Cell("random", "bayes", "cma-es", 8, 0), 0.3, 0.3, "b", {})]
    monkeypatch.setattr(summary, "allocate", partial(allocate, solver="local"))
    (row,) = summary.summarise(task, "curves", sessions)
    assert (row.clairvoyant, row.fraction) == (None, None)
    monkeypatch.undo()
    pytest.importorskip("pyscipopt")
    (row,) = summary.summarise(task, "curves", sessions)
    assert row.fraction == pytest.approx(0.3 / allocate(task, 8).value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budgets": []}, "budgets: give at least one"),
        ({"strategies": ["magic"]}, "'magic' is not one of"),
        ({"beliefs": ["faith"]}, "'faith' is not one of"),
        ({"learners": ["rote"]}, "learner: 'rote' is not one of: cma-es, cma-es-paper"),
        ({"seeds": 0}, "seeds: 0"),
        ({"robot": "hal"}, "'hal' is not one of"),
    ],
)
def test_refuses_what_makes_no_sense(arguments: dict[str, object], message: str) -> None:
    sensible: dict[str, Any] = {"budgets": [3], "strategies": ["random"]}
    with pytest.raises(ArgumentError, match=message):
        compare(load_task("counterexample"), **{**sensible, **arguments})
