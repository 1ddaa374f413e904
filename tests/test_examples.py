"""The scripts in ``examples/`` run as their docstrings say, and print what they promise."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
LONGEST = 80
"""Lines of a script."""


def _run(name: str, folder: Path, *words: str, status: int = 0) -> str:
    """What a script prints, run in a process of its own; a warning is a fault.

    With a status other than 0, its message on stderr.
    """
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name), *words],
        cwd=folder,
        env={**os.environ, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


def _numbers(pattern: str, printed: str) -> list[float]:
    return [float(number) for number in re.findall(pattern, printed)]


def test_the_plan_is_proven_and_drawn(tmp_path: Path) -> None:
    printed = _run("plan.py", tmp_path)
    assert "aim for oatmeal: OpenMicrowave -> PickBowl -> PlaceBowl -> CloseMicrowave" in printed
    assert "Expected reward 1.883, optimal" in printed
    values = _numbers(r"reward (\S+) by", printed)
    assert len(values) == 5
    assert values == sorted(values)
    assert (tmp_path / "frontier.png").read_bytes().startswith(b"\x89PNG")


def test_practice_goes_on_after_a_power_cut(tmp_path: Path) -> None:
    printed = _run("practise.py", tmp_path)
    assert "after 25 episodes" in printed
    assert "60 of 60 episodes are spent" in printed
    assert "The same as without the power cut: yes" in printed
    before, after = map(float, re.findall(r"earned (\S+) before, and (\S+) now", printed)[0])
    assert after > before
    assert not list(tmp_path.iterdir())


def test_a_robot_finds_the_hole_wherever_it_is(tmp_path: Path) -> None:
    printed = _run("own_robot.py", tmp_path)
    assert _numbers(r"x = (\S+) mm", printed) == pytest.approx([5, -3], abs=1)
    assert min(_numbers(r"reward (\S+)", printed)) > 0.8


def test_a_strategy_is_compared_with_ours(tmp_path: Path) -> None:
    printed = _run("own_strategy.py", tmp_path)
    rewards = dict(re.findall(r"budget +60 +(\S+) +reward (\S+)", printed))
    assert list(rewards) == ["deliberate", "steepest", "steepest:ahead=30", "random"]
    assert float(rewards["deliberate"]) > float(rewards["steepest"]) > 0.5


def test_a_learner_learns(tmp_path: Path) -> None:
    rewards = dict(re.findall(r"(\S+) +reward (\S+) after", _run("own_learner.py", tmp_path)))
    assert list(rewards) == ["cma-es", "hill-climber", "hill-climber:step=0.8"]
    assert min(map(float, rewards.values())) > 0.5


def test_a_belief_leads_practice(tmp_path: Path) -> None:
    rewards = dict(
        re.findall(r"(\S+) +aims for \S+ +reward (\S+)", _run("own_belief.py", tmp_path))
    )
    assert list(rewards) == [
        "bayes",
        "running-average:charged=false",
        "counting",
        "counting:weight=20",
    ]
    assert min(map(float, rewards.values())) > 0.5


def test_a_chart_is_drawn(tmp_path: Path) -> None:
    printed = _run("own_chart.py", tmp_path)
    assert [line.partition(":")[0] for line in printed.splitlines()] == ["deliberate", "random"]
    assert sum(_numbers(r"[A-Za-z] (\d+)", printed)) == pytest.approx(120, abs=3)
    assert (tmp_path / "attempts.png").read_bytes().startswith(b"\x89PNG")
    assert "StartToaster" in (tmp_path / "attempts.csv").read_text()


def test_a_gymnasium_environment_is_a_robot(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    printed = _run("gymnasium_robot.py", tmp_path)
    assert [line.partition(":")[0] for line in printed.splitlines()[:2]] == ["Swing", "Climb"]
    reached, drives = map(int, re.findall(r"flag in (\d+) of (\d+) drives", printed)[0])
    assert drives == 50
    assert reached > 25


def test_a_franka_that_does_not_answer_is_one_message(tmp_path: Path) -> None:
    pytest.importorskip("franky", reason="franky-control is not installed")
    (line,) = _run("franka_robot.py", tmp_path, status=1).splitlines()
    assert line.startswith("no Franka answers at 127.0.0.1 (libfranka: Connection to FCI refused")
    assert line.endswith("give its address, e.g. 172.16.0.2")


def test_a_robot_needs_no_more_than_http(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    printed = _run("plain_http.py", tmp_path)
    assert "trial 8: StartToaster: " in printed
    assert printed.endswith("done: the budget is spent\n")


def test_a_robot_with_the_client_waits_after_a_fault(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    printed = _run("robot_client.py", tmp_path)
    assert re.search(
        r"aborted: RuntimeError: the gripper slipped\nwait: trial 6 waits for Ready: "
        r"say it with deliberate ready monday --db \S+, or on the page\nmonday: ready\ntrial 6: ",
        printed,
    )
    assert printed.endswith("done: the budget is spent\n")


@pytest.mark.slow
def test_a_domain_brings_its_scene(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    printed = _run("own_domain.py", tmp_path)
    assert _numbers(r"shoves at (\S+) m/s", printed) == pytest.approx([1.02], abs=0.15)
    ((before, after),) = re.findall(r"Reward (\S+) before practice, (\S+) after", printed)
    assert float(after) > float(before) + 0.5


@pytest.mark.slow
def test_recoveries_make_the_better_goal_worth_its_practice(tmp_path: Path) -> None:
    printed = _run("recoverable.py", tmp_path, "4")
    worth = _numbers(r"worth ([\d.]+)", printed)
    without = _numbers(r"earns ([\d.]+)", printed)
    assert worth == sorted(worth)
    assert all(a >= b for a, b in zip(worth, without, strict=True))
    assert worth[5] > 2 * without[5]
    (ours,) = re.findall(r"^deliberate: ([\d.]+), ([\d.]+)", printed, re.MULTILINE)
    (greedy,) = re.findall(r"^ees: ([\d.]+), ([\d.]+)", printed, re.MULTILINE)
    assert float(ours[1]) > 1.5 * float(greedy[1])
    assert (tmp_path / "recoverable.png").stat().st_size > 10_000


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_scripts_are_short_and_use_public_names_alone(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert f"``python examples/{path.name}``" in (ast.get_docstring(tree) or "")
    assert len(text.splitlines()) <= LONGEST
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        ours = {name for name in names if name.startswith("deliberate_practice")}
        assert ours <= {"deliberate_practice", "deliberate_practice.testing"}


def test_every_script_has_a_test_here() -> None:
    tests = Path(__file__).read_text(encoding="utf-8")
    for path in EXAMPLES.glob("*.py"):
        assert f'_run("{path.name}", tmp_path' in tests
