from __future__ import annotations

import mujoco
import numpy as np
import pytest

from deliberate_practice.domains.cleanup.abstraction import BROKEN, abstract
from deliberate_practice.domains.cleanup.scene import TRAVEL, scene
from deliberate_practice.domains.cleanup.task import DRAWERS


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
    data.joint("object").qpos[:3] = (0.4, 0.0, 0.0269)
    return data


def _seen(model: mujoco.MjModel, data: mujoco.MjData) -> dict[str, str]:
    mujoco.mj_forward(model, data)
    return abstract(model, data, ["object"])


def test_the_start(cell: mujoco.MjModel, data: mujoco.MjData) -> None:
    assert _seen(cell, data) == {
        "top": "open", "middle": "open", "bottom": "open", "object": "table",
    }  # fmt: skip


@pytest.mark.parametrize("drawer", DRAWERS)
@pytest.mark.parametrize(
    ("opening", "value"),
    [(0.0, "closed"), (0.014, "closed"), (0.02, BROKEN), (0.15, BROKEN), (0.17, "open")],
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
def test_an_object_is_in_the_drawer_it_lies_in(
    cell: mujoco.MjModel, data: mujoco.MjData, drawer: str, opening: float
) -> None:
    data.joint(drawer).qpos = opening
    mujoco.mj_forward(cell, data)
    inside = data.site(f"{drawer}_inside").xpos.copy()
    for offset in ([0, 0], [-0.08, 0.08], [0.08, -0.08]):
        data.joint("object").qpos[:3] = inside + np.array([*offset, 0.027])
        assert _seen(cell, data)["object"] == drawer


@pytest.mark.parametrize(
    "place",
    [
        (0.4, 0.0, -0.71),  # on the floor
        (0.4, 0.0, 0.3),  # in the air
        (1.9, 0.0, 0.0269),
        (0.9, 0.0, 0.4),  # on the cabinet
    ],
)
def test_an_object_elsewhere_breaks_the_abstraction(
    cell: mujoco.MjModel, data: mujoco.MjData, place: tuple[float, float, float]
) -> None:
    data.joint("object").qpos[:3] = place
    assert _seen(cell, data)["object"] == BROKEN


def test_in_the_hand_means_between_both_fingers(cell: mujoco.MjModel, data: mujoco.MjData) -> None:
    data.qpos[7:9] = 0.0215
    mujoco.mj_forward(cell, data)
    between = np.array(data.site("tool").xpos)
    data.joint("object").qpos[:3] = between
    assert _seen(cell, data)["object"] == "hand"
    data.qpos[7:9] = 0.03  # an open hand around it holds nothing
    assert _seen(cell, data)["object"] == BROKEN
    data.joint("object").qpos[:3] = between + np.array([0, 0.01, 0])  # one finger alone neither
    assert _seen(cell, data)["object"] == BROKEN
