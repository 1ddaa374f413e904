"""The same session on every processor: the last bit of a product decides nothing."""

from __future__ import annotations

import os
import subprocess
import sys

TASK = """
name = "desk"
discount = 0.99
variables = { cup = ["table", "hand", "shelf", "sink"] }

[[goals]]
name = "shelf"
reward = 1.0
when = { cup = "shelf" }

[[goals]]
name = "sink"
reward = 3.0
when = { cup = "sink" }

[[skills]]
name = "Pick"
precondition = { cup = "table" }
effect = { cup = "hand" }
competence = 0.4
curve = { kind = "exponential", rate = 0.05, ceiling = 0.95 }
parameters = [{ name = "x", mean = 0.0, sd = 0.02, low = -0.05, high = 0.05 }]

[[skills]]
name = "PlaceOnShelf"
precondition = { cup = "hand" }
effect = { cup = "shelf" }
competence = 0.9

[[skills]]
name = "PlaceInSink"
precondition = { cup = "hand" }
effect = { cup = "sink" }
competence = 0.05
curve = { kind = "exponential", rate = 0.03, ceiling = 0.9 }
parameters = [{ name = "height", mean = 0.1, sd = 0.04, low = 0.0, high = 0.2 }]
"""
PROGRAM = """
import sys
import deliberate_practice as dp
task = dp.parse_task(sys.stdin.read())
for seed in range(4):
    done = dp.run(task, "curves", 80, seed=seed, journal=None)
    print(done.spent, done.goal, dict(done.allocation), dict(done.attempts))
"""
KERNELS = ("Nehalem", "Haswell")
"""Processors whose products numpy's library rounds differently; others ignore the names."""


def test_a_session_is_the_same_on_every_processor() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=TASK,
            env={**os.environ, "OPENBLAS_CORETYPE": kernel},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for kernel in KERNELS
    }
    assert len(printed) == 1
    assert printed.pop().count("sink") == 4
