"""Parts of the language that a task cannot express: refused with place, reason and a way out."""

from __future__ import annotations

from pathlib import Path

import pytest
from pddl_comparison import read

from deliberate_practice.foundation.errors import TaskError, TaskTooLarge

DOMAIN = """(define (domain lamps) (:requirements :adl :fluents)
  (:types lamp) (:functions (fuel) (price ?x - lamp) (total-cost))
  (:predicates (on ?x - lamp) (at ?x - lamp))
  (:action switch :parameters (?x - lamp)
    :precondition (not (on ?x))
    :effect (on ?x)))
"""
PROBLEM = """(define (problem light) (:domain lamps)
  (:objects a b - lamp)
  (:init (= (price a) 2))
  (:goal (and (on a) (on b))))
"""
TOML = """
name = "lamps"
pddl = { domain = "domain.pddl", problem = "problem.pddl" }
skills = [{ schema = "*", competence = 1.0 }]
"""

IN_DOMAIN = [
    ("(on ?x)))", "(increase (fuel) 1)))", ["6:23", "(fuel) is a numeric fluent", "by predicates"]),
    ("(on ?x)))", "(assign (fuel) 1)))", ["6:13", "'assign' (a numeric effect)"]),
    ("(not (on ?x))", "(>= (fuel) 1)", ["5:19", "'>=' (arithmetic)", "only total-cost and reward"]),
    ("(not (on ?x))", "(= (fuel) 1)", ["5:22", "(fuel) is a list where a name is needed"]),
    ("(:action", "(:derived (on ?x - lamp) (at ?x)) (:action", ["4:3", "(a derived predicate)"]),
    ("(:action", "(:durative-action", ["4:3", "(a durative action)", "by predicates"]),
    ("(on ?x)))", "(oneof (on ?x) (at ?x))))", ["6:13", "'oneof'", "(probabilistic 0.5"]),
    ("(on ?x)))", "(or (on ?x) (at ?x))))", ["6:13", "'or' cannot stand here"]),
    ("(on ?x)))", "(not (not (on ?x)))))", ["6:18", "'not' cannot stand here"]),
    ("(on ?x)))", "(probabilistic 0.7 (on ?x) 0.4 (at ?x))))", ["6:13", "sum to 1.1, more"]),
    ("(on ?x)))", "(probabilistic -0.1 (on ?x))))", ["6:28", "'-0.1' is not a probability"]),
    ("(on ?x)))", "(probabilistic half (on ?x))))", ["6:28", "half is not a number", "1/4"]),
    ("(on ?x)))", "(probabilistic (on ?x))))", ["6:13", "write a probability before each"]),
    ("(on ?x)))", "(decrease (total-cost) 1)))", ["6:13", "total-cost can only increase"]),
    ("(on ?x)))", "(increase (total-cost) -1)))", ["6:36", "a cost is at least 0"]),
    ("(on ?x)))", "(increase (reward) (+ 1 2))))", ["6:32", "'+' (arithmetic)"]),
    ("(on ?x)))", "(increase (reward) (total-cost))))", ["6:32", "changes", "a table in :init"]),
    ("(on ?x)))", "(increase (reward) (prise ?x))))", ["6:32", "'prise'", "mean 'price'?"]),
    (":fluents", ":durative-actions", ["1:44", "':durative-actions' is not supported"]),
    (":fluents", ":derived-predicates", ["1:44", "':derived-predicates' is not supported"]),
    (":fluents", ":preferences", ["1:44", "':preferences' is not supported"]),
    (":fluents", ":timed-initial-literals", ["1:44", "is not supported", "supported: :strips"]),
]
IN_PROBLEM = [
    ("(= (price a) 2)", "(at 5 (on a))", ["3:10", "(at 5 (on a)) is a timed literal"]),
    ("(= (price a) 2)", "(= (price c) 2)", ["3:20", "'c' is not one of: a, b"]),
    ("(= (price a) 2)", "(= (price a) 2) (= (price a) 3)", ["3:26", "has two values"]),
    ("(= (price a) 2)", "(= (total-cost) 2)", ["3:10", "it begins with 0"]),
    ("(= (price a) 2)", "(probabilistic 0.5 (not (on a)))", ["3:29", "be drawn"]),
    ("(on a)", "(preference p (on a))", ["4:15", "'preference' (a preference)", "rewards"]),
    ("(:goal", "(:constraints (always (on a))) (:goal", ["4:3", "':constraints' (constraints)"]),
    ("(:goal", "(:metric minimize (fuel)) (:goal", ["4:3", ":metric", "numeric fluents"]),
    ("(:goal", "(:metric minimize (+ (fuel) 1)) (:goal", ["4:21", "'+' (arithmetic)"]),
    ("(:goal", "(:goal-reward high) (:goal", ["4:17", "high is not a number"]),
    ("(:goal", "(:goal-reward -1) (:goal", ["4:17", "-1 is below 0"]),
    ("(and (on a) (on b))", "(exists (?x - lamp) (at ?x))", [":goal", "can never hold"]),
    ("(and (on a) (on b))", "(on a) (on b)", [":goal", "write one condition"]),
]


@pytest.mark.parametrize(("old", "new", "parts"), IN_DOMAIN)
def test_a_refusal_in_the_domain(tmp_path: Path, old: str, new: str, parts: list[str]) -> None:
    assert old in DOMAIN
    with pytest.raises(TaskError) as caught:
        read(tmp_path, DOMAIN.replace(old, new, 1), PROBLEM)
    for part in ["domain.pddl:", *parts]:
        assert part in str(caught.value)


@pytest.mark.parametrize(("old", "new", "parts"), IN_PROBLEM)
def test_a_refusal_in_the_problem(tmp_path: Path, old: str, new: str, parts: list[str]) -> None:
    assert old in PROBLEM
    with pytest.raises(TaskError) as caught:
        read(tmp_path, DOMAIN, PROBLEM.replace(old, new, 1))
    for part in ["problem.pddl", *parts]:
        assert part in str(caught.value)


COSTLY = DOMAIN.replace("(on ?x)))", "(and (on ?x) (increase (total-cost) (price ?x)))))")
PRICED = PROBLEM.replace("2)", "2) (= (price b) 0.5)")


def test_a_cost_without_a_value_is_named(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"problem\.pddl: action 'switch': :init: \(price b\) has"):
        read(tmp_path, COSTLY, PROBLEM.replace("(:goal", "(:metric minimize (total-cost)) (:goal"))
    read(tmp_path, COSTLY, PROBLEM)  # without a metric nothing asks for it


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        (" }\nskills", ', action_costs = "time" }\nskills', ["'time' is not one of: step, budget"]),
        (
            " }\nskills",
            ', action_costs = "budget" }\nskills',
            [
                "skill '*' (number 1)",
                "cost of switch(b)",
                "0.5 is not a whole number",
                "state cost",
            ],
        ),
        ('"*", competence', '"?", competence', ["schema", "'?' is not one of: switch, *"]),
        ('"*", competence', '"*", arguments = ["a"], competence', ["unknown key 'arguments'"]),
        ("1.0 }]", '1.0 }, { schema = "*" }]', ['two entries with schema = "*"; join them']),
        ('"*", competence', '"*", policy = "go ?x", competence', ["policy", "(there are none)"]),
    ],
)
def test_a_refusal_in_the_toml(tmp_path: Path, old: str, new: str, parts: list[str]) -> None:
    assert old in TOML
    with pytest.raises(TaskError) as caught:
        read(tmp_path, COSTLY, PRICED, TOML.replace(old, new, 1))
    for part in ["task.toml", *parts]:
        assert part in str(caught.value)


def test_a_paid_effect_must_be_certain(tmp_path: Path) -> None:
    paid = DOMAIN.replace("(on ?x)))", "(and (on ?x) (increase (reward) 1))))")
    assert read(tmp_path, paid, PROBLEM, TOML).task.skills[0].step_reward == 1.0
    unsure = TOML.replace("competence = 1.0", "competence = 0.5")
    with pytest.raises(TaskError, match=r"step_reward of switch\(a\).*make the effect a goal"):
        read(tmp_path, paid, PROBLEM, unsure)
    stated = unsure.replace("0.5", "0.5, step_reward = 0.25")
    assert read(tmp_path, paid, PROBLEM, stated).task.skills[0].step_reward == 0.25


def test_too_many_cases_are_refused_at_once(tmp_path: Path) -> None:
    toggle = "(forall (?y - lamp) (when (on ?y) (at ?y)))"
    domain = DOMAIN.replace("(on ?x)))", f"(and (on ?x) {toggle})))")
    objects = " ".join(f"l{i}" for i in range(20))
    problem = PROBLEM.replace("a b - lamp", f"a b {objects} - lamp")
    with pytest.raises(TaskTooLarge, match=r"action 'switch': more than 4,096 cases"):
        read(tmp_path, domain, problem)
    conditions = "(forall (?y - lamp) (or (on ?y) (at ?y)))"
    with pytest.raises(TaskTooLarge, match=r":goal: more than 4,096 alternatives"):
        read(
            tmp_path,
            DOMAIN.replace("(on ?x)))", "(and (on ?x) (when (on ?x) (at ?x)))))"),
            problem.replace("(and (on a) (on b))", conditions),
        )
