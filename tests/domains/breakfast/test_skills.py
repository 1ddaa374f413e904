from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from deliberate_practice.domains.breakfast.perception import PerceivedDoor
from deliberate_practice.domains.breakfast.skills import (
    PUSHED_AT,
    TIP,
    close_microwave,
    good,
    primitives,
)
from deliberate_practice.practice.domain import load_task
from deliberate_practice.robots.mujoco.primitive import bounded, resolve

PRACTISED = ("StartToaster", "OpenMicrowave", "CloseMicrowave")
DOOR = PerceivedDoor(
    angle=math.pi / 2,
    position=(0.5, -0.3, 0.25),
    quaternion=(math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)),
    width=0.327,
    height=0.264,
    thickness=0.022,
    markers=(),
    error=0.0,
)


def _turned(angle: float) -> PerceivedDoor:
    return replace(DOOR, angle=angle, quaternion=(math.cos(angle / 2), 0, 0, math.sin(angle / 2)))


def test_every_skill_of_the_task_has_a_primitive() -> None:
    task = load_task("breakfast")
    assert list(primitives()) == [skill.name for skill in task.skills]
    learned = [name for name, primitive in primitives().items() if primitive.parameters]
    assert learned == [skill.name for skill in task.skills if skill.curve is not None]
    assert tuple(learned) == PRACTISED


@pytest.mark.parametrize("name", PRACTISED)
def test_good_parameters_are_within_bounds_and_away_from_the_prior(name: str) -> None:
    parameters = primitives()[name].parameters
    values = good(name)
    assert [parameter.name for parameter in parameters] == list(values)
    assert 2 <= len(parameters) <= 3
    for parameter in parameters:
        assert parameter.low < values[parameter.name] < parameter.high
    distance = [(values[p.name] - p.mean) / p.sd for p in parameters]
    assert 0.5 < np.linalg.norm(distance) < 8.0


@pytest.mark.parametrize("name", PRACTISED)
@given(values=st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3))
def test_no_parameter_leaves_its_bounds(name: str, values: list[float]) -> None:
    primitive = primitives()[name]
    names = [parameter.name for parameter in primitive.parameters]
    asked = dict(zip(names, values, strict=True))
    for parameter in primitive.parameters:
        assert parameter.low <= bounded(primitive, asked)[parameter.name] <= parameter.high
    clipped = {
        p.name: min(max(v, p.low), p.high)
        for p, v in zip(primitive.parameters, values, strict=True)
    }
    origin = np.zeros(3)
    assert resolve(primitive, asked, origin) == resolve(primitive, clipped, origin)


@pytest.mark.parametrize("name", PRACTISED)
def test_every_parameter_does_something(name: str) -> None:
    primitive = primitives()[name]
    before = resolve(primitive, good(name), np.zeros(3))
    for parameter in primitive.parameters:
        changed = {**good(name), parameter.name: good(name)[parameter.name] + 0.01}
        if parameter.name == primitive.stiffness:
            assert resolve(primitive, changed, np.zeros(3)) == before
        else:
            assert resolve(primitive, changed, np.zeros(3)) != before


@pytest.mark.parametrize("degrees", [60, 80, 90, 105])
def test_the_door_is_pushed_from_outside_along_its_arc(degrees: float) -> None:
    angle = math.radians(degrees)
    waypoints = {w.name: w for w in close_microwave(_turned(angle)).waypoints}
    outside = np.array([-math.cos(angle), -math.sin(angle)])
    near, touch = (np.array(waypoints[name].position[:2]) for name in ("near", "touch"))
    for point, off in ((near, 0.10), (touch, TIP + 0.006)):
        assert point @ outside == pytest.approx(DOOR.thickness + off)
    for name in ("touch", "swing", "follow", "ajar", "push"):
        distance = np.linalg.norm(waypoints[name].position[:2])  # from the hinge
        assert distance == pytest.approx(math.hypot(PUSHED_AT, DOOR.thickness + TIP), abs=3e-3)
    end = waypoints["push"].position
    np.testing.assert_allclose(end[:2], [-DOOR.thickness - TIP, PUSHED_AT], atol=1e-9)
    assert 0.05 < end[2] < DOOR.height / 2  # the fingers reach below the upper edge
