from __future__ import annotations

import mujoco
import numpy as np
import pytest

from deliberate_practice.domains.cleanup.abstraction import BROKEN, abstract
from deliberate_practice.domains.cleanup.cabinet import OURS, TRAVEL
from deliberate_practice.domains.cleanup.scene import BLOCK, room, scene, things
from deliberate_practice.domains.cleanup.task import DRAWERS

DOWN = BLOCK.half_height - 1e-4
"""Where the middle of the object is over what it stands on [m]."""


@pytest.fixture(name="cell", scope="module")
def _cell() -> mujoco.MjModel:
    return scene(1).compile()


@pytest.fixture(name="data")
def _data(cell: mujoco.MjModel) -> mujoco.MjData:
    data = mujoco.MjData(cell)
    data.qpos[:7] = (0, -0.437, 0, -2.127, 0, 1.69, 0.785)
    data.qpos[7:9] = 0.04
    for drawer in DRAWERS:
        data.joint(drawer).qpos = TRAVEL
    data.joint("object").qpos[:3] = (0.4, 0.0, DOWN)
    return data


def _seen(model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, str]:
    mujoco.mj_forward(model, data)
    return abstract(model, data, things(1))


def test_the_start(cell: mujoco.MjModel, data: mujoco.MjData) -> None:
    assert _seen(cell, data) == {
        "top": "open", "middle": "open", "bottom": "open", "object": "table",
    }  # fmt: skip


@pytest.mark.parametrize("drawer", DRAWERS)
@pytest.mark.parametrize(
    ("opening", "value"),
    [
        (0.0, "closed"),
        (OURS.closed - 1e-4, "closed"),
        (OURS.closed + 1e-4, BROKEN),
        (0.015, BROKEN),  # before the catch
        (OURS.opened - 1e-4, BROKEN),
        (OURS.opened + 1e-4, "open"),
    ],
)
def test_drawers_by_how_far_they_are_pulled(
    cell: mujoco.MjModel, data: mujoco.MjData, drawer: str, opening: float, value: str
) -> None:
    data.joint(drawer).qpos = opening
    seen = _seen(cell, data)
    assert seen[drawer] == value
    assert [seen[other] for other in DRAWERS if other != drawer] == ["open", "open"]


@pytest.mark.parametrize("drawer", DRAWERS)
@pytest.mark.parametrize("opening", [0.0, 0.1, TRAVEL])
def test_an_object_is_in_the_drawer_in_whose_place_it_stands(
    cell: mujoco.MjModel, data: mujoco.MjData, drawer: str, opening: float
) -> None:
    data.joint(drawer).qpos = opening
    mujoco.mj_forward(cell, data)
    inside = data.site(f"{drawer}_inside").xpos.copy()
    x, y, half_x, half_y = room("object", 1)
    for way in ((0, 0), (0.3, 0.3), (-0.3, -0.3), (0.3, -0.3)):
        at = inside + np.array([x + way[0] * half_x, y + way[1] * half_y, DOWN])
        data.joint("object").qpos[:3] = at
        assert _seen(cell, data)["object"] == drawer


def _leaning(angle: float) -> list[float]:
    return [np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0]


@pytest.mark.parametrize("drawer", DRAWERS)
@pytest.mark.parametrize(
    ("beside", "above", "angle"),
    [
        ((0.08, 0.0), 0.0, 0.0),  # in the drawer, but not in its place
        ((0.0, 0.08), 0.0, 0.0),
        ((0.0, 0.0), 0.02, 0.0),  # on the wall around its place
        ((0.0, 0.0), 0.004, 0.2),  # leaning
    ],
)
def test_in_a_drawer_beside_its_place_an_object_is_lost(
    cell: mujoco.MjModel,
    data: mujoco.MjData,
    drawer: str,
    beside: tuple[float, float],
    above: float,
    angle: float,
) -> None:
    mujoco.mj_forward(cell, data)
    x, y, *_ = room("object", 1)
    at = data.site(f"{drawer}_inside").xpos + np.array([x + beside[0], y + beside[1], DOWN + above])
    data.joint("object").qpos = [*at, *_leaning(angle)]
    assert _seen(cell, data)["object"] == BROKEN


@pytest.mark.parametrize(("angle", "value"), [(0.1, "table"), (0.3, BROKEN)])
def test_on_the_table_an_object_stands_upright(
    cell: mujoco.MjModel, data: mujoco.MjData, angle: float, value: str
) -> None:
    half_y = BLOCK.size[1]
    height = DOWN * np.cos(angle) + half_y * np.sin(angle)
    data.joint("object").qpos = [0.4, 0.0, height, *_leaning(angle)]
    assert _seen(cell, data)["object"] == value


@pytest.mark.parametrize(
    "place",
    [
        (0.4, 0.0, -0.71),  # on the floor
        (0.4, 0.0, 0.3),  # in the air
        (1.9, 0.0, DOWN),
        (0.9, 0.0, 0.4),  # on the cabinet
    ],
)
def test_an_object_elsewhere_breaks_the_abstraction(
    cell: mujoco.MjModel, data: mujoco.MjData, place: tuple[float, float, float]
) -> None:
    data.joint("object").qpos[:3] = place
    assert _seen(cell, data)["object"] == BROKEN


def test_in_the_hand_means_between_both_fingers(cell: mujoco.MjModel, data: mujoco.MjData) -> None:
    data.qpos[7:9] = BLOCK.size[1] - 5e-4
    mujoco.mj_forward(cell, data)
    between = np.array(data.site("tool").xpos)
    data.joint("object").qpos[:3] = between
    assert _seen(cell, data)["object"] == "hand"
    data.qpos[7:9] = BLOCK.size[1] + 0.006  # an open hand around it holds nothing
    assert _seen(cell, data)["object"] == BROKEN
    data.joint("object").qpos[:3] = between + np.array([0, 0.0065, 0])  # one finger alone neither
    assert _seen(cell, data)["object"] == BROKEN
