"""Certified allocation of tasks in plan form: the families of families.py.

    python benchmarks/plan_form.py                       every family, about 10 minutes
    python benchmarks/plan_form.py start tasks --seeds 1  some of them, with fewer seeds

Each line is a family: how many of its tasks reach the gap, and the wall time of certification
without grounding. The split from which it starts is no practice at all.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from statistics import median
from typing import NamedTuple

import click
import numpy as np
from families import LETTERS, variant, with_starts, with_step_cost, with_tasks

from deliberate_practice.allocation.plan_form.certify import certify
from deliberate_practice.allocation.plan_form.form import plan_form
from deliberate_practice.allocation.problem import build_problem
from deliberate_practice.foundation.deadline import deadline_in
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.task.model import Task


class Family(NamedTuple):
    """How a family is made, its gap, and its time limit [s]."""

    make: Callable[[Task], Task]
    gap: float
    seconds: float


FAMILIES = {
    "start": Family(lambda task: task, 1e-3, 5.0),
    "tasks": Family(with_tasks, 1e-2, 5.0),
    "costs": Family(with_step_cost, 2e-3, 5.0),
    "starts": Family(with_starts, 1e-2, 15.0),
    "tasks-costs": Family(lambda task: with_step_cost(with_tasks(task)), 1e-2, 5.0),
    "starts-costs": Family(lambda task: with_step_cost(with_starts(task)), 1e-2, 20.0),
}
BUDGETS = (100, 250)
DISCOUNTS = (0.99, 0.95)


@click.command()
@click.argument("families", nargs=-1, type=click.Choice(list(FAMILIES)))
@click.option("--seeds", default=3, show_default=True, help="Seeds per family.")
@click.option("--every", is_flag=True, help="Also print every task.")
def main(families: tuple[str, ...], seeds: int, every: bool) -> None:
    """Measure the families."""
    for name in families or tuple(FAMILIES):
        for letter in LETTERS:
            gaps, times = [], []
            cases = itertools.product(BUDGETS, range(seeds), DISCOUNTS)
            for budget, seed, discount in cases:
                gap, seconds = measure(FAMILIES[name], letter, budget, seed, discount)
                gaps.append(gap)
                times.append(seconds)
                if every:
                    print(f"  {letter} {budget} {seed} {discount}: {gap:.3%} in {seconds:.2f} s")
            closed = sum(gap <= FAMILIES[name].gap for gap in gaps)
            print(
                f"{name:12} {letter}: {closed} of {len(gaps)} to {FAMILIES[name].gap:.1%}, largest "
                f"gap {max(gaps):.3%}, median {median(times):.2f} s, longest {max(times):.2f} s",
                flush=True,
            )


def measure(
    family: Family, letter: str, budget: int, seed: int, discount: float
) -> tuple[float, float]:
    """Gap and seconds of one task."""
    grounded = ground(family.make(variant(letter, seed, discount)))
    problem = build_problem(grounded, budget)
    nothing = np.zeros(len(problem.tables), dtype=np.int64)
    begin = time.perf_counter()
    form = plan_form(grounded)
    if isinstance(form, str):
        raise click.ClickException(form)
    answer = certify(
        problem, form, start=nothing, gap=family.gap, deadline=deadline_in(family.seconds)
    )
    seconds = time.perf_counter() - begin
    value = problem.solve(answer.episodes).value
    return (answer.bound - value) / value, seconds


if __name__ == "__main__":
    main()
