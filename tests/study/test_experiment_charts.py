"""The door for charts: registered ones are in reports and beside comparisons, and break nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import deliberate_practice as dp
from deliberate_practice.charts.registry import CHARTS
from deliberate_practice.strategies.random_practice import random_practice
from deliberate_practice.strategies.strategy import STRATEGIES
from deliberate_practice.study.engines import make_engine
from deliberate_practice.study.experiment import Experiment, Study
from deliberate_practice.study.experiment_charts import experiment_charts
from deliberate_practice.study.report.sections import all_sections
from deliberate_practice.study.report.write import write_report
from deliberate_practice.study.run_study import Finished, run_study

OURS = ["rewards", "progress", "choice", "spending", "improvement", "iqm"]
Register = Callable[[str, Any], None]


@pytest.fixture
def register() -> Iterator[Register]:
    """Register charts for one test."""
    names: list[str] = []

    def call(name: str, maker: Any) -> None:
        dp.register_chart(name, maker)
        names.append(name)

    yield call
    for name in names:
        CHARTS.unregister(name)


def _run(*experiments: Experiment, out: Path | None = None) -> list[Finished]:
    return run_study(Study("s", experiments), out, engine=make_engine(workers=1))


def _experiment(name: str = "toast", **rest: Any) -> Experiment:
    settings = {"strategies": ["random", "uniform"], "seeds": 2, **rest}
    return Experiment(name, "breakfast", [6], **settings)


def seeds_chart(finished: Finished) -> dp.Chart:
    """How many seeds each strategy has, as a heat map."""
    rows = [dp.Series(row.strategy, [row.budget], [row.seeds], "heat") for row in finished.rows]
    return dp.Chart("Seeds <b>", "Seeds.", [dp.Panel("", rows, scale="seeds")], "budget")


def test_our_charts_come_first_and_nothing_to_show_is_left_out(register: Register) -> None:
    register("none", lambda finished: None)
    register("seeds", seeds_chart)
    (finished,) = _run(_experiment())
    charts = experiment_charts(finished)
    assert list(charts) == [*OURS, "seeds"]
    assert [chart.name for chart in charts.values()] == [f"toast-{name}" for name in charts]


def test_a_registered_chart_is_in_the_report(register: Register, tmp_path: Path) -> None:
    register("my/seeds", seeds_chart)
    _run(_experiment(), out=tmp_path)
    text = write_report(tmp_path).read_text(encoding="utf-8")
    names = re.findall(r'id="chart-(toast-[^"]*)"', text)
    before, (frontier, *after) = names[:4], names[4:]
    assert before == [f"toast-{name}" for name in OURS[:4]]
    assert frontier == "toast-frontier"
    assert after[:2] == [f"toast-{name}" for name in OURS[4:]]
    (mine,) = after[2:]
    assert mine.startswith("toast-my-seeds")
    data = re.findall(r'<script type="application/json" id="charts">([^<]*)</script>', text)
    (heat,) = json.loads(data[0])[mine]["data"]
    assert (heat["y"], heat["z"]) == (["random", "uniform"], [[2], [2]])
    assert "<h3>Seeds &lt;b&gt;</h3>" in text
    for ending in ("pdf", "png", "csv"):
        assert (tmp_path / "figures" / f"{mine}.{ending}").stat().st_size > 50


def _broken(finished: Finished) -> dp.Chart:
    raise KeyError(finished.experiment.name)


@pytest.mark.parametrize(
    ("maker", "message"),
    [
        (_broken, r"chart 'mine' raised KeyError: 'toast' \(.*, in _broken: .*\); experiment"),
        (lambda finished: 3, r"chart 'mine' returned 3; return a Chart or None; experiment"),
        (
            lambda finished: dp.Chart("t", "", [dp.Panel("p", [dp.Series("s", [1], [])])]),
            r"chart 'mine': series 's': y has 0 values for 1 places; give one for each; experiment",
        ),
    ],
)
def test_a_chart_that_fails_is_named_and_left_out(
    register: Register, maker: Any, message: str
) -> None:
    register("mine", maker)
    (finished,) = _run(_experiment())
    with pytest.warns(UserWarning, match=message) as caught:
        charts = experiment_charts(finished)
    assert len(caught) == 1
    assert list(charts) == OURS


def test_a_fault_of_our_own_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    (finished,) = _run(_experiment())
    monkeypatch.setattr("deliberate_practice.study.figures.rewards.rewards_chart", _broken)
    with pytest.raises(dp.DeliberatePracticeError, match="chart 'rewards' raised KeyError"):
        experiment_charts(finished)


@pytest.fixture
def three_strategies() -> Iterator[None]:
    names = ("mine-ab", "mine-ba", "third")
    for name in names:
        STRATEGIES.register(name, random_practice)
    yield
    for name in names:
        STRATEGIES.unregister(name)


@pytest.mark.usefixtures("three_strategies")
def test_a_strategy_looks_the_same_in_all_experiments() -> None:
    finished = _run(
        _experiment("one", strategies=["mine-ab", "mine-ba"]),
        _experiment("two", strategies=["third", "mine-ba", "deliberate"]),
    )
    looks: dict[str, set[dp.Look]] = {}
    for section in all_sections(finished, None, 600):
        for part in section.parts:
            for panel in part.panels if isinstance(part, dp.Chart) else ():
                for series in panel.series:
                    looks.setdefault(series.name, set()).add(series.look)
    ours = [looks[name] for name in ("mine-ab", "mine-ba", "third", "deliberate")]
    assert [len(found) for found in ours] == [1, 1, 1, 1]
    assert len(set.union(*ours)) == 4
