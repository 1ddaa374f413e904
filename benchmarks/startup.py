"""What a command costs before and after its own work: CPU time in units of ``import numpy``.

    python benchmarks/startup.py                        a table; about a minute
    python benchmarks/startup.py --repeats 21           steadier medians
    python benchmarks/startup.py --json startup.json    the figures for a program as well

Every command runs in a process of its own, as a robot's script would run it. A row is the median
CPU time (user and system) of its runs, divided by that of ``python -c 'import numpy'`` with the
same interpreter, measured in turn with it. ``ask`` and ``tell`` go on with a session of 40 trials;
the asks that had to decide what to practise are listed once more by themselves.
Modules are compiled once, as in an installed package, into a folder that is thrown away.

Two ratios are bounded: ``--help`` by 1, and ``ask`` with ``tell`` by 2.5 times two imports. The
exit status is 1 if one of them is missed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console

from deliberate_practice.cli.output import table
from deliberate_practice.practice.domain import load_task, make_robot, practised_task
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.task.model import Task

TRIALS = 40
"""Trials of a session that were told before anything is measured."""
BUDGET = 400
HELP_LIMIT = 1.0
PAIR_LIMIT = 2.5
DO_NOT_COMPILE = "PYTHONDONTWRITEBYTECODE"
IMPORT = ("-c", "import numpy")
DELIBERATE = ("-c", "from deliberate_practice.cli import main; main()")

COFFEE = """
name = "coffee"
discount = 0.99

[variables]
portafilter = ["rack", "filled", "locked"]
jug = ["fridge", "steamed", "spilled"]
cup = ["tray", "espresso", "cappuccino"]

[[goals]]
name = "espresso"
reward = 1.0
when = { cup = "espresso" }

[[goals]]
name = "cappuccino"
reward = 3.0
when = { cup = "cappuccino" }

[[skills]]
name = "Grind"
precondition = { portafilter = "rack" }
effect = { portafilter = "filled" }
failure = "stay"
competence = 0.3
curve = { kind = "exponential", rate = 0.08, ceiling = 0.95 }
cost = 2

[[skills]]
name = "Lock"
precondition = { portafilter = "filled" }
effect = { portafilter = "locked" }
competence = 0.1
curve = { kind = "piecewise-linear", rate = 0.03 }

[[skills.parameters]]
name = "angle"
unit = "rad"
mean = 0.6
sd = 0.2
low = 0.0
high = 1.2

[[skills.parameters]]
name = "push"
unit = "m"
mean = 0.02
sd = 0.01
low = 0.0
high = 0.05

[[skills]]
name = "Steam"
precondition = { jug = "fridge" }
effect = { jug = "steamed" }
failure = { jug = "spilled" }
competence = 0.2
curve = { kind = "exponential", rate = 0.06, ceiling = 0.9 }
cost = 3

[[skills]]
name = "Refill"
precondition = { jug = "spilled" }
effect = { jug = "fridge" }
failure = "stay"
competence = 0.9

[[skills]]
name = "Brew"
precondition = { portafilter = "locked", cup = "tray" }
effect = { cup = "espresso" }
competence = 0.97

[[skills]]
name = "Pour"
precondition = { jug = "steamed", cup = ["tray", "espresso"], portafilter = "locked" }
effect = { cup = "cappuccino" }
competence = 0.15
curve = { kind = "piecewise-linear", rate = 0.03 }
cost = 2
"""
"""A general task: its failures can be recovered, so no plan search answers for it."""


@dataclass
class Timer:
    """Runs commands in processes of their own and keeps the CPU time of each [s]."""

    folder: Path
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def run(self, label: str, *arguments: str) -> str:
        """Run the interpreter once; its output, or the end of the benchmark if it fails."""
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=self.folder,
                env=self._environment(),
                stdout=output,
                text=True,
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f"{label}: exit status {process.returncode}.")
            output.seek(0)
            self.seconds.setdefault(label, []).append(usage.ru_utime + usage.ru_stime)
            return output.read()

    def _environment(self) -> dict[str, str]:
        """This one, but compiled modules are kept, whatever this process does with its own."""
        kept = {key: value for key, value in os.environ.items() if key != DO_NOT_COMPILE}
        return {**kept, "PYTHONPYCACHEPREFIX": str(self.folder / "compiled")}

    def median(self, label: str) -> float:
        """The median CPU time of a command [s]."""
        return statistics.median(self.seconds[label])


@click.command()
@click.option("--repeats", default=9, help="Runs of every command (9).")
@click.option("--json", "out", type=click.Path(path_type=Path), help="Write the figures here.")
def main(repeats: int, out: Path | None) -> None:
    """Print what each command costs, and compare two ratios with their limits."""
    with tempfile.TemporaryDirectory() as folder:
        timer = Timer(Path(folder))
        sessions = _sessions(timer.folder)
        _run_all(timer, sessions)
        timer.seconds.clear()  # the first runs also compile modules
        for _ in range(repeats):
            _run_all(timer, sessions)
    unit = timer.median("import numpy")
    ratios = {label: timer.median(label) / unit for label in timer.seconds}
    limits = {"--help": (ratios["--help"], HELP_LIMIT)}
    for name in sessions:
        pair = (ratios[f"ask {name}"] + ratios[f"tell {name}"]) / 2
        limits[f"ask and tell {name}, by two imports"] = (pair, PAIR_LIMIT)
    _print(timer, ratios, limits)
    if out:
        figures = {"unit_seconds": unit, "ratios": ratios, "limits": limits}
        out.write_text(json.dumps(figures, indent=2) + "\n")
    sys.exit(any(ratio > limit for ratio, limit in limits.values()))


def _sessions(folder: Path) -> list[str]:
    """Practise :data:`TRIALS` trials of each task into the journal of the folder."""
    (folder / "coffee.toml").write_text(COFFEE)
    tasks: dict[str, Task] = {"coffee": load_task(folder / "coffee.toml")}
    if importlib.util.find_spec("mujoco"):
        tasks["cleanup"] = practised_task("cleanup", "mujoco")  # measured priors, parameters
    for name, task in tasks.items():
        robot = make_robot("regions", task, seed=0)
        with start_session(folder / "deliberate.db", name, task, BUDGET) as session:
            for _ in range(TRIALS):
                trial = session.ask()
                assert trial is not None  # the budget is far from spent
                (result,) = robot.run([trial])
                session.tell(trial.id, result.outcome, result.at, executed=result.executed)
    return list(tasks)


def _run_all(timer: Timer, sessions: list[str]) -> None:
    """Every command once."""
    timer.run("import numpy", *IMPORT)
    timer.run("--help", *DELIBERATE, "--help")
    for name in sessions:
        asked = timer.run(f"ask {name}", *DELIBERATE, "ask", name, "--asker", "robot")
        number = asked.split(":")[0].split()[1]  # trial 41: Pour (explore, seed 7)
        if _decided(timer.folder, name):
            deciding = timer.seconds.setdefault(f"ask {name}, deciding", [])
            deciding.append(timer.seconds[f"ask {name}"][-1])
        timer.run(f"tell {name}", *DELIBERATE, "tell", name, number, "success")
        timer.run(f"show {name}", *DELIBERATE, "show", name)
    timer.run("sessions", *DELIBERATE, "sessions")
    timer.run("check coffee", *DELIBERATE, "check", "coffee.toml")
    timer.run("allocate cleanup", *DELIBERATE, "allocate", "cleanup", "--budget", "150")


def _decided(folder: Path, name: str) -> bool:
    """Whether the last trial asked was the first of its decision."""
    with open_session(folder / "deliberate.db", name) as session:
        return session.state.granted == session.state.decisions[-1].granted - 1


def _print(timer: Timer, ratios: dict[str, float], limits: dict[str, tuple[float, float]]) -> None:
    rows = [
        [
            label,
            f"{1e3 * timer.median(label):.0f}",
            f"{1e3 * max(times):.0f}",
            f"{ratios[label]:.2f}",
        ]
        for label, times in timer.seconds.items()
    ]
    out = Console()
    columns = ["command", "CPU ms (median)", "slowest", "by import numpy"]
    out.print(table(columns, rows, numeric=(1, 2, 3)))
    for label, (ratio, limit) in limits.items():
        verdict = "within" if ratio <= limit else "MISSED:"
        out.print(f"{label}: {ratio:.2f}, {verdict} the limit {limit:g}")


if __name__ == "__main__":
    main()
