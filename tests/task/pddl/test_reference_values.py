"""Values of probabilistic problems agree with those of a probabilistic model checker."""

from __future__ import annotations

from pathlib import Path

import pytest
from pddl_comparison import assert_same, read, value
from pddl_interpreter import Interpreter
from probabilistic_problems import REFERENCES

CERTAIN = """
name = "certain"
discount = 1.0
pddl = { domain = "domain.pddl", problem = "problem.pddl" }
skills = [{ schema = "*", competence = 1.0 }]
"""


@pytest.mark.parametrize("name", REFERENCES)
def test_the_value_is_the_largest_probability_of_the_goal(tmp_path: Path, name: str) -> None:
    reference = REFERENCES[name]
    task = read(tmp_path, reference.domain, reference.problem, CERTAIN).task
    assert value(task) == pytest.approx(reference.value, abs=1e-9)
    assert_same(task, Interpreter(reference.domain, reference.problem))


@pytest.mark.parametrize("name", REFERENCES)
def test_a_model_checker_has_the_same_value(tmp_path: Path, name: str) -> None:
    stormpy = pytest.importorskip("stormpy")
    file = tmp_path / "model.prism"
    file.write_text(REFERENCES[name].prism, encoding="utf-8")
    program = stormpy.parse_prism_program(str(file))
    (wanted,) = stormpy.parse_properties('Pmax=? [F "goal"]', program)
    model = stormpy.build_model[stormpy.Rational](program, [wanted])
    (start,) = model.initial_states
    found = stormpy.model_checking(model, wanted).get_value(start)
    assert float(found) == pytest.approx(REFERENCES[name].value, abs=1e-12)
