"""``deliberate compare``: tasks and studies, the contract's JSON, and what is refused."""

from __future__ import annotations

import csv
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from command import Run

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.foundation.installing import install_command

STUDY = """
[study]
name = "short"
seeds = 2
strategies = ["deliberate", "random"]
against = "random"

[[experiments]]
name = "toast"
task = "breakfast"
beliefs = ["bayes", "running-average"]
budgets = [12]

[[experiments]]
name = "example"
task = "counterexample"
approach = "free"
budgets = [8, 20]
"""

ROW = {
    *("strategy", "belief", "learner", "budget", "seeds", "mean", "std", "undiscounted", "ci95"),
    *("clairvoyant", "fraction", "goals", "goal_rates", "iqm", "improvement"),
    *("practice_episodes", "test_episodes", "skill_executions"),
}


def test_a_task_keeps_the_contract(run: Run, tmp_path: Path) -> None:
    line = "compare breakfast --budgets 12 --seeds 2 --strategies ees,random --workers 1"
    data = run(f"{line} --format json --out kept").data
    assert (data["task"], data["robot"], data["approach"]) == ("breakfast", "curves", "execute")
    assert data["evaluation"] is None
    assert [row["strategy"] for row in data["rows"]] == ["ees", "random"]
    for row in data["rows"]:
        assert set(row) == ROW
        low, high = row["ci95"]
        assert low <= row["mean"] <= high
        assert row["improvement"] is None
        assert (row["practice_episodes"], row["test_episodes"]) == (12, 0)
        assert row["skill_executions"] >= 12
    assert {p.name for p in (tmp_path / "kept").iterdir()} == {
        *("results.sqlite", "table.csv", "sessions.csv", "rewards.png"),
        *("progress.csv", "progress.png", "choice.png", "spending.png"),
        *("improvement.png", "iqm.png"),
    }
    again = run(f"{line} --format json --out kept")
    assert again.data == data
    assert "4 finished sessions are taken from kept" in again.err
    fewer = run("compare breakfast --budgets 12 --seeds 1 --strategies ees --workers 1 --out kept")
    assert "1 finished sessions are taken" in fewer.err  # only those of this comparison


def test_a_study_is_run_from_its_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    data = run("compare study.toml --workers 1 --format json --out kept").data
    assert data["study"] == "short"
    assert [found["name"] for found in data["experiments"]] == ["toast", "example"]
    toast, example = data["experiments"]
    assert [(r["strategy"], r["belief"]) for r in toast["rows"]] == [
        ("deliberate", "bayes"),
        ("deliberate", "running-average"),
        ("random", "bayes"),
        ("random", "running-average"),
    ]
    assert toast["rows"][0]["improvement"]["value"] >= 0.5
    assert toast["rows"][2]["improvement"] is None
    assert [row["budget"] for row in example["rows"]] == [8, 20, 8, 20]
    with (tmp_path / "kept" / "toast" / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["mean"]) for row in rows] == [row["mean"] for row in toast["rows"]]
    with closing(sqlite3.connect(tmp_path / "kept" / "results.sqlite")) as database:
        query = "SELECT experiment, count(reward) FROM sessions GROUP BY 1 ORDER BY 1"
        assert database.execute(query).fetchall() == [("example", 8), ("toast", 8)]
        query = (
            "SELECT strategy, belief, avg(practice_episodes), avg(test_episodes), "
            "avg(skill_executions) FROM sessions WHERE experiment = 'toast' GROUP BY 1, 2"
        )
        tested = database.execute(query).fetchall()
    keys = ("strategy", "belief", "practice_episodes", "test_episodes", "skill_executions")
    assert sorted(tested) == sorted(tuple(row[key] for key in keys) for row in toast["rows"])
    for _, belief, practised, tests, skills in tested:
        assert bool(tests) == (belief == "running-average")
        assert skills >= practised + tests
    table = run("compare study.toml --workers 1 --out kept")
    assert "16 finished sessions" in table.err
    assert "toast: breakfast: 2 seeds, approach execute" in table.out
    assert "higher reward than random" in table.out
    assert max(map(len, table.out.splitlines())) <= 80


def test_names_are_whole_in_a_narrow_terminal(run: Run) -> None:
    names = ["deliberate-paper", "competence-improvement", "least-competent", "ees-predicators"]
    shown = run(
        f"compare breakfast --budgets 6,12 --seeds 1 --strategies {','.join(names)} "
        "--beliefs bayes,running-average --against ees-predicators --workers 1"
    )
    assert max(map(len, shown.out.splitlines())) <= 80
    for budget in (6, 12):
        for belief in ("bayes", "running-average"):
            assert f"budget {budget}, belief {belief}" in shown.out
    words = shown.out.split()
    for name in names:
        assert words.count(name) >= 4  # a line in each table
    assert words.count("possible") == 6  # a heading of each, and what it means


def test_aims_break_between_goals_only(run: Run) -> None:
    """Where a table is wide, a goal stays in one line with the sessions that aim for it."""
    shown = run(
        "compare breakfast --budgets 60 --seeds 6 --strategies random,competence-improvement "
        "--beliefs running-average --against random --workers 1"
    )
    goals = {
        line.split()[-2]
        for line in shown.out.splitlines()
        if re.search(r" [a-z]+ \d,?$", line.rstrip())
    }
    assert goals <= {"toast", "oatmeal", "none"}
    assert {"toast", "oatmeal"} <= goals


def test_numbers_are_whole_in_any_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    line = "compare breakfast --budgets 6 --seeds 5 --strategies random,competence-improvement"
    line += " --against random"
    shown, found = run(line + " --workers 1"), run(line + " --workers 1 --format json")
    (random, _) = found.data["rows"]
    low, high = random["ci95"]
    assert f"{random['mean']:.3f}" in shown.out
    assert f"{low:.3f} to {high:.3f}" in shown.out
    for word in ("competence-improvement", "reward", "better", "possible", "aims"):
        assert word in shown.out


def test_one_seed_has_no_interval(run: Run) -> None:
    line = "compare breakfast --budgets 6 --seeds 1 --strategies random --workers 1"
    (row,) = run(line + " --format json").data["rows"]
    assert (row["std"], row["ci95"]) == (0.0, [row["mean"]] * 2)  # numbers, as always
    shown = run(line).out
    assert "95 %" not in shown
    assert "breakfast: 1 seed, " in shown


def test_what_is_possible_is_left_out_with_its_reason(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "compare breakfast --budgets 6,12 --seeds 1 --strategies random --workers 1"
    reason = "possible  not known for budget 6, 12: in 10 s no split"
    assert reason not in run(line).out
    monkeypatch.setattr(
        "deliberate_practice.study.summary.allocate",
        lambda *given, **options: replace(allocate(*given, **options), status="feasible"),
    )
    shown = run(line).out
    assert reason in shown
    assert shown.split().count("possible") == 1  # no column
    assert "possible" not in run(f"{line} --robot regions").out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("compare breakfast", "--budgets: give at least one"),
        ("compare nothere.toml", "nothere.toml: "),
        ("compare breakfast --budgets 3,x", "is not a list of whole numbers"),
        ("compare breakfast --budgets 3 --engine magic", "engine: 'magic' is not one of"),
        ("compare breakfast --budgets 3 --address a:1", "only the engine ray has one"),
        ("compare breakfast --budgets 3 --cpus-per-cell 3", "only the engine ray reserves"),
        ("compare breakfast --budgets 9999999999", "budgets: 9999999999 is too large; give at"),
        ("compare breakfast --budgets 3 --against ees-x", "against: 'ees-x' is not one of"),
        ("compare study.toml --seeds 3", "--seeds: the study study.toml says this itself"),
        ("compare study.toml --set rate=1", "--set: the study study.toml says this itself"),
        ("compare study.toml --workers 0", "workers: 0 is not valid"),
        ("compare wrong.toml", "wrong.toml: experiment 'a' (number 1): budgets: -3 is not valid"),
        ("compare none.toml --budgets 3", "none.toml: there is no such file"),
    ],
)
def test_what_is_wrong_is_one_message(run: Run, tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "wrong.toml").write_text(
        '[study]\nname = "w"\n[[experiments]]\nname = "a"\ntask = "cleanup"\nbudgets = [-3]\n'
    )
    refused = run(line)
    assert refused.status == 2
    assert message in refused.err
    assert refused.out == ""
    assert refused.err.count("\n") == 1


def test_ray_is_named_if_it_is_not_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    refused = run("compare breakfast --budgets 3 --engine ray")
    assert refused.status == 2
    assert refused.err.endswith(f"run: {install_command('ray')}\n")


@pytest.mark.skipif(os.name != "posix", reason="signals of a terminal")
def test_control_c_stops_at_once_and_keeps_what_is_finished(tmp_path: Path) -> None:
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from deliberate_practice.cli import main; main()"
    )
    words = ["compare", "breakfast", "--budgets", "400", "--workers", "2", "--out", "kept"]
    running = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while time.monotonic() < end and not _finished(tmp_path / "kept" / "results.sqlite"):
        time.sleep(0.05)
    begun = time.monotonic()
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to all of them
    out, err = running.communicate(timeout=60)
    assert time.monotonic() - begun < 20
    assert running.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == (
        "deliberate: stopped; finished sessions are kept in kept: the same command goes on."
    )


def _finished(path: Path) -> int:
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as database:
        try:
            return int(database.execute("SELECT count(*) FROM results").fetchone()[0])
        except sqlite3.OperationalError:  # it is being made
            return 0
