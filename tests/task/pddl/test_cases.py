"""Corners of conditional effects, in which an interpreter says what must happen."""

from __future__ import annotations

from pathlib import Path

import pytest
from pddl_comparison import assert_same, read
from pddl_interpreter import Interpreter

DOMAIN = """(define (domain corners) (:requirements :adl) (:predicates (p) (q) (r) (s) (t))
  (:action act :parameters () :precondition {condition} :effect {effect})
  (:action flip :parameters () :effect (and (when (p) (not (p))) (when (not (p)) (p))))
  (:action ask :parameters () :precondition (not (q)) :effect (q)))"""
PROBLEM = "(define (problem corner) (:domain corners) (:init (r)) (:goal (and (s) (not (r)) (q))))"

CORNERS = {
    "an atom that is deleted and added is added": ("()", "(and (s) (not (s)) (not (r)))"),
    "also under a condition": ("()", "(and (not (r)) (when (q) (r)) (s))"),
    "an atom is added where it does not hold": ("()", "(and (not (p)) (when (not (p)) (p)) (s))"),
    "an atom is deleted where it holds": ("()", "(and (when (p) (not (p))) (when (q) (p)) (s))"),
    "conditions are those before the action": (
        "()",
        "(and (not (r)) (when (r) (s)) (when (s) (r)))",
    ),
    "an effect that never happens makes nothing possible": (
        "(or (t) (p))",
        "(when (and (q) (not (q))) (t))",
    ),
    "one condition excludes another": ("()", "(and (when (p) (when (not (p)) (s))) (not (r)))"),
}


@pytest.mark.parametrize("name", CORNERS)
def test_a_corner_means_the_same_as_in_an_interpreter(tmp_path: Path, name: str) -> None:
    condition, effect = CORNERS[name]
    domain = DOMAIN.format(condition=condition, effect=effect)
    assert assert_same(read(tmp_path, domain, PROBLEM).task, Interpreter(domain, PROBLEM)) > 3


def test_deleting_what_holds_is_no_case_of_its_own(tmp_path: Path) -> None:
    domain = """(define (domain d) (:predicates (wet ?x) (dry))
      (:action wipe :parameters () :effect (and (dry) (forall (?x) (when (wet ?x) (not (wet ?x))))))
      (:action spill :parameters (?x) :effect (wet ?x)))"""
    names = " ".join(f"t{i}" for i in range(20))
    problem = f"(define (problem p) (:domain d) (:objects {names}) (:init) (:goal (dry)))"
    task = read(tmp_path, domain, problem).task
    assert [skill.name for skill in task.skills][:2] == ["wipe", "spill(t0)"]
