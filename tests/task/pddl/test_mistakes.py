"""Mistakes in planners' files and in the TOML beside them: named with place, value and fix."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawers_pddl import DOMAIN, PROBLEM, TOML, read

from deliberate_practice.foundation.errors import TaskError

DOMAIN_MISTAKES = [
    ("(define (domain", "(define (problem", ["domain.pddl:2:1", "not a PDDL domain", "begin with"]),
    (
        ":equality)",
        ":preferences)",
        ["domain.pddl:3:", "':preferences'", "supported: :strips", "Remove it"],
    ),
    (
        "(:predicates",
        "(:functions (f) - thing) (:predicates",
        ["6:21", "write number"],
    ),
    ("(:predicates", "(:predikates", ["6:3", "':predikates'", "mean ':predicates'?"]),
    ("place - object", "place - (a b)", ["4:25", ":types", "write its name, or (either A B)"]),
    ("drawer - place)", "drawer - drawer)", [":types", "'drawer' is below itself"]),
    ("NONE - drawer", "none - drawr", ["5:15", ":constants", "'drawr'", "mean 'drawer'?"]),
    ("(busy)\n", "(busy) (busy)\n", [":predicates", "'busy' is declared twice"]),
    ("(busy)\n", "(busy) (increase)\n", ["6:71", ":predicates: (increase) is not a predicate; wr"]),
    ("(busy)\n", "(busy) (decrease ?o)\n", [":predicates: (decrease ?o) is not a predicate"]),
    ("(:predicates", "(:functions (increase)) (:predicates", ["6:15", "(increase) is not a funct"]),
    ("?p - place) (in", "?p - plac) (in", [":predicates", "type of '?p'", "mean 'place'?"]),
    ("(:action close", "(:action open", ["12:3", "action 'open'", "defined twice; rename"]),
    (":effect (closed ?d)", "", ["12:3", "action 'close'", "no :effect; add one"]),
    (":effect (closed ?d)", ":efect (closed ?d)", ["16:5", "':efect'", "mean ':effect'?"]),
    (
        "(?d ?a ?b - drawer)\n    :precondition (and (and",
        "(?d ?d - drawer)\n :precondition (and (and",
        ["13:21", "action 'close': parameters", "'?d' occurs twice; rename"],
    ),
    ("(closed ?a)) (closed", "(closd ?a)) (closed", ["14:48", "'closd'", "mean 'closed'?"]),
    (
        "(closed ?a)) (closed",
        "(closed ?a ?b)) (closed",
        ["action 'close': precondition", "2 arguments; 'closed' takes 1"],
    ),
    (
        "(closed ?a)) (closed",
        "(closed ?x)) (closed",
        ["14:56", "unknown parameter '?x'", "?d, ?a, ?b"],
    ),
    ("(at ?o ?p) (floor", "(at ?p ?o) (floor", ["19:28", "'?p' is a 'place'", "'thing' is needed"]),
    ("(closed ?b)\n", "(or (busy) (closd ?b))\n", ["14:72", "'closd'", "mean 'closed'?"]),
    ("(closed ?b)\n", "(forall (busy))\n", ["14:61", "write (forall (?x - TYPE) ...)"]),
    ("(not (closed ?d)) (not", "(not) (not", ["15:24", "'not' takes one condition"]),
    (
        ":effect (closed ?d)",
        ":effect (when (busy))",
        ["16:13", "'when' takes a condition and an effect"],
    ),
    (
        ":effect (closed ?d)",
        ":effect (increase (total) 1)",
        ["16:23", "(total) is a numeric fluent"],
    ),
    (":effect (closed ?d)", ":effect (= ?d ?a)", ["16:13", "'=' cannot be an effect; remove"]),
    ("(:action close", "(:durative-action close", ["12:3", "':durative-action' (a durative"]),
    ("(not (busy)))))\n", "(not (busy)))\n", ["domain.pddl:21:3", "never closed; add a ')'"]),
    ("(not (busy)))))\n", "(not (busy))))))\n", ["24:63", "')' comes after the end; remove"]),
]


@pytest.mark.parametrize(("old", "new", "parts"), DOMAIN_MISTAKES)
def test_a_mistake_in_the_domain_has_a_position(
    tmp_path: Path, old: str, new: str, parts: list[str]
) -> None:
    assert old in DOMAIN
    with pytest.raises(TaskError) as caught:
        read(tmp_path, domain=DOMAIN.replace(old, new, 1))
    for part in ["domain.pddl", *parts]:
        assert part in str(caught.value)


PROBLEM_MISTAKES = [
    (
        "(:domain drawers)",
        "(:domain shelf)",
        ["2:25", "(:domain shelf)", "write (:domain drawers)"],
    ),
    ("table - place", "table - plaec", ["3:64", ":objects", "'plaec'", "mean 'place'?"]),
    ("table - place", "top - place", [":objects", "'top' is declared twice"]),
    ("(floor table)", "(floor desk)", ["4:55", ":init: (floor desk)", "'desk' is not one of"]),
    ("(floor table)", "(flor table)", [":init", "'flor'", "mean 'floor'?"]),
    ("(floor table)", "(= (cost) 0)", ["4:51", ":init", "unknown function 'cost'"]),
    ("(floor table)", "(at table table)", [":init", "'table' is a 'place'", "'thing' is needed"]),
    ("(at object1 top) (at", "(exists (?x) (bsy)) (at", [":goal", "'bsy'", "mean 'busy'?"]),
    (
        "(:goal (and",
        "(:metric minimize (total)) (:goal (and",
        ["6:3", ":metric", "about numeric fluents"],
    ),
]


@pytest.mark.parametrize(("old", "new", "parts"), PROBLEM_MISTAKES)
def test_a_mistake_in_the_problem_has_a_position(
    tmp_path: Path, old: str, new: str, parts: list[str]
) -> None:
    assert old in PROBLEM
    with pytest.raises(TaskError) as caught:
        read(tmp_path, problem=PROBLEM.replace(old, new, 1))
    for part in ["problem.pddl", *parts]:
        assert part in str(caught.value)


PLACE = 'schema = "Place"\n'
TOML_MISTAKES = [
    ('domain = "domain.pddl"', "", ["pddl", "'domain' is missing", "required: domain, problem"]),
    ('"domain.pddl"', '"other.pddl"', ["other.pddl", "no such file", "check the path"]),
    ("discount", "variables = {}\ndiscount", ["unknown key 'variables'", "one of: name, pddl"]),
    (PLACE, 'schema = "plaec"\n', ["skill 'plaec' (number 4): schema", "mean 'place'?"]),
    (
        PLACE,
        'schema = "open"\n',
        ["skills", "'place' has no entry", "add a [[skills]] entry with sch"],
    ),
    (
        PLACE,
        PLACE + 'arguments = ["object1", "*", "*", "*"]\n',
        ["no entry matches place(object2,", "without arguments after"],
    ),
    (
        PLACE,
        PLACE + 'arguments = ["object1"]\n',
        ["'Place' (number 4): arguments", "has 1 arg", 'use "*"'],
    ),
    (
        PLACE,
        PLACE + 'arguments = ["objct1", "*", "*", "*"]\n',
        ["arguments", "'objct1'", "'object1'?"],
    ),
    (
        PLACE,
        PLACE + 'failure = "drop"\n',
        ["(number 4): failure", "'drop'", '"end", "stay" or a list'],
    ),
    (
        PLACE,
        PLACE + 'failure = ["(at ?x top)"]\n',
        ["(number 4): failure: literal 1", "'?x'", "?o, ?d"],
    ),
    (PLACE, PLACE + 'failure = ["(at ?o top"]\n', ["(number 4): failure: literal 1", "add a ')'"]),
    (PLACE, PLACE + 'policy = "place ?x"\n', ["(number 4): policy", "'?x'", "?o, ?d, ?a, ?b"]),
    (PLACE, PLACE + 'curve = { kind = "linear" }\n', ["(number 4): curve", "'rate' is missing"]),
    (PLACE, PLACE + 'effect = "end"\n', ["(number 4)", "unknown key 'effect'", "one of: schema"]),
    (PLACE, PLACE + "cost = 0\n", ["'Place' (number 4)", "cost", "0 is not valid", "at least 1"]),
    (
        '"(at object1 top)"',
        '"(at object3 top)"',
        ["goal 'top' (number 1): when", "'object3'", "'object"],
    ),
    ('"(at object1 top)"', '"(not (at object2 top))"', ["when", "(at object2 top) is both wanted"]),
    ('"(at object1 top)"', '"(= object1 object2)"', ["when", "(= object1 object2) can never"]),
]


@pytest.mark.parametrize(("old", "new", "parts"), TOML_MISTAKES)
def test_a_mistake_in_the_toml_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, parts: list[str]
) -> None:
    assert old in TOML
    with pytest.raises(TaskError) as caught:
        read(tmp_path, toml=TOML.replace(old, new, 1))
    file = "other.pddl" if "other.pddl" in new else "t.toml"
    for part in [file, *parts]:
        assert part in str(caught.value)


def test_a_problem_without_goal_needs_one_in_the_toml(tmp_path: Path) -> None:
    start, end = TOML.index("[[goals]]"), TOML.index("[[skills]]")
    problem = PROBLEM[: PROBLEM.index("(:goal")] + ")"
    read(tmp_path, problem=problem)
    with pytest.raises(TaskError, match=r"problem\.pddl: :goal: there is no goal; .*\[\[goals\]\]"):
        read(tmp_path, problem=problem, toml=TOML[:start] + TOML[end:])
