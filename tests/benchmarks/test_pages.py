"""The pages of benchmarks have the figures of what was measured."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import click
import demonstrations
import forecasts
import foreign
import practice
import probes
import pytest
import quotes
from click.testing import CliRunner

ROOT = Path(__file__).parents[2]
MEASURED = ROOT / "studies" / "measured"
PAGES = {
    "practice.jsonl": (practice, "benchmark.md", ""),
    "forecasts.jsonl": (forecasts, "benchmark.md", ""),
    "demonstrations.jsonl": (demonstrations, "benchmark-demonstrations.md", ""),
    "probes.jsonl": (probes, "benchmark-probes.md", "--physics 8"),
    "quotes.jsonl": (quotes, "benchmark-quotes.md", ""),
}
"""The benchmark, its page and further arguments, by the file of what was measured."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_the_figures_of_its_sessions(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark, page, more = PAGES[name]
    out, written = tmp_path / name, tmp_path / page
    shutil.copy(MEASURED / name, out)
    shutil.copy(ROOT / "docs" / page, written)
    work = "commissioned" if benchmark is quotes else "session"
    monkeypatch.setattr(benchmark, work, None)  # nothing is left to practise
    run(benchmark.main, f"{more} --out {shlex.quote(str(out))} --write {shlex.quote(str(written))}")
    assert written.read_text(encoding="utf-8") == (ROOT / "docs" / page).read_text(encoding="utf-8")
    command_line = f"{more} --out studies/measured/{name} --write docs/{page}".strip()
    told = " ".join(written.read_text(encoding="utf-8").replace("\\\n", " ").split())
    assert f"{benchmark.__name__}.py {command_line}" in told


def test_the_page_of_foreign_worlds_has_the_figures_of_its_scores(tmp_path: Path) -> None:
    page = ROOT / "docs" / "benchmark.md"
    written = tmp_path / page.name
    shutil.copy(page, written)
    run(foreign.main, f"--write {shlex.quote(str(written))}")
    assert written.read_text(encoding="utf-8") == page.read_text(encoding="utf-8")


def run(command: click.Command, arguments: str) -> None:
    result = CliRunner().invoke(command, shlex.split(arguments))
    assert result.exit_code == 0, result.output
