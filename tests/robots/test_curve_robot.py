"""The synthetic robot succeeds as often as its true curves say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.robot import Trial
from deliberate_practice.robots.curves import CurveRobot, true_competence
from deliberate_practice.task.curves import Curve, Exponential, PiecewiseLinear, Table

TRIAL = Trial(
    id=1,
    skill="StartToaster",
    policy="StartToaster",
    mode="explore",
    counted=True,
    parameters={},
    approach=(),
    deployed={},
    attempts={"StartToaster": 10},
    seed=0,
)


def test_success_rates_are_those_of_the_true_curve() -> None:
    robot = CurveRobot(load_task("breakfast"))
    results = [robot.run(replace(TRIAL, seed=seed)) for seed in range(3000)]
    rate = np.mean([result.outcome == "success" for result in results])
    assert rate == pytest.approx(0.4, abs=0.03)  # 0.1 + 10 * 0.03
    assert robot.run(TRIAL) == robot.run(TRIAL)


def test_the_approach_may_fail_at_each_of_its_skills() -> None:
    robot = CurveRobot(load_task("cleanup"))
    trial = replace(
        TRIAL,
        skill="Place(object,top)",
        policy="Place(object,top)",
        approach=("Close(top)", "Pick(object)"),
        attempts={"Close(top)": 20, "Pick(object)": 30, "Place(object,top)": 50},
    )
    results = [robot.run(replace(trial, seed=seed)) for seed in range(3000)]
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


def test_true_competences_of_all_policies() -> None:
    found = CurveRobot(load_task("breakfast")).competences({"StartToaster": 10}, {})
    assert found["StartToaster"] == pytest.approx(0.4)
    assert found["PickBread"] == 0.99
    assert found["OpenMicrowave"] == pytest.approx(0.1)
