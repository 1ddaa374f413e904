"""Broken study files: whatever is in them, there is a study or one message of ours."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counts import count
from mutations import mutated, within

from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.study.run_study import prepare
from deliberate_practice.study.study_file import is_study, parse_study

pytestmark = pytest.mark.skipif(os.name != "posix", reason="alarms")

DOCUMENT: dict[str, Any] = tomllib.loads(
    """
[study]
name = "short"
seeds = 3
strategies = ["deliberate", "random"]
every = 25
[[experiments]]
name = "toast"
task = "breakfast"
budgets = [30, 60]
beliefs = ["bayes", "running-average"]
against = "random"
parameters = { competence = 0.2, rate = 0.02 }
[[experiments]]
name = "coin"
task = "counterexample"
budgets = [6]
robot = "curves"
approach = "free"
executions = 10
point_executions = 5
truth = { rate = 0.5 }
"""
)


def message(text: str, file: Path) -> str | None:
    """Read and prepare; None if it could be run, else the message."""
    try:
        study = parse_study(text, str(file))
        if sum(len(e.budgets) * e.seeds for e in study.experiments) < 1000:
            _ = prepare(study).jobs
    except DeliberatePracticeError as error:
        return str(error)
    return None


def test_every_mistake_is_a_study_or_one_message(tmp_path: Path) -> None:
    rng = np.random.default_rng(21)
    studies = 0
    for number in range(count(3000) // 2):
        text = mutated(DOCUMENT, rng)
        try:
            with within(10):
                said = message(text, tmp_path / "study.toml")
        except Exception as error:
            raise AssertionError(f"document {number}: {error!r}\n{text[:3000]}") from error
        assert said is None or 10 < len(said) < 3000
        studies += said is None
    assert studies > 10


@pytest.mark.parametrize("name", ["x" * 10_000, "x" * 300 + ".toml", "a\0b", "/dev/null", "."])
def test_a_task_that_no_file_can_be_called(tmp_path: Path, name: str) -> None:
    text = mutated_task(name)
    with pytest.raises(DeliberatePracticeError, match="task: "):
        parse_study(text, str(tmp_path / "study.toml"))
    assert not is_study(name)


def mutated_task(name: str) -> str:
    from mutations import dumped

    experiment = {"name": "e", "task": name, "budgets": [5]}
    return dumped({"study": {"name": "s"}, "experiments": [experiment]})
