"""The running average: by hand, its estimators and its clamps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from deliberate_practice.beliefs.belief import Batch, Tests
from deliberate_practice.beliefs.running_average import RunningAverage
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill

CURVE = PiecewiseLinear(rate=0.02, ceiling=0.9)
TASK = Task(
    "two",
    {"at": ["0", "1", "2"]},
    [Goal("end", 1.0, {"at": "2"})],
    [
        Skill("A", {"at": "0"}, {"at": "1"}, competence=0.2, curve=CURVE),
        Skill("B", {"at": "1"}, {"at": "2"}, competence=0.95),
    ],
)


def _tests(before: int, number: int, successes: int) -> Batch:
    return Batch("A", before, number, successes, explore=False, test=True)


def test_starts_with_what_is_stated() -> None:
    belief = RunningAverage.prior(TASK)
    b = np.arange(51)
    assert belief.curve("A", 50) == pytest.approx(np.minimum(1.0, 0.2 + 0.02 * b))
    assert belief.competence("A") == pytest.approx(0.2)
    assert belief.band("A", 3).tolist() == [0.0] * 4
    exponential = RunningAverage.prior(TASK, form="exponential")
    assert exponential.curve("A", 50) == pytest.approx(
        np.minimum(1.0, 1 - 0.8 * np.exp(-0.025 * b))
    )


def test_last_generation_by_hand() -> None:
    belief = RunningAverage.prior(TASK, eps=0.5, estimator="round")
    belief = belief.after(Batch("A", 0, 6, 3))
    # Delta_1 = .5 * .02 + .5 * (.5 - .2) / 6
    assert belief.tracks["A"].delta == pytest.approx(0.035)
    assert belief.curve("A", 4) == pytest.approx(0.5 + 0.035 * np.arange(5))
    belief = belief.after(Batch("A", 6, 6, 4))
    # Delta_2 = .5 * .035 + .5 * (1 / 6) / 6
    assert belief.tracks["A"].delta == pytest.approx(0.0175 + 1 / 72)
    # Half a generation: the latest 6 attempts are these 3 and half of the last ones.
    belief = belief.after(Batch("A", 12, 3, 3))
    assert belief.competence("A") == pytest.approx(5 / 6)


def test_window_by_hand() -> None:
    belief = RunningAverage.prior(TASK, eps=0.75, estimator="window")
    belief = belief.after(Batch("A", 0, 6, 3))
    # 12 imagined attempts at .2 and 6 real ones.
    assert belief.competence("A") == pytest.approx((2.4 + 3) / 18)
    assert belief.tracks["A"].delta == pytest.approx(0.75 * 0.02 + 0.25 * 0.1 / 6)
    for before, successes in ((6, 2), (12, 4), (18, 5)):
        belief = belief.after(Batch("A", before, 6, successes))
    assert belief.competence("A") == pytest.approx(11 / 18)
    assert belief.after(Batch("A", 24, 36, 9)).competence("A") == pytest.approx(0.25)


def test_exponential_by_hand() -> None:
    belief = RunningAverage.prior(TASK, form="exponential", estimator="round")
    belief = belief.after(Batch("A", 0, 6, 3))
    delta = 0.5 * 0.025 + 0.5 * -math.log(0.5 / 0.8) / 6
    assert belief.tracks["A"].delta == pytest.approx(delta)
    assert belief.curve("A", 5) == pytest.approx(1 - 0.5 * np.exp(-delta * np.arange(6)))


def test_tests_by_hand() -> None:
    belief = RunningAverage.prior(TASK, tests=20)
    practised = belief.after(Batch("A", 0, 6, 6)).after(Batch("A", 6, 4, 4))
    # Exploring attempts say nothing about the deployed policy, which goes on as predicted.
    assert practised.curve("A", 3) == pytest.approx(0.2 + 0.02 * (10 + np.arange(4)))
    # Nor does an approach, which belongs to no round of its practice.
    assert practised.after(Batch("A", 10, 3, 0, explore=False)) == practised
    tested = practised.after(_tests(10, 20, 12))
    assert tested.competence("A") == pytest.approx(0.6)
    assert tested.tracks["A"].delta == pytest.approx(0.5 * 0.02 + 0.5 * 0.4 / 10)
    again = tested.after(_tests(10, 20, 10))
    assert again.competence("A") == pytest.approx(0.5)
    assert again.tracks["A"].delta == tested.tracks["A"].delta


def test_few_tests_are_made_up_by_earlier_ones() -> None:
    belief = RunningAverage.prior(TASK, eps=0.0)
    assert belief.tests == Tests(6, charged=True)
    once = belief.after(Batch("A", 0, 6, 0)).after(_tests(6, 2, 2))
    assert once.competence("A") == pytest.approx((2 + 4 * 0.2) / 6)
    full = once.after(Batch("A", 6, 6, 0)).after(_tests(12, 6, 3))
    assert full.competence("A") == pytest.approx(0.5)
    fewer = full.after(Batch("A", 12, 2, 0)).after(_tests(14, 2, 2))
    assert fewer.competence("A") == pytest.approx((2 + 4 * 0.5) / 6)
    assert fewer.tracks["A"].delta == pytest.approx((4 / 6 - 0.5) / 2)


def test_tests_know_the_attempts_before_them_in_any_order() -> None:
    """An unfinished round is seen again after the tests that followed it."""
    belief = RunningAverage.prior(TASK)
    attempts, tests = Batch("A", 0, 4, 1), _tests(4, 4, 3)
    one, other = belief.after(attempts).after(tests), belief.after(tests).after(attempts)
    assert one.tracks == other.tracks
    assert one.tracks["A"].since == 0


@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(0, 8)), min_size=1, max_size=8),
    st.sampled_from(["piecewise-linear", "exponential"]),
)
def test_after_all_tests_of_a_round_competence_is_their_rate(
    rounds: list[tuple[int, int]], form: str
) -> None:
    belief = RunningAverage.prior(TASK, form=form, tests=8)
    before = 0
    for attempts, successes in rounds:
        belief = belief.after(Batch("A", before, attempts, attempts // 2))
        before += attempts
        belief = belief.after(_tests(before, 8, successes))
        assert belief.competence("A") == pytest.approx(min(max(successes / 8, 0.01), 0.99))
        assert belief.tracks["A"].delta >= 0


@pytest.mark.parametrize("form", ["piecewise-linear", "exponential"])
def test_clamps(form: str) -> None:
    belief = RunningAverage.prior(TASK, form=form, estimator="round")
    up = belief.after(Batch("A", 0, 6, 6))
    assert up.competence("A") == pytest.approx(0.99)
    assert up.curve("A", 500).max() == pytest.approx(1.0)  # whatever ceiling is stated
    down = up.after(Batch("A", 6, 6, 0))
    assert down.competence("A") == pytest.approx(0.01)
    assert down.tracks["A"].delta == 0.0
    assert down.curve("A", 5) == pytest.approx(np.full(6, 0.01))


def test_one_explanation_with_all_policies() -> None:
    mixture = RunningAverage.prior(TASK).mixture(10)
    assert mixture.weights.tolist() == [1.0]
    assert {name: curve.shape for name, curve in mixture.curves.items()} == {
        "A": (1, 11),
        "B": (1, 11),
    }
    assert (mixture.curves["B"] == 0.95).all()


def test_beliefs_are_values() -> None:
    belief = RunningAverage.prior(TASK)
    assert belief.after(Batch("A", 0, 6, 6)) != belief
    assert belief == RunningAverage.prior(TASK)
    assert belief.after(Batch("B", 0, 6, 0, explore=False)) is belief
    with pytest.raises(AttributeError):
        belief.eps = 0.1  # type: ignore[misc]  # that it is refused is the point


def test_errors_teach() -> None:
    with pytest.raises(ArgumentError, match="window"):
        RunningAverage.prior(TASK, estimator="windw")
    with pytest.raises(ArgumentError, match="piecewise-linear, exponential"):
        RunningAverage.prior(TASK, form="cubic")
    with pytest.raises(ArgumentError, match="eps"):
        RunningAverage.prior(TASK, eps=1.5)
    with pytest.raises(ArgumentError, match="Z"):
        RunningAverage.prior(TASK).after(Batch("Z", 0, 1, 1))
