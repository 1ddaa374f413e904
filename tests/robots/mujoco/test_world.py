from __future__ import annotations

import mujoco
import numpy as np
import pytest

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.robots.mujoco import world as module
from deliberate_practice.robots.mujoco.impedance import Gains, add_impedance
from deliberate_practice.robots.mujoco.panda import READY, ROBOT, SCENE, panda
from deliberate_practice.robots.mujoco.world import World


@pytest.fixture(name="model", scope="module")
def _model() -> mujoco.MjModel:
    spec = panda(visual=False)
    add_impedance(spec, Gains())
    spec.option.timestep = 0.004
    floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(2, 2, 0.1))
    floor.contype, floor.conaffinity = SCENE, ROBOT | SCENE
    return spec.compile()


def _start(world: World) -> FloatArray:
    data = mujoco.MjData(world.model)
    data.qpos[:7] = READY
    return world.state(data)


def _controls(rng: np.random.Generator, steps: int) -> FloatArray:
    """Pushes the hand down onto the floor, somewhere."""
    low, high = [0.3, -0.2, -0.2, -0.3, -0.5, -0.3], [0.5, 0.2, -0.1, 0.3, -0.2, 0.3]
    row = np.concatenate([rng.uniform(low, high), READY, [0.04]])
    return np.repeat(row[None], steps, axis=0)


def test_batches_are_bitwise_equal_to_single_runs_on_one_and_two_threads(
    model: mujoco.MjModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 4)
    one, two = World(model), World(model, threads=2)
    rng = np.random.default_rng(0)
    controls = [_controls(rng, int(steps)) for steps in rng.integers(150, 300, 7)]
    states = [_start(one) for _ in controls]
    singly = [one.run(state, rows) for state, rows in zip(states, controls, strict=True)]
    assert len({state.tobytes() for state in singly}) == len(singly)
    for world in (one, two):
        for alone, batched in zip(singly, world.run_all(states, controls), strict=True):
            np.testing.assert_array_equal(alone, batched)
    two.close()


def test_a_run_ends_where_its_trajectory_does(model: mujoco.MjModel) -> None:
    world = World(model)
    rows = _controls(np.random.default_rng(1), 50)
    trajectory = world.measure_all([_start(world)], [rows])[0].states
    assert len(trajectory) == 50
    np.testing.assert_array_equal(trajectory[-1], world.run(_start(world), rows))


def test_a_run_can_be_continued_from_its_state(model: mujoco.MjModel) -> None:
    world = World(model)
    rows = _controls(np.random.default_rng(2), 60)
    middle = world.run(_start(world), rows[:30])
    np.testing.assert_allclose(
        world.run(middle, rows[30:]), world.run(_start(world), rows), atol=1e-9
    )


def test_a_view_shows_the_state_and_its_contacts(model: mujoco.MjModel) -> None:
    world = World(model)
    state = world.run(_start(world), _controls(np.random.default_rng(3), 400))
    data = world.view(state)
    assert data.ncon > 0
    np.testing.assert_array_equal(world.state(data), state)


def test_errors_say_what_is_wrong(model: mujoco.MjModel) -> None:
    with pytest.raises(ArgumentError, match="threads: 0"):
        World(model, threads=0)
    world = World(model)
    with pytest.raises(ArgumentError, match="0 for 1 states"):
        world.run_all([_start(world)], [])
    assert world.run_all([], []) == []
