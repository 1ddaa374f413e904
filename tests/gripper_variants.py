"""A gripper domain in many variants, one for each feature of the language.

Every variant has a value that a person can compute: with all competences 1, a plan of k actions is
worth 0.99^k.
"""

from __future__ import annotations

from dataclasses import dataclass

G = 0.99

PREDICATES = """(at-robby ?r - room) (at ?b - ball ?r - room) (free ?g - gripper)
  (carry ?b - ball ?g - gripper)"""
MOVE = """(:action move :parameters (?from ?to - room)
  :precondition (and (at-robby ?from) (not (= ?from ?to)))
  :effect (and (at-robby ?to) (not (at-robby ?from))))"""
PICK = """(:action pick :parameters (?b - ball ?r - room ?g - gripper)
  :precondition (and (at ?b ?r) (at-robby ?r) (free ?g))
  :effect (and (carry ?b ?g) (not (at ?b ?r)) (not (free ?g))))"""
DROP = """(:action drop :parameters (?b - ball ?r - room ?g - gripper)
  :precondition (and (carry ?b ?g) (at-robby ?r))
  :effect (and (at ?b ?r) (free ?g) (not (carry ?b ?g))))"""


@dataclass(frozen=True)
class Variant:
    """A gripper problem and its value."""

    value: float
    requirements: str = ":strips :typing :negative-preconditions :equality"
    types: str = "room ball gripper"
    constants: str = ""
    more: str = ""  # further sections and actions of the domain
    predicates: str = PREDICATES
    move: str = MOVE
    pick: str = PICK
    drop: str = DROP
    balls: str = "b1 b2 - ball"
    grippers: str = "left right"
    init: str = "(at b1 rooma) (at b2 rooma) (free left) (free right)"
    goal: str = "(and (at b1 roomb) (at b2 roomb))"
    rest: str = ""  # further sections of the problem
    used: tuple[str, ...] = ()

    @property
    def domain(self) -> str:
        requirements = f"(:requirements {self.requirements})" if self.requirements else ""
        return f"""(define (domain gripper) {requirements}
            (:types {self.types}) {self.constants} (:predicates {self.predicates})
            {self.more} {self.move} {self.pick} {self.drop})"""

    @property
    def problem(self) -> str:
        rooms = "" if self.constants else "rooma roomb - room"
        return f"""(define (problem two-balls) (:domain gripper)
            (:objects {rooms} {self.balls} {self.grippers} - gripper)
            (:init (at-robby rooma) {self.init}) (:goal {self.goal}) {self.rest})"""


LIFTED = 0.8 * G / (1 - 0.2 * G)
"""A pick that succeeds with 0.8 and is tried again until it does."""

ONE_HAND = "(at b1 rooma) (at b2 rooma) (free left)"
TIP = """(:action tip :parameters (?r - room) :precondition (at-robby ?r) :effect {effect})"""
TIPPED = "(and (at ?b ?r) (free ?g) (not (carry ?b ?g)))"

VARIANTS = {
    # pick, pick, move, drop, drop
    "typing": Variant(G**5, used=(":typing",)),
    # with one hand: pick, move, drop, move, pick, move, drop
    "one hand": Variant(G**7, grippers="left", init=ONE_HAND),
    "adl that nothing needs": Variant(G**5, requirements=":adl"),
    "no requirements": Variant(G**5, requirements=""),
    "either": Variant(
        G**5,
        types="room gripper ball box",
        predicates=PREDICATES.replace("?b - ball", "?b - (either ball box)"),
        pick=PICK.replace("?b - ball", "?b - (either ball box)"),
        drop=DROP.replace("?b - ball", "?b - (either box ball)"),
        balls="b1 - ball b2 - box",
    ),
    # only in roomb balls may be dropped, so the way through rooma is no help
    "constants": Variant(
        G**5,
        constants="(:constants rooma roomb - room)",
        drop=DROP.replace("(at-robby ?r))", "(at-robby roomb) (= ?r roomb))"),
        used=(":equality",),
    ),
    # a pair is two different balls: pick, pick, pair
    "equality": Variant(
        G**3,
        predicates=PREDICATES + " (paired)",
        more="""(:action pair :parameters (?a ?b - ball ?g ?h - gripper)
          :precondition (and (carry ?a ?g) (carry ?b ?h) (not (= ?a ?b))) :effect (paired))""",
        goal="(paired)",
        used=(":equality",),
    ),
    # the hand picks only while it has not been used: pick one, and the other stays
    "negative precondition": Variant(
        G**3,
        predicates=PREDICATES + " (used ?g - gripper)",
        pick=PICK.replace("(free ?g))\n", "(not (used ?g)))\n").replace(
            "(not (free ?g))", "(not (free ?g)) (used ?g)"
        ),
        goal="(at b1 roomb)",
        used=(":negative-preconditions",),
    ),
    # it is enough to lift both
    "negative goal": Variant(
        G**2,
        goal="(and (not (at b1 rooma)) (not (at b2 rooma)))",
        used=(":negative-preconditions",),
    ),
    # the sticky ball needs no free hand
    "disjunction": Variant(
        G**5,
        grippers="left",
        init=ONE_HAND + " (sticky b2)",
        predicates=PREDICATES + " (sticky ?b - ball)",
        pick=PICK.replace("(free ?g))\n", "(or (free ?g) (sticky ?b)))\n"),
        used=(":disjunctive-preconditions",),
    ),
    "disjunctive goal": Variant(
        G**2,
        goal="(or (at b1 roomb) (and (at-robby roomb) (not (free left))))",
        used=(":disjunctive-preconditions",),
    ),
    "negated conjunction": Variant(
        G, goal="(not (and (at b1 rooma) (at b2 rooma)))", used=(":disjunctive-preconditions",)
    ),
    # brace first, because b2 is heavy
    "implication": Variant(
        G**6,
        predicates=PREDICATES + " (heavy ?b - ball) (braced)",
        more="(:action brace :parameters () :precondition () :effect (braced))",
        pick=PICK.replace("(free ?g))\n", "(free ?g) (imply (heavy ?b) (braced)))\n"),
        init="(at b1 rooma) (at b2 rooma) (free left) (free right) (heavy b2)",
        used=(":disjunctive-preconditions",),
    ),
    # the robot moves with full hands only: pick, pick, move, drop
    "universal precondition": Variant(
        G**4,
        move=MOVE.replace("(not (= ?from ?to))", "(forall (?g - gripper) (not (free ?g)))"),
        goal="(at b1 roomb)",
        used=(":universal-preconditions",),
    ),
    # and not with empty hands: pick, move
    "existential precondition": Variant(
        G**2,
        move=MOVE.replace("(not (= ?from ?to))", "(exists (?b - ball ?g - gripper) (carry ?b ?g))"),
        goal="(at-robby roomb)",
        used=(":existential-preconditions",),
    ),
    "quantified goal": Variant(
        G**3,
        goal="(exists (?b - ball) (forall (?r - room) (imply (at-robby ?r) (and (at ?b ?r) "
        "(not (at-robby rooma))))))",
        used=(":existential-preconditions", ":universal-preconditions"),
    ),
    "universal effect": Variant(
        G,
        predicates=PREDICATES + " (wet ?b - ball)",
        more="""(:action rain :parameters () :precondition ()
          :effect (forall (?b - ball) (wet ?b)))""",
        goal="(forall (?b - ball) (wet ?b))",
        used=(":universal-preconditions", ":conditional-effects"),
    ),
    "conditional effect": Variant(
        G**4,
        more=TIP.format(
            effect="(forall (?b - ball ?g - gripper) (when (carry ?b ?g) " + TIPPED + "))"
        ),
        used=(":conditional-effects",),
    ),
    # a sticky ball must be dropped by itself
    "nested conditional effect": Variant(
        G**5,
        predicates=PREDICATES + " (sticky ?b - ball)",
        init="(at b1 rooma) (at b2 rooma) (free left) (free right) (sticky b2)",
        more=TIP.format(
            effect="(forall (?b - ball) (forall (?g - gripper) (when (carry ?b ?g) "
            "(when (or (not (sticky ?b)) (at-robby rooma)) " + TIPPED + "))))"
        ),
        constants="(:constants rooma roomb - room)",
        used=(":conditional-effects", ":disjunctive-preconditions"),
    ),
    # drop pays nothing, picks cost 0.01 and moves 0.1
    "constant costs": Variant(
        G**5 - 0.01 - 0.01 * G - 0.1 * G**2,
        requirements=":typing :action-costs",
        more="(:functions (total-cost) - number)",
        pick=PICK.replace("(not (free ?g))", "(not (free ?g)) (increase (total-cost) 0.01)"),
        move=MOVE.replace("(at-robby ?to)", "(at-robby ?to) (increase (total-cost) 0.1)"),
        init="(at b1 rooma) (at b2 rooma) (free left) (free right) (= (total-cost) 0)",
        rest="(:metric minimize (total-cost))",
        used=(":action-costs",),
    ),
    # through the corridor: two moves of 0.05 instead of one of 0.2
    "costs by table": Variant(
        G**3 - 0.05 - 0.05 * G,
        requirements=":typing :action-costs",
        more="""(:functions (distance ?a ?b - room) - number (total-cost) - number)""",
        move=MOVE.replace(
            "(at-robby ?to)", "(at-robby ?to) (increase (total-cost) (distance ?from ?to))"
        ),
        balls="corridor - room b1 b2 - ball",
        init="""(at b1 roomb) (free left) (= (distance rooma roomb) 0.2)
          (= (distance rooma corridor) 0.05) (= (distance corridor roomb) 0.05)
          (= (distance corridor rooma) 9) (= (distance roomb rooma) 9)
          (= (distance roomb corridor) 9) (= (distance rooma rooma) 0)
          (= (distance roomb roomb) 0) (= (distance corridor corridor) 0) (= (total-cost) 0)""",
        goal="(carry b1 left)",
        rest="(:metric minimize (total-cost))",
        used=(":action-costs",),
    ),
    # both picks fail with 0.2 and are tried again
    "two outcomes": Variant(
        LIFTED**2 * G**3,
        requirements=":typing :probabilistic-effects",
        pick=PICK.replace(":effect (and", ":effect (probabilistic 8/10 (and") + ")",
        used=(":probabilistic-effects",),
    ),
    # a half of the lifted balls breaks; the goal is an unbroken one, and there are two
    "nested outcomes": Variant(
        LIFTED * (0.5 + 0.5 * LIFTED * 0.5) * G**2,
        requirements=":adl :probabilistic-effects",
        predicates=PREDICATES + " (broken ?b - ball)",
        pick="""(:action pick :parameters (?b - ball ?r - room ?g - gripper)
          :precondition (and (at ?b ?r) (at-robby ?r) (free ?g))
          :effect (probabilistic 0.8 (and (carry ?b ?g) (not (at ?b ?r)) (not (free ?g))
            (probabilistic 0.5 (broken ?b)))))""",
        goal="(exists (?b - ball) (and (at ?b roomb) (not (broken ?b))))",
        used=(":probabilistic-effects",),
    ),
    # a half of the time b2 is in roomb already: pick, move, drop
    "drawn start": Variant(
        0.5 * G**5 + 0.5 * G**3,
        requirements=":typing :probabilistic-effects",
        init="(at b1 rooma) (free left) (free right) (probabilistic 1/2 (at b2 rooma) 1/2 "
        "(at b2 roomb))",
        used=(":probabilistic-effects",),
    ),
    # each drop in roomb pays 0.25 at once, and the goal 2
    "rewards": Variant(
        2 * G**5 + 0.25 * G**3 + 0.25 * G**4,
        requirements=":adl :rewards",
        constants="(:constants rooma roomb - room)",
        drop=DROP.replace(
            "(free ?g)", "(free ?g) (when (= ?r roomb) (increase (reward) 0.25))"
        ).replace("(at-robby ?r))", "(at-robby roomb) (= ?r roomb))"),
        pick=PICK.replace("(at ?b ?r) (at-robby ?r)", "(at ?b rooma) (= ?r rooma) (at-robby ?r)"),
        rest="(:goal-reward 2) (:metric maximize (reward))",
        used=(":rewards",),
    ),
    # a lost reward is a cost; expected 0.1 for each pick
    "rewards by chance": Variant(
        G**5 - 0.1 - 0.1 * G,
        requirements=":typing :mdp",
        pick=PICK.replace(
            "(not (free ?g))", "(not (free ?g)) (probabilistic 0.5 (decrease (reward) 0.2))"
        ),
        used=(":rewards", ":probabilistic-effects"),
    ),
}
