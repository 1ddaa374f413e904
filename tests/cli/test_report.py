"""``deliberate report``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command import Run

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
