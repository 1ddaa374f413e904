from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from pddl_comparison import assert_same
from pddl_interpreter import Interpreter

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.domains.cleanup import cleanup
from deliberate_practice.foundation.errors import TaskError, TaskTooLarge
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.model import Task
from deliberate_practice.task.pddl.grounding import reachable_instances
from deliberate_practice.task.toml_reader import parse_task, read_task
from deliberate_practice.task.toml_writer import task_to_toml

KITCHEN = Path(__file__).parents[3] / "examples" / "pddl"

DOMAIN = """; a comment (with parentheses
(define (domain Drawers)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types thing place - object drawer - place)
  (:constants NONE - drawer)
  (:predicates (at ?o - thing ?p - place) (in-hand ?o - thing) (busy)
               (closed ?d - drawer) (blocked ?d ?a ?b - drawer) (floor ?p - place))
  (:action Open
    :parameters (?d - drawer)
    :precondition (and (closed ?d) (not (busy)) (not (= ?d none)))
    :effect (not (closed ?d)))
  (:action close
    :parameters (?d ?a ?b - drawer)
    :precondition (and (and (blocked ?d ?a ?b) (closed ?a)) (closed ?b)
                       (not (closed ?d)) (not (busy)))
    :effect (closed ?d))
  (:action pick
    :parameters (?o - thing ?p - place)
    :precondition (and (at ?o ?p) (floor ?p) (not (busy)))
    :effect (and (in-hand ?o) (busy) (not (at ?o ?p))))
  (:action place
    :parameters (?o - thing ?d ?a ?b - drawer)
    :precondition (and (IN-HAND ?O) (blocked ?d ?a ?b) (closed ?a) (closed ?b) (not (closed ?d)))
    :effect (and (at ?o ?d) (not (in-hand ?o)) (not (busy)))))
"""
PROBLEM = """
(define (problem clean) (:domain drawers)
  (:objects object1 object2 - thing TOP middle bottom - drawer table - place)
  (:init (at object1 table) (at object2 table) (floor table) (closed none)
         (blocked top none none) (blocked middle top none) (blocked bottom top middle))
  (:goal (and (at object1 top) (at object2 top))))
"""
TOML = """
name = "drawers"
discount = 0.99
[pddl]
domain = "domain.pddl"
problem = "problem.pddl"
[[goals]]
name = "top"
reward = 1.0
when = ["(at object1 top)", "(At object2 TOP)"]
[[goals]]
name = "middle"
reward = 2.0
when = ["(and (at object1 middle) (at object2 middle))"]
[[goals]]
name = "bottom"
reward = 4.0
when = ["(at object1 bottom)", "(at object2 bottom)"]
[[skills]]
schema = "open"
competence = 0.1
[[skills]]
schema = "close"
competence = 0.1
[[skills]]
schema = "pick"
competence = 0.1
[[skills]]
schema = "Place"
competence = 0.1
"""


def read(
    folder: Path,
    domain: str = DOMAIN,
    problem: str = PROBLEM,
    toml: str = TOML,
    name: str = "t.toml",
) -> Task:
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    (folder / "problem.pddl").write_text(problem, encoding="utf-8")
    (folder / name).write_text(toml, encoding="utf-8")
    return read_task(folder / name)


def same_name(pddl_name: str) -> str:
    """place(object1,top,none,none) is Place(object1,top)."""
    schema, arguments = pddl_name[:-1].split("(")
    keep = 2 if schema == "place" else 1
    return f"{schema.capitalize()}({','.join(arguments.split(',')[:keep])})"


def test_the_task_is_the_one_written_by_hand(tmp_path: Path) -> None:
    task, hand = read(tmp_path), cleanup(2)
    assert {same_name(skill.name) for skill in task.skills} == {s.name for s in hand.skills}
    assert len(task.skills) == len(hand.skills)
    a, b = ground(task), ground(hand)
    assert (a.counts.reachable, a.counts.kept) == (b.counts.reachable, b.counts.kept)
    rng = np.random.default_rng(1)
    for _ in range(20):
        by_name = dict(zip(b.policy_names, rng.random(len(b.policy_names)), strict=True))
        in_order = np.array([by_name[same_name(name)] for name in a.policy_names])
        expected = solve(b, np.array(list(by_name.values()))).value
        assert solve(a, in_order).value == pytest.approx(expected, rel=1e-9)


def test_variables_are_the_atoms_that_can_change_in_file_order(tmp_path: Path) -> None:
    task = read(tmp_path)
    things, places = ("object1", "object2"), ("top", "middle", "bottom", "table")
    assert list(task.variables) == [
        *(f"(at {o} {p})" for o in things for p in places),
        *(f"(in-hand {o})" for o in things),
        "(busy)",
        *(f"(closed {d})" for d in places[:3]),
    ]
    assert task.variables["(at object1 table)"] == ["yes", "no"]
    assert task.variables["(busy)"] == ["no", "yes"]
    names = [skill.name for skill in task.skills]
    assert names[:4] == ["open(top)", "open(middle)", "open(bottom)", "close(top,none,none)"]
    place = task.skill("place(object1,middle,top,none)")
    assert place.precondition == {
        "(in-hand object1)": "yes",
        "(closed top)": "yes",
        "(closed middle)": "no",
    }
    assert place.effect == {"(at object1 middle)": "yes", "(in-hand object1)": "no", "(busy)": "no"}


def test_a_task_from_pddl_can_be_written_as_one_file(tmp_path: Path) -> None:
    task = read(tmp_path)
    again = parse_task(task_to_toml(task))
    assert (again.skills, again.policies) == (task.skills, task.policies)


def test_without_goals_the_problem_states_it(tmp_path: Path) -> None:
    start, end = TOML.index("[[goals]]"), TOML.index("[[skills]]")
    task = read(tmp_path, toml=TOML[:start] + TOML[end:])
    [goal] = task.goals
    assert (goal.name, goal.reward) == ("goal", 1.0)
    assert goal.when == {"(at object1 top)": "yes", "(at object2 top)": "yes"}


def test_entries_match_in_file_order_and_share_policies(tmp_path: Path) -> None:
    entries = """
    [[skills]]
    schema = "place"
    arguments = ["OBJECT1", "*", "*", "*"]
    competence = 0.2
    failure = "stay"
    policy = "place ?O with care"
    cost = 3
    [[skills]]
    schema = "pick"
    arguments = ["object2", "*"]
    failure = ["(at ?o bottom)", "(not (at ?o ?p))"]
    curve = { kind = "table", values = [0.3, 0.6] }
    """
    task = read(tmp_path, toml=TOML.replace("[[skills]]", entries + "[[skills]]", 1))
    assert task.policies["place object1 with care"].competence == 0.2
    assert task.policies["place object1 with care"].cost == 3
    assert len(task.policies["place object1 with care"].skills) == 3
    assert task.skill("place(object1,top,none,none)").failure == "stay"
    assert task.policies["place(object2,top,none,none)"].competence == 0.1
    dropped = task.skill("pick(object2,table)")
    assert dropped.failure == {"(at object2 bottom)": "yes", "(at object2 table)": "no"}
    assert task.policies["pick(object2,table)"].competence == 0.3


def test_what_only_failure_makes_true_is_reachable(tmp_path: Path) -> None:
    task = read_task(KITCHEN / "kitchen.toml")
    assert "(on-floor big-plate)" in task.variables
    assert "(on-floor blue-cup)" not in task.variables
    assert task.skill("pick(big-plate)").failure == {
        "(on-floor big-plate)": "yes",
        "(on-table big-plate)": "no",
    }
    assert list(task.policies)[-2:] == ["place into bottom", "place into top"]
    grounded = ground(task)
    assert 0 < solve(grounded, grounded.competence).value < 1


def test_a_full_tray_is_carried_at_once() -> None:
    task = read_task(KITCHEN / "rounds.toml")
    best = allocate(task, 40)
    assert (best.status, best.goal) == ("optimal", "everything served")
    assert best.allocation == {"carry to terrace": 40}
    assert [name.partition("#")[0] for name in best.plan] == [
        "load(tea,bar)",
        "load(juice,bar)",
        "carry(bar,terrace)",
        "serve(terrace)",
    ]
    assert_same(
        replace(task, goals=[goal for goal in task.goals if goal.name == "everything served"]),
        Interpreter(
            (KITCHEN / "rounds-domain.pddl").read_text(encoding="utf-8"),
            (KITCHEN / "rounds-problem.pddl").read_text(encoding="utf-8"),
        ),
    )


def test_delete_and_add_of_one_atom_adds_it_and_contradictions_never_apply(tmp_path: Path) -> None:
    domain = """(define (domain d) (:predicates (p ?x) (q ?x) (r))
      (:action swap :parameters (?x ?y) :precondition (p ?x)
        :effect (and (p ?y) (not (p ?x)) (q ?y)))
      (:action never :parameters (?x ?y) :precondition (and (p ?x) (not (p ?y)) (= ?x ?y))
        :effect (r)))"""
    problem = "(define (problem x) (:domain d) (:objects a b) (:init (p a)) (:goal (q b)))"
    toml = """name = "x"
    pddl = { domain = "domain.pddl", problem = "problem.pddl" }
    skills = [{ schema = "swap", competence = 1 }, { schema = "never", competence = 1 }]"""
    task = read(tmp_path, domain, problem, toml)
    assert [skill.name for skill in task.skills] == [
        "swap(a,a)",
        "swap(a,b)",
        "swap(b,a)",
        "swap(b,b)",
    ]
    assert task.skill("swap(a,a)").effect == {"(p a)": "yes", "(q a)": "yes"}
    assert task.skill("swap(a,b)").effect == {"(p a)": "no", "(p b)": "yes", "(q b)": "yes"}


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


def test_too_large_keeps_its_kind_through_the_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    smaller = partial(reachable_instances, limit=100)
    monkeypatch.setattr("deliberate_practice.task.pddl.task.reachable_instances", smaller)
    objects = " ".join(f"o{i}" for i in range(11))
    domain = (
        "(define (domain d) (:predicates (p ?x)) (:action a :parameters (?x ?y) :effect (p ?x)))"
    )
    problem = f"(define (problem x) (:domain d) (:objects {objects}) (:goal (p o1)))"
    toml = """name = "x"
    pddl = { domain = "domain.pddl", problem = "problem.pddl" }
    skills = [{ schema = "a", competence = 1 }]"""
    with pytest.raises(TaskTooLarge, match=r"t\.toml: action 'a': more than 100 instances"):
        read(tmp_path, domain, problem, toml)
