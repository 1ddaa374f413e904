"""A feature of the language in each of many gripper problems: accepted, and its value is right.

An interpreter that shares no code with ours confirms every transition.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from gripper_variants import VARIANTS
from pddl_comparison import assert_same, read, value
from pddl_interpreter import Interpreter


@pytest.mark.parametrize("name", VARIANTS)
def test_a_feature_is_read_and_its_value_is_right(tmp_path: Path, name: str) -> None:
    variant = VARIANTS[name]
    reading = read(tmp_path, variant.domain, variant.problem)
    oracle = Interpreter(variant.domain, variant.problem)
    reward = reading.task.goals[0].reward
    assert oracle.value(reward) == pytest.approx(variant.value, abs=1e-9)
    assert value(reading.task) == pytest.approx(variant.value, abs=1e-9)
    assert assert_same(reading.task, oracle) > 1
    assert set(variant.used) <= {*reading.domain.used, *reading.problem.used}
