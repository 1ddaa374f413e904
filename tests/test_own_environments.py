"""Simulators in environments of their own, practised through the service and in a study."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from counts import FULL
from served import Served

from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.practice.domain import load_task

EXAMPLES = Path(__file__).parents[1] / "examples"
METAWORLD = EXAMPLES / "metaworld"
SO101 = EXAMPLES / "so101"


def _python(folder: Path) -> str:
    """The environment of an example; made in full runs if that is possible."""
    environment = EXAMPLES.parent / f".venv-{folder.name}"
    installed = environment / "installed"
    if not installed.exists() and FULL:
        bin_first = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        setup, path = ["sh", str(folder / "setup.sh")], {**os.environ, "PATH": bin_first}
        done = subprocess.run(setup, env=path, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"{folder.name} cannot be installed here: {done.stderr.strip()[-200:]}")
    if not installed.exists():
        pytest.skip(f"it has an environment of its own; run: sh examples/{folder.name}/setup.sh")
    return str(environment / "bin" / "python")


def _environment() -> dict[str, str]:
    """Without our package."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def test_more_budget_is_worth_larger_goals() -> None:
    task = load_task(METAWORLD / "workshop.toml")
    assert len(task.skills) >= 10
    found = frontier(task, 200)
    assert list(dict.fromkeys(found.goals)) == [
        "signal",
        "fresh air",
        "start the press",
        "clean up",
    ]


def test_the_same_trial_ends_the_same_way() -> None:
    def trial(skill: str, seed: int, **more: float) -> dict[str, Any]:
        approach = {"route": [], "rule": [], "limit": 0}
        parameters = {"x": 0.0, "y": 0.0, "z": 0.0, **more}
        step = {"skill": skill, "parameters": parameters}
        return {**step, "approach": approach, "precondition": {}, "seed": seed}

    asked = [(0, trial("HandlePress", seed)) for seed in (3, 4, 3)]
    asked += [(0, trial("HandlePress", 3, x=0.15)), (0, trial("HandlePress", 2**32 - 1))]
    asked += [(7, trial("HandlePress", 3)), (0, trial("HandlePress", 3))]
    lines = "\n".join(map(json.dumps, asked))
    command = [_python(METAWORLD), str(METAWORLD / "robot.py"), "--lines"]
    done = subprocess.run(
        command, input=lines, capture_output=True, text=True, check=True, env=_environment()
    )
    first, second, again, high, _, elsewhere, last = map(json.loads, done.stdout.splitlines())
    assert first == again == last != second  # whatever the station did in between
    assert first["outcome"] == "success"
    assert first != high
    assert first != elsewhere  # another bench has other cameras


@pytest.mark.parametrize(("folder", "task"), [(METAWORLD, "workshop"), (SO101, "desk")])
def test_a_session_is_practised_through_the_service(
    folder: Path, task: str, tmp_path: Path
) -> None:
    command = [_python(folder), str(folder / "robot.py")]
    served = Served(tmp_path / "lab.db")
    try:
        served.start(task, (folder / f"{task}.toml").read_text(), 30, gate="never")
        command += [served.url, task, "--token", served.token("robot", task)]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, env=_environment()
        )
        assert done.returncode == 0, done.stderr
        shown = served.admin.get(f"/api/sessions/{task}").json()
    finally:
        served.close()
    assert shown["spent"] == 30
    assert {row["outcome"] for row in shown["trials"]} == {"success", "failure"}
    assert all(1 <= row["measurements"]["actions"] <= 150 for row in shown["trials"])


@pytest.mark.slow
def test_the_study_ranks_strategies(tmp_path: Path) -> None:
    _python(METAWORLD)
    arguments = "--budgets 6 --strategies uniform,random --seeds 1 --executions 2 --out results"
    command = [sys.executable, str(METAWORLD / "study.py"), *arguments.split()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert {line.split()[0] for line in lines[-2:]} == {"uniform", "random"}
    assert any(line.startswith("budget 6, best") for line in lines)
    assert (tmp_path / "results" / "table.csv").exists()
