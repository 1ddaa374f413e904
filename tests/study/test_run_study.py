"""Running studies: nothing twice, the same on any number of workers, and after being killed."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from engines import overhead

from deliberate_practice.foundation.errors import ArgumentError, TaskError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.engines import make_engine
from deliberate_practice.study.experiment import Experiment, Study
from deliberate_practice.study.results import Results
from deliberate_practice.study.run_study import Status, prepare, run_study
from deliberate_practice.task.curves import PiecewiseLinear

BOTH = ["ees", "random"]
HALF = {"rate": 0.5}
STUDY = Study(
    "two",
    [
        Experiment("first", "breakfast", [12, 20], strategies=BOTH, seeds=2, against="random"),
        Experiment("shared", "breakfast", [20, 24], strategies=["random"], seeds=2),
        Experiment("other", "counterexample", [8], strategies=BOTH, seeds=2, approach="free"),
    ],
)


def test_what_experiments_share_is_run_once_and_what_is_finished_never_again(
    tmp_path: Path,
) -> None:
    seen: list[Status] = []
    whole = run_study(STUDY, tmp_path, engine=make_engine(workers=1), progress=seen.append)
    assert [(status.done, status.count) for status in seen] == [(i, 14) for i in range(1, 15)]
    assert seen[-1].work == pytest.approx(seen[-1].total)
    assert [len(one.sessions) for one in whole] == [8, 4, 4]
    seen.clear()
    again = run_study(STUDY, tmp_path, engine=make_engine(workers=1), progress=seen.append)
    assert again == whole
    assert seen == []
    with closing(Results(tmp_path / "results.sqlite")) as results:
        assert prepare(STUDY, results).done == 14
        fewer = Study("two", [Experiment("first", "breakfast", [20], strategies=["random"])])
        assert prepare(fewer, results).done == 2  # of 5; others in the file do not count


def test_any_number_of_workers_gives_the_same() -> None:
    one = run_study(STUDY, engine=make_engine(workers=1))
    assert one == run_study(STUDY, engine=make_engine(workers=2))


def test_longest_sessions_come_first_and_order_changes_nothing() -> None:
    prepared = prepare(STUDY)
    budgets = [job.cell.budget for job in prepared.jobs]
    assert budgets == sorted(budgets, reverse=True)
    backwards = Study("two", STUDY.experiments[::-1])
    here = run_study(STUDY, engine=make_engine(workers=1))
    there = run_study(backwards, engine=make_engine(workers=1))
    assert [one.sessions for one in here] == [one.sessions for one in there[::-1]]


def test_results_say_how_the_budget_was_spent_and_for_which_plan() -> None:
    for one in run_study(STUDY, engine=make_engine(workers=1)):
        for session in one.sessions:
            assert sum(session.episodes.values()) <= session.cell.budget
            for policy, episodes in session.episodes.items():
                assert session.attempts[policy] <= episodes
            assert bool(session.plan) == (session.goal is not None)


def test_improvement_is_over_the_named_strategy() -> None:
    first, shared, _ = run_study(STUDY, engine=make_engine(workers=1))
    by_row = {(row.strategy, row.budget): row for row in first.rows}
    for (strategy, budget), row in by_row.items():
        if strategy == "random":
            assert row.improvement is None
            continue
        mine = {s.cell.seed: s.reward for s in first.sessions if _is(s.cell, strategy, budget)}
        theirs = {s.cell.seed: s.reward for s in first.sessions if _is(s.cell, "random", budget)}
        wins = [(mine[k] > theirs[k]) + (mine[k] == theirs[k]) / 2 for k in mine]
        assert row.improvement is not None
        assert row.improvement.value == pytest.approx(sum(wins) / len(wins))
    assert all(row.improvement is None for row in shared.rows)


def test_faults_name_their_experiment(tmp_path: Path) -> None:
    good = Experiment("good", "breakfast", [3])
    with pytest.raises(ArgumentError, match="experiment 'bad': task 'breakfast': parameter 'size'"):
        prepare(Study("s", [good, Experiment("bad", "breakfast", [3], parameters={"size": 3})]))
    (tmp_path / "task.toml").write_text('name = "nothing"\n')
    with pytest.raises(TaskError, match=r"task\.toml: the key 'variables' is missing"):
        prepare(Study("s", [good, Experiment("bad", tmp_path / "task.toml", [3])]))


def test_a_truth_is_applied_once_however_often_it_is_read(tmp_path: Path) -> None:
    asked = Experiment("e", "counterexample", [5], strategies=["random"], seeds=1, truth=HALF)
    (first,) = run_study(Study("s", [asked]), tmp_path, engine=make_engine(workers=1))
    true = first.loaded.task.policies["pi1"].truth
    assert isinstance(true, PiecewiseLinear)
    assert true.rate == pytest.approx(0.05)
    seen: list[Status] = []
    for _ in range(2):
        with closing(Results(tmp_path / "results.sqlite")) as results:
            (kept,) = results.experiments()
        assert kept == first.loaded
        study = Study("s", [kept.experiment])
        (again,) = run_study(study, tmp_path, engine=make_engine(workers=1), progress=seen.append)
        assert again == first
        assert again.loaded.task == first.loaded.task
    assert seen == []


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(ArgumentError, match=r"out: .*out cannot be made a folder"):
        run_study(STUDY, tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_a_task_may_be_given_as_it_is() -> None:
    task = load_task("breakfast")
    named, given = (
        run_study(Study("s", [Experiment("e", asked, [5], strategies=BOTH, seeds=1)]))[0]
        for asked in ("breakfast", task)
    )
    assert named.sessions == given.sessions
    assert named.rows == given.rows
    assert named.loaded.keys == given.loaded.keys  # results of one are found by the other


def test_an_engine_costs_little() -> None:
    """CPU time, as the machine may be busy; ``benchmarks/engines.py`` measures wall time too."""
    assert overhead("local", make_engine(workers=1), 300) < 0.005
    assert overhead("local", make_engine(workers=2), 300) < 0.005


def _is(cell: object, strategy: str, budget: int) -> bool:
    return (getattr(cell, "strategy", None), getattr(cell, "budget", None)) == (strategy, budget)
