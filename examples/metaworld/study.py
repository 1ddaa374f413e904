"""Rank strategies on Meta-World over seeds: ``python examples/metaworld/study.py``.

The robot is a program in the environment of ``setup.sh``. The seed of a session draws the errors of
its cameras. A study that was stopped goes on.
"""

import argparse
import atexit
import functools
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import deliberate_practice as dp

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / ".venv-metaworld" / "bin" / "python"
STRATEGIES = (
    *("deliberate", "deliberate-paper", "ees", "competence-improvement"),
    *("least-competent", "uniform", "random"),
)


class Program:
    """The program in the other environment: one for each process, because stations take long."""

    def __init__(self) -> None:
        command = [str(PYTHON), str(HERE / "robot.py"), "--lines"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        atexit.register(self._end)

    def answer(self, *question: object) -> dict[str, Any]:
        """Send a line, and read one."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def _end(self) -> None:
        self._process.kill()
        self._process.communicate()


program = functools.cache(Program)


class Workshop:
    """Sends trials to the program; the seed draws the errors of its cameras."""

    def __init__(self, task: dp.Task, seed: int = 0, threads: int = 1):
        self._bench = seed

    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        """Run each trial in the program."""
        return [self._run(trial) for trial in trials]

    def earn(self, intention: dp.Intention, executions: int) -> dp.Earnings:
        """Execute the plan so many times."""
        return dp.measured_earnings(self, intention, executions)

    def _run(self, trial: dp.Trial) -> dp.Result:
        data = {**asdict(trial), **asdict(trial.attempt), "precondition": {}}
        return dp.Result(**program().answer(self._bench, data))


dp.register_robot("metaworld", Workshop)


def main() -> None:
    """Run the study, and print its table."""
    parser = argparse.ArgumentParser(description="Rank strategies on Meta-World.")
    parser.add_argument(
        "--budgets", type=numbers, default="60,120,240", help="budgets (60,120,240)"
    )
    parser.add_argument("--strategies", default=",".join(STRATEGIES), help="strategies (all)")
    parser.add_argument("--seeds", type=int, default=10, help="seeds of each strategy (10)")
    parser.add_argument("--first-seed", type=int, default=100, help="the first of them (100)")
    parser.add_argument("--executions", type=int, default=50, help="of each measured plan (50)")
    parser.add_argument("--out", default="results/metaworld", help="folder of the results")
    given = parser.parse_args()
    if not PYTHON.exists():
        parser.error("Meta-World has no environment yet; run: sh examples/metaworld/setup.sh")
    try:
        finished = dp.compare(
            os.path.relpath(HERE / "workshop.toml"),
            given.budgets,
            strategies=given.strategies.split(","),
            seeds=given.seeds,
            first_seed=given.first_seed,
            robot="metaworld",
            executions=given.executions,
            point_executions=10,
            every=60,
            out=given.out,
            progress=lambda status: print(f"{status.done} of {status.count} sessions", flush=True),
        )
    except dp.DeliberatePracticeError as error:
        parser.error(str(error))
    show(finished)


def numbers(text: str) -> list[int]:
    """Numbers that are separated by commas."""
    return [int(number) for number in text.split(",")]


def show(finished: dp.Finished) -> None:
    """Say for each budget who won, and what everybody earned."""
    print()
    for verdict in dp.verdicts(finished):
        print(f"budget {verdict.budget}, best {verdict.best}")
        print(f"  settled over: {', '.join(verdict.beaten) or 'none'}")
        print(f"  not settled over: {', '.join(verdict.undecided) or 'none'}")
        rows = [row for row in finished.rows if row.budget == verdict.budget]
        for row in sorted(rows, key=lambda row: -row.mean):
            interval = " ({:.2f} to {:.2f})".format(*row.ci95) if row.ci95 else ""
            print(f"  {row.strategy:24s} {row.mean:.2f}{interval}")


if __name__ == "__main__":
    main()
