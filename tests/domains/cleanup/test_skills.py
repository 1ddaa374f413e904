from __future__ import annotations

import numpy as np
import pytest

from deliberate_practice.domains.cleanup.skills import good, parts, primitives
from deliberate_practice.domains.cleanup.task import cleanup
from deliberate_practice.robots.mujoco.primitive import OCTAVES, resolve

WIDEST = {"m": 0.04, "rad": 0.35}
"""The largest standard deviation of a parameter that moves or turns the hand."""


@pytest.mark.parametrize(("objects", "number"), [(1, 10), (4, 22)])
def test_every_skill_of_the_task_has_a_primitive(objects: int, number: int) -> None:
    assert list(primitives(objects)) == [skill.name for skill in cleanup(objects).skills]
    assert len(primitives(objects)) == number


@pytest.mark.parametrize("name", list(primitives(4)))
def test_priors_are_sane(name: str) -> None:
    """Means miss by a standard deviation, and good values are within the bounds."""
    parameters = primitives(4)[name].parameters
    values = good(name)
    assert [parameter.name for parameter in parameters] == list(values)
    assert 4 <= len(parameters) <= 5
    for parameter in parameters:
        assert parameter.low < values[parameter.name] < parameter.high
        assert parameter.mean - 3 * parameter.sd <= parameter.low + 1e-9
        assert parameter.high - 1e-9 <= parameter.mean + 3 * parameter.sd
        if parameter.unit.startswith(OCTAVES):
            assert parameter.sd <= 1.0  # half as much, or twice as much
        else:
            assert parameter.sd <= WIDEST[parameter.unit]
    distance = [
        (values[parameter.name] - parameter.mean) / parameter.sd for parameter in parameters
    ]
    assert np.abs(distance).max() < 1.001
    assert 1.0 < np.linalg.norm(distance) < 2.3


@pytest.mark.parametrize("objects", [1, 4])
def test_priors_are_the_same_for_all_drawers_and_objects(objects: int) -> None:
    found: dict[str, set[object]] = {}
    for name, primitive in primitives(objects).items():
        found.setdefault(parts(name)[0], set()).add(primitive.parameters)
    assert list(found) == ["Open", "Close", "Pick", "Place"]
    assert [len(priors) for priors in found.values()] == [1, 1, 1, 1]
    assert primitives(1)["Pick(object)"].parameters == primitives(4)["Pick(object3)"].parameters


@pytest.mark.parametrize("name", list(primitives(4)))
def test_every_parameter_changes_a_waypoint_or_the_stiffness(name: str) -> None:
    primitive = primitives(4)[name]
    origin = np.zeros(3)
    before = resolve(primitive, good(name), origin)
    for parameter in primitive.parameters:
        changed = {**good(name), parameter.name: good(name)[parameter.name] + 0.01}
        same = resolve(primitive, changed, origin) == before
        assert same == (parameter.name == primitive.stiffness)
