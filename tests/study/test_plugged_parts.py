"""Parts of one's own in studies: their code decides what is run again, and options are choices."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from plugged_parts import installed

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.strategies.random_practice import random_practice
from deliberate_practice.strategies.strategy import STRATEGIES
from deliberate_practice.study.engines import make_engine
from deliberate_practice.study.experiment import Experiment, Study
from deliberate_practice.study.report.write import write_report
from deliberate_practice.study.results import Results
from deliberate_practice.study.run_study import Finished, Prepared, run_study
from deliberate_practice.study.study_file import parse_study

CODE = """
from dataclasses import replace

from deliberate_practice.strategies.random_practice import random_practice


def mine(situation, *, share=1):
    decision = random_practice(situation)
    return decision and replace(decision, share=share)
"""
WORKSHOP = Path(__file__).parents[1] / "golden" / "workshop.toml"
OPTIONS = """
[study]
name = "options"
seeds = 1
budgets = [12]
robot = "regions:noise=0.3"

[[experiments]]
name = "e"
task = "breakfast"
strategies = ["deliberate", "ees:ahead=1"]
beliefs = ["bayes", "running-average:eps=0.8"]
learners = ["cma-es", "cma-es:successes=false"]
"""


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Path]:
    """The file of a strategy ``mine``, which :func:`register` registers as it is then."""
    path = tmp_path / "my_strategy.py"
    path.write_text(CODE)
    yield path
    sys.modules.pop(path.stem, None)
    if "mine" in STRATEGIES:
        STRATEGIES.unregister("mine")


def register(source: Path, **options: Any) -> None:
    """Register what the file says now, as a program that is started again does."""
    if "mine" in STRATEGIES:
        STRATEGIES.unregister("mine")
    spec = importlib.util.spec_from_file_location(source.stem, source)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[source.stem] = module
    spec.loader.exec_module(module)
    STRATEGIES.register("mine", partial(module.mine, **options) if options else module.mine)


def study(*strategies: str) -> Study:
    return Study("s", [Experiment("e", "breakfast", [6], strategies=strategies, seeds=2)])


def run(asked: Study, out: Path) -> tuple[Finished, list[str]]:
    """What came of it, and the strategies of the sessions that had to be run."""
    jobs: list[str] = []

    def begun(prepared: Prepared) -> None:
        jobs.extend(job.cell.strategy for job in prepared.jobs)

    (finished,) = run_study(asked, out, engine=make_engine(workers=1), begun=begun)
    return finished, sorted(jobs)


def test_only_sessions_of_a_part_that_changed_are_run_again(source: Path, tmp_path: Path) -> None:
    both = study("mine", "random")
    register(source)
    first, jobs = run(both, tmp_path / "out")
    assert jobs == ["mine", "mine", "random", "random"]
    register(source)  # the same code
    assert run(both, tmp_path / "out") == (first, [])
    source.write_text(CODE.replace("share=1", "share=2"))
    register(source)
    changed, jobs = run(both, tmp_path / "out")
    assert jobs == ["mine", "mine"]
    assert changed.sessions[2:] == first.sessions[2:]  # of the strategy that stayed
    source.write_text(CODE)
    register(source)
    assert run(both, tmp_path / "out") == (first, [])  # its results were kept


def test_what_is_bound_to_a_part_counts_and_the_code_behind_it(
    source: Path, tmp_path: Path
) -> None:
    register(source, share=1)
    assert run(study("mine"), tmp_path / "out")[1] == ["mine", "mine"]
    register(source, share=1)
    assert run(study("mine"), tmp_path / "out")[1] == []
    register(source, share=2)
    assert run(study("mine"), tmp_path / "out")[1] == ["mine", "mine"]
    source.write_text(CODE + "\n# changed\n")
    register(source, share=1)
    assert run(study("mine"), tmp_path / "out")[1] == ["mine", "mine"]


def test_a_changed_package_is_run_again_in_processes_too(tmp_path: Path) -> None:
    folder, both = tmp_path / "plugin", study("mine", "random")
    with installed(folder, "plugged", CODE, {"strategies": ["mine"]}):
        first, jobs = run(both, tmp_path / "out")
        assert jobs == ["mine", "mine", "random", "random"]
        (parallel,) = run_study(both, engine=make_engine(workers=2))
        assert parallel.sessions == first.sessions
    with installed(folder, "plugged", CODE + "\n# changed\n", {"strategies": ["mine"]}):
        again, jobs = run(both, tmp_path / "out")
    assert jobs == ["mine", "mine"]
    assert again.sessions == first.sessions  # a comment changes nothing, but nobody can know


def test_results_of_a_part_that_is_gone_can_still_be_read(source: Path, tmp_path: Path) -> None:
    register(source)
    finished, _ = run(study("mine", "random"), tmp_path)
    STRATEGIES.unregister("mine")
    with closing(Results(tmp_path / "results.sqlite")) as results:
        (kept,) = results.experiments()
        assert kept == finished.loaded
        assert tuple(results.known(kept).values()) == finished.sessions
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert "mine" in page
    with pytest.raises(ArgumentError, match="strategy: 'mine' is not one of: deliberate, "):
        run(study("mine", "random"), tmp_path)  # but it cannot be run


def test_a_study_file_takes_names_with_options(tmp_path: Path) -> None:
    asked = parse_study(OPTIONS)
    (experiment,) = asked.experiments
    assert experiment.robot == "regions:noise=0.3"
    assert len({(cell.strategy, cell.belief, cell.learner) for cell in experiment.cells}) == 8
    finished, jobs = run(asked, tmp_path)
    assert len(jobs) == len(finished.sessions) == 8
    assert not finished.failures
    names = [(row.strategy, row.belief, row.learner) for row in finished.rows]
    assert names == [(cell.strategy, cell.belief, cell.learner) for cell in experiment.cells]
    with closing(Results(tmp_path / "results.sqlite")) as results:
        (kept,) = results.experiments()
    assert kept.experiment == experiment
    assert run(asked, tmp_path) == (finished, [])


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("ees:ahead=1", "ees:behind=1", "strategy 'ees': option 'behind' is not one of: "),
        ("eps=0.8", "eps", "'eps' is not an option; write running-average:key=value"),
        ("successes=false", "success=false", "option .*'successes'"),
        ("noise=0.3", "nois=0.3", "robot 'regions': option .*'noise'"),
    ],
)
def test_options_that_there_are_not_are_named(before: str, after: str, message: str) -> None:
    assert before in OPTIONS
    with pytest.raises(ArgumentError, match=f"mine.toml: experiment 'e' .*{message}"):
        parse_study(OPTIONS.replace(before, after), "mine.toml")


def test_options_of_a_part_decide_its_results() -> None:
    learned = {}
    for learner in ("cma-es", "cma-es:successes=false"):
        asked = Experiment(
            "e", WORKSHOP, [60], "regions", "free", ["random"], learners=[learner], seeds=2
        )
        (finished,) = run_study(Study("s", [asked]), engine=make_engine(workers=1))
        learned[learner] = [session.curve for session in finished.sessions]
    assert len(set(map(str, learned.values()))) == 2


def test_a_part_without_source_has_a_key() -> None:
    STRATEGIES.register(
        "mine", eval("lambda situation: kept(situation)", {"kept": random_practice})
    )
    try:
        assert run_study(study("mine"), engine=make_engine(workers=1))[0].sessions
    finally:
        STRATEGIES.unregister("mine")
