"""Wrong priors: what is stated and what is true are changed apart, as the factors say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.robots.curves import true_competence, true_curve
from deliberate_practice.study.experiment import Experiment, Study
from deliberate_practice.study.run_study import run_study
from deliberate_practice.study.wrong_priors import Factors, said, secretly, supposed, without_truth
from deliberate_practice.task.curves import Curve, Exponential, PiecewiseLinear, Table
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill
from deliberate_practice.task.toml_reader import read_task

EXPONENTIAL = Exponential(rate=0.05, ceiling=0.8)
LINEAR = PiecewiseLinear(rate=0.02, ceiling=0.9)
TABLE = Table([0.2, 0.3, 0.5, 0.6])


def _task(curve: Curve) -> Task:
    start = None if isinstance(curve, Table) else 0.2
    return Task(
        "one",
        {"at": ["here", "there"]},
        [Goal("there", 1.0, {"at": "there"})],
        [Skill("Go", {"at": "here"}, {"at": "there"}, start, curve=curve)],
    )


@pytest.mark.parametrize("curve", [EXPONENTIAL, LINEAR, TABLE])
def test_what_is_supposed_is_what_is_secretly_true(curve: Curve) -> None:
    for factors in (Factors(), Factors(0.5), Factors(2, 0.7), Factors(competence=1.3)):
        stated = supposed(_task(curve), factors).policies["Go"]
        hidden = secretly(_task(curve), factors).policies["Go"]
        assert hidden.curve == curve
        assert hidden.competence == 0.2
        assert stated.truth is None
        assert true_curve(hidden, 30) == pytest.approx(true_curve(stated, 30))


@pytest.mark.parametrize("curve", [EXPONENTIAL, LINEAR, TABLE])
def test_factors_do_what_they_say(curve: Curve) -> None:
    policy = _task(curve).policies["Go"]

    def competence(factors: Factors, b: int) -> float:
        return true_competence(secretly(_task(curve), factors).policies["Go"], b)

    for b in range(40):
        as_stated = true_competence(policy, b)
        assert competence(Factors(), b) == pytest.approx(as_stated)
        assert competence(Factors(rate=0.5), 2 * b) == pytest.approx(as_stated)
        assert competence(Factors(rate=2.0), b) == pytest.approx(true_competence(policy, 2 * b))
        assert competence(Factors(competence=0.7), b) == pytest.approx(0.7 * as_stated)
    assert competence(Factors(start=0.7), 0) == pytest.approx(0.14)
    assert competence(Factors(start=0.7), 500) == pytest.approx(competence(Factors(), 500))
    assert competence(Factors(competence=9), 500) == 1.0


def test_skills_that_are_not_practised_stay() -> None:
    task = load_task("breakfast")
    for changed in (supposed(task, Factors(rate=2)), secretly(task, Factors(competence=0.7))):
        assert changed.skill("PickBread") == task.skill("PickBread")
        assert changed.skill("StartToaster") != task.skill("StartToaster")


@pytest.mark.parametrize("factor", [0.0, -1.0, float("inf"), "fast"])
def test_refuses_what_is_no_factor(factor: float) -> None:
    with pytest.raises(ArgumentError, match="rate: "):
        Factors(rate=factor)


def test_an_experiment_practises_in_its_truth_and_believes_what_is_stated() -> None:
    told = Experiment("a", "breakfast", [30], strategies=["random"], seeds=2, approach="free")
    wrong = replace(told, truth={"rate": 0.5})
    right, slow = (run_study(Study("s", [one]))[0] for one in (told, wrong))
    assert set(slow.loaded.keys.values()).isdisjoint(right.loaded.keys.values())
    assert slow.loaded.task == secretly(load_task("breakfast"), Factors(rate=0.5))
    assert slow.rows[0].mean < right.rows[0].mean
    assert slow.rows[0].clairvoyant == pytest.approx(
        allocate(supposed(load_task("breakfast"), Factors(rate=0.5)), 30).value
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"truth": {"speed": 2}}, "truth: 'speed' is not one of"),
        ({"truth": {"rate": 0}}, r"truth: rate: 0 is outside the valid range \(0, inf\)"),
        ({"truth": {"rate": 2}, "robot": "regions"}, "truth: of robot 'regions' it cannot"),
    ],
)
def test_refuses_truths_that_make_no_sense(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Experiment("a", "breakfast", [30], **arguments)


def test_factors_have_names() -> None:
    assert said({}) == "as stated"
    assert said({"rate": 0.5}) == "rates × 1/2"
    assert said({"rate": 3, "start": 0.5}) == "rate × 3, start × 0.5"


def test_a_task_with_training_noise_can_be_stated_without_its_truth() -> None:
    task = read_task(Path(__file__).parents[2] / "examples" / "so101.toml")
    assert any(skill.training_noise for skill in task.skills)
    assert not any(s.truth or s.training_noise for s in without_truth(task).skills)
