"""Colour and depth are those of the scene, but for the noise, which the seed decides."""

from __future__ import annotations

import gc
import hashlib
import math
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest
from graphics import needs_gl

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.robots.mujoco import canvas
from deliberate_practice.robots.mujoco.camera import (
    DepthCamera,
    Image,
    Noise,
    add_wrist_camera,
    camera_pose,
    intrinsics,
)
from deliberate_practice.robots.mujoco.canvas import RenderingUnavailable
from deliberate_practice.robots.mujoco.panda import READY, ROBOT, SCENE, TOOL, panda
from deliberate_practice.robots.mujoco.world import World

PERFECT = Noise(depth=0, colour=0, lost=0)
BALL = np.array([0.1, -0.05, 0.8])  # in the frame of the camera
WALL = 1.5


def _model() -> mujoco.MjModel:
    """A camera at the origin that looks along x, a wall and a small ball in front of it."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = 0
    world = spec.worldbody
    world.add_camera(name="eye", quat=(0.5, 0.5, -0.5, -0.5), fovy=50)
    world.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX, pos=(WALL + 0.1, 0, 0), size=(0.1, 3, 3), rgba=(0, 0, 1, 1)
    )
    world.add_geom(
        type=mujoco.mjtGeom.mjGEOM_SPHERE,
        pos=(BALL[2], -BALL[0], -BALL[1]),
        size=(0.02, 0, 0),
        rgba=(1, 0, 0, 1),
    )
    return spec.compile()


MODEL = _model()
STATE = World(MODEL).state(mujoco.MjData(MODEL))


def _look(noise: Noise, seed: int = 0, size: tuple[int, int] = (320, 240)) -> Image:
    with DepthCamera(MODEL, "eye", size, noise) as camera:
        return camera.look(STATE, seed)


@needs_gl
def test_a_point_is_at_the_pixel_that_the_intrinsics_say() -> None:
    image = _look(PERFECT)
    assert image.colour.shape == (240, 320, 3)
    assert image.depth.shape == (240, 320)
    red = (image.colour[:, :, 0] > 2 * image.colour[:, :, 2].astype(int)).nonzero()
    found = np.array([red[1].mean(), red[0].mean()])
    i = image.intrinsics
    projected = (i.matrix @ BALL)[:2] / BALL[2]
    assert found == pytest.approx(projected, abs=0.3)
    assert image.depth[red].min() == pytest.approx(BALL[2] - 0.02, abs=0.002)


@needs_gl
def test_depth_is_along_the_axis_and_in_millimetres() -> None:
    image = _look(PERFECT)
    for v, u in ((5, 5), (5, 310), (120, 30), (230, 310)):
        assert image.depth[v, u] == pytest.approx(WALL, abs=0.001)
    assert (np.abs(image.depth * 1000 - np.rint(image.depth * 1000)) < 1e-3).all()


@needs_gl
def test_noise_grows_with_the_square_of_the_distance() -> None:
    image = _look(Noise(depth=0.01, colour=5.0, lost=0.05))
    true = _look(PERFECT)
    wall = (np.abs(true.depth - WALL) < 0.01) & (image.depth > 0)
    assert (image.depth[wall] - WALL).std() == pytest.approx(0.01 * WALL**2, rel=0.05)
    assert abs((image.depth[wall] - WALL).mean()) < 0.001
    assert (image.depth == 0).mean() == pytest.approx(0.05, abs=0.01)
    blue = np.where(wall, image.colour[:, :, 2].astype(float) - true.colour[:, :, 2], np.nan)
    assert np.nanstd(blue) == pytest.approx(5.0, rel=0.1)


@needs_gl
def test_what_is_too_far_or_too_close_has_no_depth() -> None:
    near = _model()
    near.cam_pos[0, 0] = WALL - 0.1
    with DepthCamera(near, "eye", (64, 48), PERFECT) as camera:
        assert (camera.look(STATE, 0).depth == 0).all()
    near.cam_pos[0, 0] = -2.0
    with DepthCamera(near, "eye", (64, 48), PERFECT) as camera:
        assert (camera.look(STATE, 0).depth == 0).mean() > 0.95  # all but the ball


@needs_gl
def test_the_same_seed_gives_the_same_bytes() -> None:
    first, second, other = _look(Noise(), 3), _look(Noise(), 3), _look(Noise(), 4)
    assert first.colour.tobytes() == second.colour.tobytes()
    assert first.depth.tobytes() == second.depth.tobytes()
    assert first.colour.tobytes() != other.colour.tobytes()
    assert first.depth.tobytes() != other.depth.tobytes()


@needs_gl
def test_another_process_sees_the_same() -> None:
    here = Path(__file__).parent
    code = (
        f"import sys; sys.path[:0] = [{str(here)!r}, {str(here.parents[1])!r}]; "
        "import test_camera; print(test_camera.digest())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == digest()


def digest() -> str:
    image = _look(Noise(), 3)
    return hashlib.sha256(image.colour.tobytes() + image.depth.tobytes()).hexdigest()


@needs_gl
def test_a_camera_leaves_the_model_alone_and_works_beside_others() -> None:
    before = (MODEL.vis.global_.offwidth, MODEL.vis.map.znear)
    with (
        DepthCamera(MODEL, "eye", (320, 240), PERFECT) as one,
        DepthCamera(MODEL, "eye", (160, 120), PERFECT) as two,
    ):
        large, small, again = one.look(STATE, 0), two.look(STATE, 0), one.look(STATE, 0)
    assert (large.depth == again.depth).all()
    assert small.depth.shape == (120, 160)
    assert (MODEL.vis.global_.offwidth, MODEL.vis.map.znear) == before


@needs_gl
def test_a_camera_that_python_drops_takes_nothing_from_another() -> None:
    dropped = DepthCamera(MODEL, "eye", (320, 240), PERFECT)
    dropped.look(STATE, 0)
    camera = DepthCamera(MODEL, "eye", (320, 240), PERFECT)
    before = camera.look(STATE, 0)
    del dropped
    gc.collect()
    after = camera.look(STATE, 0)
    assert (after.colour == before.colour).all()
    assert (after.depth == before.depth).all()
    camera.close()
    camera.close()  # twice does no harm


def test_the_pose_has_the_axes_of_images() -> None:
    data = mujoco.MjData(MODEL)
    mujoco.mj_forward(MODEL, data)
    pose = camera_pose(data, "eye")
    axes = np.empty(9)
    mujoco.mju_quat2Mat(axes, pose.quaternion)
    expected = np.column_stack([(0, -1, 0), (0, 0, -1), (1, 0, 0)])
    assert axes.reshape(3, 3) == pytest.approx(expected, abs=1e-9)
    assert pose.position == pytest.approx([0, 0, 0])


def test_intrinsics_follow_from_the_angle_of_view() -> None:
    i = intrinsics(MODEL, "eye", (320, 240))
    assert math.degrees(2 * math.atan(120 / i.fy)) == pytest.approx(50)
    assert i.fx == i.fy
    assert (i.cx, i.cy) == (159.5, 119.5)


def test_an_unknown_camera_is_named() -> None:
    with pytest.raises(ArgumentError, match="eye"):
        intrinsics(MODEL, "eyes")


def test_a_camera_at_the_wrist_looks_where_the_fingers_point() -> None:
    spec = panda(visual=False)
    add_wrist_camera(spec.body("hand"))
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:7] = READY
    mujoco.mj_forward(model, data)
    pose = camera_pose(data, "wrist")
    axes = np.empty(9)
    mujoco.mju_quat2Mat(axes, pose.quaternion)
    tool = data.site(TOOL)
    assert axes.reshape(3, 3)[:, 2] == pytest.approx(tool.xmat.reshape(3, 3)[:, 2], abs=1e-9)
    local = axes.reshape(3, 3).T @ (tool.xpos - pose.position)
    i = intrinsics(model, "wrist")
    assert local[1] / local[2] * i.fy + i.cy > i.height  # the fingers are below the image
    housing = model.geom("wrist_housing")
    assert (housing.contype[0], housing.conaffinity[0] & SCENE) == (ROBOT, SCENE)


def test_without_graphics_libraries_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    canvas.backend.cache_clear()
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(canvas, "BACKENDS", ("no_such_backend",))
    monkeypatch.setattr(sys, "platform", "linux")
    try:
        with pytest.raises(RenderingUnavailable, match="apt-get install libegl1"):
            DepthCamera(MODEL, "eye")
    finally:
        canvas.backend.cache_clear()
