"""A package outside this one brings parts of every kind through entry points alone.

The project ``tests/outside`` is built and installed in an environment of its own, which sees what
is installed here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import site
import subprocess
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parent / "outside"
ORIGIN = "lab-parts 0.1.0"
PARTS = {
    "strategies": ("round-robin", "lab_parts.strategy:round_robin"),
    "beliefs": ("latest", "lab_parts.belief:latest"),
    "learners": ("shrinking", "lab_parts.learner:Shrinking"),
    "robots": ("targets", "lab_parts.robot:Targets"),
    "domains": ("sorting", "lab_parts.domain:SORTING"),
    "charts": ("goals", "lab_parts.chart:goals"),
}
LONGEST = 60
"""Lines of each part but the scene."""

Deliberate = Callable[..., str]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The interpreter of an environment with the package installed."""
    folder = tmp_path_factory.mktemp("lab")
    venv.create(folder / "env", with_pip=False)
    interpreter = folder / "env" / "bin" / "python"
    (packages,) = (folder / "env").glob("lib/python*/site-packages")
    seen = [path for path in site.getsitepackages() if Path(path).is_dir()]
    lines = [f"import site; site.addsitedir({path!r})" for path in seen]
    (packages / "surroundings.pth").write_text("\n".join(lines))
    project = shutil.copytree(PROJECT, folder / "lab-parts")
    install = [interpreter, "-m", "pip", "install", "--quiet", "--no-build-isolation"]
    _call(*install, "--no-deps", "--no-index", "--disable-pip-version-check", project)
    return str(interpreter)


@pytest.fixture
def deliberate(python: str, tmp_path: Path) -> Deliberate:
    """Runs a command there, in a folder of its own, and gives what it prints."""

    def call(*words: str) -> str:
        code = "from deliberate_practice.cli import main; main()"
        return _call(python, "-c", code, *words, folder=tmp_path)

    return call


def test_all_parts_are_listed_with_where_they_come_from(deliberate: Deliberate) -> None:
    kinds = json.loads(deliberate("plugins", "--format", "json"))
    for kind, (name, target) in PARTS.items():
        assert {"name": name, "origin": ORIGIN, "target": target} in kinds[kind]
    outside = [part for parts in kinds.values() for part in parts if part["origin"] == ORIGIN]
    assert len(outside) == len(PARTS)


def test_a_session_uses_them_all(deliberate: Deliberate) -> None:
    done = json.loads(_run(deliberate, "--budget", "40", "--name", "lab"))
    assert (done["spent"], done["goal"]) == (40, "far")
    assert done["strategy"] == "round-robin:share=2"
    assert done["belief"] == "latest:weight=0.2"
    assert done["learner"] == "shrinking:spread=1.5"
    assert done["robot"] == "targets:width=0.8"
    assert abs(done["attempts"]["Push(near)"] - done["attempts"]["Push(far)"]) <= 2
    assert done["reward_before"] == 0
    assert done["reward_after"] > 2.5  # the far bin pays 3
    again = json.loads(_run(deliberate, "--name", "lab", "--resume"))
    assert {**again, "seconds": 0} == {**done, "seconds": 0}


def test_a_session_practises_in_its_own_scene(deliberate: Deliberate) -> None:
    chosen = ["--strategy", "round-robin", "--belief", "latest", "--learner", "shrinking"]
    words = ["run", "sorting", "--robot", "mujoco", "--budget", "30", *chosen]
    done = json.loads(deliberate(*words, "--format", "json"))
    assert done["reward_before"] == 0
    assert done["reward_after"] > 0.5
    speeds = {name: values["speed"] for name, values in done["deployed"].items()}
    assert 0.5 < speeds["Push(near)"] < speeds["Push(far)"] < 1.7


def test_a_comparison_uses_them_all(deliberate: Deliberate) -> None:
    words = ["compare", "sorting:far_reward=3", "--budgets", "12", "--seeds", "2", "--workers", "2"]
    words += ["--strategies", "round-robin:share=2,random", "--beliefs", "latest:weight=0.2,bayes"]
    words += ["--learners", "shrinking,cma-es", "--robot", "targets:width=0.8", "--format", "json"]
    rows = json.loads(deliberate(*words))["rows"]
    assert len(rows) == 8
    first = rows[0]
    assert [first[key] for key in ("strategy", "belief", "learner")] == [
        "round-robin:share=2",
        "latest:weight=0.2",
        "shrinking",
    ]


def test_a_study_uses_them_all_and_its_report_has_the_chart(
    deliberate: Deliberate, tmp_path: Path
) -> None:
    (tmp_path / "study.toml").write_text("""
[study]
name = "lab"
strategies = ["round-robin:share=2"]
beliefs = ["latest"]
learners = ["shrinking"]
seeds = 2
executions = 5
point_executions = 5

[[experiments]]
name = "targets"
task = "sorting:far_reward=3"
budgets = [12]
robot = "targets:width=0.8"

[[experiments]]
name = "physics"
task = "sorting"
budgets = [12]
robot = "mujoco"
""")
    words = ["compare", "study.toml", "--out", "out", "--workers", "2", "--format", "json"]
    for _ in range(2):  # the second time everything is known
        experiments = json.loads(deliberate(*words))["experiments"]
        assert [len(experiment["rows"]) for experiment in experiments] == [1, 1]
    assert (tmp_path / "out" / "physics" / "goals.png").exists()
    deliberate("report", "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for name in ("targets", "physics"):
        assert f'id="chart-{name}-goals"' in page
        assert (tmp_path / "out" / "figures" / f"{name}-goals.pdf").exists()


def test_conformance_suites_pass_there(python: str, tmp_path: Path) -> None:
    code = """
import deliberate_practice as dp
from deliberate_practice import testing
testing.check_strategy("round-robin:share=2")
testing.check_belief("latest:weight=0.3")
testing.check_learner("shrinking:spread=0.5")
task = dp.load_task("sorting")
testing.check_robot(dp.make_robot("targets:width=0.5", task, seed=1), task)
testing.check_domain("sorting")
testing.check_chart("goals")
"""
    _call(python, "-W", "error", "-c", code, folder=tmp_path)


def test_parts_are_short_and_use_public_names_alone() -> None:
    for path in (PROJECT / "src" / "lab_parts").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= LONGEST or path.name == "scene.py"
        assert set(re.findall(r"deliberate_practice[.\w]*", text)) <= {"deliberate_practice"}


def _run(deliberate: Deliberate, *words: str) -> str:
    """A session with every part of the package, with options on every name."""
    chosen = {
        "strategy": "round-robin:share=2",
        "belief": "latest:weight=0.2",
        "learner": "shrinking:spread=1.5",
        "robot": "targets:width=0.8",
    }
    options = [word for key, name in chosen.items() for word in (f"--{key}", name)]
    return deliberate("run", "sorting:far_reward=3", *options, *words, "--format", "json")


def _call(*words: Any, folder: Path | None = None) -> str:
    done = subprocess.run(
        list(map(str, words)),
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
