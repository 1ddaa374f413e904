from __future__ import annotations

import mujoco
import numpy as np
import pytest

from deliberate_practice.domains.cleanup.cabinet import DRAWER, TRAVEL, WALL, underside
from deliberate_practice.domains.cleanup.scene import ROOM, room, scene, slot, things
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


@pytest.mark.parametrize("objects", [1, 4])
def test_each_thing_has_a_place_of_its_own_with_room_around_it(objects: int) -> None:
    depth, width, _ = DRAWER
    places = []
    for number, (name, thing) in enumerate(things(objects).items()):
        x, y, half_x, half_y = room(name, objects)
        assert (x, y) == slot(number, objects)
        assert (half_x, half_y) == pytest.approx((thing.size[0] + ROOM, thing.size[1] + ROOM))
        assert abs(x) + half_x < depth / 2
        assert abs(y) + half_y < width / 2
        places.append((np.array([x, y]), np.array([half_x, half_y])))
    for index, (at, half) in enumerate(places):
        for other, half2 in places[:index]:
            apart = np.abs(at - other) - half - half2
            assert apart.max() >= WALL[0] - 1e-9  # a wall fits between


def test_things_fit_into_the_hand() -> None:
    for thing in things(4).values():
        assert 2 * min(thing.size[:2]) < 0.07
        assert thing.half_height == thing.size[2] > WALL[1]
    assert len({(thing.size, thing.colour) for thing in things(4).values()}) == 4
