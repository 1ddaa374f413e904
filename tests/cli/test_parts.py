"""Parts from the command line: which there are, and how they are chosen, with options."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from command import Run
from plugged_parts import installed

from deliberate_practice.strategies.strategy import STRATEGIES, Decision, register_strategy
from deliberate_practice.study.parts import REGISTRIES

WORKSHOP = Path(__file__).parents[1] / "golden" / "workshop.toml"
"""A task with parameters, so that learners differ."""
CODE = """
from deliberate_practice.strategies.random_practice import random_practice as mine
"""
BUILT_IN = {
    "strategies": {"deliberate", "deliberate-paper", "ees", "random", "uniform"},
    "beliefs": {"bayes", "running-average"},
    "learners": {"cma-es", "cma-es-paper"},
    "robots": {"curves", "regions", "mujoco", "ros"},
    "domains": {"counterexample", "cleanup", "cleanup-multi", "breakfast"},
    "charts": {"progress", "rewards"},
}


def test_plugins_lists_every_part_and_where_it_comes_from(run: Run, tmp_path: Path) -> None:
    with installed(tmp_path / "plugin", "lab_parts", CODE, {"strategies": ["mine"]}):
        listed = run("plugins --format json").data
        shown = run("plugins")
        assert run("run breakfast --budget 3 --strategy mine --format json").data["spent"] == 3
    assert list(listed) == list(REGISTRIES)
    for kind, names in BUILT_IN.items():
        offers = {offer["name"]: offer for offer in listed[kind]}
        assert names <= set(offers)
        assert all(offers[name]["origin"] == "built in" for name in names)
        assert all(set(offer) == {"name", "origin", "target"} for offer in offers.values())
    (mine,) = [offer for offer in listed["strategies"] if offer["origin"] != "built in"]
    assert mine == {"name": "mine", "origin": "lab_parts 1.0", "target": "lab_parts:mine"}
    assert (shown.status, shown.err) == (0, "")
    rows = [line.split() for line in shown.out.splitlines()]
    for kind, offers in listed.items():
        for offer in offers:
            assert [kind, offer["name"], *offer["origin"].split()] in rows
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "mine" not in run("plugins").out  # it is not installed any more


def test_a_part_that_cannot_be_loaded_is_listed_and_named_when_it_is_chosen(
    run: Run, tmp_path: Path
) -> None:
    with installed(tmp_path / "plugin", "lab_parts", "1 / 0\n", {"strategies": ["mine"]}):
        assert "mine" in run("plugins").out
        refused = run("run breakfast --budget 3 --strategy mine")
    assert (refused.status, refused.out) == (2, "")
    assert "lab_parts 1.0 offers 'mine' as lab_parts:mine, which cannot be loaded" in refused.err


@pytest.mark.parametrize("command", ["run", "start"])
def test_a_session_keeps_its_learner(run: Run, command: str) -> None:
    words = [command, str(WORKSHOP), "--budget", "12", "--approach", "free"]
    words += ["--robot", "regions"] if command == "run" else []
    assert run(*words, "--name", "a", "--learner", "cma-es:even=true").status == 0
    assert run("show a --format json").data["learner"] == "cma-es:even=true"
    for name, message in [
        ("cma-s", "learner: 'cma-s' is not one of: cma-es, cma-es-paper"),
        ("hill-climb", "A learner of your own has to be registered in this process"),
        ("cma-es:evn=true", "learner 'cma-es': option 'evn' is not one of"),
    ]:
        refused = run(*words, "--name", "b", "--learner", name)
        assert (refused.status, refused.out) == (2, "")
        assert message in refused.err
    assert len(run("sessions --format json").data["sessions"]) == 1


def test_a_learner_decides_what_is_learned_and_must_stay(run: Run) -> None:
    line = ["run", str(WORKSHOP), "--budget", "60", "--robot", "regions", "--approach", "free"]
    deployed = [
        run(*line, "--learner", name, "--name", name, "--format", "json").data["deployed"]
        for name in ("cma-es", "cma-es-paper")
    ]
    assert deployed[0] != deployed[1]
    refused = run(*line, "--name", "cma-es", "--resume", "--learner", "cma-es-paper")
    assert (refused.status, refused.out) == (2, "")
    assert "learner: 'cma-es-paper' differs from 'cma-es'" in refused.err
    assert run(*line, "--name", "cma-es-paper", "--resume").status == 0  # its own is kept


def test_compare_compares_learners(run: Run, tmp_path: Path) -> None:
    line = ["compare", str(WORKSHOP), "--budgets", "40", "--robot", "regions", "--seeds", "2"]
    line += ["--approach", "free", "--strategies", "random", "--workers", "1", "--out", "kept"]
    line += ["--learners", "cma-es,cma-es:even=true,successes=false,cma-es-paper"]
    names = ["cma-es", "cma-es:even=true,successes=false", "cma-es-paper"]
    rows = run(*line, "--format", "json").data["rows"]
    assert [row["learner"] for row in rows] == names
    assert len({row["mean"] for row in rows}) > 1
    shown = run(*line)
    assert "6 finished sessions are taken from kept" in shown.err
    tables = shown.out.split("budget 40, ")[1:]
    for row, table in zip(rows, tables, strict=True):
        assert table.split()[:2] == ["learner", row["learner"]]
        assert f"{row['mean']:.3f}" in table
    with (tmp_path / "kept" / "sessions.csv").open() as file:
        assert [row["learner"] for row in csv.DictReader(file)] == [n for n in names for _ in "ab"]
    refused = run(*line[:-1], "cma-es,cma-es-papr")
    assert (refused.status, refused.out) == (2, "")
    assert "learner: 'cma-es-papr' is not one of" in refused.err
    assert "Did you mean 'cma-es-paper'?" in refused.err


def test_a_study_says_its_learners_itself(run: Run, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        '[study]\nname = "s"\n[[experiments]]\nname = "a"\ntask = "breakfast"\nbudgets = [3]\n'
    )
    refused = run("compare study.toml --learners cma-es")
    assert (refused.status, refused.out) == (2, "")
    assert "--learners: the study study.toml says this itself" in refused.err


def test_priors_are_measured_with_a_learner(run: Run) -> None:
    line = ["priors", str(WORKSHOP), "--robot", "regions", "--seeds", "3", "--attempts", "36"]
    line += ["--skills", "Place", "--workers", "1", "--format", "json"]
    usual, same, other = (
        run(*line, *words).data
        for words in ([], ["--learner", "cma-es"], ["--learner", "cma-es-paper"])
    )
    assert usual == same
    assert (usual["learner"], other["learner"]) == ("cma-es", "cma-es-paper")
    assert usual["curves"][0]["explored"] != other["curves"][0]["explored"]
    refused = run(*line, "--learner", "cma-es:evn=1")
    assert (refused.status, refused.out) == (2, "")
    assert "learner 'cma-es': option 'evn' is not one of" in refused.err


def test_a_run_that_leaves_budget_says_why(run: Run) -> None:
    register_strategy("three", lambda now: None if now.budget <= 7 else Decision("pi1", 1))
    try:
        result = run("run counterexample --budget 10 --strategy three --approach free")
    finally:
        STRATEGIES.unregister("three")
    assert result.status == 0
    assert "left over: 7 of 10 units; nothing more is worth practising" in result.err
    assert "not spent" not in run("run counterexample --budget 3 --name all").err
