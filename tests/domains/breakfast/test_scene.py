from __future__ import annotations

import mujoco
import numpy as np

from deliberate_practice.domains.breakfast.scene import LEFT, PERCEIVED_DOOR, RIGHT, scene
from deliberate_practice.domains.breakfast.workcell import HOMES
from deliberate_practice.robots.mujoco.impedance import CONTROLS, block
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.motion import hold
from deliberate_practice.robots.mujoco.world import STATE, World


def test_pictures_are_of_the_same_physics() -> None:
    plain, dressed = scene().compile(), scene(visual=True).compile()
    assert mujoco.mj_stateSize(plain, STATE) == mujoco.mj_stateSize(dressed, STATE)
    np.testing.assert_allclose(plain.body_mass, dressed.body_mass, rtol=1e-12)
    np.testing.assert_allclose(plain.body_inertia, dressed.body_inertia, rtol=1e-9)
    solid = [(m.geom_contype != 0) | (m.geom_conaffinity != 0) for m in (plain, dressed)]
    np.testing.assert_array_equal(plain.geom_size[solid[0]], dressed.geom_size[solid[1]])


def test_the_planner_has_a_box_in_place_of_the_door() -> None:
    model, planning = scene().compile(), scene(planning=True).compile()
    assert model.nq == planning.nq
    names = [[m.joint(j).name for j in range(m.njnt)] for m in (model, planning)]
    assert names[0] == names[1]
    door = planning.geom_bodyid == planning.body("door").id
    assert not (planning.geom_contype[door] | planning.geom_conaffinity[door]).any()
    box = planning.geom(PERCEIVED_DOOR)
    assert box.contype[0]
    assert planning.body(PERCEIVED_DOOR).mocapid[0] == 0


def test_controls_are_those_of_the_left_and_then_of_the_right_robot() -> None:
    model = scene().compile()
    assert (block(model, LEFT), block(model, RIGHT)) == (slice(0, 14), slice(14, 28))
    assert model.nu == 2 * CONTROLS


def test_everything_rests_where_it_starts() -> None:
    model = scene().compile()
    world, data = World(model), mujoco.MjData(model)
    arms = {prefix: Arm(model, prefix) for prefix in HOMES}
    for prefix, home in HOMES.items():
        data.qpos[arms[prefix].qpos_at] = home
    before = data.qpos.copy()
    row = np.concatenate([hold(arms[prefix], home, 0.0) for prefix, home in HOMES.items()])
    state = world.run(world.state(data), np.repeat(row[None], 500, axis=0))
    np.testing.assert_allclose(world.view(state).qpos, before, atol=6e-3)
