"""Kitchen's skills in physics: alone, one after the other, and where an open door is in the way."""

from __future__ import annotations

import numpy as np
import pytest
from counts import FULL, count
from simulated_station import station
from simulated_trials import executed

pytest.importorskip("mujoco")

from deliberate_practice.domains.kitchen.abstraction import published
from deliberate_practice.domains.kitchen.parameters import GOOD, REACH, SPREAD
from deliberate_practice.domains.kitchen.skills import good, policy, primitives
from deliberate_practice.domains.kitchen.task import SKILLS, VARIABLES
from deliberate_practice.domains.kitchen.workcell import KitchenWorkcell
from deliberate_practice.robots.mujoco.attempt import Attempt, Execution
from deliberate_practice.robots.mujoco.motion_planning import NoPath

pytestmark = pytest.mark.slow

PLANS = {
    "light": ["Flip(light)"],
    "tea": ["Turn(top)", "Push(kettle)"],
    "feast": ["Turn(bottom)", "Open(microwave)", "Slide(cabinet)", "Open(hinge)"],
}
EVERYTHING = [*PLANS["light"], *PLANS["tea"], *PLANS["feast"]]

WRONG = {
    "Flip": {"height": 0.06},  # above the switch
    "Turn": {"push": 0.04},  # not far enough
    "Push": {"heading": 0.5},  # aside
    "Slide": {"depth": -0.05},  # in front of the handle
    "Open": {"depth": -0.045},  # the fingers close in front of the handle
}

SOFT = {"stiffness": 5.0}


@pytest.fixture(name="cell", scope="module")
def _cell() -> KitchenWorkcell:
    return KitchenWorkcell()


def _execute(
    cell: KitchenWorkcell, skill: str, changed: dict[str, float], number: int
) -> list[Execution]:
    values = {**good(skill), **changed}
    attempts = [Attempt(cell.reset(seed), skill, values, seed) for seed in range(number)]
    return cell.execute_all(attempts)


def _done(cell: KitchenWorkcell, skill: str, execution: Execution) -> bool:
    start = {name: values[0] for name, values in VARIABLES.items()}
    effect = {SKILLS[skill]: VARIABLES[SKILLS[skill]][1]}
    return not execution.stopped and cell.abstract(execution.state) == start | effect


def test_a_start_is_that_of_the_task_and_varies(cell: KitchenWorkcell) -> None:
    states = [cell.reset(seed) for seed in range(10)]
    start = {name: values[0] for name, values in VARIABLES.items()}
    assert all(cell.abstract(state) == start for state in states)
    assert len({state.tobytes() for state in states}) == 10
    kettles = np.array([cell.world.view(state).body("kettle").xpos.copy() for state in states])
    assert 0.003 < kettles[:, 0].std() < 0.02
    np.testing.assert_array_equal(cell.reset(3), states[3])


def test_everything_rests_where_it_starts(cell: KitchenWorkcell) -> None:
    moved = {name: values[1] for name, values in VARIABLES.items()}
    for wanted in ({}, moved):
        state = cell.prepare(wanted, 1) if wanted else cell.reset(1)
        before = np.array(cell.world.view(state).qpos[:21])
        still = np.zeros((250, cell.model.nu))
        after = np.array(cell.world.view(cell.world.run(state, still)).qpos[:21])
        np.testing.assert_allclose(after, before, atol=0.01)


@pytest.mark.parametrize("skill", list(SKILLS))
def test_every_skill_works_with_good_parameters_and_fails_with_bad_ones(
    cell: KitchenWorkcell, skill: str
) -> None:
    for execution in _execute(cell, skill, {}, 3):
        assert _done(cell, skill, execution)
        positions = np.array(cell.world.view(execution.state).qpos)
        assert cell.touched(skill, execution)
        if not skill.startswith("Turn"):  # a knob may be turned further than the published goal
            assert published(positions, cell.model)[SKILLS[skill]]
    light = skill == "Slide(cabinet)"  # even a soft hand moves it
    for changed in (WRONG[skill.partition("(")[0]], *(() if light else (SOFT,))):
        primitive = cell.primitives[skill]
        assert changed.keys() <= {parameter.name for parameter in primitive.parameters}
        assert not any(_done(cell, skill, one) for one in _execute(cell, skill, changed, 2))


@pytest.mark.parametrize("goal", list(PLANS))
def test_whole_plans_in_physics(goal: str) -> None:
    """With good parameters; the feast in at least 45 of 50 executions."""
    at, plan, number = station("kitchen"), PLANS[goal], count(50)
    deployed = {name: good(name) for name in plan}
    done = executed(at.robot, plan, deployed, range(9_000, 9_000 + number))
    assert sum(steps == len(plan) for steps in done) >= 0.9 * number, done


def test_all_seven_skills_in_a_row() -> None:
    at, number = station("kitchen"), 20 if FULL else 1
    deployed = {name: good(name) for name in EVERYTHING}
    done = executed(at.robot, EVERYTHING, deployed, range(8_000, 8_000 + number))
    assert sum(steps == len(EVERYTHING) for steps in done) >= 0.9 * number, done


@pytest.mark.parametrize("skill", ["Turn(top)", "Slide(cabinet)", "Flip(light)"])
def test_an_open_hinge_door_is_in_the_way(cell: KitchenWorkcell, skill: str) -> None:
    state = cell.prepare({"hinge": "open"}, 0)
    with pytest.raises(NoPath):
        cell.motion(Attempt(state, skill, good(skill), 0))


def test_both_knobs_are_turned_alike() -> None:
    """Outcomes of the same values at the two knobs, which share a policy."""
    at, number = station("kitchen"), count(60)
    draws = [
        {name: value + 0.4 * SPREAD[name][0] * offset for name, value in good("Turn(top)").items()}
        for offset in np.linspace(-1.0, 1.0, number)
    ]
    top, bottom = (
        sum(result.outcome == "success" for result in at.run(f"Turn({knob})", draws))
        for knob in ("top", "bottom")
    )
    assert abs(top - bottom) <= 0.2 * number + 1


def test_search_priors_keep_the_rules() -> None:
    """One deviation for a parameter in all skills, the mean off by one, bounds within three."""
    for skill, primitive in primitives().items():
        assert 4 <= len(primitive.parameters) <= 6
        for parameter in primitive.parameters:
            sd, unit = SPREAD[parameter.name]
            assert (parameter.sd, parameter.unit) == (sd, unit)
            assert sd <= {"m": 0.04, "rad": 0.35}.get(unit, 1.0)
            value, off = GOOD[policy(skill)][parameter.name]
            assert abs(off) == 1.0
            assert parameter.mean == pytest.approx(value + off * sd, abs=1e-4)
            assert parameter.low == pytest.approx(parameter.mean - 3 * sd, abs=1e-3)
            high = min(parameter.mean + 3 * sd, REACH.get((policy(skill), parameter.name), 9e9))
            assert parameter.high == pytest.approx(high, abs=1e-3)
            assert parameter.low <= value <= parameter.high
