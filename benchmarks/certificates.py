"""Certificates on random tasks whose decision rules are not plans.

    python benchmarks/certificates.py                    the 40 tasks, at most 30 s each
    python benchmarks/certificates.py --corner           also the corner bound of the same splits
    python benchmarks/certificates.py --scip 60 --seeds 0,4,8   also SCIP with 60 s

Grounding is not counted. CPU seconds are printed beside wall-clock seconds, because the limit is a
limit on the latter and a busy machine gives only a part of it.
"""

from __future__ import annotations

import time

import click
import numpy as np
from random_general_tasks import COUNT, random_general_task

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.corner_bound import corner_bound
from deliberate_practice.allocation.problem import build_problem
from deliberate_practice.allocation.supersolution.certify import certify


@click.command()
@click.option("--seconds", default=30.0, help="Time limit of each certificate.")
@click.option("--gap", default=0.01, help="Relative gap at which a task counts as closed.")
@click.option("--seeds", default="", help="Seeds separated by commas; all by default.")
@click.option("--corner", is_flag=True, help="Also the gap that the corner bound leaves.")
@click.option("--scip", default=0.0, help="Time limit of SCIP; 0 leaves it out.")
def main(seconds: float, gap: float, seeds: str, corner: bool, scip: float) -> None:
    """Print one line for each task, and how many were closed."""
    chosen = [int(seed) for seed in seeds.split(",")] if seeds else list(range(COUNT))
    closed = 0
    for seed in chosen:
        ground, budget = random_general_task(seed)
        problem = build_problem(ground, budget)
        nothing = np.zeros(len(problem.tables), dtype=np.int64)
        wall, cpu = time.monotonic(), time.process_time()
        answer = certify(problem, start=nothing, gap=gap, deadline=wall + seconds)
        wall, cpu = time.monotonic() - wall, time.process_time() - cpu
        value = problem.solve(answer.episodes).value
        closed += answer.finished
        line = (
            f"{ground.task.name:14} {len(ground.start):5} states {len(problem.practised):3} "
            f"policies  budget {budget}  value {value:.5f}  gap {answer.bound / value - 1:8.2%}  "
            f"{wall:5.1f} s, CPU {cpu:5.1f} s"
        )
        if corner:
            line += f"  corner {corner_bound(problem) / value - 1:.1%}"
        if scip:
            other = allocate(ground, budget, solver="scip", gap=gap, time_limit=scip)
            line += f"  SCIP {other.value:.5f}, gap {other.bound / other.value - 1:.1%}"
        print(line, flush=True)
    print(f"{closed} of {len(chosen)} closed to {gap:.1%}")


if __name__ == "__main__":
    main()
