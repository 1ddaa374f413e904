"""A PDDL domain with drawers, its problem, and the TOML beside them."""

from __future__ import annotations

from pathlib import Path

from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import read_task

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
