"""Ctrl-C keeps all that is finished, and says what is kept and how to go on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from command import DOOR, Run
from graphics import needs_gl

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of a terminal")

PROGRAM = """
import signal
from deliberate_practice.cli import heartbeat, main
signal.signal(signal.SIGINT, signal.default_int_handler)
heartbeat.RHYTHM = heartbeat.Rhythm(quiet=0.0, least=0.0, most=0.05)
main()
"""


def test_priors_keep_the_skills_that_are_measured(tmp_path: Path) -> None:
    words = "priors cleanup --robot regions --seeds 8 --workers 1"
    last = _stopped(tmp_path, f"{words} --out priors.toml", "learning: 1 of 10 skills")
    found = re.fullmatch(
        r"deliberate: stopped; (\d+) of 10 skills are kept in priors.toml. Go on with the same "
        r'command and --skills "(.*)"',
        last,
    )
    assert found, last
    measured = tomllib.loads((tmp_path / "priors.toml").read_text())
    assert len(measured) == int(found[1]) >= 1
    left = found[2].split(";")
    assert len({*measured, *left}) == len(measured) + len(left) == 10
    last = _stopped(tmp_path, words, "learning: 0 of 10")
    assert last.startswith("deliberate: stopped; nothing is kept; with --out FILE every skill is")


def test_a_report_leaves_the_results_alone(run: Run, tmp_path: Path) -> None:
    run("compare counterexample --budgets 6 --strategies random --seeds 2 --out out")
    before = (tmp_path / "out" / "results.sqlite").read_bytes()
    last = _stopped(tmp_path, "report out", "reporting: 1 of .* figures")
    assert last == (
        "deliberate: stopped; the results in out are as they were. The same command writes the "
        "report anew."
    )
    assert (tmp_path / "out" / "results.sqlite").read_bytes() == before
    assert not (tmp_path / "out" / "report.html").exists()


def test_a_comparison_that_keeps_nothing_says_so(tmp_path: Path) -> None:
    words = "compare breakfast --budgets 100 --workers 1"
    last = _stopped(tmp_path, words, "comparing: 1 of 25 sessions")
    assert last == "deliberate: stopped; nothing is kept; with --out DIR finished sessions are."


@pytest.mark.slow
@needs_gl
def test_a_film_is_whole_or_not_there_and_can_be_made_again(tmp_path: Path) -> None:
    words = "run cleanup --robot mujoco --approach free --budget 1 --name a --video a.mp4"
    last = _stopped(tmp_path, words, "filming: 1 of")
    again = "deliberate run cleanup --name a --resume --video a.mp4"
    assert last == f"deliberate: stopped; all 1 episodes are kept. Go on with: {again}"
    assert not list(tmp_path.glob("*.mp4"))


def test_a_budget_in_time_goes_on_as_it_is_told_to(run: Run, tmp_path: Path) -> None:
    (tmp_path / "door.toml").write_text(f"{DOOR}seconds = {{ episode = 60, reset = 30 }}\n")
    words = "run door.toml --hours 20 --name night --strategy random"
    last = _stopped(tmp_path, words, "practising: [0-9,]+ of")
    again = last.partition("Go on with: deliberate ")[2]
    assert run(f"{again} --format json").data["spent"] == 20 * 3600


@pytest.mark.parametrize("when", ["rehearsing", "rehearsing: 2. of"])
@pytest.mark.parametrize("times", [1, 2])
def test_a_quote_ends_at_once(tmp_path: Path, when: str, times: int) -> None:
    words = "quote breakfast --target 1.2 --workers 2"
    assert _stopped(tmp_path, words, when, times) == "deliberate: stopped."


def _stopped(folder: Path, words: str, when: str, times: int = 1) -> str:
    """The last line of a command that is stopped as soon as a line matches."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words.split()],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if re.search(when, line):
                break
        for _ in range(times):
            os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to all of them
            time.sleep(0.002)
        out, err = running.communicate(timeout=100)
    assert running.returncode in (130, -signal.SIGINT)[:times], err  # the second may kill it
    assert out == ""
    assert "Traceback" not in err
    return err.splitlines()[-1]
