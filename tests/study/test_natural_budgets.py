"""Budgets that measured curves suggest: where goals switch, and how sure that is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from command import runner

from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task, with_curves
from deliberate_practice.study import natural_budgets as natural_budgets_module
from deliberate_practice.study.learning_curves import LearningCurve, refitted
from deliberate_practice.study.natural_budgets import natural_budgets
from deliberate_practice.study.prior_files import (
    Measurements,
    read_measurements,
    write_measurements,
)
from deliberate_practice.task.model import Task

POINTS = (0, 6, 12, 18, 24, 30, 36)


def _measured(task: Task, seeds: int, spread: float = 0.0) -> list[LearningCurve]:
    """Curves as if every seed had learned at about the stated rate."""
    rng = np.random.default_rng(5)
    curves = []
    for policy in task.policies.values():
        if policy.practisable:
            speeds = np.exp(spread * rng.standard_normal(seeds))
            rates = [policy.predict(np.array(POINTS) * speed).tolist() for speed in speeds]
            curves.append(LearningCurve(policy.name, POINTS, tuple(map(tuple, rates)), (0.0,) * 6))
    return refitted(curves)


def test_windows_are_those_of_the_frontier() -> None:
    task = load_task("breakfast")
    curves = _measured(task, 5)
    found = natural_budgets(task, curves, max_budget=120, resamples=10)
    fitted = with_curves(task, {curve.policy: curve.prior for curve in curves})
    goals = frontier(fitted, 120).goals
    switch = goals.index("oatmeal")
    toast, oatmeal = found.windows
    assert (toast.goal, toast.last) == ("toast", switch - 1)
    assert (oatmeal.goal, oatmeal.first, oatmeal.last) == ("oatmeal", switch, None)
    assert oatmeal.first_ci95 == (switch, switch)  # all seeds are alike
    assert (toast.share, oatmeal.share, oatmeal.budget_share) == (1.0, 1.0, 1.0)
    middle = ((toast.first or 0) + switch - 1) / 2
    assert found.budgets == (10 * round(middle / 10), 10 * round(1.5 * switch / 10))


def test_seeds_that_differ_make_switches_unsure() -> None:
    task = load_task("breakfast")
    curves = _measured(task, 6, spread=0.8)
    found = natural_budgets(task, curves, max_budget=150, resamples=40)
    oatmeal = found.windows[-1]
    low, high = oatmeal.first_ci95 or (0, 0)
    assert oatmeal.first is not None
    assert low < oatmeal.first < high
    assert found == natural_budgets(task, curves, max_budget=150, resamples=40, workers=2)
    other = natural_budgets(task, curves, max_budget=150, resamples=40, seed=1)
    assert other.windows[-1].first == oatmeal.first
    assert other != found


def test_one_seed_has_no_intervals_and_late_goals_no_window() -> None:
    task = load_task("breakfast")
    found = natural_budgets(task, _measured(task, 1), max_budget=20)
    assert found.resamples == 0
    toast, oatmeal = found.windows
    assert (toast.last, toast.share, toast.first_ci95, toast.budget_share) == (None,) * 4
    assert (oatmeal.first, oatmeal.budget, oatmeal.share) == (None, None, None)


def test_pooled_curves_have_their_own_windows() -> None:
    task = load_task("cleanup")
    curves = _measured(task, 2, spread=0.8)
    alone, pooled = (
        natural_budgets(task, curves, pool=pool, max_budget=250, resamples=2)
        for pool in (False, True)
    )
    fitted = {curve.policy: curve.prior for curve in refitted(curves, pool=True)}
    goals = frontier(with_curves(task, fitted), 250).goals
    assert [w.first for w in pooled.windows] == [goals.index(w.goal) for w in pooled.windows]
    assert (alone.pooled, pooled.pooled) == (False, True)
    assert alone.windows != pooled.windows


def test_a_skill_without_measurement_is_told() -> None:
    task = load_task("breakfast")
    curves = _measured(task, 2)[1:]
    with pytest.raises(ArgumentError, match="of StartToaster nothing was measured"):
        natural_budgets(task, curves)


def test_the_command_reads_saved_measurements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task = load_task("breakfast")
    curves = _measured(task, 3, spread=0.3)
    parts = [tmp_path / "one.json", tmp_path / "two.json"]
    write_measurements(parts[0], Measurements("breakfast", "curves", "cma-es", tuple(curves[:1])))
    write_measurements(parts[1], Measurements("breakfast", "curves", "cma-es", tuple(curves[1:])))
    assert read_measurements(parts[1]).curves == tuple(curves[1:])
    run = runner(monkeypatch, capsys)
    monkeypatch.setattr(natural_budgets_module, "RESAMPLES", 20)
    words = (
        f"priors breakfast --measured {parts[0]} --measured {parts[1]} --budgets --max-budget 90 "
        "--workers 1"
    )
    data = run(f"{words} --format json").data["budgets"]
    found = natural_budgets(task, curves, max_budget=90, resamples=20)
    assert data["budgets"] == list(found.budgets)
    assert [window["first"] for window in data["windows"]] == [w.first for w in found.windows]
    printed = run(words).out
    assert f"budgets for studies: {','.join(map(str, found.budgets))}" in printed
    lacking = run(f"priors breakfast --measured {parts[0]} --budgets")
    assert lacking.status == 2
    assert 'measure the rest with --skills "OpenMicrowave;CloseMicrowave"' in lacking.err
