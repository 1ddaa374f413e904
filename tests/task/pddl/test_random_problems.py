"""Random ADL and PPDDL problems against an interpreter that shares no code with ours."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from counts import FULL, examples
from hypothesis import HealthCheck, given, settings
from pddl_comparison import assert_same, read, value
from pddl_interpreter import Interpreter
from random_planning import problems

from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.task.model import Task

BOTH = """
name = "random"
pddl = { domain = "domain.pddl", problem = "problem.pddl", action_costs = "step" }
skills = [{ schema = "*", competence = 1.0 }]
"""
CHECKS = settings(
    max_examples=1_500 if FULL else examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@given(problems(chance=False))
@CHECKS
def test_adl_means_the_same_as_in_an_interpreter(texts: tuple[str, str]) -> None:
    _compare(*texts, toml="")


@given(problems(chance=True))
@CHECKS
def test_ppddl_means_the_same_as_in_an_interpreter(texts: tuple[str, str]) -> None:
    _compare(*texts, toml=BOTH)


def _compare(domain: str, problem: str, toml: str) -> None:
    oracle = Interpreter(domain, problem)
    states = oracle.reachable()
    reached = any(oracle.holds(oracle.goal, state, {}) for state in states)
    task, refusal = _read(domain, problem, toml)
    if task is None:
        if "no action" in refusal:
            assert not any(list(oracle.steps(start)) for start in oracle.starts)
        elif "no variable" in refusal:
            assert set(states) == set(oracle.starts)
        else:
            assert "can never" in refusal or "both wanted" in refusal
            assert not reached
        return
    assert_same(task, oracle)
    if reached and len(states) > 1:
        assert value(task) == pytest.approx(oracle.value(), abs=1e-7)


def _read(domain: str, problem: str, toml: str) -> tuple[Task | None, str]:
    """The task, or the message of its refusal."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return read(Path(folder), domain, problem, toml).task, ""
        except TaskError as error:
            return None, error.message
