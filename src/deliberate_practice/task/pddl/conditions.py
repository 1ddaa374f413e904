"""Conditions of PDDL: literals joined by ``and``, ``or``, ``imply``, ``forall`` and ``exists``.

Negations are moved inwards as a condition is read, so that only atoms are negated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from deliberate_practice.foundation.errors import choose_from
from deliberate_practice.task.pddl.sections import WORDS, refuse_unsupported
from deliberate_practice.task.pddl.sexpr import Node
from deliberate_practice.task.pddl.vocabulary import Vocabulary, read_parameters

Atom: TypeAlias = tuple[str, ...]
"""A predicate and its arguments: parameters (``?x``) or objects."""


@dataclass(frozen=True)
class Literal:
    """An atom, or its negation; equality is the predicate ``=``."""

    atom: Atom
    positive: bool


@dataclass(frozen=True)
class Junction:
    """All of the parts (``every``), or at least one of them."""

    every: bool
    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Quantified:
    """The body for all objects (``every``), or for at least one choice of them."""

    every: bool
    parameters: Mapping[str, str]
    body: Condition


Condition: TypeAlias = Literal | Junction | Quantified


@dataclass(frozen=True)
class Scope:
    """The names that a condition or an effect may use.

    Attributes:
        place: Where it is, for messages.
        vocabulary: Types, predicates and functions.
        terms: Parameters and objects, with their types.
    """

    place: str
    vocabulary: Vocabulary
    terms: Mapping[str, str]

    def quantifier(self, node: Node) -> tuple[Mapping[str, str], Scope, Node]:
        """The parameters of ``(forall (?x - kind) body)``, the scope of the body, and the body."""
        node.check(
            len(node.items) == 3 and not node.items[1].word,
            self.place,
            f"{node}: write ({node.head} (?x - TYPE) ...).",
        )
        _, listed, body = node.items
        parameters = read_parameters(listed.items, self.place, self.vocabulary.parents)
        return parameters, replace(self, terms={**self.terms, **parameters}), body


def read_condition(node: Node, scope: Scope, positive: bool = True) -> Condition:
    """Read a condition, or its negation.

    Raises:
        TaskError: An unknown name, a wrong number of arguments, or a wrong type.
    """
    refuse_unsupported(node, scope.place)
    head = node.head
    if not node.word and (not node.items or head in ("and", "or")):
        parts = (read_condition(item, scope, positive) for item in node.items[1:])
        return joined((head != "or") == positive, parts)
    if head == "not":
        node.check(
            len(node.items) == 2,
            scope.place,
            f"{node}: 'not' takes one condition; write e.g. (not (on ?x ?y)).",
        )
        return read_condition(node.items[1], scope, not positive)
    if head == "imply":
        node.check(
            len(node.items) == 3,
            scope.place,
            f"{node}: 'imply' takes two conditions; write e.g. (imply (heavy ?x) (on ?x ?y)).",
        )
        _, reason, result = node.items
        parts = (
            read_condition(part, scope, sign)
            for part, sign in ((reason, not positive), (result, positive))
        )
        return joined(not positive, parts)
    if head in ("forall", "exists"):
        parameters, inner, body = scope.quantifier(node)
        every = (head == "forall") == positive
        return Quantified(every, parameters, read_condition(body, inner, positive))
    return Literal(read_atom(node, scope), positive)


def negation(condition: Condition) -> Condition:
    """The condition that holds where the given one does not."""
    if isinstance(condition, Literal):
        return Literal(condition.atom, not condition.positive)
    if isinstance(condition, Junction):
        return Junction(not condition.every, tuple(map(negation, condition.parts)))
    return replace(condition, every=not condition.every, body=negation(condition.body))


def literals(condition: Condition) -> Iterator[Literal]:
    """All literals in a condition."""
    if isinstance(condition, Literal):
        yield condition
    elif isinstance(condition, Junction):
        for part in condition.parts:
            yield from literals(part)
    else:
        yield from literals(condition.body)


def conjuncts(condition: Condition) -> tuple[Condition, ...]:
    """The parts that must all hold."""
    if isinstance(condition, Junction) and condition.every:
        return condition.parts
    return (condition,)


def joined(every: bool, parts: Iterable[Condition]) -> Condition:
    """A junction without junctions of its own kind in it."""
    flat: list[Condition] = []
    for part in parts:
        same = isinstance(part, Junction) and part.every == every
        flat.extend(part.parts if isinstance(part, Junction) and same else [part])
    return flat[0] if len(flat) == 1 else Junction(every, tuple(flat))


def read_atom(node: Node, scope: Scope) -> Atom:
    """An atom, with checked predicate, number of arguments, terms and types."""
    node.check(node.head, scope.place, f"'{node}' is not an atom; write e.g. (on ?x ?y).")
    if node.head in WORDS:
        raise node.fault(scope.place, f"'{node.head}' cannot stand here; write an atom.")
    if node.head == "=":
        return _applied(node, ("object", "object"), scope)
    predicates = scope.vocabulary.predicates
    if node.head not in predicates:
        raise node.fault(scope.place, "unknown predicate " + choose_from(node.head, predicates))
    return _applied(node, predicates[node.head], scope)


def read_function(node: Node, scope: Scope) -> Atom:
    """A function with its arguments, such as ``(distance ?a ?b)``; checked as atoms are."""
    refuse_unsupported(node, scope.place)
    functions, name = scope.vocabulary.functions, node.word or node.head
    if name not in functions:
        raise node.fault(
            scope.place, "unknown function " + choose_from(name or str(node), functions)
        )
    term = node if node.items else Node("", (node,), node.where)  # PPDDL: reward or (reward)
    return _applied(term, functions[name], scope)


def _applied(node: Node, kinds: tuple[str, ...], scope: Scope) -> Atom:
    arguments = node.items[1:]
    node.check(
        len(arguments) == len(kinds),
        scope.place,
        f"{node} has {len(arguments)} arguments; '{node.head}' takes {len(kinds)}.",
    )
    for argument, kind in zip(arguments, kinds, strict=True):
        _check_term(argument, kind, f"{scope.place}: {node}", scope)
    return (node.head, *(argument.word for argument in arguments))


def _check_term(node: Node, kind: str, place: str, scope: Scope) -> None:
    if not node.word:
        refuse_unsupported(node, place)
        raise node.fault(
            place,
            f"{node} is a list where a name is needed; numbers are compared nowhere. Only "
            "total-cost and reward are counted.",
        )
    if node.word not in scope.terms:
        what = "parameter" if node.word.startswith("?") else "object"
        raise node.fault(place, f"unknown {what} " + choose_from(node.word, scope.terms))
    own = scope.terms[node.word]
    node.check(
        scope.vocabulary.is_a(own, kind),
        place,
        f"'{node}' is a '{_named(own)}', but a '{_named(kind)}' is needed here; use another.",
    )


def _named(kind: str) -> str:
    return " or ".join(kind.split())
