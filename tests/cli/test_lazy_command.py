"""Commands load only what they need, and are listed by the same words as ever."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from command import Run

from deliberate_practice.cli.app import COMMANDS, cli
from deliberate_practice.cli.lazy_command import LazyCommand

TASK = """
name = "cups"
variables = { cup = ["table", "hand", "shelf"] }
goals = [{ name = "tidy", reward = 1.0, when = { cup = "shelf" } }]

[[skills]]
name = "Pick"
precondition = { cup = "table" }
effect = { cup = "hand" }
competence = 0.3
curve = { kind = "exponential", rate = 0.1, ceiling = 0.9 }
parameters = [
  { name = "width", mean = 0.1, sd = 0.05, low = 0.0, high = 0.3 },
  { name = "height", mean = 0.2, sd = 0.05, low = 0.0, high = 0.4 },
]

[[skills]]
name = "Place"
precondition = { cup = "hand" }
effect = { cup = "shelf" }
competence = 0.8
"""

SLOW = ("matplotlib", "mujoco", "rich", "scipy")
"""Packages that take longer to load than asking and telling may."""

PROBE = """
import json, sys
sys.argv = ["deliberate", *sys.argv[1:]]
from deliberate_practice.cli import main
try:
    main()
finally:
    loaded = sorted({name.partition(".")[0] for name in sys.modules})
    print(json.dumps(loaded), file=sys.stderr)
"""


def _loaded(folder: Path, line: str) -> set[str]:
    """Packages that a fresh interpreter has loaded after a command."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *line.split()], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("line", ["--help", "--version", "ask --help", "allocate --help"])
def test_help_loads_nothing_that_computes_or_draws(tmp_path: Path, line: str) -> None:
    assert not _loaded(tmp_path, line) & {"numpy", *SLOW}


@pytest.mark.parametrize("output", ["table", "json"])
def test_asking_and_telling_load_nothing_slow(tmp_path: Path, output: str) -> None:
    """The first trial needs a decision, the second was granted with it."""
    (tmp_path / "cups.toml").write_text(TASK)
    for line in ("start cups.toml --budget 20 --name a", "ask a", "tell a 1 success", "ask a"):
        assert not _loaded(tmp_path, f"{line} --format {output}") & set(SLOW), line


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("width", [20, 45, 74, 1000])
def test_a_command_is_listed_with_its_own_help(name: str, width: int) -> None:
    listed = cli.commands[name]
    assert isinstance(listed, LazyCommand)
    itself = listed.load()
    assert itself.name == name
    assert itself.get_short_help_str(width) == listed.get_short_help_str(width)


def test_the_list_of_commands_cuts_nothing_off(run: Run) -> None:
    listed = run("--help").out
    assert all(f"\n  {name}  " in listed for name in COMMANDS)
    assert "..." not in listed.replace("[ARGS]...", "")
    assert all(help_text in listed for _, help_text in COMMANDS.values())


def test_every_command_of_the_package_is_listed() -> None:
    folder = Path(sys.modules[LazyCommand.__module__].__file__ or "").parent
    defined = {
        line.split('"')[1]
        for file in folder.rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.startswith('@click.command("')
    }
    assert defined == set(COMMANDS)


def test_a_command_that_does_not_exist_is_still_refused(run: Run) -> None:
    refused = run("asks")
    assert refused.status == 2
    assert "No such command 'asks'" in refused.err
    assert refused.out == ""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("deliberate re", {"ready", "refund", "report", "resume"}),
        ("deliberate show --", {"--all", "--db", "--format", "--help", "--plot", "--times"}),
        ("deliberate ask --format j", {"json"}),
        ("deliberate check br", {"breakfast"}),
        ("deliberate tell night 3 re", {"refused"}),
    ],
)
def test_the_shell_completes_commands_and_their_options(words: str, expected: set[str]) -> None:
    environment = {
        "_DELIBERATE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-c", "from deliberate_practice.cli import main; main()"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == expected


def test_a_loaded_command_runs_under_the_group(run: Run) -> None:
    """Its usage names the whole command, and options of the group's context hold for it."""
    refused = run("ask")
    assert refused.status == 2
    assert "Usage: deliberate ask [OPTIONS] NAME" in refused.err
    assert "Usage: deliberate ask" in run("ask -h").out
    assert isinstance(cli.commands["ask"].make_context("ask", ["x"]), click.Context)
