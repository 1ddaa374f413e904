from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from deliberate_practice.domains.cleanup.skills import good
from deliberate_practice.domains.cleanup.task import cleanup
from deliberate_practice.domains.cleanup.workcell import CleanupWorkcell
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.practice.robot import Approach, Step, Trial
from deliberate_practice.robots.mujoco.attempt import Attempt
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.limits import FORCE, LIMITS, WINDOW, Load, load
from deliberate_practice.robots.mujoco.panda import JOINT_VELOCITY, READY, panda
from deliberate_practice.robots.mujoco.robot import MujocoRobot

CLOSE = "Close(top)"
FORCED = {**good(CLOSE), "stiffness": 11.0, "duration": -0.5}
"""Fast and stiff."""


@cache
def _arm() -> Arm:
    return Arm(panda(visual=False).compile())


def _slowly(forces: list[float], angles: FloatArray, speeds: FloatArray, timestep: float) -> Load:
    """One step after the other, as one would read it from the documentation."""
    arm, window = _arm(), max(1, round(WINDOW / timestep))
    largest = fastest = 0.0
    for step in range(len(forces)):
        latest = forces[max(0, step + 1 - window) : step + 1]
        force = sum(latest) / len(latest)
        speed = max(abs(v) / most for v, most in zip(speeds[step], JOINT_VELOCITY, strict=True))
        largest, fastest = max(largest, force), max(fastest, speed)
        if force > FORCE:
            return Load(step + 1, largest, fastest, "force")
        if speed > 1:
            return Load(step + 1, largest, fastest, "speed")
        for angle, low, high in zip(angles[step], arm.low, arm.high, strict=True):
            if not low <= angle <= high:
                return Load(step + 1, largest, fastest, "position")
    return Load(len(forces), largest, fastest, "")


@settings(max_examples=200)
@given(data=st.data(), steps=st.integers(1, 12), timestep=st.sampled_from([0.001, 0.004, 0.02]))
def test_a_motion_ends_at_the_first_step_beyond_a_limit(
    data: st.DataObject, steps: int, timestep: float
) -> None:
    arm = _arm()
    pressed = data.draw(st.lists(st.integers(0, 140), min_size=steps, max_size=steps))
    forces = np.zeros((steps, 3))
    forces[np.arange(steps), data.draw(arrays(int, steps, elements=st.integers(0, 2)))] = pressed
    qpos = np.tile(np.append(READY, (0.04, 0.04)), (steps, 1))
    qpos[:, :7] += data.draw(arrays(float, (steps, 7), elements=st.floats(-0.8, 0.8)))
    qvel = data.draw(arrays(float, (steps, arm.model.nv), elements=st.floats(-2.3, 2.3)))
    if data.draw(st.booleans()):
        qvel *= 0.5
    found = load(arm, forces, qpos, qvel, timestep)
    expected = _slowly([float(p) for p in pressed], qpos[:, :7], qvel[:, :7], timestep)
    assert (found.steps, found.stopped) == (expected.steps, expected.stopped)
    assert found.force == pytest.approx(expected.force)
    assert found.speed == pytest.approx(expected.speed)


def test_what_is_not_the_arm_may_be_as_fast_and_as_far_as_it_likes() -> None:
    arm = _arm()
    qpos = np.append(READY, (9.0, 9.0))[None]
    qvel = np.append(np.zeros(7), (99.0, 99.0))[None]
    assert load(arm, np.zeros((1, 3)), qpos, qvel, 0.004) == Load(1, 0.0, 0.0, "")


@pytest.fixture(name="cell", scope="module")
def _cell() -> CleanupWorkcell:
    return CleanupWorkcell()


@pytest.mark.parametrize("seed", range(3))
def test_a_push_that_is_too_hard_ends_at_the_limit_and_has_failed(
    cell: CleanupWorkcell, seed: int
) -> None:
    attempt = Attempt(cell.reset(seed), CLOSE, FORCED, seed)
    (done,) = cell.execute_all([attempt], film=True)
    assert done.stopped == "force"
    assert LIMITS["force"] < done.force < 1.5 * LIMITS["force"]
    np.testing.assert_array_equal(done.film[-1][-1], done.state)
    assert sum(map(len, done.film[1:])) < len(cell.motion(attempt).controls)
    (usual,) = cell.execute_all([Attempt(attempt.state, CLOSE, good(CLOSE), seed)])
    assert usual.stopped == ""
    assert 10 < usual.force <= LIMITS["force"]
    robot = MujocoRobot(cleanup(1), cell)
    trial = Trial(1, Approach(), Step(CLOSE, FORCED), "explore", seed)
    (result,) = robot.run([trial])
    assert result.outcome == "failure"
    assert result.measurements["stopped"] == 1.0
    assert result.measurements["force"] > robot.limits["force"]


def test_what_ended_at_a_limit_has_failed_even_if_its_effect_holds(
    cell: CleanupWorkcell, monkeypatch: pytest.MonkeyPatch
) -> None:
    robot = MujocoRobot(cleanup(1), cell)
    trial = Trial(1, Approach(), Step(CLOSE, good(CLOSE)), "explore", 0)
    assert robot.run([trial])[0].outcome == "success"
    before = cell.execute_all

    def stopped(attempts: list[Attempt], *, film: bool = False) -> list[object]:
        return [replace(done, stopped="speed") for done in before(attempts, film=film)]

    monkeypatch.setattr(cell, "execute_all", stopped)
    (result,) = robot.run([trial])
    assert result.outcome == "failure"
    assert result.measurements["stopped"] == 1.0
