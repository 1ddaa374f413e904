"""A PDDL domain as checked data: its vocabulary and its action schemas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from deliberate_practice.foundation.errors import choose_from
from deliberate_practice.task.pddl import effects
from deliberate_practice.task.pddl.conditions import (
    Condition,
    Literal,
    Scope,
    conjuncts,
    literals,
    read_condition,
)
from deliberate_practice.task.pddl.effects import Effect, read_effect
from deliberate_practice.task.pddl.requirements import declared, used
from deliberate_practice.task.pddl.sections import define
from deliberate_practice.task.pddl.sexpr import Node
from deliberate_practice.task.pddl.vocabulary import Vocabulary, read_parameters, read_vocabulary

SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")

SCHEMA_PARTS = (":parameters", ":precondition", ":effect")


@dataclass(frozen=True)
class Schema:
    """An action schema.

    Attributes:
        name: Its name.
        parameters: Their types.
        precondition: Literals that must all hold.
        conditions: Other conditions that must hold.
        effect: Literals that always follow.
        effects: Other effects.
    """

    name: str
    parameters: Mapping[str, str]
    precondition: tuple[Literal, ...]
    conditions: tuple[Condition, ...]
    effect: tuple[Literal, ...]
    effects: tuple[Effect, ...]

    @property
    def simple(self) -> bool:
        """Whether precondition and effect are literals alone."""
        return not self.conditions and not self.effects

    @cached_property
    def watched(self) -> frozenset[str]:
        """Predicates on which its precondition and its conditional effects depend."""
        asked = [literal for condition in self.conditions for literal in literals(condition)]
        asked += [literal for effect in self.effects for literal in effects.conditions(effect)]
        return frozenset(literal.atom[0] for literal in (*self.precondition, *asked))


@dataclass(frozen=True)
class Domain:
    """A PDDL domain.

    Attributes:
        name: Its name.
        vocabulary: Types, predicates, functions and constants.
        schemas: The action schemas, by name.
        requirements: The requirements that the file states.
        used: The requirements of its content.
    """

    name: str
    vocabulary: Vocabulary
    schemas: Mapping[str, Schema]
    requirements: tuple[str, ...]
    used: tuple[str, ...]


def read_domain(text: str, file: str) -> Domain:
    """Read a domain.

    Raises:
        TaskError: A mistake, or something that is not supported, with ``file:line:column``.
    """
    name, sections = define(text, file, "domain", SECTIONS)
    vocabulary = read_vocabulary(sections)
    schemas: dict[str, Schema] = {}
    for section in sections:
        if section.head == ":action":
            schema = _schema(section, vocabulary)
            section.check(
                schema.name not in schemas,
                f"action '{schema.name}'",
                "it is defined twice; rename one.",
            )
            schemas[schema.name] = schema
    return Domain(name, vocabulary, schemas, declared(sections), used(sections))


def _schema(section: Node, vocabulary: Vocabulary) -> Schema:
    section.check(
        len(section.items) > 1 and section.items[1].word,
        "",
        "the action has no name; write (:action NAME ...).",
    )
    name, rest = section.items[1].word, section.items[2:]
    place = f"action '{name}'"
    parts: dict[str, Node] = {}
    for key, value in zip(rest[::2], rest[1::2], strict=False):
        if key.word not in SCHEMA_PARTS:
            raise key.fault(place, "unknown part " + choose_from(str(key), SCHEMA_PARTS))
        key.check(key.word not in parts, place, f"'{key}' is given twice; join the two.")
        parts[key.word] = value
    if len(rest) % 2:
        raise rest[-1].fault(place, f"'{rest[-1]}' has nothing after it; write its value.")
    section.check(
        ":effect" in parts, place, "it has no :effect; add one, e.g. :effect (holding ?x)."
    )
    empty = Node("", (), section.where)
    listed = parts.get(":parameters", empty)
    listed.check(not listed.word, f"{place}: parameters", "write a list, e.g. (?x - item).")
    parameters = read_parameters(listed.items, f"{place}: parameters", vocabulary.parents)
    terms = {**vocabulary.constants, **parameters}
    condition = read_condition(
        parts.get(":precondition", empty), Scope(f"{place}: precondition", vocabulary, terms)
    )
    effect = read_effect(parts[":effect"], Scope(f"{place}: effect", vocabulary, terms))
    required, following = conjuncts(condition), effects.parts(effect)
    return Schema(
        name,
        parameters,
        tuple(part for part in required if isinstance(part, Literal)),
        tuple(part for part in required if not isinstance(part, Literal)),
        tuple(part for part in following if isinstance(part, Literal)),
        tuple(part for part in following if not isinstance(part, Literal)),
    )
