"""A time limit holds for the whole command, grounding included, and for its memory too.

Limits are a contract with the user, so these tests look at the clock, as few others may.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counts import FULL
from small_problems import needs_scip

import deliberate_practice as dp

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "wait4"), reason="memory of a process is measured by wait4"),
]

FACTOR, SLACK = 1.5, 1.0
"""A command ends within FACTOR times its limit and SLACK seconds, apart from starting Python."""

GROWTH = 500 * 2**20
"""Memory beyond what importing the package takes [bytes]."""

MAIN = "import sys; from deliberate_practice.cli import main; sys.argv[0] = 'deliberate'; main()"


@dataclasses.dataclass(frozen=True)
class Ended:
    """How a process ended."""

    status: int
    seconds: float
    memory: int
    out: str
    err: str


def flags() -> dp.Task:
    """200 switches, each set by its own skill: 2^200 states lead to the goal."""
    names = [f"v{i}" for i in range(200)]
    return dp.Task(
        "flags",
        {name: ["off", "on"] for name in names},
        [dp.Goal("all", 1.0, dict.fromkeys(names, "on"))],
        [
            dp.Skill(
                f"Set({name})",
                {name: "off"},
                {name: "on"},
                0.5,
                failure="stay",
                curve=dp.PiecewiseLinear(rate=0.01),
            )
            for name in names
        ],
    )


def grid(failure: Callable[[str, int], Any]) -> dp.Task:
    """Three axes of 47 places, two skills for each step, eight policies: 103,823 states."""
    axes, length = "xyz", 47
    skills = []
    for a, axis in enumerate(axes):
        for i in range(length - 1):
            for way in range(2):
                policy = (3 * a + (way + 1) * i) % 8
                skills.append(
                    dp.Skill(
                        f"Step({axis},{i},{way})",
                        {axis: f"p{i}"},
                        {axis: f"p{i + 1}"},
                        0.6 + policy / 30,
                        failure=failure(axis, i),
                        policy=f"policy{policy}",
                        curve=dp.Exponential(rate=0.02 + policy / 100),
                    )
                )
    return dp.Task(
        "grid",
        {axis: [f"p{i}" for i in range(length)] for axis in axes},
        [dp.Goal("corner", 1.0, dict.fromkeys(axes, f"p{length - 1}"))],
        skills,
    )


def costs() -> dp.Task:
    """Two skills of unequal cost that learn slowly: a million units are worth splitting."""
    learn = dp.Exponential(rate=1e-5)
    return dp.Task(
        "costs",
        {"s": ["a", "b", "c"]},
        [dp.Goal("g", 1.0, {"s": "c"})],
        [
            dp.Skill("One", {"s": "a"}, {"s": "b"}, 0.1, curve=learn, cost=1),
            dp.Skill("Two", {"s": "b"}, {"s": "c"}, 0.1, curve=learn, cost=2),
        ],
    )


def tables() -> dp.Task:
    """Three skills of costs 2, 3 and 5 whose competence rises in steps: no marginal rule helps."""
    rng = np.random.default_rng(5)
    skills = []
    for i, cost in enumerate((2, 3, 5)):
        jumps = rng.random(20_000) ** 40
        values = np.round(0.01 + 0.98 * np.cumsum(jumps) / jumps.sum(), 9)
        learn = dp.Table(values.tolist())
        skills.append(
            dp.Skill(f"Skill{i}", {"s": f"p{i}"}, {"s": f"p{i + 1}"}, curve=learn, cost=cost)
        )
    return dp.Task(
        "tables", {"s": ["p0", "p1", "p2", "p3"]}, [dp.Goal("g", 1.0, {"s": "p3"})], skills
    )


def many_plans() -> dp.Task:
    """Six layers of 10 places with two starts and step costs: thousands of plans and orders."""
    rng = np.random.default_rng(4)
    layers = [["start"], *([f"{layer}.{i}" for i in range(10)] for layer in range(6))]
    ways = [
        (source, str(target))
        for before, after in pairwise(layers)
        for source in before
        for target in rng.choice(after, size=3, replace=False)
    ]
    skills = [
        dp.Skill(
            f"{source} to {target}",
            {"place": source},
            {"place": target},
            float(rng.uniform(0.05, 0.5)),
            curve=dp.PiecewiseLinear(rate=float(rng.uniform(0.005, 0.04))),
            step_reward=-0.01,
        )
        for source, target in ways
    ]
    goals = [dp.Goal(f"goal {i}", 1.0 + i, {"place": place}) for i, place in enumerate(layers[-1])]
    starts = [dp.Start(0.5, {"place": "start"}), dp.Start(0.5, {"place": "0.1"})]
    return dp.Task(
        "many plans",
        {"place": [one for row in layers for one in row]},
        goals,
        skills,
        starts=starts,
    )


TASKS: dict[str, tuple[Callable[[], dp.Task], int]] = {
    "flags": (flags, 1000),
    "grid-product": (lambda: grid(lambda axis, i: "stay" if i % 2 else "end"), 200),
    "grid-fall-backs": (lambda: grid(lambda axis, i: {axis: f"p{max(i - 1, 0)}"}), 200),
    "costs": (costs, 10**6),
    "tables": (tables, 10**6),
    "many-plans": (many_plans, 200),
}
"""Each task and its budget."""

ORDINARY = [
    ("flags", "auto"),
    ("grid-product", "auto"),
    ("grid-fall-backs", "local"),
    ("costs", "auto"),
    ("costs", "frontier"),
    ("tables", "auto"),
    ("many-plans", "auto"),
]
"""What runs in every test run; the rest belongs to the acceptance."""

CASES = [
    pytest.param(name, solver, limit, marks=needs_scip if solver == "scip" else ())
    for name in TASKS
    for solver in ("auto", "plans", "local", "scip", "frontier")
    for limit in (2.0, 5.0)
    if FULL or ((name, solver) in ORDINARY and limit == 2.0)
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("limits")
    paths = {name: folder / f"{name}.toml" for name in TASKS}
    for name, path in paths.items():
        dp.write_task(TASKS[name][0](), path)
    return paths


@pytest.mark.parametrize(("name", "solver", "limit"), CASES)
def test_ends_in_time(
    name: str, solver: str, limit: float, files: dict[str, Path], tmp_path: Path
) -> None:
    start = run(tmp_path, "-c", "import deliberate_practice.cli")
    budget = TASKS[name][1]
    if solver == "frontier":
        words = ["frontier", str(files[name]), "--max-budget", str(min(budget, 20_000))]
    else:
        words = ["allocate", str(files[name]), "--budget", str(budget), "--solver", solver]
    words += ["--time-limit", str(limit), "--format", "json"]
    allowed = FACTOR * limit + SLACK + start.seconds
    ended = run(tmp_path, "-c", MAIN, *words, most=2 * allowed)
    assert ended.seconds <= allowed
    if name == "flags":
        assert ended.memory - start.memory < GROWTH
    if ended.status == 0:
        check_answer(json.loads(ended.out))
    else:
        check_refusal(ended)


def check_answer(answer: dict[str, Any]) -> None:
    if "values" in answer:
        assert all(v <= b for v, b in zip(answer["values"], answer["bounds"], strict=True))
    else:
        assert 0 <= answer["value"] <= answer["bound"]
        assert answer["status"] in ("optimal", "feasible")
        gap = (answer["bound"] - answer["value"]) / (answer["value"] or math.nan)
        assert answer["status"] == "feasible" or answer["bound"] == 0 or gap <= 1e-6


def check_refusal(ended: Ended) -> None:
    assert ended.status == 2, ended.err
    assert ended.out == ""
    assert ended.err.strip()
    assert "Traceback" not in ended.err


def run(folder: Path, *words: str, most: float = 60.0) -> Ended:
    """Run Python in another process, and end it with its children if it takes far too long."""
    out, err = folder / "out", folder / "err"
    with out.open("wb") as printed, err.open("wb") as complained:
        begun = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, *words], stdout=printed, stderr=complained, start_new_session=True
        )
        late = threading.Timer(most, os.killpg, (process.pid, signal.SIGKILL))
        late.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begun
        late.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    memory = usage.ru_maxrss * unit
    return Ended(process.returncode, seconds, memory, out.read_text(), err.read_text())
