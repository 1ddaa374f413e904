"""The door is held until the button is pressed, opens as far as was drawn, and snaps shut."""

from __future__ import annotations

import math
from collections.abc import Callable

import mujoco
import numpy as np
import pytest
from microwave_scene import microwave_scene, position

from deliberate_practice.domains.breakfast.microwave import DOOR, OPENING
from deliberate_practice.foundation.arrays import FloatArray

MODEL = microwave_scene()
LATCHED = math.radians(1)
Push = Callable[[mujoco.MjData], tuple[str, FloatArray]]


def _start(check: float, door: float = 0.0) -> mujoco.MjData:
    """The microwave, which will open or is open to so many degrees."""
    data = mujoco.MjData(MODEL)
    data.joint("check").qpos = math.radians(check)
    data.joint("door").qpos = math.radians(door)
    mujoco.mj_forward(MODEL, data)
    return data


def _run(data: mujoco.MjData, seconds: float, push: Push | None = None) -> FloatArray:
    """The door's angle [rad] and the energy after every step, with a force at a site."""
    rows = []
    for _ in range(round(seconds / MODEL.opt.timestep)):
        data.qfrc_applied[:] = 0
        if push is not None:
            site, force = push(data)
            body = int(MODEL.site(site).bodyid[0])
            at = data.site(site).xpos
            mujoco.mj_applyFT(MODEL, data, force, np.zeros(3), at, body, data.qfrc_applied)
        mujoco.mj_step(MODEL, data)
        rows.append((position(data, "door"), data.energy.sum()))
    return np.array(rows)


def _press(force: float) -> Push:
    """The button's force rises over a fifth of a second, as that of a hand does."""
    return lambda data: ("button", np.array([min(1.0, data.time / 0.2) * force, 0, 0]))


def _push_door(force: float) -> Push:
    """Along the inner normal at the free edge: positive shuts, negative pulls."""
    return lambda data: ("door_edge", force * data.body("door").xmat.reshape(3, 3)[:, 0])


def test_a_closed_door_stays_closed_and_still() -> None:
    data = _start(check=85)
    rows = _run(data, 5.0)
    assert rows[:, 0].max() < LATCHED
    assert np.ptp(rows[-250:, 0]) < 1e-9
    assert np.abs(data.qvel).max() < 1e-5


@pytest.mark.parametrize("force", [15.0, 50.0])
def test_the_latch_holds_a_door_that_is_pulled(force: float) -> None:
    data = _start(check=85)
    assert _run(data, 1.0, _push_door(-force))[:, 0].max() < LATCHED


def test_the_button_opens_the_door_to_the_drawn_angle_every_time() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        angle = rng.uniform(50, 85)
        data = _start(angle)
        _run(data, 0.3, _press(12.0))
        after = np.degrees(_run(data, 3.0)[:, 0])
        assert abs(after[-1] - angle) < 0.5
        assert after.max() < angle + 1
        assert after[round(0.9 / 0.004)] > 0.9 * angle  # in about a second
        assert position(data, "check") == pytest.approx(math.radians(angle), abs=1e-4)
        assert abs(data.joint("door").qvel[0]) < 0.01


def test_a_timid_press_does_not_open_the_door() -> None:
    data = _start(check=70)
    assert _run(data, 1.0, _press(6.0))[:, 0].max() < LATCHED
    assert _run(data, 1.0)[-1, 0] < LATCHED
    assert abs(position(data, "button")) < 0.001


def test_the_button_gives_after_six_to_eight_millimetres() -> None:
    data = _start(check=70)
    for newton in np.arange(0.0, 12.0, 0.01):  # slowly
        data.joint("button").qfrc_applied = newton
        mujoco.mj_step(MODEL, data)
        if position(data, "door") > math.radians(1.5):
            break
    assert 0.006 < position(data, "button") < 0.008
    assert 8 < newton < 10


@pytest.mark.parametrize("force", [8.0, 12.0, 30.0])
@pytest.mark.parametrize("angle", [50.0, 70.0, 85.0])
def test_a_moderate_push_shuts_the_door_for_good(force: float, angle: float) -> None:
    data = _start(angle, angle)
    _run(data, 2.0, _push_door(force))
    assert _run(data, 2.0)[-1, 0] < LATCHED
    assert _run(data, 1.0, _push_door(-15))[:, 0].max() < LATCHED


@pytest.mark.parametrize("stop", [1.0, 2.0, 4.0, 10.0])
def test_a_push_that_stops_short_leaves_the_door_open(stop: float) -> None:
    data = _start(70, 70)
    for step in range(600):  # as a hand would, slowly, to an angle
        wanted = max(math.radians(stop), math.radians(70) - 0.8 * step * MODEL.opt.timestep)
        hinge = data.joint("door")
        data.joint("door").qfrc_applied = 60 * (wanted - hinge.qpos) - hinge.qvel
        mujoco.mj_step(MODEL, data)
    assert position(data, "door") < math.radians(stop + 3)
    assert np.degrees(_run(data, 3.0)[-1, 0]) == pytest.approx(70, abs=1)


def test_opened_again_after_shutting() -> None:
    data = _start(60, 60)
    for _ in range(3):
        _run(data, 2.0, _push_door(10))
        assert _run(data, 0.5)[-1, 0] < LATCHED
        data.time = 0.0
        _run(data, 0.3, _press(12.0))
        assert np.degrees(_run(data, 3.0)[-1, 0]) == pytest.approx(60, abs=1)


@pytest.mark.parametrize("speed", [1.0, 4.0, 8.0, 15.0])
def test_energy_is_lost_and_never_won(speed: float) -> None:
    data = _start(70, 30)
    data.joint("door").qvel = -speed  # slammed, it latches or comes back
    mujoco.mj_forward(MODEL, data)
    energy = np.concatenate([[data.energy.sum()], _run(data, 4.0)[:, 1]])
    assert np.diff(energy).max() < 0.002  # soft contacts store a little [J]
    assert (energy[1:] <= energy[0]).all()
    end = math.degrees(position(data, "door"))
    assert end < 1 or end == pytest.approx(70, abs=1)


def test_places_of_interest() -> None:
    data = _start(85)
    inside, button, edge = (data.site(n).xpos for n in ("microwave_inside", "button", "door_edge"))
    corner = data.body("microwave").xpos
    assert inside - corner == pytest.approx([OPENING[0] / 2, 0, 0.132])
    assert button[0] < edge[0] < corner[0]  # nothing else stands out as far as the button
    assert button[1] > edge[1] > corner[1]  # button and free edge are on the left
    _run(data, 0.3, _press(12.0))
    _run(data, 3.0)
    assert data.site("door_edge").xpos[0] == pytest.approx(corner[0] - DOOR[1] + 0.03, abs=0.01)


def test_a_turned_microwave_is_the_same_microwave() -> None:
    turned = microwave_scene(yaw=0.7)
    data = mujoco.MjData(turned)
    data.joint("check").qpos = 1.2
    for _ in range(250):
        mujoco.mj_step(turned, data)
    assert position(data, "door") < LATCHED
    heading = data.body("door").xmat.reshape(3, 3)[:, 0]
    assert math.atan2(heading[1], heading[0]) == pytest.approx(0.7, abs=LATCHED)
