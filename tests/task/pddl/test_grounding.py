from __future__ import annotations

import pytest

from deliberate_practice.foundation.errors import TaskTooLarge
from deliberate_practice.task.pddl.domain import read_domain
from deliberate_practice.task.pddl.grounding import reachable_instances
from deliberate_practice.task.pddl.problem import read_problem


@pytest.mark.parametrize("condition", ["()", "(not (p ?a ?b))", "(and (p ?a ?b) (p ?c ?d))"])
def test_too_many_instances_are_refused_early(condition: str) -> None:
    domain = read_domain(
        f"""(define (domain d) (:predicates (p ?x ?y))
        (:action go :parameters (?a ?b ?c ?d) :precondition {condition} :effect (p ?a ?b)))""",
        "d.pddl",
    )
    objects = " ".join(f"o{i}" for i in range(60))
    facts = " ".join(f"(p o{i} o{j})" for i in range(60) for j in range(60))
    text = f"(define (problem x) (:domain d) (:objects {objects}) (:init {facts}))"
    problem = read_problem(text, "p.pddl", domain)
    if condition.startswith("(not"):
        assert not reachable_instances(domain, problem, lambda *_: (), limit=1_000).instances
        return
    with pytest.raises(TaskTooLarge, match=r"action 'go': more than 1,000 .* narrower types"):
        reachable_instances(domain, problem, lambda *_: (), limit=1_000)
