"""What the documentation shows is what happens."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from documented import ROOT, code_blocks, printed_by, run_in, serving_in

import deliberate_practice as dp
from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.beliefs.belief import BELIEFS
from deliberate_practice.learners.registry import LEARNERS
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.robots.ros_file import filled, read_ros_file
from deliberate_practice.strategies.strategy import STRATEGIES
from deliberate_practice.study.experiment import Experiment
from deliberate_practice.study.lerobot import lerobot_priors
from deliberate_practice.study.study_file import parse_study
from deliberate_practice.task.toml_reader import parse_task


def _ran(code: str, folder: Path) -> str:
    """What a block prints in a process and a folder of its own."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readme_example_prints_what_it_says() -> None:
    (code,) = code_blocks("README.md", "python")
    (printed,) = code_blocks("README.md", "text")
    assert len([line for line in code.splitlines() if line.strip()]) <= 15
    assert printed_by(code) == printed


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_the_readme_shows_what_its_command_prints() -> None:
    """But for times: each of them is replaced by the same one."""
    namespace = runpy.run_path(str(ROOT / "docs" / "make_transcripts.py"))
    (shown,) = code_blocks("README.md", "console")
    command, *lines = shown.splitlines()
    printed = namespace["_printed"](command.removeprefix("$ "))
    written = [namespace["TIMES"].sub("3 ms", line) for line in lines]
    assert written == [line.rstrip() for line in printed.splitlines()]


def test_the_times_of_the_readme_are_those_that_were_measured() -> None:
    namespace = runpy.run_path(str(ROOT / "docs" / "make_speed.py"))
    assert namespace["README"].read_text(encoding="utf-8") == namespace["readme"](), (
        "run: python docs/make_speed.py"
    )
    measured = json.loads(namespace["MEASURED"].read_text(encoding="utf-8"))
    doubled = [{**row, "seconds": 2 * row["seconds"]} for row in measured["growth"]]
    assert namespace["section"]({**measured, "growth": doubled}) != namespace["section"](measured)


def test_task_files_of_the_documentation_are_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = code_blocks("docs/task-files.md", "toml")[0]
    task = parse_task(whole)
    assert allocate(task, 30).allocation == {"StartToaster": 30}
    gaps, starts, several = code_blocks("docs/task-files.md", "toml")[1:4]
    assert [gap.lost for gap in parse_task(whole + gaps).gaps] == [0.3]
    assert len(parse_task(whole + starts).start_states) == 2
    example = (ROOT / "examples" / "two_tasks.toml").read_text(encoding="utf-8")
    variables, skills = example.split("[[tasks]]", 1)[0], example[example.index("[[skills]]") :]
    assert [one.weight for one in parse_task(variables + several + skills).tasks] == [3.0, 1.0]
    monkeypatch.chdir(tmp_path)
    (code,) = code_blocks("docs/task-files.md", "python")
    assert float(printed_by(code)) > 0.5
    assert (tmp_path / "tidy.toml").exists()


def test_examples_of_practice_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, session, strategy = code_blocks("docs/practice.md", "python")
    monkeypatch.chdir(tmp_path)
    goal, used, before, after = printed_by(run).split()
    assert (goal, used) == ("toast", "30")
    assert float(before) < float(after)
    spent, left, competence = map(float, printed_by(session).split())
    assert (spent, left) == (12, 0)
    assert 0.1 < competence <= 1
    try:
        printed_by(strategy)
        assert "weakest-link" in STRATEGIES
    finally:
        STRATEGIES.unregister("weakest-link")


def test_the_gymnasium_robots_of_the_page_practise(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    whole, elsewhere, reflex = code_blocks("docs/robots.md", "python")
    printed, _ = code_blocks("docs/robots.md", "text")
    assert _ran(whole, tmp_path) == printed
    assert _ran(reflex, tmp_path) == ""
    pytest.importorskip("fastapi")
    from served import Served

    served = Served(tmp_path / "lab.db")
    try:
        served.start("monday", "breakfast", 6, gate="never")
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        for line in code_blocks("docs/robots.md", "sh")[0].splitlines():
            environment = {**os.environ, "PATH": path}
            subprocess.run(line, shell=True, cwd=tmp_path, env=environment, check=True)
        code = elsewhere.replace("http://127.0.0.1:8712", served.url)
        _ran(code.replace("dp_...", served.token("robot")), tmp_path)
        shown = served.admin.get("/api/sessions/monday").json()
    finally:
        served.close()
    assert (shown["spent"], {row["outcome"] for row in shown["trials"]}) == (6, {"success"})


def test_the_ros_file_of_the_page_is_valid(tmp_path: Path) -> None:
    (text,) = code_blocks("docs/robots.md", "toml")
    (tmp_path / "robot.toml").write_text(text)
    parameter = '{{ name = "{}", mean = 0.0, sd = 0.1, low = -1.0, high = 1.0 }}'
    task = parse_task(
        'name = "t"\nvariables = { drawer = ["shut", "open"] }\n'
        'goals = [{ name = "g", reward = 1.0, when = { drawer = "open" } }]\n'
        '[[skills]]\nname = "OpenDrawer"\nprecondition = { drawer = "shut" }\n'
        'effect = { drawer = "open" }\ncompetence = 0.1\n'
        'curve = { kind = "exponential", rate = 0.1 }\n'
        f"parameters = [{parameter.format('x')}, {parameter.format('y')}]\n"
    )
    read = read_ros_file(tmp_path / "robot.toml", task)
    assert (read.host, read.reset.service) == ("192.168.1.20", "/reset_scene")
    assert filled(read.actions["OpenDrawer"], {"x": 0.1, "y": 0.2}) == {
        "pose": {"position": {"x": 0.1, "y": 0.2}, "header": {"frame_id": "base_link"}}
    }


def test_the_priors_of_the_page_are_those_of_the_command(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from lerobot_data import write_dataset

    _, printed = code_blocks("docs/robots.md", "text")
    labels = [False, False, False, True, False, False, True, True]
    episodes = [("Open the top drawer", label) for label in labels]
    (prior,) = lerobot_priors(write_dataset(tmp_path / "d", episodes))
    assert prior.toml() == printed


@pytest.mark.skipif(shutil.which("jq") is None, reason="the example uses jq")
def test_the_loop_in_the_shell_ends(tmp_path: Path) -> None:
    blocks = code_blocks("docs/practice.md", "sh")
    (loop,) = [block for block in blocks if block.startswith("while")]
    robot = tmp_path / "my_robot"
    robot.write_text("#!/bin/sh\necho failure\n")
    robot.chmod(0o755)
    script = f"set -e\ndeliberate start breakfast --budget 2 --name night\n{loop}"
    bin_first = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": bin_first}
    subprocess.run(["sh", "-c", script], cwd=tmp_path, env=environment, check=True, timeout=100)
    with open_session(tmp_path / "deliberate.db", "night") as session:
        assert (session.state.settled, session.state.left) == (2, 0)


def test_examples_of_studies_run() -> None:
    (whole,) = code_blocks("docs/studies.md", "toml")
    study = parse_study(whole)
    assert [len(experiment.cells) for experiment in study.experiments] == [320, 60]
    (code,) = code_blocks("docs/studies.md", "python")
    assert printed_by(code).splitlines() == [
        "toast deliberate 0.43 over 3 seeds",
        "toast random 0.15 over 3 seeds",
        "example ees 1.00 over 5 seeds",
    ]
    (script,) = code_blocks("docs/studies.md", "bash")
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0


def test_examples_of_parts_of_ones_own_run_and_pass_their_checks(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    shown = re.findall(
        r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", page, flags=re.MULTILINE | re.DOTALL
    )
    checks = re.findall(r"Check it with `(testing\.check_\w+\(.*?\))`", page)
    given = """
from deliberate_practice import testing
task = dp.load_task("breakfast")
robot = dp.make_robot("dice", task, 0) if "Dice" in globals() else None
"""
    for (code, output), check in zip(shown, ["", *checks], strict=True):
        assert _ran(f"{code}{given}{check}" if check else code, tmp_path) == output
    assert (tmp_path / "spread.pdf").exists()
    assert len(checks) == 6


def test_entry_points_of_the_page_on_parts_are_those_of_a_package_that_is_tested() -> None:
    (shown,) = code_blocks("docs/extending.md", "toml")
    stated = tomllib.loads(shown)["project"]["entry-points"]
    project = tomllib.loads((ROOT / "tests" / "outside" / "pyproject.toml").read_text())
    for group, points in stated.items():
        assert project["project"]["entry-points"][group] == points


def test_every_key_of_an_experiment_is_documented() -> None:
    page = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    for field in dataclasses.fields(Experiment):
        assert f"`{field.name}`" in page


def test_every_strategy_belief_and_learner_is_documented() -> None:
    page = (ROOT / "docs" / "practice.md").read_text(encoding="utf-8")
    for name in (*STRATEGIES, *BELIEFS, *LEARNERS):
        assert f"`{name}`" in page


def test_the_results_are_those_of_the_sessions() -> None:
    namespace = runpy.run_path(str(ROOT / "docs" / "make_results.py"))
    written = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    assert written == namespace["page"](), "run: make results"


@pytest.mark.parametrize("name", ["demonstrations.md", "tutorial.md"])
def test_commands_print_what_the_page_shows(name: str) -> None:
    namespace = runpy.run_path(str(ROOT / "docs" / "make_transcripts.py"))
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == namespace["page"](name), "run: make reference"


def test_the_night_of_the_tutorial_goes_as_the_page_says(tmp_path: Path) -> None:
    """Its service, token, client and robot, and the commands that read the result."""
    pytest.importorskip("fastapi")
    _, serving, client, reading, report = code_blocks("docs/tutorial.md", "sh")
    (tmp_path / "desk.toml").write_text(code_blocks("docs/tutorial.md", "toml")[0])
    _, robot = code_blocks("docs/tutorial.md", "python")
    start, serve = serving.splitlines()
    run_in(tmp_path, start)
    with serving_in(tmp_path, serve) as (url, _):
        token, client = client.splitlines()
        secret = run_in(tmp_path, token).strip()
        run_in(tmp_path, client)
        robot = robot.replace("http://127.0.0.1:8712", url).replace("dp_...", secret)
        (tmp_path / "night_robot.py").write_text(robot)
        run_in(tmp_path, f"{sys.executable} night_robot.py")
    assert "spent   40 of 40" in run_in(tmp_path, reading.splitlines()[0])
    for line in reading.splitlines()[1:]:
        run_in(tmp_path, line)
    assert (tmp_path / "night.png").exists()
    study = "deliberate compare breakfast --budgets 6 --strategies random --seeds 1 --out study"
    run_in(tmp_path, study)
    run_in(tmp_path, report.strip())
    assert "Verdict" in (tmp_path / "study" / "report.html").read_text(encoding="utf-8")


def test_short_tables_have_the_figures_of_the_long_ones() -> None:
    namespace = runpy.run_path(str(ROOT / "docs" / "make_tables.py"))
    for page, text in namespace["pages"]().items():
        assert page.read_text(encoding="utf-8") == text, "run: make reference"


def test_the_gallery_is_that_of_the_examples() -> None:
    namespace = runpy.run_path(str(ROOT / "docs" / "make_gallery.py"))
    written = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert written == namespace["page"](), "run: make reference"
    for example in (ROOT / "examples").iterdir():
        if example.name != "__pycache__":
            assert f"examples/{example.name}" in written


def test_the_concepts_are_drawn_from_the_tutorial() -> None:
    namespace = runpy.run_path(str(ROOT / "docs" / "make_concepts.py"))
    for name, picture in namespace["pictures"]().items():
        written = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert written == picture, "run: make reference"


def test_the_python_reference_is_that_of_the_docstrings() -> None:
    namespace = runpy.run_path(str(ROOT / "docs" / "make_api_reference.py"))
    written = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert written == namespace["reference"](), "run: make reference"
    for name in dp.__all__:
        assert f"\n### {name}\n" in written


def test_the_skill_of_that_page_is_one_of_its_task() -> None:
    (shown,) = code_blocks("docs/demonstrations.md", "toml")
    (skill,) = tomllib.loads(shown)["skills"]
    example = tomllib.loads((ROOT / "examples" / "so101.toml").read_text(encoding="utf-8"))
    (same,) = (one for one in example["skills"] if one["name"] == skill["name"])
    assert {**skill, "truth": same["truth"]} == same


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
