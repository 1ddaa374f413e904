from __future__ import annotations

import numpy as np
import pytest

from deliberate_practice.domains.cleanup.skills import good, primitives
from deliberate_practice.domains.cleanup.task import cleanup
from deliberate_practice.robots.mujoco.primitive import resolve


@pytest.mark.parametrize(("objects", "number"), [(1, 10), (4, 22)])
def test_every_skill_of_the_task_has_a_primitive(objects: int, number: int) -> None:
    assert list(primitives(objects)) == [skill.name for skill in cleanup(objects).skills]
    assert len(primitives(objects)) == number


@pytest.mark.parametrize("name", list(primitives(4)))
def test_good_parameters_are_within_bounds_and_away_from_the_prior(name: str) -> None:
    parameters = primitives(4)[name].parameters
    values = good(name)
    assert [parameter.name for parameter in parameters] == list(values)
    assert 2 <= len(parameters) <= 4
    for parameter in parameters:
        assert parameter.low < values[parameter.name] < parameter.high
        assert parameter.unit == "m"
    distance = [
        (values[parameter.name] - parameter.mean) / parameter.sd for parameter in parameters
    ]
    assert 0.15 < np.linalg.norm(distance) < 3.5


@pytest.mark.parametrize("name", list(primitives(4)))
def test_every_parameter_moves_a_waypoint(name: str) -> None:
    primitive = primitives(4)[name]
    origin = np.zeros(3)
    before = resolve(primitive, good(name), origin)
    for parameter in primitive.parameters:
        changed = {**good(name), parameter.name: good(name)[parameter.name] + 0.01}
        assert resolve(primitive, changed, origin) != before
