"""A PDDL problem as checked data: objects, initial facts, goal, metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from deliberate_practice.foundation import checks
from deliberate_practice.task.pddl.cases import outcomes
from deliberate_practice.task.pddl.conditions import (
    Atom,
    Condition,
    Scope,
    read_atom,
    read_condition,
    read_function,
)
from deliberate_practice.task.pddl.domain import Domain
from deliberate_practice.task.pddl.effects import (
    NUMBER,
    Effect,
    Together,
    read_effect,
    read_number,
)
from deliberate_practice.task.pddl.requirements import declared, used
from deliberate_practice.task.pddl.sections import (
    CHANGES,
    WORDS,
    contents,
    define,
    refuse_unsupported,
)
from deliberate_practice.task.pddl.sexpr import Node
from deliberate_practice.task.pddl.vocabulary import COST, REWARD, SUMS, read_objects

SECTIONS = (
    ":domain",
    ":requirements",
    ":objects",
    ":init",
    ":goal",
    ":goal-reward",
    ":metric",
)

METRICS = {
    ("minimize", COST): COST,
    ("maximize", REWARD): REWARD,
    ("maximize", "goal-achieved"): "goal",
    ("maximize", "goal-probability"): "goal",
}
"""The metrics that are understood, and the sum that each is about."""


Start: TypeAlias = tuple[Fraction, frozenset[Atom]]
"""The probability of a start, and its facts."""


@dataclass(frozen=True)
class Problem:
    """A PDDL problem.

    Attributes:
        name: Its name.
        objects: Their types; constants of the domain come first.
        init: The facts that surely hold at first.
        starts: Further facts that may hold at first, with the probability of all of them and no
            others; empty if there is nothing to draw.
        goal: The condition to reach; None if it is not stated.
        numbers: The values of functions.
        metric: ``total-cost``, ``reward``, ``goal`` (its probability), or nothing.
        goal_reward: The reward of the goal, if it is stated.
        requirements: The requirements that the file states.
        used: The requirements of its content.
    """

    name: str
    objects: Mapping[str, str]
    init: frozenset[Atom]
    starts: tuple[Start, ...]
    goal: Condition | None
    numbers: Mapping[Atom, Fraction] = field(default_factory=dict)
    metric: str = ""
    goal_reward: Fraction | None = None
    requirements: tuple[str, ...] = ()
    used: tuple[str, ...] = ()


def read_problem(text: str, file: str, domain: Domain) -> Problem:
    """Read a problem of the domain.

    Raises:
        TaskError: A mistake, or something that is not supported, with ``file:line:column``.
    """
    name, sections = define(text, file, "problem", SECTIONS)
    for section in sections:
        if section.head == ":domain":
            section.check(
                str(section) == f"(:domain {domain.name})",
                ":domain",
                f"{section} is another domain; write (:domain {domain.name}) or name its file.",
            )
    names = domain.vocabulary
    listed = contents(sections, ":objects")
    objects = read_objects(listed, ":objects", names.parents, names.constants)
    init, starts, numbers = _init(contents(sections, ":init"), Scope(":init", names, objects))
    goal = _single(sections, ":goal", "one condition, e.g. (:goal (and (on a b)))")
    paid = _single(sections, ":goal-reward", "one number, e.g. (:goal-reward 100)")
    reward = None if paid is None else read_number(paid, ":goal-reward")
    if paid is not None and reward is not None:
        paid.check(reward >= 0, ":goal-reward", f"{paid} is below 0; goals earn at least 0.")
    return Problem(
        name,
        objects,
        init,
        starts,
        None if goal is None else read_condition(goal, Scope(":goal", names, objects)),
        numbers,
        _metric(sections),
        reward,
        declared(sections),
        used(sections),
    )


def _single(sections: Sequence[Node], head: str, wanted: str) -> Node | None:
    """The one item of a section; None if the section is missing."""
    items = contents(sections, head)
    for section in sections:
        section.check(section.head != head or len(items) == 1, head, f"write {wanted}.")
    return items[0] if items else None


def _init(
    nodes: Sequence[Node], scope: Scope
) -> tuple[frozenset[Atom], tuple[Start, ...], Mapping[Atom, Fraction]]:
    """The facts that surely hold at first, the possible starts, and the values of functions."""
    facts: set[Atom] = set()
    drawn: list[Effect] = []
    numbers: dict[Atom, Fraction] = {}
    for node in nodes:
        refuse_unsupported(node, scope.place)
        if node.head == "=" and len(node.items) == 3 and NUMBER.fullmatch(node.items[2].word):
            function = read_function(node.items[1], scope)
            value = read_number(node.items[2], scope.place)
            node.check(
                numbers.setdefault(function, value) == value,
                scope.place,
                f"{node.items[1]} has two values; leave one out.",
            )
            node.check(
                function[0] not in SUMS or value == 0, scope.place, f"{node}: it begins with 0."
            )
            continue
        node.check(
            node.head != "=",
            scope.place,
            f"{node} is not a fact; leave it out (objects differ by name).",
        )
        if node.head == "probabilistic":
            _check_drawn(node, scope.place)
            drawn.append(read_effect(node, scope))
            continue
        timed = node.head == "at" and len(node.items) == 3 and node.items[2].items
        node.check(
            not (timed and NUMBER.fullmatch(node.items[1].word)),
            scope.place,
            f"{node} is a timed literal, which is not supported; leave it out, or add an action "
            "that makes it true.",
        )
        negative = node.head == "not" and len(node.items) == 2
        atom = read_atom(node.items[1] if negative else node, scope)
        if not negative:  # facts that are not stated are false
            facts.add(atom)
    certain = frozenset(facts)
    return certain, _starts(certain, drawn, scope.place), numbers


def _check_drawn(node: Node, place: str) -> None:
    """Refuse all parts of a drawn start but facts, ``and`` and ``probabilistic``."""
    node.check(
        node.head not in (*WORDS, *CHANGES) or node.head in ("and", "probabilistic"),
        place,
        f"{node} cannot be drawn for a start; write facts, which are false unless they are drawn.",
    )
    for item in node.items:
        _check_drawn(item, place)


def _starts(certain: frozenset[Atom], drawn: Sequence[Effect], place: str) -> tuple[Start, ...]:
    """The facts of each possible start beyond the certain ones, with its probability."""
    if not drawn:
        return ()
    with checks.inside(place):
        branches = outcomes(Together(tuple(drawn)))
    starts: dict[frozenset[Atom], Fraction] = {}
    for branch in branches:
        facts = frozenset(branch.change) - certain
        starts[facts] = starts.get(facts, Fraction(0)) + branch.probability
    return tuple((probability, facts) for facts, probability in starts.items())


def _metric(sections: Sequence[Node]) -> str:
    """The sum that the metric is about; nothing without a metric."""
    items = contents(sections, ":metric")
    if not items:
        return ""
    section = next(section for section in sections if section.head == ":metric")
    fix = "write (:metric minimize (total-cost)) or (:metric maximize (reward))"
    section.check(len(items) == 2, ":metric", f"{fix}.")
    refuse_unsupported(items[1], ":metric")
    wanted = items[0].word, items[1].word or items[1].head
    section.check(
        wanted in METRICS,
        ":metric",
        f"{section} is about numeric fluents that are not supported; {fix}.",
    )
    return METRICS[wanted]
