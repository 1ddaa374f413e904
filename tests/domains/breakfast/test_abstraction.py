from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from deliberate_practice.domains.breakfast.abstraction import BROKEN, abstract
from deliberate_practice.domains.breakfast.scene import BREAD, LEFT, RIGHT
from deliberate_practice.domains.breakfast.workcell import BreakfastWorkcell
from deliberate_practice.robots.mujoco.world import STATE

START = {"bread": "counter", "toaster": "off", "bowl": "counter", "door": "closed"}


@pytest.fixture(name="cell", scope="module")
def _cell() -> BreakfastWorkcell:
    return BreakfastWorkcell()


@pytest.fixture(name="data")
def _data(cell: BreakfastWorkcell) -> mujoco.MjData:
    data = mujoco.MjData(cell.model)
    mujoco.mj_setState(cell.model, data, cell.reset(0), STATE)
    mujoco.mj_forward(cell.model, data)
    return data


def _seen(cell: BreakfastWorkcell, data: mujoco.MjData) -> dict[str, str]:
    mujoco.mj_forward(cell.model, data)
    return abstract(cell.model, data)


def test_the_start(cell: BreakfastWorkcell, data: mujoco.MjData) -> None:
    assert _seen(cell, data) == START


@pytest.mark.parametrize(
    ("degrees", "value"), [(0, "closed"), (1, "closed"), (3, BROKEN), (40, BROKEN), (80, "open")]
)
def test_the_door_by_its_angle(
    cell: BreakfastWorkcell, data: mujoco.MjData, degrees: float, value: str
) -> None:
    data.joint("door").qpos = math.radians(degrees)
    assert _seen(cell, data) == START | {"door": value}


@pytest.mark.parametrize(
    ("down", "value"), [(0.0, "off"), (0.004, "off"), (0.02, BROKEN), (0.0405, "on"), (0.047, "on")]
)
def test_the_toaster_by_its_lever(
    cell: BreakfastWorkcell, data: mujoco.MjData, down: float, value: str
) -> None:
    data.joint("lever").qpos = down
    assert _seen(cell, data) == START | {"toaster": value}


@pytest.mark.parametrize("down", [0.0, 0.0405])
def test_bread_is_in_the_toaster_where_it_stands_on_the_lever(
    cell: BreakfastWorkcell, data: mujoco.MjData, down: float
) -> None:
    data.joint("lever").qpos = down
    mujoco.mj_forward(cell.model, data)
    slot = data.site("slot").xpos + np.array([0, 0, BREAD[2] / 2])
    data.joint("bread").qpos[:3] = slot
    data.joint("bread").qpos[3:] = (1, 0, 0, 0)
    assert _seen(cell, data)["bread"] == "toaster"
    data.joint("bread").qpos[2] += 0.04  # it stands on the toaster, not in it
    assert _seen(cell, data)["bread"] == BROKEN


def test_bread_that_lies_about_breaks_the_abstraction(
    cell: BreakfastWorkcell, data: mujoco.MjData
) -> None:
    data.joint("bread").qpos = (0.4, 0.2, BREAD[1] / 2, math.sqrt(0.5), math.sqrt(0.5), 0, 0)
    assert _seen(cell, data)["bread"] == BROKEN
    data.joint("bread").qpos[:3] = (0.4, 0.2, -0.7)
    assert _seen(cell, data)["bread"] == BROKEN


def test_the_bowl_by_where_it_stands(cell: BreakfastWorkcell, data: mujoco.MjData) -> None:
    inside = data.site("microwave_inside").xpos.copy()
    upright = (1, 0, 0, 0)
    for place, turn, value in (
        (inside + np.array([0, 0, -1e-4]), upright, "microwave"),
        (inside + np.array([0.03, 0.05, -1e-4]), upright, "microwave"),
        (inside + np.array([0, 0, 0.05]), upright, BROKEN),  # in the air
        (np.array([0.3, 0.1, -1e-4]), upright, "counter"),
        (np.array([0.3, 0.1, 0.1]), upright, BROKEN),
        (np.array([0.3, 0.1, 0.05]), (0, 1, 0, 0), BROKEN),  # upside down
        (np.array([2.0, 0.1, -0.74]), upright, BROKEN),  # on the floor
    ):
        data.joint("bowl").qpos = (*place, *turn)
        assert _seen(cell, data)["bowl"] == value


@pytest.mark.parametrize(("thing", "arm", "other"), [("bread", LEFT, RIGHT), ("bowl", RIGHT, LEFT)])
def test_in_the_gripper_means_between_both_fingers_of_its_robot(
    cell: BreakfastWorkcell, data: mujoco.MjData, thing: str, arm: str, other: str
) -> None:
    for prefix, value in ((arm, "gripper"), (other, BROKEN)):
        _grip(cell, data, thing, prefix, 0.0)
        assert _seen(cell, data)[thing] == value
    _grip(cell, data, thing, arm, 0.007)  # one finger alone does not hold it
    assert _seen(cell, data)[thing] == BROKEN


def _grip(
    cell: BreakfastWorkcell, data: mujoco.MjData, thing: str, prefix: str, off: float
) -> None:
    """Bring the thing between the fingers of a robot, which nearly close on it, or beside that."""
    half = {"bread": BREAD[1] / 2, "bowl": 0.008}[thing]
    at = {"bread": np.zeros(3), "bowl": np.array([-0.094, 0, 0.04])}[thing]
    for robot in (LEFT, RIGHT):
        for finger in ("finger_joint1", "finger_joint2"):
            data.joint(robot + finger).qpos = half - 5e-4 if robot == prefix and not off else half
    mujoco.mj_forward(cell.model, data)
    tool = data.site(f"{prefix}tool")
    turn = np.empty(4)
    mujoco.mju_mat2Quat(turn, tool.xmat)
    if thing == "bowl":  # its handle along the hand's x axis, its closing direction across
        matrix = tool.xmat.reshape(3, 3)
        position = tool.xpos - matrix @ at + off * matrix[:, 1]
    else:
        position = tool.xpos + off * tool.xmat.reshape(3, 3)[:, 1]
    data.joint(thing).qpos = (*position, *turn)
