"""Random scenes: there is nearly always a way, and going it nothing is touched."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from counts import FULL
from graphics import needs_gl
from planning import SKILLS, Station, Timer, Way

from deliberate_practice.domains.breakfast.perception import NotSeen, PerceivedDoor
from deliberate_practice.domains.breakfast.scene import PERCEIVED_DOOR
from deliberate_practice.domains.breakfast.skills import FORCE_LIMIT
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.workcell import Unperceived

SCENES = 200 if FULL else 14
DEEPEST = 0.001  # [m]


@pytest.mark.slow
@pytest.mark.parametrize("fixed", [False, True], ids=["any", "good"])
def test_paths_are_found_and_free_of_collisions(fixed: bool) -> None:
    _check(Station(), SKILLS, SCENES, fixed)


@needs_gl
@pytest.mark.slow
def test_paths_around_the_door_that_the_camera_sees() -> None:
    _check(Station(camera=True), ["PlaceBowl", "CloseMicrowave"], SCENES // 2, False)


def _check(station: Station, skills: list[str], scenes: int, fixed: bool) -> None:
    found = [
        way
        for number in range(scenes)
        for way in station.ways(station.start(skills[number % len(skills)], number, fixed))
    ]
    assert sum(not way.reason for way in found) >= 0.98 * 2 * scenes
    assert [way for way in found if way.depth > DEEPEST] == []


def test_without_planning_the_hand_hits_the_door(monkeypatch: pytest.MonkeyPatch) -> None:
    station = Station()
    attempts = [station.start("PlaceBowl", number) for number in range(6)]

    def straight(self: Timer, qpos: FloatArray, start: FloatArray, *goal: Any) -> FloatArray:
        return np.stack([start, goal[0]])

    monkeypatch.setattr(Timer, "plan", straight)
    hits = [way for attempt in attempts for way in station.ways(attempt) if way.depth > DEEPEST]
    assert "door and right_hand" in {way.where for way in hits}


def test_only_a_toaster_whose_lever_is_down_is_pressed_hard_by_the_hand_with_the_bread() -> None:
    station, toasters = Station(), []
    for number in range(4):
        attempt = station.start("PlaceBread", number)
        force, _ = station.executed(attempt)
        toasters.append(station.cell.abstract(attempt.state)["toaster"])
        assert (force < FORCE_LIMIT) == (toasters[-1] == "off")
    assert set(toasters) == {"on", "off"}


def test_a_goal_that_is_blocked_is_no_path_and_a_door_not_seen_asks_for_none() -> None:
    station = Station()
    attempt = station.start("PlaceBowl", 0)
    true = station.cell.look(attempt.state, 0)
    assert isinstance(true, PerceivedDoor)
    angle = math.radians(35)
    turn = (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))
    hinge = true.point(-true.thickness / 2, 0, 0)
    along = (-math.sin(angle) * true.width / 2, math.cos(angle) * true.width / 2, 0.0)
    x, y, z = (hinge + along).tolist()
    shut = replace(true, angle=angle, position=(x, y, z), quaternion=turn)
    station.cell.look = lambda state, seed: shut
    (way,) = station.ways(attempt)
    assert PERCEIVED_DOOR in way.reason
    assert way == Way(way.reason, way.ms)
    station.cell.look = lambda state, seed: NotSeen("too dark")
    with pytest.raises(Unperceived, match="too dark"):
        station.ways(attempt)


@pytest.mark.parametrize("skill", SKILLS)
def test_scenes_are_drawn_by_their_number(skill: str) -> None:
    station = Station()
    one, again, other = (station.start(skill, number) for number in (3, 3, 4))
    assert one.state.tobytes() == again.state.tobytes()
    assert one.state.tobytes() != other.state.tobytes()
    assert (one.values, one.seed) == (again.values, again.seed)
