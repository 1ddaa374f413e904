from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from lab import main
from lab_page import TARGET, page


def lab(out: Path, *more: str) -> Result:
    usual = "--tuning --tasks 2 --seeds 1 --methods random --approach free --workers 1 --out"
    return CliRunner().invoke(main, [*usual.split(), str(out), *more])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a run that was not stopped."""
    out = tmp_path_factory.mktemp("lab") / "whole.csv"
    assert lab(out).exit_code == 0
    return out.read_text()


def test_a_stopped_run_goes_on_after_its_finished_tasks(whole: str, tmp_path: Path) -> None:
    out = tmp_path / "lab.csv"
    lines = whole.splitlines(keepends=True)
    assert len(lines) == 2 + 2 * 2  # head, and two budgets of each task
    lines[2] = lines[2].replace(lines[2].split(",")[6], "0.125")  # not computed again
    out.write_text("".join(lines[:5]) + lines[5][:9])  # stopped in the middle of a row
    result = lab(out)
    assert result.exit_code == 0, result.output
    assert out.read_text() == "".join(lines)


def test_a_finished_run_prints_its_table_again(whole: str, tmp_path: Path) -> None:
    out = tmp_path / "lab.csv"
    out.write_text(whole)
    result = lab(out)
    assert "2 tasks, 1 seeds, approach free" in result.output
    assert out.read_text() == whole


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--seeds", "2"], "seeds 1, not 2"),
        (["--belief", "running-average"], "belief bayes, not running-average"),
        (["--methods", "ees"], "methods random, not ees"),
        (["--first", "1"], "tasks 1000 to 1001, not 1001 to 1002"),
    ],
)
def test_a_file_with_other_arguments_is_refused(
    whole: str, tmp_path: Path, more: list[str], words: str
) -> None:
    out = tmp_path / "lab.csv"
    out.write_text(whole)
    result = lab(out, *more)
    assert result.exit_code == 2
    assert words in result.output
    assert out.read_text() == whole


@pytest.mark.parametrize("text", ["notes\n", "notes", "[1]\n"])
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    out = tmp_path / "lab.csv"
    out.write_text(text)
    result = lab(out)
    assert result.exit_code == 2
    assert "not a file of this benchmark" in result.output
    assert out.read_text() == text


def test_the_page_is_that_of_the_sessions() -> None:
    written = TARGET.read_text(encoding="utf-8")
    assert written == page(), "run: python benchmarks/lab_page.py"
