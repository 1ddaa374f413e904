from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from drawers_pddl import TOML, read
from pddl_comparison import assert_same
from pddl_interpreter import Interpreter

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.domains.cleanup import cleanup
from deliberate_practice.foundation.errors import TaskTooLarge
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.pddl.grounding import reachable_instances
from deliberate_practice.task.toml_reader import parse_task, read_task
from deliberate_practice.task.toml_writer import task_to_toml

KITCHEN = Path(__file__).parents[3] / "examples" / "pddl"


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
