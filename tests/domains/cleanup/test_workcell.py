from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from counts import count
from simulated_station import station
from simulated_trials import executed

from deliberate_practice.domains.cleanup.skills import good, parts, primitives
from deliberate_practice.domains.cleanup.task import DRAWERS, cleanup
from deliberate_practice.domains.cleanup.workcell import HOME, CleanupWorkcell
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.robots.mujoco.attempt import Attempt
from deliberate_practice.robots.mujoco.impedance import Gains
from deliberate_practice.robots.mujoco.motion_planning import NoPath

FAR = ("Close(top)", {**good("Close(top)"), "push": 0.395}, 0)
"""A skill, parameters and a seed: out of reach."""

EFFECT = {s.name: s.effect for s in cleanup(1).skills if isinstance(s.effect, dict)}


@pytest.fixture(name="cell", scope="module")
def _cell() -> CleanupWorkcell:
    return CleanupWorkcell()


def _needed(skill: str) -> dict[str, str]:
    """The abstract state that a route from the start leads to."""
    verb, _, what = skill.rstrip(")").partition("(")
    drawer = what.rpartition(",")[2]
    above = dict.fromkeys(DRAWERS[: DRAWERS.index(drawer)] if drawer in DRAWERS else (), "closed")
    if verb == "Open":
        above[drawer] = "closed"
    return above | ({"object": "hand"} if verb == "Place" else {})


def _succeeds(cell: CleanupWorkcell, attempts: list[Attempt]) -> list[bool]:
    return [
        cell.abstract(after) == cell.abstract(attempt.state) | EFFECT[attempt.skill]
        for attempt, after in zip(attempts, _states(cell, attempts), strict=True)
    ]


WRONG = {
    "Open": {"side": 0.05},  # beside the handle
    "Close": {"push": 0.25},  # not far enough
    "Pick": {"y": 0.05},  # onto the object
    "Place": {"x": -0.06},  # onto the wall around its place
}


@pytest.mark.parametrize("skill", list(primitives(1)))
def test_every_skill_works_with_good_parameters_and_fails_with_bad_ones(
    cell: CleanupWorkcell, skill: str
) -> None:
    starts = [cell.prepare(_needed(skill), seed) for seed in range(4)]
    attempts = [Attempt(start, skill, good(skill), seed) for seed, start in enumerate(starts)]
    assert all(_succeeds(cell, attempts))
    values = {**good(skill), **WRONG[parts(skill)[0]]}
    attempts = [Attempt(start, skill, values, seed) for seed, start in enumerate(starts)]
    assert not any(_succeeds(cell, attempts))


@pytest.mark.parametrize("skill", [name for name in primitives(1) if "stiffness" in good(name)])
def test_a_soft_hand_fails_where_contact_needs_force(cell: CleanupWorkcell, skill: str) -> None:
    soft = {**good(skill), "stiffness": 6.0}
    attempts = [Attempt(cell.prepare(_needed(skill), seed), skill, soft, seed) for seed in range(3)]
    assert not any(_succeeds(cell, attempts))


def test_a_weak_grip_lets_go(cell: CleanupWorkcell) -> None:
    weak = CleanupWorkcell(gains=Gains(grip_force=1.0))
    pick = "Pick(object)"
    attempts = [Attempt(cell.reset(seed), pick, good(pick), seed) for seed in range(3)]
    assert not any(_succeeds(weak, attempts))


@pytest.mark.parametrize("skill", ["Place(object,middle)", "Place(object,bottom)"])
def test_nothing_gets_into_a_drawer_below_an_open_one(cell: CleanupWorkcell, skill: str) -> None:
    attempts = [
        Attempt(cell.prepare({"object": "hand"}, seed), skill, good(skill), seed)
        for seed in range(count(100))
    ]
    assert np.mean(_succeeds(cell, attempts)) <= 0.05


PLANS = {
    "cleanup": {
        "top": ["Pick(object)", "Place(object,top)"],
        "middle": ["Close(top)", "Pick(object)", "Place(object,middle)"],
        "bottom": ["Close(top)", "Close(middle)", "Pick(object)", "Place(object,bottom)"],
    },
    "cleanup-multi": {
        drawer: [
            *(f"Close({above})" for above in DRAWERS[:number]),
            *(
                f"{verb}(object{thing}{place})"
                for thing in (4, 3, 2, 1)
                for verb, place in (("Pick", ""), ("Place", f",{drawer}"))
            ),
        ]
        for number, drawer in enumerate(DRAWERS)
    },
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("domain", "drawer"), [(domain, drawer) for domain in PLANS for drawer in DRAWERS]
)
def test_whole_plans_in_physics(domain: str, drawer: str) -> None:
    """With good parameters; nearly every execution gets everything into its drawer."""
    plan, number = PLANS[domain][drawer], count(20)
    deployed = {name: good(name) for name in plan}
    done = executed(station(domain).robot, plan, deployed, range(number))
    assert sum(steps == len(plan) for steps in done) >= 0.9 * number, done


def test_a_drawer_with_its_object_can_be_closed_and_opened_again(cell: CleanupWorkcell) -> None:
    state = cell.reset(0, {"object": "top"})
    for skill, value in (("Close(top)", "closed"), ("Open(top)", "open")):
        state = cell.attempt(Attempt(state, skill, good(skill), 0))
        assert cell.abstract(state) == {
            "top": value, "middle": "open", "bottom": "open", "object": "top",
        }  # fmt: skip


def _some(cell: CleanupWorkcell) -> list[Attempt]:
    attempts = []
    for seed, skill in enumerate(["Close(top)", "Pick(object)", "Open(bottom)", "Pick(object)"]):
        start = cell.prepare(_needed(skill), seed)
        attempts.append(Attempt(start, skill, good(skill), seed))
    # One for which there is no path must not disturb the others.
    return [*attempts, Attempt(cell.reset(0), *FAR)]


def _states(cell: CleanupWorkcell, attempts: list[Attempt]) -> list[FloatArray]:
    return [execution.state for execution in cell.execute_all(attempts)]


def _digest(states: list[FloatArray]) -> str:
    return hashlib.sha256(b"".join(state.tobytes() for state in states)).hexdigest()


def test_batches_are_bitwise_equal_to_single_attempts_on_one_and_two_threads(
    cell: CleanupWorkcell,
) -> None:
    attempts = _some(cell)
    singly = [cell.attempt(attempt) for attempt in attempts]
    two = CleanupWorkcell(threads=2)
    assert _digest(_states(cell, attempts)) == _digest(singly)
    assert _digest(_states(two, attempts)) == _digest(singly)


def test_another_process_finds_the_same(cell: CleanupWorkcell) -> None:
    code = (
        "from tests_workcell import _digest, _some, _states; "
        "from deliberate_practice.domains.cleanup.workcell import CleanupWorkcell; "
        "c = CleanupWorkcell(); print(_digest(_states(c, _some(c))))"
    )
    loader = (
        f"import importlib.util, sys; sys.path.append({str(Path(__file__).parents[2])!r}); "
        f"s = importlib.util.spec_from_file_location('tests_workcell', {__file__!r}); "
        "m = importlib.util.module_from_spec(s); sys.modules['tests_workcell'] = m; "
        "s.loader.exec_module(m); "
    )
    out = subprocess.run(
        [sys.executable, "-c", loader + code], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == _digest(_states(cell, _some(cell)))


def test_starts_differ_by_seed_alone(cell: CleanupWorkcell) -> None:
    np.testing.assert_array_equal(cell.reset(3), cell.reset(3))
    assert not np.array_equal(cell.reset(3), cell.reset(4))
    wanted = {"top": "closed", "object": "hand"}
    np.testing.assert_array_equal(cell.prepare(wanted, 5), cell.prepare(wanted, 5))
    assert cell.abstract(cell.prepare(wanted, 5)) == {
        "top": "closed", "middle": "open", "bottom": "open", "object": "hand",
    }  # fmt: skip


def test_noise_is_of_the_stated_size(cell: CleanupWorkcell) -> None:
    state = cell.reset(0)
    first = [
        cell.motion(Attempt(state, "Pick(object)", good("Pick(object)"), seed)).waypoints[1]
        for seed in range(60)
    ]
    spread = np.std([waypoint.position for waypoint in first], axis=0)
    np.testing.assert_allclose(spread, cell.noise, rtol=0.3)


def test_what_is_out_of_reach_leaves_everything_as_it_is(
    cell: CleanupWorkcell,
) -> None:
    state = cell.reset(0)
    attempt = Attempt(state, *FAR)
    with pytest.raises(NoPath):
        cell.motion(attempt)
    (done,) = cell.execute_all([attempt])
    np.testing.assert_array_equal(done.state, state)
    assert done.refused
    assert "does not reach" in done.reason


def test_after_a_skill_the_arm_is_home(cell: CleanupWorkcell) -> None:
    state = cell.attempt(Attempt(cell.reset(1), "Close(top)", good("Close(top)"), 1))
    np.testing.assert_allclose(cell.world.view(state).qpos[:7], HOME, atol=0.1)


def test_unknown_skills_are_named(cell: CleanupWorkcell) -> None:
    with pytest.raises(ArgumentError, match=r"'Shut\(top\)' is not one of: Open\(top\)"):
        cell.attempt(Attempt(cell.reset(0), "Shut(top)", {}, 0))


def test_a_start_that_cannot_be_is_refused(cell: CleanupWorkcell) -> None:
    with pytest.raises(ArgumentError, match="no start with"):
        cell.prepare({"object": "floor"}, 0)


def test_things_that_share_a_drawer_are_practised_among_others_in_their_places() -> None:
    cell = CleanupWorkcell(4)
    drawn = [cell.around("Place(object2,middle)", seed) for seed in range(200)]
    for name in ("object1", "object3", "object4"):
        inside = [start.get(name) == "middle" for start in drawn]
        assert 0.35 < np.mean(inside) < 0.65
    assert all("object2" not in start for start in drawn)
    assert cell.around("Close(top)", 0) == {}
    assert CleanupWorkcell(1).around("Place(object,top)", 0) == {}
    place, there = "Place(object2,middle)", {"top": "closed", "object1": "middle"}
    start = cell.prepare({**there, "object2": "hand"}, 0)
    values = (good(place), {**good(place), "x": 0.06})  # its own place, and the wall around it
    own, others = _states(cell, [Attempt(start, place, v, 0) for v in values])
    assert cell.abstract(own)["object2"] == "middle"
    assert cell.abstract(others)["object2"] == "broken"
    assert cell.abstract(own)["object1"] == cell.abstract(others)["object1"] == "middle"
