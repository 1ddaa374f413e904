from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from deliberate_practice.task.pddl.domain import read_domain
from deliberate_practice.task.pddl.problem import read_problem

KITCHEN = Path(__file__).parents[3] / "examples" / "pddl"


def test_a_second_parser_sees_the_same_domain() -> None:
    pddl = pytest.importorskip("pddl")
    file, problem_file = KITCHEN / "domain.pddl", KITCHEN / "problem.pddl"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the other parser's own business
        theirs, their_problem = pddl.parse_domain(file), pddl.parse_problem(problem_file)
    ours = read_domain(file.read_text(encoding="utf-8"), str(file))
    our_problem = read_problem(problem_file.read_text(encoding="utf-8"), "problem.pddl", ours)
    assert set(ours.schemas) == {str(action.name) for action in theirs.actions}
    assert {name: len(kinds) for name, kinds in ours.vocabulary.predicates.items()} == {
        str(predicate.name): predicate.arity for predicate in theirs.predicates
    }
    assert set(our_problem.objects) == {str(item.name) for item in their_problem.objects}
    assert our_problem.init == {
        (str(atom.name), *(str(term.name) for term in atom.terms)) for atom in their_problem.init
    }
    for action in theirs.actions:
        schema = ours.schemas[str(action.name)]
        names = [f"?{parameter.name}" for parameter in action.parameters]
        assert list(schema.parameters) == names
