"""Effects of PDDL and PPDDL: conditional, for all objects, by chance, with costs and rewards."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from deliberate_practice.task.pddl.conditions import (
    Atom,
    Condition,
    Literal,
    Scope,
    literals,
    negation,
    read_atom,
    read_condition,
    read_function,
)
from deliberate_practice.task.pddl.sections import CHANGES, refuse_unsupported
from deliberate_practice.task.pddl.sexpr import Node
from deliberate_practice.task.pddl.vocabulary import COST, REWARD

NUMBER = re.compile(
    r"-?(\d{1,20}(\.\d{0,20})?|\.\d{1,20})(e[+-]?\d{1,2})?|\d{1,20}/0*[1-9]\d{0,19}"
)
"""A number: decimal, or a fraction such as 1/3."""


@dataclass(frozen=True)
class Together:
    """All of the parts."""

    parts: tuple[Effect, ...]


@dataclass(frozen=True)
class When:
    """The effect, if the condition holds before the action."""

    condition: Condition
    effect: Effect


@dataclass(frozen=True)
class Each:
    """The effect for all objects of the parameters' types."""

    parameters: Mapping[str, str]
    effect: Effect


@dataclass(frozen=True)
class Chance:
    """One of the effects, by their probabilities; with the rest of probability, nothing."""

    options: tuple[tuple[Fraction, Effect], ...]


@dataclass(frozen=True)
class Earn:
    """An increase of total-cost or reward, by a number or by the value of a function."""

    sum: str
    amount: Fraction | Atom
    sign: int


Effect: TypeAlias = Literal | Together | When | Each | Chance | Earn


def read_effect(node: Node, scope: Scope) -> Effect:
    """Read an effect.

    Raises:
        TaskError: An unknown name, an invalid probability, or a part that is not supported.
    """
    refuse_unsupported(node, scope.place)
    head = node.head
    if not node.word and (not node.items or head == "and"):
        return Together(tuple(read_effect(item, scope) for item in node.items[1:]))
    if head == "forall":
        parameters, inner, body = scope.quantifier(node)
        return Each(parameters, read_effect(body, inner))
    if head == "when":
        return _when(node, scope)
    if head == "probabilistic":
        return _chance(node, scope)
    if head in CHANGES:
        return _earn(node, scope)
    if head == "not":
        node.check(
            len(node.items) == 2,
            scope.place,
            f"{node}: 'not' takes one atom; write e.g. (not (on ?x ?y)).",
        )
        return _literal(node.items[1], scope, positive=False)
    return _literal(node, scope, positive=True)


def parts(effect: Effect) -> tuple[Effect, ...]:
    """The parts of an effect that happen together, without any grouping."""
    if isinstance(effect, Together):
        return tuple(part for group in effect.parts for part in parts(group))
    return (effect,)


def conditions(effect: Effect) -> Iterator[Literal]:
    """All literals in the conditions of an effect."""
    if isinstance(effect, When):
        yield from literals(effect.condition)
    for part in _inside(effect):
        yield from conditions(part)


def _inside(effect: Effect) -> tuple[Effect, ...]:
    if isinstance(effect, Together):
        return effect.parts
    if isinstance(effect, When | Each):
        return (effect.effect,)
    if isinstance(effect, Chance):
        return tuple(option for _, option in effect.options)
    return ()


def _literal(node: Node, scope: Scope, positive: bool) -> Literal:
    refuse_unsupported(node, scope.place)
    node.check(node.head != "=", scope.place, "'=' cannot be an effect; remove it.")
    return Literal(read_atom(node, scope), positive)


def _when(node: Node, scope: Scope) -> Effect:
    node.check(
        len(node.items) == 3,
        scope.place,
        f"{node}: 'when' takes a condition and an effect; write e.g. (when (wet ?x) (clean ?x)).",
    )
    condition = read_condition(node.items[1], scope)
    effect = read_effect(node.items[2], scope)
    if isinstance(effect, Literal) and not effect.positive and condition == negation(effect):
        return effect  # deleting an atom where it holds is deleting it
    return When(condition, effect)


def _chance(node: Node, scope: Scope) -> Chance:
    rest = node.items[1:]
    node.check(
        rest and len(rest) % 2 == 0,
        scope.place,
        f"{node}: write a probability before each effect, e.g. (probabilistic 0.8 (wet ?x)).",
    )
    options = tuple(
        (read_number(number, scope.place), read_effect(effect, scope))
        for number, effect in zip(rest[::2], rest[1::2], strict=True)
    )
    for number, (probability, _) in zip(rest[::2], options, strict=True):
        number.check(
            0 <= probability <= 1,
            scope.place,
            f"'{number}' is not a probability; give a number from 0 to 1.",
        )
    total = sum(probability for probability, _ in options)
    node.check(
        total <= 1, scope.place, f"the probabilities sum to {float(total):.12g}, more than 1."
    )
    return Chance(options)


def _earn(node: Node, scope: Scope) -> Earn:
    node.check(
        len(node.items) == 3,
        scope.place,
        f"{node}: write a sum and an amount, e.g. ({node.head} (reward) 5).",
    )
    head, target, amount = node.items
    name = target.word or target.head
    target.check(
        name in (COST, REWARD),
        scope.place,
        f"{target} is a numeric fluent, which is not supported; only total-cost and reward are "
        "counted. Describe amounts that matter by predicates.",
    )
    target.check(len(target.items) < 2, scope.place, f"'{name}' takes no arguments.")
    node.check(
        name == REWARD or head.word == "increase",
        scope.place,
        "total-cost can only increase; use (increase (total-cost) ...).",
    )
    sign = 1 if head.word == "increase" else -1
    if NUMBER.fullmatch(amount.word):
        value = read_number(amount, scope.place)
        amount.check(
            name == REWARD or value >= 0, scope.place, f"'{amount}': a cost is at least 0."
        )
        return Earn(name, value, sign)
    function = read_function(amount, scope)
    amount.check(
        function[0] not in (COST, REWARD),
        scope.place,
        f"{amount} changes; increase by a number or by a table in :init.",
    )
    return Earn(name, function, sign)


def read_number(node: Node, place: str) -> Fraction:
    """A number, exactly as written."""
    node.check(
        NUMBER.fullmatch(node.word), place, f"{node} is not a number; write e.g. 0.25 or 1/4."
    )
    return Fraction(node.word)
