"""The command line: the contract's JSON, tables that fit, one clear message for bad input."""

from __future__ import annotations

import json
import os
import resource
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from command import Run


def test_allocate_keeps_the_contract(run: Run) -> None:
    result = run("allocate", "cleanup", "--budget", "150", "--format", "json")
    data = json.loads(result.out)
    assert result.status == 0
    assert result.err == ""
    assert (data["task"], data["budget"], data["status"], data["solver"]) == (
        "cleanup",
        150,
        "optimal",
        "plans",
    )
    assert data["plan"] == ["Close(top)", "Pick(object)", "Place(object,middle)"]
    assert data["allocation"] == {"Close(top)": 50, "Pick(object)": 50, "Place(object,middle)": 50}
    assert data["competence"] == pytest.approx(dict.fromkeys(data["allocation"], 1.0))
    assert data["value"] <= data["bound"] <= data["value"] * (1 + 1e-10)
    assert (data["gap"] < 1e-10, data["spent"]) == (True, 150)
    assert data["states"] == {"total": 41, "reachable": 24, "kept": 22}
    assert 0 < data["seconds"] < 5


def test_allocate_prints_a_table_that_fits(run: Run) -> None:
    result = run("allocate", "cleanup-multi", "--budget", "500", "--verify", "--sensitivity")
    assert result.status == 0
    assert "proven optimal" in result.out
    assert "bottom" in result.out
    assert max(map(len, result.out.splitlines())) <= 80


def test_frontier_keeps_the_contract(run: Run, tmp_path: Path) -> None:
    picture = tmp_path / "f.png"
    result = run(*f"frontier breakfast --max-budget 70 --plot {picture} --format json".split())
    data = json.loads(result.out)
    assert data["budgets"] == list(range(71))
    for key in ("values", "bounds", "plans", "allocations", "marginal"):
        assert len(data[key]) == 71
    assert [s["goal"] for s in data["switches"]] == ["oatmeal"]
    assert picture.exists()
    table = run("frontier", "cleanup", "--max-budget", "300")
    assert "from 117 on: middle" in table.out
    assert max(map(len, table.out.splitlines())) <= 80


def test_check_says_which_solver_and_why(run: Run, tmp_path: Path) -> None:
    task, mdp = tmp_path / "task.toml", tmp_path / "mdp.json"
    result = run(*f"check breakfast --write-task {task} --write-mdp {mdp} --format json".split())
    data = json.loads(result.out)
    assert (data["solver"], data["product_form"]) == ("plans", True)
    assert data["states"]["total"] == 37
    assert run("check", str(task)).status == 0
    assert json.loads(mdp.read_text())["discount"] == 0.99


def test_check_explains_a_general_task(run: Run, tmp_path: Path) -> None:
    text = TASK.replace('failure = "end"', 'failure = { cup = "floor" }') + LIFT
    result = run("check", str(_write(tmp_path, text)), "--format", "json")
    data = json.loads(result.out)
    assert (data["solver"], data["form"]) == ("supersolution", "general")
    assert "may lead to several states" in data["why"]
    assert "a supersolution bounds them" in data["why"]
    retried = run("check", str(_write(tmp_path, text.replace('cup = "floor"', 'cup = "table"', 1))))
    assert retried.status == 0


def test_check_warns_of_what_nothing_reaches(run: Run, tmp_path: Path) -> None:
    text = TASK + '\n[[goals]]\nname = "fly"\nreward = 9\nwhen = { cup = "floor" }\n'
    result = run("check", str(_write(tmp_path, text)))
    assert result.status == 0
    assert "goal 'fly' can never be reached" in result.out


def test_check_warns_of_a_goal_at_the_start(run: Run, tmp_path: Path) -> None:
    text = TASK + '\n[[goals]]\nname = "rest"\nreward = 0.1\nwhen = { cup = ["table", "floor"] }\n'
    result = run("check", str(_write(tmp_path, text)))
    assert result.status == 0
    assert "goal 'rest' is met at a start already" in result.out
    assert "already" not in run("check", str(_write(tmp_path, TASK))).out


def test_completion_knows_commands_and_tasks(run: Run) -> None:
    assert "_DELIBERATE_COMPLETE" in run("completion", "bash").out
    environment = {
        **os.environ,
        "_DELIBERATE_COMPLETE": "bash_complete",
        "COMP_WORDS": "deliberate allocate cle",
        "COMP_CWORD": "2",
    }
    command = [str(Path(sys.executable).with_name("deliberate"))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["plain,cleanup", "plain,cleanup-multi"]


def test_the_package_runs_as_the_command(run: Run) -> None:
    command = [sys.executable, "-m", "deliberate_practice", "check", "nowhere"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == (run("check nowhere").err, 2)


@pytest.mark.parametrize("command", [(), ("allocate",), ("frontier",), ("check",), ("completion",)])
def test_help_has_examples(run: Run, command: tuple[str, ...]) -> None:
    result = run(*command, "--help")
    assert result.status == 0
    assert "deliberate " in result.out.split("Options:")[0].split("\n", 1)[1]


def test_the_help_of_frontier_promises_no_times_of_skills(run: Run) -> None:
    assert "skills state seconds" in " ".join(run("allocate --help").out.split())
    assert "state seconds" not in " ".join(run("frontier --help").out.split())
    assert "--hours H and --episode-seconds S" in run("frontier breakfast --hours 2").err


def test_help_answers_at_once() -> None:
    command = [str(Path(sys.executable).with_name("deliberate")), "--help"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.3


def test_the_reference_is_what_the_commands_say() -> None:
    docs = Path(__file__).parents[2] / "docs"
    namespace = runpy.run_path(str(docs / "make_cli_reference.py"))
    written = (docs / "cli.md").read_text(encoding="utf-8")
    assert written == namespace["reference"](), "run: make reference"


TASK = """
name = "t"
discount = 0.9
[variables]
cup = ["table", "shelf", "floor"]
[[goals]]
name = "shelf"
reward = 1
when = { cup = "shelf" }
[[skills]]
name = "put"
precondition = { cup = "table" }
effect = { cup = "shelf" }
failure = "end"
competence = 0.2
curve = { kind = "table", values = [0.2, 0.3] }
"""

LIFT = """
[[skills]]
name = "lift"
precondition = { cup = "floor" }
effect = { cup = "shelf" }
competence = 0.4
"""


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("reward = 1\n", "", ["goal", "shelf", "'reward' is missing"]),
        ("[variables]", "[varables]", ["unknown key 'varables'", "Did you mean 'variables'?"]),
        (
            'effect = { cup = "shelf" }',
            'effect = { cap = "shelf" }',
            ["put", "effect", "'cap'", "Did you mean 'cup'"],
        ),
        (
            'effect = { cup = "shelf" }',
            'effect = { cup = "moon" }',
            ["put", "effect", "'moon'", "table, shelf, floor"],
        ),
        (
            'effect = { cup = "shelf" }',
            'effect = { cup = ["shelf"] }',
            ["put", "effect.cup", "['shelf'] is a list", "Write one of: table, shelf, floor"],
        ),
        ("competence = 0.2", "competence = 1.2", ["put", "competence", "1.2", "[0, 1]"]),
        (
            "competence = 0.2",
            'competence = "high"',
            ["put", "competence", "'high'", "not a number"],
        ),
        ("[0.2, 0.3]", "[0.2, 0.1]", ["put", "values[1]", "0.1", "must not decrease"]),
        (
            'failure = "end"',
            'failure = [{ probability = 0.4, effect = "end" }, '
            '{ probability = 0.4, effect = "stay" }]',
            ["put", "failure", "sum to 0.8", "must sum to 1"],
        ),
        (
            'failure = "end"',
            'failure = "explode"',
            ["put", "failure", "'explode'", "end, stay", "{ variable"],
        ),
        (
            'when = { cup = "shelf" }',
            'when = { cup = "floor" }',
            ["goals", "no goal can be reached", "'shelf'"],
        ),
        (
            '["table", "shelf", "floor"]',
            '["table", "shelf", "table"]',
            ["variables.cup", "'table'", "twice"],
        ),
        ("discount = 0.9", "discount = 1.5", ["discount", "1.5", "(0, 1]"]),
        ('name = "t"', "name = t", ["TOML", "line 2"]),
        ("competence = 0.2", "", []),
    ],
)
def test_bad_task_files_get_one_clear_message(
    run: Run,
    tmp_path: Path,
    old: str,
    new: str,
    parts: list[str],
) -> None:
    assert old in TASK
    path = _write(tmp_path, TASK.replace(old, new, 1))
    result = run("allocate", str(path), "--budget", "3")
    if not parts:  # a table says itself where it starts
        assert result.status == 0
        return
    assert result.status == 2
    assert result.out == ""
    assert result.err.count("\n") == 1
    for part in [str(path), *parts]:
        assert part in result.err


def test_duplicate_names_are_refused(run: Run, tmp_path: Path) -> None:
    path = _write(tmp_path, TASK + TASK[TASK.index("[[skills]]") :])
    result = run("check", str(path))
    assert result.status == 2
    assert "'put' occurs twice" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("allocate cleanup --budget -5", "--budget: -5"),
        ("allocate cleanup --budget many", "'many' is not a valid integer"),
        ("allocate cleanup", "give --budget N, or --hours"),
        ("allocate cleanup --budget 5 --hours 2", "not both"),
        ("allocate cleanup --hours 2", "--episode-seconds"),
        ("allocate cleanup --hours 2 --episode-seconds 0", "--episode-seconds: 0"),
        ("allocate cleanap --budget 5", "Did you mean 'cleanup'"),
        ("allocate nowhere.toml --budget 5", "nowhere.toml"),
        ("allocate cleanup --budget 5 --solver cplex", "'cplex' is not one of"),
        ("allocate cleanup --budget 5 --gap -1", "gap: -1"),
        ("allocate cleanup --budget 5 --set objects=4", "'objects' is not one of"),
        ("allocate cleanup --budget 5 --set rate=fast", "'fast' is not a number"),
        ("allocate cleanup --budget 5 --set =3", "not NAME=NUMBER"),
        ("allocate cleanup-multi --budget 5 --max-states 100", "more than 100 states"),
        ("allocate cleanup-multi --budget 5 --set objects=40", "states can be reached"),
        ("allocate cleanup --hours 1e300 --episode-seconds 1e-300", "far too much"),
        ("allocate cleanup --budget 5 --time-limit inf", "time_limit: inf"),
        ("allocate cleanup --budget 5 --continuous --sensitivity", "whole episodes"),
        ("allocate breakfast --budget 5 --set rate=-1", "rate: -1"),
        ("frontier cleanup --max-budget -1", "--max-budget: -1"),
        ("frontier cleanup --max-budget 5 --time-limit -1", "time_limit: -1"),
        ("frontier cleanup --max-budget 1000000000", "too large"),
        ("frontier cleanup --max-budget 5 --plot x.doc", "use one of: .png"),
        ("frontier cleanup --max-budget 5 --plot /nowhere/x.png", "there is no folder"),
        ("check /", "/"),
        ("fly", "No such command 'fly'"),
    ],
)
def test_bad_arguments_get_one_clear_message(run: Run, arguments: str, message: str) -> None:
    result = run(*arguments.split())
    assert result.status == 2
    assert result.out == ""
    assert message in result.err
    assert "Traceback" not in result.err


def test_names_are_shown_as_they_are(run: Run, tmp_path: Path) -> None:
    text = TASK.replace('"t"', '"[/bold] :key:"').replace('"put"', '"put [i] :key: $x$"')
    path = str(_write(tmp_path, text))
    result = run("allocate", path, "--budget", "3")
    assert "[/bold] :key: with a budget of 3" in result.out
    assert "put [i] :key: $x$" in result.out
    assert run("frontier", path, "--max-budget", "3", "--plot", f"{tmp_path}/x.png").status == 0
    assert run("check", path).status == 0


@pytest.mark.parametrize(("target", "status"), [("/dev/full", 2), (os.devnull, 0)])
def test_any_encoding_and_a_full_disk(target: str, status: int) -> None:
    command = [str(Path(sys.executable).with_name("deliberate"))]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    with open(target, "w") as out:
        done = subprocess.run(
            [*command, "allocate", "breakfast", "--budget", "60"],
            env=environment,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == (status == 2)


def test_a_failed_verification_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from deliberate_practice.allocation import verification

    failed = verification.Verification((verification.Check("value", False, "it is wrong"),))
    monkeypatch.setattr(verification, "verify", lambda *_: failed)
    result = run("allocate", "breakfast", "--budget", "30", "--verify")
    assert result.status == 1
    assert "FAILED" in result.out


def _write(folder: Path, text: str) -> Path:
    path = folder / "task.toml"
    path.write_text(text)
    return path


NESTED = """
name = "coffee"
[variables]
cup = ["shelf", "espresso", "cappuccino"]
[[goals]]
name = "espresso"
reward = 1.0
when = { cup = "espresso" }
[[goals]]
name = "cappuccino"
reward = 3.0
when = { cup = "cappuccino" }
[[skills]]
name = "Brew"
precondition = { cup = "shelf" }
effect = { cup = "espresso" }
competence = 0.4
curve = { kind = "linear", rate = 0.1 }
[[skills]]
name = "Pour"
precondition = { cup = "espresso" }
effect = { cup = "cappuccino" }
competence = 0.3
"""


@pytest.mark.parametrize(
    "command",
    [
        "check",
        "allocate --budget 5",
        "frontier --max-budget 5",
        "start --budget 5 --name a",
        "run --budget 2",
        "compare --budgets 2 --seeds 1 --strategies random",
    ],
)
def test_a_goal_behind_another_goal_is_said_everywhere(
    run: Run, tmp_path: Path, command: str
) -> None:
    (tmp_path / "coffee.toml").write_text(NESTED)
    name, _, rest = command.partition(" ")
    done = run(f"{name} coffee.toml {rest}")
    assert done.status == 0
    said = " ".join((done.out + done.err).split())
    assert "goal 'cappuccino' can never be reached: every way to it passes through goal" in said
    assert 'served = ["no", "espresso", "cappuccino"]' in said


def test_check_says_what_is_behind_a_goal_to_programs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "coffee.toml").write_text(NESTED)
    data = json.loads(run("check coffee.toml --format json").out)
    assert data["blocked"] == {
        "goals": {"cappuccino": ["espresso"]},
        "skills": {"Pour": ["espresso"]},
    }
    assert data["unreachable"] == {"values": [], "skills": [], "goals": []}


@pytest.mark.skipif(os.name != "posix", reason="closes a file descriptor by a shell")
@pytest.mark.parametrize("line", ["allocate breakfast --budget 5", "check breakfast", "--help"])
def test_a_closed_stdout_is_no_fault(line: str) -> None:
    program = "import sys; from deliberate_practice.cli import main; sys.argv[0] = 'd'; main()"
    words = [sys.executable, "-c", shlex.quote(program), line, ">&-"]
    done = subprocess.run(
        ["sh", "-c", " ".join(words)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
