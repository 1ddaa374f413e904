"""What a study keeps of a domain is forgotten when the domain's task or scene changes."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import deliberate_practice as dp
from deliberate_practice.practice.domain import DOMAINS, domain_code

TASK = """
import deliberate_practice as dp

def make():
    return dp.load_task("counterexample")
"""
SCENE = """
import deliberate_practice as dp

def robot(task, seed, threads):
    return dp.make_robot("curves", task, seed)
"""


@pytest.fixture
def domain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dp.Domain]:
    """A domain whose task and scene are in files of their own."""
    (tmp_path / "lab_task.py").write_text(TASK)
    (tmp_path / "lab_scene.py").write_text(SCENE)
    monkeypatch.syspath_prepend(str(tmp_path))
    make, robot = importlib.import_module("lab_task").make, importlib.import_module("lab_scene")
    dp.register_domain("lab", lab := dp.Domain("lab", make, {"mujoco": dp.Scene(robot.robot)}))
    yield lab
    DOMAINS.unregister("lab")
    for name in ("lab_task", "lab_scene"):
        del sys.modules[name]


def test_ours_have_the_version_of_this_package() -> None:
    assert domain_code(dp.load_task("breakfast"), "curves") == ""


@pytest.mark.parametrize(
    ("file", "robot", "changes"),
    [
        ("lab_task", "curves", True),
        ("lab_task", "mujoco", True),
        ("lab_scene", "mujoco", True),
        ("lab_scene", "regions:noise=0.1", False),  # it does not practise in the scene
    ],
)
def test_code_changes_with_its_files(
    file: str, robot: str, changes: bool, domain: dp.Domain, tmp_path: Path
) -> None:
    task = domain.task()
    before = domain_code(task, robot)
    path = tmp_path / f"{file}.py"
    path.write_text(path.read_text() + "\n# changed\n")
    assert (domain_code(task, robot) != before) == changes
