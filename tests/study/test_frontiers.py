"""The frontier study: where plans switch, what an hour buys, what wrong priors cost."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.frontier_chart import stretches
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.frontiers import (
    another_hour,
    frontier_study,
)
from deliberate_practice.study.wrong_priors import STATED, VARIANTS, Factors, supposed


def test_the_switches_of_cleanup_move_with_the_rates() -> None:
    found = frontier_study(load_task("cleanup"), 300)
    firsts = {
        name: {s.goal: s.first for s in stretches(one)} for name, one in found.frontiers.items()
    }
    assert firsts[STATED] == {"top": 0, "middle": 117, "bottom": 166}
    assert firsts["rates × 2"] == {"top": 0, "middle": 59, "bottom": 83}
    assert "bottom" not in firsts["rates × 1/2"]
    assert firsts["start +30 %"]["middle"] < 117 < firsts["start −30 %"]["middle"]


def test_stretches_cover_every_budget_once() -> None:
    found = frontier_study(load_task("breakfast"), 50, {}).stated
    parts = stretches(found)
    assert parts[0].first == 0
    assert parts[-1].last == 50
    assert all(b.first == a.last + 1 for a, b in itertools.pairwise(parts))
    for part in parts:
        assert set(found.goals[part.first : part.last + 1]) == {part.goal}


def test_the_split_for_wrong_priors_is_never_better_than_the_best() -> None:
    task = load_task("breakfast")
    found = frontier_study(task, 80)
    assert set(found.kept) == set(VARIANTS) - {STATED}
    for name, points in found.kept.items():
        best = found.frontiers[name].values
        assert all(value <= best[budget] * (1 + 1e-9) for budget, value in points)
    at_60 = dict(found.kept["rates × 1/2"])[60]
    stated = allocate(task, 60)
    slow = supposed(task, VARIANTS["rates × 1/2"])
    p = slow.policies["OpenMicrowave"]
    assert stated.allocation == {"OpenMicrowave": 30, "CloseMicrowave": 30}
    assert at_60 == pytest.approx(2 * 0.99**6 * (p.competence + 0.015 * 30) ** 2)


@pytest.mark.parametrize(
    "stated",
    [{"switch": 4}, {"learner": "external", "demonstration": {"per_round": 5}}],
    ids=["switches", "rounds"],
)
def test_a_split_keeps_its_value_where_the_priors_are_right(stated: dict[str, Any]) -> None:
    task = load_task("breakfast")
    skills = [replace(s, parameters=(), **stated) if s.curve else s for s in task.skills]
    found = frontier_study(replace(task, skills=skills), 80, {"right": Factors()})
    for budget, value in found.kept["right"]:
        assert value == pytest.approx(found.stated.values[budget])


def test_another_hour_buys_the_oatmeal() -> None:
    found = frontier_study(load_task("breakfast"), 120, {}).stated
    first, second = another_hour(found, [30, 60], episode_seconds=60)
    assert (first.goal, first.goal_after) == ("toast", "oatmeal")
    assert first.gain == pytest.approx(found.values[90] - found.values[30])
    assert second.gain == pytest.approx(0)
    with pytest.raises(ArgumentError, match="episode-seconds: 0"):
        another_hour(found, [30], episode_seconds=0)
