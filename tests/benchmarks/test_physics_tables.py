"""Where the tables of pages cannot show it: how numbers become cells."""

from __future__ import annotations

import pytest

pytest.importorskip("mujoco")

from physics_tables import _reached, of_cleanup, of_kitchen

from deliberate_practice.study.learning_curves import LearningCurve


def test_a_curve_reaches_a_height_between_its_points() -> None:
    curve = LearningCurve("Pick", (0, 10, 20, 30), ((0.0, 0.6, 0.4, 1.0), (0.0, 0.6, 0.8, 0.9)), ())
    assert _reached(curve, 0.3) == "5"
    assert _reached(curve, 0.6) == "10"
    assert _reached(curve, 0.95) == "30"
    assert _reached(curve, 0.96) == "–"


def test_every_row_has_a_cell_for_each_column() -> None:
    for tables in (of_cleanup(), of_kitchen()):
        for heading, rows in tables.items():
            lines = list(rows)
            assert len(lines) >= 2
            assert {line.count("|") for line in lines} == {heading.count("|")}, heading
