"""Success as we count it, and as FrankaKitchen does."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from deliberate_practice.domains.kitchen.abstraction import (
    BROKEN,
    GOALS,
    JOINTS,
    abstract,
    published,
)
from deliberate_practice.domains.kitchen.task import VARIABLES
from deliberate_practice.domains.kitchen.workcell import KitchenWorkcell


@pytest.fixture(name="cell", scope="module")
def _cell() -> KitchenWorkcell:
    return KitchenWorkcell()


def _with(cell: KitchenWorkcell, joint: str, value: object) -> mujoco.MjData:
    data = cell.world.view(cell.reset(0))
    data.joint(joint).qpos = value
    mujoco.mj_forward(cell.model, data)
    return data


@pytest.mark.parametrize("name", list(JOINTS))
def test_a_joint_has_two_values_and_is_broken_between(cell: KitchenWorkcell, name: str) -> None:
    joint, before, after = JOINTS[name]
    first, second = VARIABLES[name]
    for value, expected in (
        (0.0, first),
        (before, first),
        (1.05 * before, BROKEN),
        (0.98 * after, BROKEN),
        (after, second),
        (1.02 * after, second),
    ):
        found = abstract(_with(cell, joint, value))
        assert found[name] == expected, value
        assert all(found[other] == VARIABLES[other][0] for other in VARIABLES if other != name)


def test_where_the_kettle_stands(cell: KitchenWorkcell) -> None:
    upright, lying = (1.0, 0.0, 0.0, 0.0), (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
    for pose, expected in (
        ((-0.25, 0.36, 1.62, *upright), "bottom"),
        ((-0.23, 0.66, 1.62, *upright), "top"),
        ((-0.23, 0.64, 1.62, *upright), BROKEN),  # 11 cm short
        ((-0.23, 0.75, 1.62, *lying), BROKEN),
        ((-0.23, 0.75, 0.2, *upright), BROKEN),
    ):
        assert abstract(_with(cell, "kettle", pose))["kettle"] == expected, pose


def test_our_success_is_stricter_than_the_published_one(cell: KitchenWorkcell) -> None:
    """A slide counts there after 7 cm of 44, a kettle 30 cm off its goal."""
    data = cell.world.view(cell.reset(0))
    assert not any(published(np.array(data.qpos), cell.model).values())
    done = cell.world.view(cell.reset(0, {name: values[1] for name, values in VARIABLES.items()}))
    assert abstract(done) == {name: values[1] for name, values in VARIABLES.items()}
    assert all(published(np.array(done.qpos), cell.model).values())
    for name, joint, value in (("slide", "slide_cabinet", 0.08), ("microwave", "microwave", -0.5)):
        data = _with(cell, joint, value)
        assert published(np.array(data.qpos), cell.model)[name]
        assert abstract(data)[name] == BROKEN


def test_the_published_goals_are_those_of_the_installed_package() -> None:
    kitchen = pytest.importorskip("gymnasium_robotics.envs.franka_kitchen.kitchen_env")
    words = {"light": "light switch", "top": "top burner", "bottom": "bottom burner"}
    words |= {"slide": "slide cabinet", "hinge": "hinge cabinet"}
    for name, goal in GOALS.items():
        np.testing.assert_array_equal(goal, kitchen.OBS_ELEMENT_GOALS[words.get(name, name)])
