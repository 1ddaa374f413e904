"""The panels of a chart: a row for every setting, a column for every budget, also empty ones."""

from __future__ import annotations

from deliberate_practice.study.grouping import grid


def test_panels_are_in_reading_order_and_may_be_empty() -> None:
    items = [("bayes", 30, "a"), ("bayes", 10, "b"), ("running-average", 30, "c")]
    panels = grid(items, lambda item: (item[0], item[1]))
    assert [(title, budget, [name for *_, name in here]) for title, budget, here in panels] == [
        ("budget 10, bayes", 10, ["b"]),
        ("budget 30, bayes", 30, ["a"]),
        ("budget 10, running-average", 10, []),
        ("budget 30, running-average", 30, ["c"]),
    ]


def test_a_single_setting_is_not_named() -> None:
    assert grid([5, 3], lambda budget: ("bayes", budget)) == [
        ("budget 3", 3, [3]),
        ("budget 5", 5, [5]),
    ]
