"""``deliberate new``: first task files, which check accepts."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from command import Run
from gripper_variants import VARIANTS

import deliberate_practice as dp

COMMAND = "from deliberate_practice.cli import main; main()"


def _files(name: str) -> None:
    """Write a gripper problem into this folder."""
    Path("domain.pddl").write_text(VARIANTS[name].domain, encoding="utf-8")
    Path("problem.pddl").write_text(VARIANTS[name].problem, encoding="utf-8")


@pytest.mark.parametrize("arguments", ["new tidy.toml", "new tidy.toml --yes"])
def test_without_a_terminal_an_example_is_written(run: Run, arguments: str) -> None:
    printed = run(arguments)
    assert (printed.status, printed.err) == (0, "")
    assert "wrote tidy.toml; next: deliberate check tidy.toml" in printed.out
    assert "# probability of success now" in Path("tidy.toml").read_text(encoding="utf-8")
    checked = run("check tidy.toml --format json").data
    assert (checked["task"], checked["skills"], checked["warnings"]) == ("tidy", 3, [])
    assert run("allocate tidy.toml --budget 20 --format json").data["value"] > 0


@pytest.mark.parametrize("arguments", ["new old.toml", "new old.toml --from-pddl {}/d {}/p"])
def test_a_file_that_exists_is_never_changed(run: Run, arguments: str, tmp_path: Path) -> None:
    Path("d").write_text(VARIANTS["typing"].domain)
    Path("p").write_text(VARIANTS["typing"].problem)
    Path("old.toml").write_text("mine")
    printed = run(arguments.replace("{}", str(tmp_path)))
    assert (printed.status, printed.out) == (2, "")
    assert "exists and is left as it is; choose another path" in printed.err
    assert Path("old.toml").read_text() == "mine"


def test_a_file_must_be_named(run: Run) -> None:
    printed = run("new")
    assert (printed.status, printed.out) == (2, "")
    assert "name the file to write: deliberate new TASK.toml" in printed.err


@pytest.mark.parametrize("name", VARIANTS)
def test_the_file_beside_every_planning_problem_is_valid(run: Run, name: str) -> None:
    _files(name)
    written = run("new --from-pddl domain.pddl problem.pddl --format json").data
    assert written == {"file": "problem.toml"}
    text = Path("problem.toml").read_text(encoding="utf-8")
    assert ("action_costs" in text) == (":action-costs" in VARIANTS[name].used)
    checked = run("check problem.toml --format json").data
    assert checked["practised"] > 0
    assert checked["pddl"]["needs"] == []


def test_the_planning_files_may_be_elsewhere(run: Run, tmp_path: Path) -> None:
    _files("typing")
    Path("tasks").mkdir()
    printed = run(f"new tasks/mine.toml --from-pddl domain.pddl {tmp_path}/problem.pddl")
    assert printed.status == 0
    text = Path("tasks/mine.toml").read_text(encoding="utf-8")
    assert 'domain = "../domain.pddl"' in text
    assert 'problem = "../problem.pddl"' in text
    assert run("check tasks/mine.toml").status == 0


def test_python_has_the_same_verbs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _files("typing")
    assert dp.new_pddl_task("domain.pddl", "problem.pddl") == Path("problem.toml")
    assert len(dp.load_task("problem.toml").skills) == 18
    dp.new_task("plan.toml", {"Pick": (0.9, 0), "Place": (0.5, 0.1)}, reward=2.0)
    task = dp.load_task("plan.toml")
    assert dp.allocate(task, budget=5).value == pytest.approx(0.9 * 1.0 * 0.99**2 * 2.0)
    with pytest.raises(dp.DeliberatePracticeError, match=r"plan\.toml: the file exists"):
        dp.new_task("plan.toml")
    with pytest.raises(dp.DeliberatePracticeError, match="there is no skill"):
        dp.new_task("none.toml", {})
    assert not Path("none.toml").exists()


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal")
def test_on_a_terminal_it_asks(tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "new", "plan.toml"],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        cwd=tmp_path,
    )
    os.write(leader, b"Open, Pick,Place\n0.9\n0\n1.5\n\n0.1\n\n0.05\n3\n")  # 1.5 is asked again
    assert process.wait(60) == 0
    os.close(follower)
    shown = os.read(leader, 10_000).decode()
    os.close(leader)
    assert "Pick: probability of success now" in shown
    assert "wrote plan.toml" in shown
    task = dp.load_task(tmp_path / "plan.toml")
    assert [skill.name for skill in task.skills] == ["Open", "Pick", "Place"]
    assert [policy.competence for policy in task.policies.values()] == [0.9, 0.5, 0.5]
    assert [policy.practisable for policy in task.policies.values()] == [False, True, True]
    assert task.goals[0].reward == 3.0
