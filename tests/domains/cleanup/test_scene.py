from __future__ import annotations

import mujoco
import numpy as np
import pytest

from deliberate_practice.domains.cleanup.scene import (
    DRAWER,
    TRAVEL,
    scene,
    slot,
    things,
    underside,
)
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.robots.mujoco.world import STATE


@pytest.mark.parametrize("objects", [1, 4])
def test_pictures_are_of_the_same_physics(objects: int) -> None:
    plain, dressed = scene(objects).compile(), scene(objects, visual=True).compile()
    assert mujoco.mj_stateSize(plain, STATE) == mujoco.mj_stateSize(dressed, STATE)
    np.testing.assert_array_equal(plain.body_mass, dressed.body_mass)
    np.testing.assert_array_equal(plain.body_inertia, dressed.body_inertia)
    solid = dressed.geom_contype != 0
    np.testing.assert_array_equal(
        plain.geom_size[plain.geom_contype != 0], dressed.geom_size[solid]
    )


def test_everything_rests_where_it_starts() -> None:
    model = scene(4).compile()
    data = mujoco.MjData(model)
    for number, name in enumerate(things(4)):
        data.joint(name).qpos[:2] = (0.4, 0.13 * number)
    for drawer in DRAWERS:
        data.joint(drawer).qpos = TRAVEL
    before = data.qpos.copy()
    data.qpos[:7] = before[:7] = (0, -0.4, 0, -2.1, 0, 1.7, 0.8)
    for _ in range(250):
        data.ctrl[:] = 0  # whatever the arm does, it does not get there in a second
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.qpos[9:], before[9:], atol=2e-3)


def test_lower_drawers_are_lower() -> None:
    heights = [underside(drawer) for drawer in DRAWERS]
    assert heights == sorted(heights, reverse=True)


def test_four_things_have_room_side_by_side() -> None:
    depth, width, _ = DRAWER
    boxes = []
    for number, thing in enumerate(things(4).values()):
        x, y = slot(number, 4)
        reach = max(thing.size[:-1])
        assert abs(x) + reach < depth / 2
        assert abs(y) + reach < width / 2
        boxes.append((np.array([x, y]), reach))
    for index, (at, reach) in enumerate(boxes):
        for other, reach2 in boxes[:index]:
            assert np.abs(at - other).max() > reach + reach2


def test_things_fit_into_the_hand() -> None:
    for thing in things(4).values():
        assert 2 * min(thing.size[:2]) < 0.07
    assert len({thing.shape + str(thing.size) for thing in things(4).values()}) == 4
