"""Studies as data: what they say in TOML and in Python, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deliberate_practice.foundation.errors import ArgumentError, DeliberatePracticeError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.cell import Cell
from deliberate_practice.study.experiment import (
    COMPARED,
    LONGEST_NAME,
    Experiment,
    Study,
    as_file_name,
)
from deliberate_practice.study.study_file import is_study, parse_study, read_study
from deliberate_practice.task.toml_writer import write_task

WHOLE = """
[study]
name = "mine"
seeds = 3                 # for every experiment that does not say otherwise
beliefs = ["bayes", "running-average"]

[[experiments]]
name = "low"
task = "tasks/tidy.toml"  # beside this file
budgets = [10, 20]

[[experiments]]
name = "physics"
task = "cleanup"
robot = "mujoco"
approach = "free"
budgets = [100]
strategies = ["deliberate", "ees"]
beliefs = ["bayes"]
seeds = 5
executions = 400
point_executions = 40
every = 50
against = "ees"
parameters = { rate = 0.02 }
"""


def test_toml_and_python_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    write_task(load_task("breakfast"), tmp_path / "tasks" / "tidy.toml")
    (tmp_path / "study.toml").write_text(WHOLE)
    both = ["bayes", "running-average"]
    tidy = str(tmp_path / "tasks" / "tidy.toml")
    assert read_study(tmp_path / "study.toml") == Study(
        "mine",
        [
            Experiment("low", tidy, [10, 20], beliefs=both, seeds=3),
            Experiment(
                "physics",
                "cleanup",
                [100],
                robot="mujoco",
                approach="free",
                strategies=["deliberate", "ees"],
                seeds=5,
                executions=400,
                point_executions=40,
                every=50,
                against="ees",
                parameters={"rate": 0.02},
            ),
        ],
    )


def test_cells_are_the_whole_factorial() -> None:
    experiment = Experiment("e", "breakfast", [10, 20], beliefs=["bayes", "running-average"])
    assert len(experiment.cells) == len(set(experiment.cells)) == len(COMPARED) * 2 * 2 * 5
    assert experiment.cells[0] == Cell("deliberate", "bayes", "cma-es", 10, 0)
    seeds = {
        (c.strategy, c.belief, c.budget): {d.seed for d in experiment.cells}
        for c in experiment.cells
    }
    assert set(map(frozenset, seeds.values())) == {frozenset(range(5))}


def test_seeds_begin_where_the_experiment_says() -> None:
    experiment = Experiment("e", "breakfast", [10], seeds=3, first_seed=100)
    assert {cell.seed for cell in experiment.cells} == {100, 101, 102}


@pytest.mark.parametrize(
    ("text", "study"),
    [
        ('[study]\nname = "a"', True),
        ("[[experiments]]\n", True),
        ('name = "a task"', False),
        ("this is no TOML", False),
    ],
)
def test_what_is_a_study_is_told_by_its_contents(tmp_path: Path, text: str, study: bool) -> None:
    (tmp_path / "file.toml").write_text(text)
    assert is_study(tmp_path / "file.toml") == study
    assert not is_study(tmp_path / "nothing.toml")
    assert not is_study(tmp_path)


HEAD = '[study]\nname = "mine"\n'
GOOD = '[[experiments]]\nname = "one"\ntask = "breakfast"\nbudgets = [10]\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[study", "this is not valid TOML"),
        (GOOD, "the key 'study' is missing; required: study, experiments"),
        (HEAD, "the key 'experiments' is missing"),
        ("experiments = []\n" + HEAD, "experiments: give at least one"),
        ("experiments = 3\n" + HEAD, "experiments: 3 is not a list of tables"),
        ("study = 3\n" + GOOD, "study: 3 is not a table"),
        ("[study]\n" + GOOD, "study: the key 'name' is missing"),
        (HEAD.replace("mine", "a/b") + GOOD, "name: 'a/b' is not valid; use letters"),
        (HEAD + "seed = 3\n" + GOOD, "study: unknown key 'seed' is not one of"),
        (HEAD + GOOD + 'robots = "curves"\n', r"'one' \(number 1\): unknown key .*'robot'\?"),
        (HEAD + GOOD + GOOD, "experiments: 'one' occurs twice"),
        (HEAD + GOOD.replace("[10]", "10"), "budgets: 10 is not a list; write e.g. .100, 150."),
        (HEAD + GOOD.replace("[10]", "[]"), "budgets: give at least one"),
        (HEAD + GOOD.replace("[10]", "[10, 10]"), "budgets: 10 occurs twice"),
        (HEAD + GOOD.replace("[10]", "[-1]"), "budgets: -1 is not valid; give a whole number"),
        (HEAD + GOOD.replace("[10]", "[99999999999999999999]"), "budgets: 9+ is too large"),
        (HEAD + GOOD.replace("[10]", "[1.5]"), r"budgets: 1\.5 is not valid"),
        (HEAD + GOOD.replace('"breakfast"', '"brekfast"'), "'brekfast' is neither one of counter"),
        (HEAD + GOOD.replace('"breakfast"', "7"), "task: 7 is not valid"),
        (HEAD + GOOD + 'robot = "hal"\n', "robot: 'hal' is not one of: curves, regions, mujoco"),
        (HEAD + GOOD + 'robot = ["curves"]\n', r"robot: \['curves'\] is not a name; .*: curves"),
        (HEAD + GOOD + 'approach = "fly"\n', "approach: 'fly' is not one of: execute, free"),
        (HEAD + GOOD + 'strategies = ["magic"]\n', "strategy: 'magic' is not one of"),
        (HEAD + GOOD + 'strategies = "random"\n', "strategies: 'random' is not a list"),
        (HEAD + GOOD + 'beliefs = ["faith"]\n', "belief: 'faith' is not one of"),
        (HEAD + GOOD + "strategies = [3]\n", "strategies: 3 is not a name; write it in quotes"),
        (HEAD + GOOD + "first_seed = -1\n", "first_seed: -1 is not valid"),
        (
            HEAD + GOOD + "seeds = 1000000000\n",
            "seeds: 1,000,000,000 make",
        ),
        (HEAD + GOOD + "seeds = 0\n", "seeds: 0 is not valid; give a whole number of at least 1"),
        (HEAD + GOOD + "executions = 0\n", "executions: 0 is not valid"),
        (HEAD + GOOD + "every = true\n", "every: True is not valid"),
        (HEAD + GOOD + 'against = "uniform"\n', "against: 'uniform' is not one of"),
        (HEAD + GOOD + 'strategies = ["es"]\nagainst = "ees"\n', "strategy: 'es' is not one of"),
        (HEAD + GOOD + "parameters = 3\n", "parameters: 3 is not a table"),
        (HEAD + GOOD + "truth = 0.5\n", r"truth: 0\.5 is not a table; write e.g. { rate = 0\.5 }"),
        (HEAD + GOOD + 'parameters = { rate = "x" }\n', "parameters: rate: 'x' is not a number"),
    ],
)
def test_faults_are_named_with_file_place_and_fix(text: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message) as caught:
        parse_study(text, "mine.toml")
    assert str(caught.value).startswith("mine.toml: ")


def test_parameters_are_for_tasks_that_are_named() -> None:
    with pytest.raises(ArgumentError, match="parameters: a task that is there already has its own"):
        Experiment("one", load_task("breakfast"), [10], parameters={"rate": 0.5})


def test_a_study_is_a_list_of_experiments() -> None:
    experiment = Experiment("one", "breakfast", [10])
    alone: Any = experiment
    with pytest.raises(ArgumentError, match="experiments: Experiment is not a list; write"):
        Study("mine", alone)
    words: Any = ["breakfast"]
    with pytest.raises(ArgumentError, match="experiments: str is not an Experiment"):
        Study("mine", words)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DeliberatePracticeError, match="there is no such file"):
        read_study(tmp_path / "none.toml")


def test_names_have_the_length_that_the_message_states() -> None:
    assert Experiment("x" * LONGEST_NAME, "breakfast", [5]).name == "x" * LONGEST_NAME
    with pytest.raises(ArgumentError, match=f"has {LONGEST_NAME + 1} letters; use at most 100"):
        Experiment("x" * (LONGEST_NAME + 1), "breakfast", [5])
    names = {as_file_name(text) for text in ("x" * 500, "x" * 501, "x" * 100, "y " * 300)}
    assert len(names) == 4
    for name in names:  # of a task: they become names of experiments
        assert Experiment(name, "breakfast", [5]).name == name
