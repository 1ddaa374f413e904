"""The chart of a frontier: value by plan, and the split below."""

from __future__ import annotations

import math
from dataclasses import replace

from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.frontier_chart import frontier_chart
from deliberate_practice.practice.domain import load_task

FOUND = frontier(load_task("breakfast"), 70)


def test_it_shows_values_switches_and_splits() -> None:
    above, below = frontier_chart(FOUND).panels
    toast, oatmeal = above.series
    assert [toast.name, oatmeal.name] == ["best plan: toast", "best plan: oatmeal"]
    assert [*toast.x, *oatmeal.x[1:]] == list(FOUND.budgets)
    assert [*toast.y, *oatmeal.y[1:]] == list(FOUND.values)
    assert list(above.lines) == [(41, "41")]
    assert below.scale == "episodes"
    assert {row.kind for row in below.series} == {"heat"}
    for row in below.series:
        assert list(row.y) == [split.get(row.name, 0) for split in FOUND.allocations]
    assert {row.name for row in below.series} == {
        name for split in FOUND.allocations for name in split
    }


def test_a_band_shows_values_that_are_not_proven() -> None:
    bounds = (math.inf, *(value + 1 for value in FOUND.values[1:]))
    band = frontier_chart(replace(FOUND, bounds=bounds)).panels[0].series[0]  # below the lines
    assert band.name == "not yet proven"
    assert list(band.x) == list(FOUND.budgets[1:])
    assert band.ends[0] == (FOUND.values[1], FOUND.values[1] + 1)


def test_without_practice_there_is_no_split_to_show() -> None:
    (panel,) = frontier_chart(frontier(load_task("breakfast"), 0)).panels
    assert panel.y_label == "expected reward after practice"
