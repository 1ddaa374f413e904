"""Strategies that raise or hang end their own sessions, and no others."""

from __future__ import annotations

import html
import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from command import Run, runner
from plugged_parts import installed

from deliberate_practice.beliefs.belief import MakeBelief
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.strategies.strategy import STRATEGIES, Strategy
from deliberate_practice.study.comparison import compare
from deliberate_practice.study.experiment import Experiment, Study
from deliberate_practice.study.parallel import LocalEngine
from deliberate_practice.study.report.write import write_report
from deliberate_practice.study.results import open_results
from deliberate_practice.study.run_study import Finished, prepare, run_prepared
from deliberate_practice.task.toml_writer import write_task

CODE = """
from pathlib import Path

from deliberate_practice.strategies.random_practice import random_practice


def raises(situation):
    if situation.budget < 9 and situation.ground.task.discount > 0 and not fixed():
        return 1 / 0  # a mistake
    return random_practice(situation)


def hangs(situation):
    while situation.budget < 9 and not fixed():
        pass
    return random_practice(situation)


def clings(situation):
    while True:
        try:
            hangs(situation)
            return random_practice(situation)
        except BaseException:
            pass


def leaves(situation):
    raise SystemExit("bye")


def fixed():
    return (Path(__file__).parent / "fixed").exists()
"""
posix = pytest.mark.skipif(os.name != "posix", reason="alarms")


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[Path]:
    """A package that offers the strategies above, also to other processes."""
    offered = {"strategies": ["raises", "hangs", "clings", "leaves"]}
    with installed(tmp_path / "plugin", "failing_strategies", CODE, offered) as folder:
        yield folder


def run_it(
    strategy: str, out: Path, workers: int, seconds: float = 3600.0, seeds: int = 2
) -> Finished:
    experiment = Experiment(
        "e",
        "counterexample",
        [6, 12],
        strategies=[strategy, "random"],
        seeds=seeds,
        approach="free",
        session_seconds=seconds,
    )
    results = open_results(out)
    try:
        prepared = prepare(Study("s", [experiment]), results)
        (finished,) = run_prepared(prepared, LocalEngine(workers))
        assert results.failures(finished.loaded) == finished.failures
    finally:
        results.close()
    return finished


@pytest.mark.parametrize("workers", [1, 2])
def test_a_strategy_that_raises_fails_alone_and_is_tried_again(
    plugin: Path, tmp_path: Path, workers: int
) -> None:
    finished = run_it("raises", tmp_path / "out", workers)
    assert [failure.cell.strategy for failure in finished.failures] == ["raises"] * 4
    assert [session.cell.strategy for session in finished.sessions] == ["random"] * 4
    text = finished.failures[0].message
    assert "strategy raises raised ZeroDivisionError: division by zero" in text
    assert f"{plugin / 'failing_strategies.py'}, line 9, in raises: return 1 / 0" in text
    assert [row.strategy for row in finished.rows] == ["random"] * 2
    if workers == 1:
        report = html.unescape(write_report(tmp_path / "out").read_text(encoding="utf-8"))
        assert (
            f"e: 4 sessions failed and are left out of all statistics: {text} (4 times)." in report
        )

    (plugin / "fixed").touch()
    mended = run_it("raises", tmp_path / "out", workers)
    assert mended.failures == ()
    assert len(mended.sessions) == 8
    assert mended.sessions[4:] == finished.sessions  # those that were fine are kept


@pytest.mark.parametrize("workers", [1, 2])
def test_a_strategy_that_exits_fails_alone(plugin: Path, tmp_path: Path, workers: int) -> None:
    finished = run_it("leaves", tmp_path / "out", workers)
    assert "strategy leaves raised SystemExit: bye" in finished.failures[0].message
    assert [session.cell.strategy for session in finished.sessions] == ["random"] * 4


@posix
@pytest.mark.parametrize("workers", [1, 2])
def test_a_strategy_in_an_endless_loop_is_ended(plugin: Path, tmp_path: Path, workers: int) -> None:
    finished = run_it("hangs", tmp_path / "out", workers, seconds=0.5)
    assert {failure.message for failure in finished.failures} == {
        "strategy hangs made no progress for 0.5 s and was ended"
    }
    assert len(finished.failures) == len(finished.sessions) == 4


def test_a_strategy_that_lets_nobody_end_it_is_killed_with_its_process(
    plugin: Path, tmp_path: Path
) -> None:
    finished = run_it("clings", tmp_path / "out", 2, seconds=0.5, seeds=1)
    assert len(finished.failures) == len(finished.sessions) == 2
    assert all("clings made no progress" in failure.message for failure in finished.failures)


def test_a_part_that_breaks_its_promise_fails_too() -> None:
    wrong = cast(Strategy, lambda situation: "PickBread")
    STRATEGIES.register("wrong", wrong)
    try:
        with pytest.warns(UserWarning, match="1 session failed and is left out of all.*returned"):
            finished = compare(
                "counterexample",
                [5],
                strategies=["wrong", "random"],
                seeds=1,
                engine=LocalEngine(1),
            )
    finally:
        STRATEGIES.unregister("wrong")
    assert [row.strategy for row in finished.rows] == ["random"]
    assert len(finished.sessions) == 1


def test_a_belief_that_raises_is_named(tmp_path: Path) -> None:
    class Doubtful:
        def after(self, batch: object) -> Doubtful:
            raise LookupError("no idea")

        def competence(self, policy: str) -> float:
            return 0.5

        def curve(self, policy: str, attempts: int) -> FloatArray:
            return np.full(attempts + 1, 0.5)

    task, make = load_task("counterexample"), cast(MakeBelief, lambda task, evidence: Doubtful())
    with start_session(
        tmp_path / "a.db", "a", task, 20, "random", make, approach="free"
    ) as session:
        trial = session.ask()
        assert trial is not None
        session.tell(trial.id, "success")
        with pytest.raises(PartFailed, match=r"the belief raised LookupError: no idea \(.*line"):
            _ = session.state.competences


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e300, True, "5"])
def test_limits_that_make_no_sense(seconds: float) -> None:
    with pytest.raises(ArgumentError, match="session_seconds: "):
        Experiment("e", "counterexample", [5], session_seconds=seconds)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    return runner(monkeypatch, capsys)


def test_compare_says_what_failed(plugin: Path, run: Run) -> None:
    line = "compare counterexample --budgets 6 --seeds 2 --strategies raises,random --workers 1"
    shown = run(line)
    assert shown.status == 1
    said = " ".join(shown.out.split())
    assert (
        "failed 2 sessions failed and are left out of all statistics: strategy raises raised"
        in said
    )
    data = json.loads(run(f"{line} --format json").out)
    assert [row["strategy"] for row in data["rows"]] == ["random"]
    assert [(f["strategy"], f["seed"]) for f in data["failures"]] == [("raises", 0), ("raises", 1)]
    assert "ZeroDivisionError" in data["failures"][0]["message"]
    only = run("compare counterexample --budgets 6 --seeds 1 --strategies raises --out out")
    assert only.status == 1
    assert "1 session failed" in only.out


@posix
def test_compare_ends_what_hangs(plugin: Path, run: Run) -> None:
    line = "compare counterexample --budgets 6 --seeds 1 --strategies hangs,random --workers 1"
    data = json.loads(run(f"{line} --session-seconds 0.3 --format json").out)
    (failure,) = data["failures"]
    assert failure["message"] == "strategy hangs made no progress for 0.3 s and was ended"


def test_run_names_the_strategy_and_keeps_the_journal(plugin: Path, run: Run) -> None:
    stopped = run("run counterexample --budget 20 --strategy raises --approach free --name a")
    assert (stopped.status, stopped.out) == (2, "")
    assert "strategy raises raised ZeroDivisionError: division by zero" in stopped.err
    assert "line 9, in raises: return 1 / 0" in stopped.err
    assert "Go on with: deliberate run counterexample --name a --resume" in stopped.err
    assert "Traceback" not in stopped.err
    kept = len(run("show a --format json").data["trials"])
    assert kept > 0
    (plugin / "fixed").touch()
    assert run("run counterexample --name a --resume").status == 0
    assert len(run("show a --format json").data["trials"]) > kept


def test_the_command_to_go_on_with_can_be_pasted(plugin: Path, run: Run, tmp_path: Path) -> None:
    task = tmp_path / "my task.toml"
    write_task(load_task("counterexample"), task)
    line = ["--budget", "20", "--strategy", "raises", "--name", "my a", "--db", "my x.db"]
    stopped = run("run", str(task), *line)
    assert stopped.status == 2
    (plugin / "fixed").touch()
    program, *words = shlex.split(stopped.err.rpartition("Go on with: ")[2])
    assert program == "deliberate"
    again = run(*words)
    assert again.status == 0, again.err
    (last,) = [text for text in again.out.splitlines() if text.startswith("journal ")]
    assert run(*shlex.split(last)[2:]).status == 0
