"""Small probabilistic planning problems, as PPDDL and, written apart from it, as PRISM programs.

The largest probability of reaching the goal is their value with discount 1.
"""

from __future__ import annotations

from dataclasses import dataclass

BLOCKS = ("a", "b", "c")


@dataclass(frozen=True)
class Reference:
    """A problem in two languages, and its value."""

    domain: str
    problem: str
    prism: str
    value: float


RIVER_DOMAIN = """
(define (domain river) (:requirements :probabilistic-effects)
  (:predicates (near) (island) (far))
  (:action rocks :precondition (near)
    :effect (probabilistic 0.5 (and (island) (not (near))) 1/4 (not (near))))
  (:action swim :precondition (near)
    :effect (probabilistic 0.5 (and (far) (not (near))) 0.5 (not (near))))
  (:action wade :precondition (island)
    :effect (and (not (island)) (probabilistic 0.8 (far)))))
"""
RIVER_PROBLEM = "(define (problem cross) (:domain river) (:init (near)) (:goal (far)))"
RIVER_PRISM = """mdp
module river  // 0 near, 1 island, 2 far, 3 drowned
  s : [0..3] init 0;
  [rocks] s=0 -> 0.5 : (s'=1) + 0.25 : (s'=3) + 0.25 : (s'=0);
  [swim] s=0 -> 0.5 : (s'=2) + 0.5 : (s'=3);
  [wade] s=1 -> 0.8 : (s'=2) + 0.2 : (s'=3);
endmodule
label "goal" = s=2;
"""

TIRE_DOMAIN = """
(define (domain tireworld)
  (:requirements :typing :negative-preconditions :probabilistic-effects)
  (:types place)
  (:predicates (car ?p - place) (road ?p ?q - place) (spare ?p - place) (flat) (carried))
  (:action drive :parameters (?p ?q - place)
    :precondition (and (car ?p) (road ?p ?q) (not (flat)))
    :effect (and (car ?q) (not (car ?p)) (probabilistic 0.5 (flat))))
  (:action load :parameters (?p - place)
    :precondition (and (car ?p) (spare ?p))
    :effect (and (carried) (not (spare ?p))))
  (:action change :precondition (and (carried) (flat))
    :effect (and (not (carried)) (not (flat)))))
"""
ROADS = ((0, 1), (1, 2), (0, 3), (3, 1), (3, 5), (5, 4), (4, 2), (1, 4))
"""0, 1 and 2 are the short way; 3, 5 and 4 are the corner of the triangle."""


def _tires(spares: tuple[int, ...], value: float) -> Reference:
    roads = " ".join(f"(road p{p} p{q})" for p, q in ROADS)
    listed = " ".join(f"(spare p{p})" for p in spares)
    problem = f"""(define (problem triangle) (:domain tireworld)
      (:objects p0 p1 p2 p3 p4 p5 - place) (:init (car p0) {roads} {listed}) (:goal (car p2)))"""
    drives = "".join(
        f"  [] car={p} & !flat -> 0.5 : (car'={q}) + 0.5 : (car'={q}) & (flat'=true);\n"
        for p, q in ROADS
    )
    loads = "".join(
        f"  [] car={p} & spare{p} -> (carried'=true) & (spare{p}'=false);\n" for p in spares
    )
    declared = "".join(f"  spare{p} : bool init true;\n" for p in spares)
    prism = f"""mdp
module tires
  car : [0..5] init 0; flat : bool init false; carried : bool init false;
{declared}{drives}{loads}  [] carried & flat -> (carried'=false) & (flat'=false);
endmodule
label "goal" = car=2;
"""
    return Reference(TIRE_DOMAIN, problem, prism, value)


BLOCKS_DOMAIN = """
(define (domain exploding) (:requirements :adl :probabilistic-effects) (:types block)
  (:predicates (on ?x ?y - block) (on-table ?x - block) (held ?x - block)
    (armed ?x - block) (gone ?x - block) (table-gone))
  (:action pick :parameters (?x - block)
    :precondition (and (on-table ?x) (not (gone ?x)) (not (table-gone))
      (not (exists (?y - block) (or (held ?y) (on ?y ?x)))))
    :effect (and (held ?x) (not (on-table ?x))))
  (:action unstack :parameters (?x ?y - block)
    :precondition (and (on ?x ?y) (not (gone ?x))
      (forall (?z - block) (and (not (held ?z)) (not (on ?z ?x)))))
    :effect (and (held ?x) (not (on ?x ?y))))
  (:action put-down :parameters (?x - block)
    :precondition (and (held ?x) (not (table-gone)))
    :effect (and (on-table ?x) (not (held ?x))
      (when (armed ?x) (probabilistic 2/5 (and (table-gone) (not (armed ?x)))))))
  (:action stack :parameters (?x ?y - block)
    :precondition (and (held ?x) (not (= ?x ?y)) (not (gone ?y))
      (not (exists (?z - block) (on ?z ?y))))
    :effect (and (on ?x ?y) (not (held ?x))
      (when (armed ?x) (probabilistic 1/10 (and (gone ?y) (not (armed ?x))))))))
"""
BLOCKS_PROBLEM = """
(define (problem turn) (:domain exploding) (:objects a b c - block)
  (:init (on a b) (on-table b) (on-table c) (armed a) (armed b) (armed c))
  (:goal (and (on b c) (on c a))))
"""


def _blocks_prism() -> str:
    """At x: 0 the table, 1 to 3 the blocks, 4 the hand."""
    at = {"a": 2, "b": 0, "c": 0}
    number = {x: i for i, x in enumerate(BLOCKS, 1)}
    lines = [f"  at_{x} : [0..4] init {at[x]};" for x in BLOCKS]
    lines += [f"  armed_{x} : bool init true; gone_{x} : bool init false;" for x in BLOCKS]
    lines += ["  table : bool init true;"]
    empty = " & ".join(f"at_{x}!=4" for x in BLOCKS)
    clear = {y: " & ".join(f"at_{x}!={number[y]}" for x in BLOCKS) for y in BLOCKS}
    for x in BLOCKS:
        free = f"{empty} & {clear[x]} & !gone_{x}"
        lines.append(f"  [] at_{x}=0 & table & {free} -> (at_{x}'=4);")
        lines.append(f"  [] at_{x}>0 & {free} -> (at_{x}'=4);")
        off = f"(armed_{x}'=false)"
        down = f"(at_{x}'=0)"
        lines.append(
            f"  [] at_{x}=4 & table & armed_{x} -> 0.6 : {down} + "
            f"0.4 : {down} & (table'=false) & {off};"
        )
        lines.append(f"  [] at_{x}=4 & table & !armed_{x} -> {down};")
        for y in BLOCKS:
            if x != y:
                ready, put = f"at_{x}=4 & !gone_{y} & {clear[y]}", f"(at_{x}'={number[y]})"
                lines.append(
                    f"  [] {ready} & armed_{x} -> 0.9 : {put} + "
                    f"0.1 : {put} & (gone_{y}'=true) & {off};"
                )
                lines.append(f"  [] {ready} & !armed_{x} -> {put};")
    goal = f'label "goal" = at_b={number["c"]} & at_c={number["a"]};'
    return "\n".join(["mdp", "module blocks", *lines, "endmodule", goal, ""])


REFERENCES = {
    # rocks again and again: 0.5 * 0.8 / (1 - 0.25) is above the 0.5 of swimming
    "river": Reference(RIVER_DOMAIN, RIVER_PROBLEM, RIVER_PRISM, 8 / 15),
    # as published for the triangle: the long way with spares is safe, the short one is not
    "triangle tireworld": _tires((3, 4, 5), 1.0),
    # a flat at the first spare leaves none for the next place
    "tireworld without a corner": _tires((3, 4), 0.75),
    "tireworld without spares": _tires((), 0.5),
    # the table must survive when a is put down, which nothing makes safer
    "exploding blocks": Reference(BLOCKS_DOMAIN, BLOCKS_PROBLEM, _blocks_prism(), 0.6),
}
