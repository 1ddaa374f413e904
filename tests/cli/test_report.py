"""``deliberate report``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command import Run

from deliberate_practice.charts.registry import CHARTS
from deliberate_practice.foundation.installing import install_command


def test_reports_a_comparison(run: Run, tmp_path: Path) -> None:
    compared = run("compare counterexample --budgets 6 --strategies random --seeds 2 --out out")
    assert compared.status == 0, compared.err
    printed = run("report out")
    assert printed.status == 0, printed.err
    assert printed.out.splitlines()[0] == "report  out/report.html"
    assert (tmp_path / "out" / "report.html").stat().st_size > 1_000_000  # plotly.js is in it
    assert (tmp_path / "out" / "figures").is_dir()


def test_says_what_to_do_first(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = run("report nowhere")
    assert (printed.status, printed.out) == (2, "")
    assert printed.err.endswith("first run: deliberate compare STUDY.toml --out nowhere\n")
    assert run("report .").err.endswith(" --out .\n")
    run("compare counterexample --budgets 6 --strategies random --seeds 1 --out out")
    assert "episode-seconds: -1" in run("report out --episode-seconds -1").err
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    printed = run("report out")
    assert printed.status == 2
    assert printed.err.endswith(f"run: {install_command('report')}\n")


def _broken(finished: object) -> None:
    raise ZeroDivisionError


def test_a_chart_of_ones_own_that_fails_is_one_message(run: Run, tmp_path: Path) -> None:
    line = "compare counterexample --budgets 6 --strategies random --seeds 1 --out out"
    CHARTS.register("mine", _broken)
    try:
        compared, reported = run(line), run("report out")
    finally:
        CHARTS.unregister("mine")
    for printed in (compared, reported):
        assert printed.status == 0
        assert printed.err.count("deliberate: chart 'mine' raised ZeroDivisionError") == 1
    assert (tmp_path / "out" / "rewards.png").is_file()
    assert (tmp_path / "out" / "report.html").is_file()
