"""Cleanup in physics through the eyes of a session: episodes, approaches, plans, journals."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from simulated_trials import executed, filmed_to_the_end, trial

pytest.importorskip("mujoco")

from deliberate_practice.domains.cleanup.skills import good
from deliberate_practice.practice.domain import make_robot, practised_task
from deliberate_practice.practice.earning import measure, start_seeds
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.robot import EarningRobot
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.robots.mujoco.robot import MujocoRobot, lacking

pytestmark = pytest.mark.slow

TASK = practised_task("cleanup", "mujoco")
BOTTOM = ("Close(top)", "Close(middle)", "Pick(object)", "Place(object,bottom)")
GOOD = {name: good(name) for name in TASK.policies}
_trial = partial(trial, GOOD)


@pytest.fixture(scope="module")
def robot() -> MujocoRobot:
    made = make_robot("mujoco", TASK, 0)
    assert isinstance(made, MujocoRobot)
    return made


@pytest.mark.parametrize(("name", "skills"), [("cleanup", 10), ("cleanup-multi", 22)])
def test_every_skill_can_be_learned(name: str, skills: int) -> None:
    task = practised_task(name, "mujoco")
    assert len(task.skills) == skills
    assert all(4 <= len(skill.parameters) <= 5 for skill in task.skills)
    assert all(0.0 <= float(skill.competence or 0) <= 0.45 for skill in task.skills)


def test_an_episode_executes_the_approach_first(robot: MujocoRobot) -> None:
    last = BOTTOM[-1]
    assert robot.run([_trial(last, 3, BOTTOM[:-1])])[0].outcome == "success"
    missed = {**good("Pick(object)"), "y": 0.06}
    failed = robot.run([_trial(last, 3, BOTTOM[:-1], {"Pick(object)": missed})])[0]
    assert (failed.outcome, failed.at) == ("unreached", "Pick(object)")


def test_success_is_all_that_an_attempt_tells_the_learner(robot: MujocoRobot) -> None:
    for skill in BOTTOM:
        away = {name: value + 0.03 for name, value in good(skill).items()}
        for result in robot.run([_trial(skill, 2), _trial(skill, 2, changed={skill: away})]):
            assert result.score is None


def test_what_is_measured_of_an_attempt(robot: MujocoRobot) -> None:
    close = "Close(top)"
    soft, firm = (
        robot.run([_trial(close, 2, changed={close: {**good(close), "stiffness": k}})])[0]
        for k in (8.0, 9.3)
    )
    beside = robot.run([_trial("Open(top)", 2, changed={"Open(top)": {"side": 0.08}})])[0]
    for result in (soft, firm, beside):
        assert list(result.measurements) == ["force", "speed", "touched", "stopped"]
        assert 0 < result.measurements["speed"] < 1
        assert result.measurements["stopped"] == 0
    assert 5 < soft.measurements["force"] < firm.measurements["force"] < robot.limits["force"]
    assert [r.measurements["touched"] for r in (soft, firm, beside)] == [1, 1, 0]


def test_a_sample_out_of_reach_is_refused(robot: MujocoRobot) -> None:
    """Before anything moves; parameters that are deployed fail instead."""
    close, place = "Close(top)", "Place(object,top)"
    far = {close: {**good(close), "push": 0.395}}
    assert robot.run([_trial(close, 0, changed=far)])[0].outcome == "refused"
    out = {place: {**good(place), "x": 0.04, "tilt": 0.5, "height": 0.08}}
    assert robot.run([_trial(place, 0, ("Pick(object)",), out)])[0].outcome == "refused"
    done = robot.run([replace(_trial(place, 0, ("Pick(object)",), out), mode="deploy")])[0]
    assert (done.outcome, done.at) == ("failure", None)


@pytest.mark.parametrize("skill", [skill.name for skill in TASK.skills])
def test_free_approach_puts_the_robot_at_the_precondition(robot: MujocoRobot, skill: str) -> None:
    assert robot.run([_trial(skill, 5)])[0].outcome == "success"


def test_what_a_condition_lacks() -> None:
    state = {"top": "open", "object": "table"}
    assert lacking({"top": "closed", "object": ["table", "hand"]}, state) == {"top": "closed"}
    assert lacking({"object": ["hand", "top"]}, state) == {"object": "hand"}


def test_side_by_side_as_one_by_one_on_any_number_of_threads(robot: MujocoRobot) -> None:
    rng = np.random.default_rng(0)
    trials = []
    for seed in range(8):
        parameters = TASK.policies["Close(top)"].parameters
        values = {p.name: float(p.mean + p.sd * rng.standard_normal()) for p in parameters}
        trials.append(_trial("Close(top)", seed, changed={"Close(top)": values}))
    alone = [robot.run([trial])[0] for trial in trials]
    assert robot.run(trials) == alone
    two = make_robot("mujoco", TASK, 0, threads=2)
    assert isinstance(two, MujocoRobot)
    assert two.run(trials) == alone
    seeds = start_seeds(4)
    mine, other = (r.workcell.reset(seeds[0]) for r in (robot, two))
    assert mine.tobytes() == other.tobytes()


def test_what_was_executed_before_is_remembered_and_right(robot: MujocoRobot) -> None:
    seeds = start_seeds(6)
    changed = {**GOOD, "Pick(object)": {**good("Pick(object)"), "y": 0.012}}
    for deployed in (GOOD, changed, GOOD):
        fresh = make_robot("mujoco", TASK, 0)
        assert isinstance(fresh, MujocoRobot)
        assert executed(robot, BOTTOM, deployed, seeds) == executed(fresh, BOTTOM, deployed, seeds)
        shorter = executed(robot, BOTTOM[:2], deployed, seeds[:3])
        assert shorter == [min(done, 2) for done in executed(robot, BOTTOM, deployed, seeds[:3])]


def test_plans_are_executed_until_the_first_failure(robot: MujocoRobot) -> None:
    seeds = start_seeds(3)
    assert executed(robot, BOTTOM, GOOD, seeds) == [4, 4, 4]
    blocked = ("Pick(object)", "Place(object,bottom)")  # under open drawers
    assert executed(robot, blocked, GOOD, seeds) == [1, 1, 1]
    found = filmed_to_the_end(robot, BOTTOM, GOOD, seeds[0])
    assert found["object"] == "bottom"


def test_the_same_seed_gives_the_same_journal(tmp_path: Path) -> None:
    told = []
    for name in ("one", "two"):
        with start_session(
            tmp_path / "j.db", name, TASK, 13, "deliberate", seed=4, approach="free", robot="mujoco"
        ) as session:
            practise(session, make_robot("mujoco", TASK, 4))
            told.append([(r.trial, r.result) for r in session.trials()])
    assert told[0] == told[1]
    assert len(told[0]) == 13


def test_what_practice_is_worth_is_measured_once(robot: MujocoRobot, tmp_path: Path) -> None:
    assert isinstance(robot, EarningRobot)
    with start_session(tmp_path / "j.db", "s", TASK, 6, approach="free") as session:
        first = measure(session, robot, 3)
        assert measure(session, robot, 3) is not None
        assert session.state.executions == [first]
        assert len(first.earnings.successes) == 3
        assert first.spent == 0
        assert session.state.spent == 0
