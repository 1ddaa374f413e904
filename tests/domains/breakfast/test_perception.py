"""The open door is where perception says, or perception says why it cannot tell."""

from __future__ import annotations

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from graphics import needs_gl
from microwave_scene import EYE, PLACE, look_at, microwave_scene

from deliberate_practice.domains.breakfast.door_extent import door_extent
from deliberate_practice.domains.breakfast.door_pose import door_pose
from deliberate_practice.domains.breakfast.markers import DOOR_MARKERS, detect
from deliberate_practice.domains.breakfast.microwave import DOOR
from deliberate_practice.domains.breakfast.perception import (
    DoorCamera,
    NotSeen,
    PerceivedDoor,
    draw,
    perceive,
)
from deliberate_practice.robots.mujoco.camera import DepthCamera, Image, Intrinsics, camera_pose
from deliberate_practice.robots.mujoco.kinematics import Pose
from deliberate_practice.robots.mujoco.world import World

MODEL = microwave_scene()
TARGET = (PLACE[0] - 0.12, PLACE[1] - 0.06, 0.25)


def _look(
    angle: float,
    model: mujoco.MjModel = MODEL,
    target: tuple[float, float, float] = TARGET,
    eye: tuple[float, float, float] = EYE,
) -> tuple[Image, Pose, mujoco.MjData]:
    """An image of the door open by so many degrees, where the camera was, and the truth."""
    data = mujoco.MjData(model)
    data.joint("door").qpos = math.radians(angle)
    look_at(data, target, eye)
    mujoco.mj_forward(model, data)
    with DepthCamera(model, "eye") as camera:
        return camera.shoot(data, seed=round(angle)), camera_pose(data, "eye"), data


def _seen(image: Image, pose: Pose, yaw: float = 0.0) -> PerceivedDoor:
    door = perceive(image, pose, yaw)
    assert isinstance(door, PerceivedDoor), door
    return door


def _reason(image: Image, pose: Pose) -> str:
    seen = perceive(image, pose)
    assert isinstance(seen, NotSeen), seen
    return seen.reason


@needs_gl
@pytest.mark.parametrize("angle", [50.0, 65.0, 80.0, 95.0, 105.0])
def test_angle_place_and_size_of_the_door(angle: float) -> None:
    image, pose, data = _look(angle)
    door = _seen(image, pose)
    assert math.degrees(door.angle) == pytest.approx(angle, abs=0.3)
    box = data.geom("door")
    assert door.position == pytest.approx(box.xpos, abs=0.002)
    turn = np.empty(4)
    mujoco.mju_mat2Quat(turn, box.xmat)
    assert abs(np.dot(door.quaternion, turn)) == pytest.approx(1, abs=1e-4)
    assert (door.width, door.height) == pytest.approx(DOOR[1:], abs=0.003)
    assert door.markers == tuple(marker.number for marker in DOOR_MARKERS)
    assert door.error < 0.6
    assert door.half_sizes == (door.thickness / 2, door.width / 2, door.height / 2)
    edge = door.point(-door.thickness, door.width - 0.03, 0)
    assert edge == pytest.approx(data.site("door_edge").xpos, abs=0.003)
    assert perceive(image, pose) == door


@needs_gl
def test_a_camera_of_the_station_tells_what_it_sees_in_a_state() -> None:
    model = microwave_scene()
    data = mujoco.MjData(model)
    look_at(data, TARGET)
    # Mocap bodies are no part of a state: the camera's place becomes the model's.
    model.body("eye").pos, model.body("eye").quat = data.mocap_pos[0], data.mocap_quat[0]
    data.joint("door").qpos = math.radians(75)
    state = World(model).state(data)
    look = DoorCamera(model, "eye")
    try:
        door = look(state, 5)
        assert isinstance(door, PerceivedDoor)
        assert math.degrees(door.angle) == pytest.approx(75, abs=0.3)
        assert look(state, 5) == door
        assert look(state, 6) != door
    finally:
        look.camera.close()


@needs_gl
def test_a_turned_microwave_has_the_same_angles() -> None:
    model = microwave_scene(yaw=0.4)
    data = mujoco.MjData(model)
    data.joint("door").qpos = math.radians(70)
    mujoco.mj_forward(model, data)
    box = data.geom("door")
    inwards = box.xmat.reshape(3, 3)[:, 0]
    x, y, z = (box.xpos + 0.5 * inwards + (0, 0, 0.1)).tolist()
    a, b, c = box.xpos.tolist()
    image, pose, _ = _look(70, model, (a, b, c), (x, y, z))
    assert math.degrees(_seen(image, pose, yaw=0.4).angle) == pytest.approx(70, abs=0.3)


@needs_gl
@pytest.mark.parametrize("hidden", [marker.number for marker in DOOR_MARKERS])
def test_one_marker_is_enough(hidden: int) -> None:
    model = microwave_scene()
    model.geom(f"marker{hidden}").matid = -1
    image, pose, data = _look(70, model)
    door = _seen(image, pose)
    assert door.markers == tuple(m.number for m in DOOR_MARKERS if m.number != hidden)
    assert math.degrees(door.angle) == pytest.approx(70, abs=1.0)
    assert door.position == pytest.approx(data.geom("door").xpos, abs=0.004)


@needs_gl
def test_without_depth_the_markers_tell_the_pose_but_nothing_tells_the_size() -> None:
    image, pose, data = _look(70)
    blind = replace(image, depth=np.zeros_like(image.depth))
    fit = door_pose(detect(image.colour), blind)
    axes = np.empty(9)
    mujoco.mju_quat2Mat(axes, pose.quaternion)
    hinge = pose.position + axes.reshape(3, 3) @ fit.hinge
    assert hinge == pytest.approx(data.body("door").xpos, abs=0.004)
    assert _reason(blind, pose) == "no depth on the door"


@needs_gl
def test_a_shut_door_shows_no_marker() -> None:
    image, pose, _ = _look(0)
    assert _reason(image, pose) == "no marker of the door in the image"


@needs_gl
def test_a_door_that_leaves_the_image_has_no_size() -> None:
    image, pose, _ = _look(70, target=(TARGET[0] + 0.2, TARGET[1], TARGET[2]))
    assert detect(image.colour)
    assert _reason(image, pose) == "the door is only partly in the image"


@needs_gl
def test_implausible_poses_are_not_believed() -> None:
    image, pose, _ = _look(70)
    fallen = Pose(pose.position, np.array([1.0, 0.0, 0.0, 0.0]))
    assert "from the vertical" in _reason(image, fallen)
    seen = perceive(image, pose, yaw=math.radians(65))
    assert isinstance(seen, NotSeen)
    assert seen.reason == "a door at 5 degrees"


@needs_gl
def test_depth_that_contradicts_the_markers_is_not_believed() -> None:
    image, pose, _ = _look(70)
    twice = replace(image, depth=np.asarray(image.depth * 2, dtype=np.float32))
    assert "contradict" in _reason(twice, pose)


@needs_gl
def test_a_door_of_impossible_size_is_not_believed() -> None:
    image, pose, _ = _look(70)
    fit = door_pose(detect(image.colour), image)
    v, u = np.indices(image.depth.shape)
    at = next(iter(detect(image.colour).values())).mean(axis=0)
    near = np.hypot(u - at[0], v - at[1]) < 45
    cut = replace(image, depth=np.where(near, image.depth, np.float32(0)))
    seed = (round(float(at[0])), round(float(at[1])))
    extent = door_extent(cut, fit.axes, fit.hinge, seed)
    assert not isinstance(extent, str)
    assert extent.height < 0.15
    assert _reason(cut, pose) == f"a door {100 * extent.height:.0f} cm high"


@needs_gl
def test_what_was_perceived_can_be_drawn() -> None:
    image, pose, _ = _look(70)
    before = image.colour.copy()
    door = _seen(image, pose)
    picture = draw(image, pose, door)
    assert (image.colour == before).all()
    assert picture.shape == before.shape
    changed = (picture != before).any(axis=2)
    assert 0.01 < changed.mean() < 0.2
    # the outline is at the edges of the door
    rows, columns = np.nonzero((picture == (250, 200, 30)).all(axis=2))
    flat = np.abs(image.depth[rows, columns])
    assert len(rows) > 300
    assert (flat > 0.3).mean() > 0.8
    assert (draw(image, pose, NotSeen("nothing")) != before).any()


def test_noise_instead_of_images_is_not_seen_and_raises_nothing() -> None:
    rng = np.random.default_rng(0)
    pose = Pose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    for size in ((40, 30), (320, 180)):
        shape = (size[1], size[0])
        image = Image(
            rng.integers(0, 256, (*shape, 3), dtype=np.uint8),
            rng.uniform(0, 2, shape).astype(np.float32),
            Intrinsics(*size, 300.0, 300.0, size[0] / 2, size[1] / 2),
        )
        assert _reason(image, pose) == "no marker of the door in the image"


def test_any_square_has_some_pose() -> None:
    """Whatever the detector may report, the answer is a number or refused, never an exception."""
    rng = np.random.default_rng(1)
    intrinsics = Intrinsics(320, 180, 300.0, 300.0, 159.5, 89.5)
    for _ in range(200):
        image = Image(
            np.zeros((180, 320, 3), dtype=np.uint8),
            rng.uniform(0.2, 2, (180, 320)).astype(np.float32),
            intrinsics,
        )
        corners = {m.number: rng.uniform((10, 10), (310, 170), (4, 2)) for m in DOOR_MARKERS}
        fit = door_pose(corners, image)
        assert np.isfinite(fit.axes).all()
        assert np.abs(np.linalg.det(fit.axes)) == pytest.approx(1, abs=1e-6)
