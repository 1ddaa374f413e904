"""The timing of a path: joint angles for every step of the simulation."""

from __future__ import annotations

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.panda import JOINT_VELOCITY

VELOCITY = np.array(JOINT_VELOCITY)
ACCELERATION = np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0])
"""The manufacturer's limits [rad/s], [rad/s²]."""

BLEND = 0.06
"""Corners of the path are rounded over this time [s]."""

KNOTS = 40
"""Points per straight piece at which the speed is computed."""


def follow(path: FloatArray, timestep: float = 0.004, speed: float = 0.5) -> FloatArray:
    """Go along a path as fast as a fraction of the joints' limits allows.

    Along the path the speed rises, is held and falls (trapezoidal); at a corner it falls as far as
    needed to turn within the limits of acceleration. A moving average over ``BLEND`` seconds then
    rounds the corners, by less than 2 mm at the tool, and softens beginning and end.

    Args:
        path: n x 7 joint angles [rad].
        timestep: Of the simulation [s].
        speed: Fraction of the limits of velocity and acceleration to use, in (0, 1].

    Returns:
        Joint angles after every step, the start left out; the last row is the end of the path.
    """
    velocity, acceleration = speed * VELOCITY, 0.5 * speed * ACCELERATION
    pieces = np.diff(path, axis=0)
    lengths = np.linalg.norm(pieces / velocity, axis=1)
    pieces, lengths = pieces[lengths > 0], lengths[lengths > 0]
    if not len(pieces):
        return path[-1:].copy()
    directions = pieces / lengths[:, None]
    fastest = 1.0 / np.max(np.abs(directions) / velocity, axis=1)
    strongest = 1.0 / np.max(np.abs(directions) / acceleration, axis=1)
    turns = np.max(np.abs(np.diff(directions, axis=0)) / acceleration, axis=1)
    corners = np.minimum(BLEND / np.maximum(turns, 1e-12), np.minimum(fastest[1:], fastest[:-1]))
    way, rate = _profile(lengths, fastest, strongest, corners)
    s = _sampled(way, rate, timestep)
    ends = np.append(0.0, np.cumsum(lengths))
    corner_angles = np.vstack([path[0], path[0] + np.cumsum(pieces, axis=0)])
    joints = np.stack([np.interp(s, ends, column) for column in corner_angles.T], axis=1)
    joints[-1] = path[-1]
    return _rounded(joints, max(1, round(BLEND / timestep)))


def _profile(
    lengths: FloatArray, fastest: FloatArray, strongest: FloatArray, corners: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Path parameter at the knots and the speed there, from rest to rest."""
    fractions = np.arange(KNOTS) / KNOTS
    starts = np.append(0.0, np.cumsum(lengths))
    way = np.append((starts[:-1, None] + lengths[:, None] * fractions).ravel(), starts[-1])
    limit = np.append(np.repeat(fastest, KNOTS), 0.0)
    limit[KNOTS::KNOTS][: len(corners)] = corners
    limit[0] = 0.0
    gain = 2 * np.diff(way) * np.repeat(strongest, KNOTS)
    square = (limit**2).tolist()
    for index, more in enumerate(gain.tolist()):
        square[index + 1] = min(square[index + 1], square[index] + more)
    for index in range(len(gain) - 1, -1, -1):
        square[index] = min(square[index], square[index + 1] + gain[index])
    return way, np.sqrt(square)


def _sampled(way: FloatArray, rate: FloatArray, timestep: float) -> FloatArray:
    """Path parameter at every step, the acceleration constant between knots."""
    durations = 2 * np.diff(way) / (rate[1:] + rate[:-1])
    times = np.append(0.0, np.cumsum(durations))
    t = np.arange(int(np.ceil(times[-1] / timestep)) + 1) * timestep
    knot = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(durations) - 1)
    t = np.minimum(t - times[knot], durations[knot])
    gain = (np.diff(rate) / durations)[knot]
    return np.asarray(way[knot] + rate[knot] * t + 0.5 * gain * t**2)


def _rounded(joints: FloatArray, window: int) -> FloatArray:
    """Moving average over ``window`` steps, at rest before and after."""
    padded = np.vstack(
        [
            np.repeat(joints[:1], window, axis=0),
            joints[1:],
            np.repeat(joints[-1:], window - 1, axis=0),
        ]
    )
    sums = np.cumsum(np.vstack([np.zeros(joints.shape[1]), padded - joints[-1]]), axis=0)
    average = (sums[window:] - sums[:-window]) / window + joints[-1]
    average[-1] = joints[-1]
    return np.asarray(average[1:])
