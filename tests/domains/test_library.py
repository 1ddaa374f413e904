"""The built-in tasks have the sizes the paper states."""

from __future__ import annotations

from pathlib import Path

import pytest

from deliberate_practice.foundation.errors import DeliberatePracticeError
from deliberate_practice.practice.domain import BUILT_IN, load_task
from deliberate_practice.task.toml_writer import write_task


@pytest.mark.parametrize(
    ("name", "skills", "states", "practised"),
    [
        ("counterexample", 3, 5, 3),
        ("cleanup", 10, 8 * 5 + 1, 10),
        ("cleanup-multi", 22, 8 * 5**4 + 1, 22),
        ("breakfast", 7, 37, 3),
    ],
)
def test_sizes(name: str, skills: int, states: int, practised: int) -> None:
    task = load_task(name)
    assert len(task.skills) == skills
    assert task.state_count == states
    assert sum(policy.practisable for policy in task.policies.values()) == practised


def test_parameters() -> None:
    assert len(load_task("cleanup-multi", objects=6).skills) == 6 + 6 + 18
    task = load_task("breakfast", competence=0.2, rate=0.05)
    assert task.policies["StartToaster"].competence == 0.2
    assert task.policies["PickBread"].competence == 0.99
    assert load_task("cleanup", discount=0.9).discount == 0.9


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_file_gives_the_same_task(name: str, tmp_path: Path) -> None:
    write_task(load_task(name), tmp_path / "task.toml")
    again = load_task(tmp_path / "task.toml")
    assert again.policies == load_task(name).policies
    assert again.state_count == load_task(name).state_count


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("cleanap", {}, "Did you mean 'cleanup'"),
        ("missing.toml", {}, "missing.toml"),
        ("cleanup", {"objects": 3}, "'objects' is not one of: competence, rate, discount"),
        ("breakfast", {"competence": 1.5}, r"1\.5"),
        ("cleanup-multi", {"objects": 0}, "at least 1"),
        ("cleanup-multi", {"objects": 2.5}, "whole number"),
    ],
)
def test_refuses_what_it_does_not_have(
    name: str, parameters: dict[str, float], message: str
) -> None:
    with pytest.raises(DeliberatePracticeError, match=message):
        load_task(name, **parameters)
