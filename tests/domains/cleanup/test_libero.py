"""LIBERO's cabinet, stood in for by one of our own writing that is built and named alike."""

from __future__ import annotations

import base64
from pathlib import Path

import mujoco
import numpy as np
import pytest

from deliberate_practice.domains.cleanup.cabinet import FRONT, OURS, STAND_OFF
from deliberate_practice.domains.cleanup.libero import (
    FILE,
    VARIABLE,
    chosen_cabinet,
    libero_cabinet,
)
from deliberate_practice.domains.cleanup.scene import scene
from deliberate_practice.domains.cleanup.skills import good
from deliberate_practice.domains.cleanup.task import DRAWERS
from deliberate_practice.domains.cleanup.workcell import HOME, CleanupWorkcell
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import in_scene, load_task, make_robot
from deliberate_practice.robots.mujoco.attempt import Attempt
from deliberate_practice.robots.mujoco.motion import hold
from deliberate_practice.robots.mujoco.panda import ROBOT, SCENE
from deliberate_practice.robots.mujoco.robot import MujocoRobot

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNocFAAAAIkAOGrWWInAAAAAElFTkSuQmCC"
)
LEVELS = {"top": 0.184, "middle": 0.114, "bottom": 0.045}


@pytest.fixture(name="assets")
def _assets(tmp_path: Path) -> Path:
    """A folder of assets with a cabinet, its mesh in MuJoCo's own format, and a texture."""
    folder = tmp_path / "assets" / Path(FILE).parent
    (folder / "parts").mkdir(parents=True)
    (folder.parent / FILE).write_text(_cabinet())
    (folder / "parts" / "wood.png").write_bytes(PIXEL)
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "f4")
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], "i4")
    header = np.array([len(corners), 0, 0, len(faces)], "i4")
    content = header.tobytes() + corners.tobytes() + faces.tobytes()
    (folder / "parts" / "panel.msh").write_bytes(content)
    return folder.parent


def _cabinet() -> str:
    walls = [
        _box((0, 0.11, 0.114), (0.119, 0.002, 0.106)),
        _box((-0.115, 0.016, 0.114), (0.005, 0.095, 0.106)),
        _box((0.115, 0.016, 0.114), (0.005, 0.095, 0.106)),
        _box((0, 0.016, 0.007), (0.12, 0.09, 0.002)),
        _box((0, 0.016, 0.2215), (0.12, 0.095, 0.0015)),
    ]
    drawers = "".join(_drawer(name, level) for name, level in LEVELS.items())
    return f"""
    <mujoco model="cabinet">
      <compiler angle="radian" meshdir="./"/>
      <size njmax="500" nconmax="100"/>
      <asset>
        <texture name="wood" type="2d" file="parts/wood.png"/>
        <material name="wood" texture="wood"/>
        <mesh name="panel" file="parts/panel.msh" scale="0.1 0.1 0.1"/>
      </asset>
      <worldbody>
        <body>
          <body name="object">
            <body name="base">{"".join(walls)}{drawers}</body>
          </body>
          <site name="top_site" pos="0 0 0.045"/>
        </body>
      </worldbody>
    </mujoco>"""


def _drawer(name: str, level: float) -> str:
    parts = [
        _box((0, -0.075, level), (0.109, 0.003, 0.034)),
        _box((0, 0.091, level), (0.107, 0.0035, 0.032)),
        _box((-0.105, 0.011, level), (0.0025, 0.08, 0.032)),
        _box((0.105, 0.011, level), (0.0025, 0.08, 0.032)),
        _box((0, 0.011, level - 0.028), (0.107, 0.08, 0.004)),
        _box((-0.003, -0.1015, level - 0.002), (0.0445, 0.0075, 0.008)),  # the handle's bar
        _box((-0.035, -0.083, level - 0.002), (0.0055, 0.0105, 0.005)),
        _box((0.029, -0.083, level - 0.002), (0.0055, 0.0105, 0.005)),
    ]
    return f"""
    <body name="cabinet_{name}">
      <inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/>
      <joint name="{name}_level" type="slide" axis="0 1 0" limited="true" range="-0.16 0.01"
        damping="50"/>
      <site name="{name}_region" {_placed((0, 0.011, level + 0.002), (0.102, 0.0755, 0.03))}/>
      <geom type="mesh" mesh="panel" material="wood" contype="0" conaffinity="0" group="1"/>
      {"".join(parts)}
    </body>"""


def _box(pos: tuple[float, float, float], half: tuple[float, float, float]) -> str:
    return f'<geom density="100" {_placed(pos, half)}/>'


def _placed(pos: tuple[float, float, float], half: tuple[float, float, float]) -> str:
    """A box lying on its side, as those of LIBERO do."""
    at, size = " ".join(map(str, pos)), " ".join(map(str, half[::-1]))
    return f'type="box" pos="{at}" size="{size}" quat="0.70711 0 0.70711 0"'


def test_it_has_what_cleanup_relies_on(assets: Path) -> None:
    cabinet = libero_cabinet(assets)
    model = scene(1, cabinet=cabinet).compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(cabinet.drawer, (0.2265, 0.306, 0.084), atol=1e-4)
    assert (cabinet.travel, cabinet.opened) == pytest.approx((0.24, 0.16))
    assert cabinet.closed == OURS.closed
    inside = [data.site(f"{drawer}_inside").xpos.copy() for drawer in DRAWERS]
    for drawer, level in LEVELS.items():
        np.testing.assert_allclose(model.joint(drawer).range, (0, 0.24))
        handle = (FRONT - STAND_OFF, 0, 1.5 * (level - 0.002))
        np.testing.assert_allclose(data.site(f"{drawer}_handle").xpos, handle, atol=1e-5)
        data.joint(drawer).qpos = 0.1
    mujoco.mj_kinematics(model, data)
    for drawer, level, closed in zip(DRAWERS, LEVELS.values(), inside, strict=True):
        assert closed[0] > FRONT
        assert closed[2] == pytest.approx(1.5 * (level - 0.024), abs=1e-5)  # on the floor
        moved = data.site(f"{drawer}_inside").xpos - closed
        np.testing.assert_allclose(moved, (-0.1, 0, 0), atol=1e-6)  # towards the robot


def test_its_meshes_are_seen_and_its_boxes_are_touched(assets: Path) -> None:
    model = scene(1, visual=True, cabinet=libero_cabinet(assets)).compile()
    drawer = np.flatnonzero(model.geom_bodyid == model.body("top").id)
    seen = drawer[model.geom_type[drawer] == mujoco.mjtGeom.mjGEOM_MESH]
    touched = np.setdiff1d(drawer, seen)
    assert (len(seen), len(touched)) == (1, 8)
    assert not model.geom_contype[seen].any()
    assert not model.geom_conaffinity[seen].any()
    assert set(model.geom_contype[touched]) == {SCENE}
    assert set(model.geom_conaffinity[touched]) == {ROBOT | SCENE}
    assert model.body("top").mass[0] == pytest.approx(3)


def _after_a_second(cell: CleanupWorkcell, state: FloatArray) -> FloatArray:
    """The arm stands still."""
    return cell.world.run(state, np.repeat(hold(cell.arm, HOME, 0.0)[None], 250, axis=0))


def test_drawers_stay_where_they_are_left(assets: Path) -> None:
    cell = CleanupWorkcell(cabinet=libero_cabinet(assets))
    state = cell.reset(0, {"middle": "closed"})
    assert cell.abstract(state) == {
        "top": "open", "middle": "closed", "bottom": "open", "object": "table",
    }  # fmt: skip
    before = [float(cell.world.view(state).joint(drawer).qpos[0]) for drawer in DRAWERS]
    data = cell.world.view(_after_a_second(cell, state))
    after = [float(data.joint(drawer).qpos[0]) for drawer in DRAWERS]
    np.testing.assert_allclose(after, before, atol=1e-3)


@pytest.mark.parametrize("drawer", DRAWERS)
def test_a_thing_lies_in_the_drawer_it_was_put_into(assets: Path, drawer: str) -> None:
    cell = CleanupWorkcell(cabinet=libero_cabinet(assets))
    above = dict.fromkeys(DRAWERS[: DRAWERS.index(drawer)], "closed")
    state = cell.reset(0, {**above, "object": drawer})
    rested = _after_a_second(cell, state)
    assert cell.abstract(rested) == cell.abstract(state)
    assert cell.abstract(rested)["object"] == drawer


@pytest.mark.slow
@pytest.mark.parametrize("drawer", DRAWERS)
def test_a_push_below_the_bar_closes_a_drawer_and_one_above_it_not(
    assets: Path, drawer: str
) -> None:
    cell = CleanupWorkcell(cabinet=libero_cabinet(assets))
    above = dict.fromkeys(DRAWERS[: DRAWERS.index(drawer)], "closed")
    starts = [cell.reset(seed, above) for seed in range(4)]

    def closed(height: float) -> list[bool]:
        values = {**good(f"Close({drawer})"), "height": height, "push": 0.28}
        attempts = [Attempt(s, f"Close({drawer})", values, n) for n, s in enumerate(starts)]
        return [
            cell.abstract(done.state) == cell.abstract(start) | {drawer: "closed"}
            for start, done in zip(starts, cell.execute_all(attempts), strict=True)
        ]

    assert closed(-0.025) == [True] * 4
    assert closed(0.07) == [False] * 4


def test_the_environment_chooses(assets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    task = load_task("cleanup")
    assert chosen_cabinet() is OURS
    assert in_scene(task, "mujoco").priors == "accurate"
    monkeypatch.setenv(VARIABLE, str(assets))
    practised = in_scene(task, "mujoco")
    assert practised.priors == "unknown"  # of this cabinet nothing was measured
    assert [s.competence for s in practised.skills] == [s.competence for s in task.skills]
    assert all(skill.parameters for skill in practised.skills)
    robot = make_robot("mujoco", practised, 0)
    assert isinstance(robot, MujocoRobot)
    assert robot.workcell.appearance().body("libero_object").id > 0


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("top_level", "top_drawer", "has no joint 'top_level'"),
        ("middle_region", "middle_space", "has no site 'middle_region'"),
        ('_region" type="box" pos="0 0.011', '_region" type="box" pos="0 0.5', "has no floor of"),
        ('name="base"', 'name="box"', "has no body 'base'"),
        ('axis="0 1 0"', 'axis="1 0 0"', "has no joint 'top_level' that slides open along -y"),
        ('type="slide"', 'type="hinge"', "has no joint 'top_level' that slides open along -y"),
        ("panel.msh", "plank.msh", "cannot be loaded: .*plank.msh"),
        ("wood.png", "oak.png", "cannot be loaded: .*oak.png"),
        ("</worldbody>", "", "cannot be loaded: XML"),
    ],
)
def test_another_structure_is_refused(assets: Path, old: str, new: str, reason: str) -> None:
    file = assets / FILE
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(ArgumentError, match=reason) as refused:
        libero_cabinet(assets)
    assert f"LIBERO_ASSETS: '{file}'" in str(refused.value)
    assert "or unset it for our cabinet" in str(refused.value)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"there is no file '.*nowhere.*wooden_cabinet\.xml'"):
        libero_cabinet(tmp_path / "nowhere")
