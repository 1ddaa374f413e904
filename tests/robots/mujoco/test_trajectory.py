"""Timing keeps to the path and to the limits of velocity and acceleration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.trajectory import ACCELERATION, VELOCITY, follow

TIMESTEP = 0.004


def _paths(number: int) -> list[FloatArray]:
    rng = np.random.default_rng(0)
    return [rng.uniform(-1, 1, (rng.integers(2, 6), 7)) for _ in range(number)]


def _off(path: FloatArray, q: FloatArray) -> float:
    """Largest deviation of a joint from the nearest point of a path."""
    nearest = []
    for a, b in itertools.pairwise(path):
        s = np.clip((q - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
        nearest.append(float(np.abs(a + s * (b - a) - q).max()))
    return min(nearest)


@pytest.mark.parametrize("speed", [0.2, 0.5, 1.0])
def test_limits_are_kept_and_used(speed: float) -> None:
    for path in _paths(40):
        joints = follow(path, TIMESTEP, speed)
        at_rest = np.zeros((1, 7))
        velocity = np.diff(np.vstack([path[:1], joints]), axis=0) / TIMESTEP
        acceleration = np.diff(np.vstack([at_rest, velocity, at_rest]), axis=0) / TIMESTEP
        assert np.max(np.abs(velocity) / VELOCITY) <= speed * (1 + 1e-9)
        assert np.max(np.abs(acceleration) / ACCELERATION) <= speed * (1 + 1e-6)
        assert np.max(np.abs(velocity) / VELOCITY) > 0.6 * speed
        assert (joints[-1] == path[-1]).all()


def test_corners_are_hardly_cut() -> None:
    assert max(_off(path, q) for path in _paths(40) for q in follow(path)[::5]) < 0.002


def test_a_straight_way_takes_hardly_longer_than_it_must() -> None:
    path = np.array([[0.0] * 7, [1.5, 0, 0, 0, 0, 0, 0]])
    seconds = len(follow(path, TIMESTEP, 0.5)) * TIMESTEP
    assert 1.5 / (0.5 * VELOCITY[0]) < seconds < 1.5 / (0.5 * VELOCITY[0]) + 0.5


def test_standing_still_takes_one_step() -> None:
    q = np.arange(7.0)
    assert (follow(np.stack([q, q])) == q[None]).all()
