"""Checks: the same for task files and arguments, but for the class of the error."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import ArgumentError, TaskError


@pytest.mark.parametrize("value", [2, 2.0, np.int32(2), np.float32(2), Fraction(2)])
def test_numbers_of_any_kind_are_numbers(value: object) -> None:
    number = checks.number("rate", value, 0, 2)
    assert (type(number), number) == (float, 2.0)
    assert checks.as_finite(value) == 2.0


@pytest.mark.parametrize("value", [True, np.bool_(True), "2", None, [2.0]])
def test_nothing_else_is_a_number(value: object) -> None:
    assert checks.as_finite(value) is None
    with pytest.raises(TaskError, match=r"^rate: .* is not a number; write e.g. 0.5"):
        checks.number("rate", value)


@pytest.mark.parametrize(
    ("value", "limits", "message"),
    [
        (3, {"low": 0, "high": 2}, r"3 is outside the valid range \[0, 2\]"),
        (0, {"low": 0, "open_low": True}, r"0 is outside the valid range \(0, inf\)"),
        (float("nan"), {"high": 1}, r"nan is outside the valid range \(-inf, 1\]"),
        (float("inf"), {"low": 0}, r"inf is outside the valid range \[0, inf\)"),
        (10**400, {"low": 0}, r"about 401 digits is outside the valid range \[0, inf\)"),
        (float("nan"), {}, "nan is not a finite number"),
    ],
)
def test_a_number_out_of_range_is_named_with_the_range(
    value: float, limits: dict[str, Any], message: str
) -> None:
    for error in (TaskError, ArgumentError):
        with pytest.raises(error, match=f"^gap: .*{message}"):
            checks.number("gap", value, **limits, error=error)


def test_whole_numbers_of_any_kind() -> None:
    assert checks.whole_number("cost", np.int64(3), 1, 5) == 3
    for value in (0, 2.0, True, "3"):
        with pytest.raises(ArgumentError, match=r"^cost: .* give a whole number of at least 1"):
            checks.whole_number("cost", value, 1, 5)
    with pytest.raises(TaskError, match=r"^cost: 6 is too large; give at most 5"):
        checks.whole_number("cost", 6, 1, 5, TaskError)


def test_one_of_returns_the_name_itself_and_looks_up_nothing_else() -> None:
    assert checks.one_of("kind", "a", ("a", "b")) == "a"
    for value in ("c", ["a"], None):
        with pytest.raises(ArgumentError, match=r"^kind: .* is not one of: a, b"):
            checks.one_of("kind", value, {"a": 1, "b": 2}, ArgumentError)


def test_entries_that_occur_twice() -> None:
    checks.unique("budgets", [10, 20, [1]])
    for entries in ([10, 20, 10], [[1], [2], [1]], ["a", "a"]):
        with pytest.raises(ArgumentError, match=r"^budgets: .* occurs twice"):
            checks.unique("budgets", entries, ArgumentError)


def test_a_flag_is_true_or_false() -> None:
    assert checks.check_flag("lasting", np.bool_(True)) is True
    for value in (1, "true", None):
        with pytest.raises(ArgumentError, match=r"lasting: .* give True or False"):
            checks.check_flag("lasting", value)


def test_a_place_is_put_before_the_place_of_a_fault_inside() -> None:
    with (
        pytest.raises(TaskError, match=r"^skill 'Pick': rate: -1 is outside"),
        checks.inside("skill 'Pick'"),
    ):
        checks.number("rate", -1, 0)
