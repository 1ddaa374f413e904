"""The synthetic robot succeeds as often as its true curves say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.robot import Approach, Result, Step, Trial
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.robots.curves import CurveRobot, true_competence, version_competence
from deliberate_practice.task.curves import Curve, Exponential, PiecewiseLinear, Table
from deliberate_practice.task.toml_reader import read_task

EXAMPLES = Path(__file__).parents[2] / "examples"
TRIAL = Trial(1, Approach(), Step("StartToaster", practised=10), "explore", seed=0)


def test_success_rates_are_those_of_the_true_curve() -> None:
    robot = CurveRobot(load_task("breakfast"))
    trials = [replace(TRIAL, seed=seed) for seed in range(3000)]
    results = robot.run(trials)
    rate = np.mean([result.outcome == "success" for result in results])
    assert rate == pytest.approx(0.4, abs=0.03)  # 0.1 + 10 * 0.03
    assert [result for trial in trials for result in robot.run([trial])] == results


def test_the_approach_may_fail_at_each_of_its_skills() -> None:
    robot = CurveRobot(load_task("cleanup"))
    trial = replace(
        TRIAL,
        approach=Approach((Step("Close(top)", practised=20), Step("Pick(object)", practised=30))),
        attempt=Step("Place(object,top)", practised=50),
    )
    results = robot.run([replace(trial, seed=seed) for seed in range(3000)])
    at = [result.at for result in results]
    closed, picked = 0.1 + 20 * 0.018, 0.1 + 30 * 0.018
    assert at.count("Close(top)") / 3000 == pytest.approx(1 - closed, abs=0.03)
    assert at.count("Pick(object)") / 3000 == pytest.approx(closed * (1 - picked), abs=0.03)
    assert {r.outcome for r in results if r.at} == {"unreached"}
    assert {r.outcome for r in results if not r.at} == {"success"}


@pytest.mark.parametrize(
    ("truth", "expected"),
    [
        (None, 0.4),
        (Exponential(competence=0.2, rate=0.1, ceiling=0.9), 0.9 - 0.7 * np.exp(-1)),
        (PiecewiseLinear(rate=0.1, ceiling=0.3), 0.3),
        (Table([0.1] * 10 + [0.6]), 0.6),  # sets in late
        (Table([0.0]), 0.0),  # impossible
    ],
)
def test_truths_override_what_is_stated(truth: Curve | None, expected: float) -> None:
    policy = replace(load_task("breakfast").policies["StartToaster"], truth=truth)
    assert true_competence(policy, 10) == pytest.approx(expected)


def test_it_earns_what_its_plan_is_worth_with_the_true_competences(tmp_path: Path) -> None:
    """Oatmeal by four skills, of which two work already and two are practised."""
    task = load_task("breakfast")
    with start_session(tmp_path / "j.db", "s", task, 10, "random") as session:
        for number in range(10):
            asked = session.ask()
            assert asked is not None
            session.tell(asked.id, "success" if number % 2 else "failure")
        aim = intention(session.ground, session.state)
        attempts = session.state.attempts
    opened, closed = (0.1 + 0.03 * attempts[name] for name in ("OpenMicrowave", "CloseMicrowave"))
    assert aim.skills == ("OpenMicrowave", "PickBowl", "PlaceBowl", "CloseMicrowave")
    assert opened != closed
    assert aim.steps["OpenMicrowave"].practised == attempts["OpenMicrowave"] > 0
    earned = CurveRobot(task).earn(aim, 100)
    assert (earned.interval, earned.successes) == (None, ())  # it is exact
    assert earned.undiscounted == pytest.approx(2 * 0.99**2 * opened * closed)
    assert earned.reward == pytest.approx(0.99**4 * earned.undiscounted)


def test_versions_vary_around_the_true_curve_and_stay_as_they_were_drawn() -> None:
    policy = read_task(EXAMPLES / "so101.toml").policies["PickCube"]
    assert version_competence(policy, 0, 1) == true_competence(policy, 0)
    drawn = np.array([version_competence(policy, 20, seed) for seed in range(400)])
    assert drawn.mean() == pytest.approx(true_competence(policy, 20), abs=0.01)
    assert drawn.std() == pytest.approx(policy.training_noise, abs=0.006)
    assert version_competence(policy, 20, 3) == drawn[3] != version_competence(policy, 30, 3)


def test_a_demonstration_is_recorded_if_its_precondition_is_reached() -> None:
    task = read_task(EXAMPLES / "so101.toml")
    robot = CurveRobot(task)
    attempt, route = Step("PlaceInDrawer"), (Step("OpenDrawer"), Step("PickCube"))
    shown = [Trial(i, Approach(), attempt, "demonstrate", i) for i in range(30)]
    assert {result.outcome for result in robot.run(shown)} == {"success"}
    there = [Trial(i, Approach(route), attempt, "demonstrate", i) for i in range(600)]
    assert {result.outcome for result in robot.run(there)} == {"success", "unreached"}
    assert robot.run([Trial(1, Approach(), attempt, "train", 1)]) == [Result("success")]
