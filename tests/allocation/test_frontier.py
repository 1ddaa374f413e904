"""The frontier: every budget at once, its switches, and its picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from random_tasks import random_task

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.figure import plot_frontier
from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.domains.library import load_task
from deliberate_practice.errors import ArgumentError


def test_cleanup_switches_where_the_plans_cross() -> None:
    found = frontier(load_task("cleanup"), 300)
    assert [(s.budget, s.previous_goal, s.goal) for s in found.switches] == [
        (117, "top", "middle"),
        (166, "middle", "bottom"),
    ]
    assert found.values == tuple(sorted(found.values))
    assert found.bounds == found.values
    assert found.marginal[:-1] == pytest.approx(np.diff(found.values))
    assert found.marginal[-1] == 0


@pytest.mark.parametrize("name", ["counterexample", "breakfast", "cleanup"])
def test_every_point_is_the_allocation_for_its_budget(name: str) -> None:
    task = load_task(name)
    found = frontier(task, 70)
    for budget in (0, 1, 2, 7, 30, 31, 60, 70):
        alone = allocate(task, budget)
        assert found.values[budget] == pytest.approx(alone.value, rel=1e-12)
        assert found.plans[budget] == alone.plan
        assert dict(found.allocations[budget]) == dict(alone.allocation)


def test_general_tasks_have_a_frontier_with_honest_bounds() -> None:
    rng = np.random.default_rng(5)
    seen = 0
    while seen < 3:
        task = random_task(rng, product_form=False)
        found = frontier(task, 4)
        if found.solver == "plans":
            continue
        seen += 1
        assert found.values == tuple(sorted(found.values))
        assert all(b >= v for b, v in zip(found.bounds, found.values, strict=True))


def test_stopped_early_the_bounds_hold() -> None:
    task = load_task("cleanup-multi")
    stopped = frontier(task, 500, time_limit=1e-9)
    whole = frontier(task, 500)
    assert (np.array(stopped.bounds) >= np.array(whole.values) * (1 - 1e-9)).all()
    assert (np.array(stopped.values) <= np.array(whole.values) * (1 + 1e-9)).all()


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_draws_a_picture(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"frontier.{ending}"
    plot_frontier(frontier(load_task("breakfast"), 70), path)
    assert path.stat().st_size > 5000


def test_refuses_a_picture_format_it_does_not_write(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"\.png, \.pdf, \.svg"):
        plot_frontier(frontier(load_task("breakfast"), 3), tmp_path / "frontier.doc")
