"""The ``[[skills]]`` tables beside PDDL files: competences, curves and failures of actions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskError, choose_from, shown
from deliberate_practice.task.entries import LEARNING_KEYS, learning, named
from deliberate_practice.task.pddl.conditions import (
    Condition,
    Literal as Fact,
    Scope,
    conjuncts,
    joined,
    read_condition,
)
from deliberate_practice.task.pddl.domain import Domain, Schema
from deliberate_practice.task.pddl.grounding import Arguments, instance_name
from deliberate_practice.task.pddl.problem import Problem
from deliberate_practice.task.pddl.sexpr import parse

ALL = "*"
"""The schema of an entry whose values are the defaults of all others; any argument."""

Failure = Literal["end", "stay"] | tuple[Fact, ...]


@dataclass(frozen=True)
class Entry:
    """One ``[[skills]]`` table: the actions that it matches, and its values.

    Attributes:
        place: Where it is, for messages.
        schema: The name of an action schema, or ``*``.
        pattern: The arguments that it matches, ``*`` for any.
        failure: What follows a failure.
        stated: The other values.
    """

    place: str
    schema: str
    pattern: Arguments
    failure: Failure
    stated: Mapping[str, Any]

    def matches(self, schema: Schema, arguments: Arguments) -> bool:
        """Whether an action is one of those that the table names."""
        return self.schema == schema.name and all(
            wanted in (ALL, name) for wanted, name in zip(self.pattern, arguments, strict=True)
        )

    def policy(self, schema: Schema, arguments: Arguments) -> str:
        """The stated policy, with arguments for its ``?parameters``; empty if there is none."""
        values = dict(zip(schema.parameters, arguments, strict=True))
        return _filled(self.place, self.stated.get("policy", ""), values)


@dataclass(frozen=True)
class Entries:
    """All ``[[skills]]`` tables; the first match applies to an action.

    Attributes:
        entries: The tables with a schema, in file order.
        default: The table of all actions that no other one matches, if there is one.
    """

    entries: Sequence[Entry]
    default: Entry | None = field(default=None)

    def of(self, schema: Schema, arguments: Arguments) -> Entry:
        """The table that applies to an action."""
        for entry in self.entries:
            if entry.matches(schema, arguments):
                return entry
        if self.default:
            return self.default
        raise TaskError(
            "skills",
            f"no entry matches {instance_name(schema, arguments)}; add a [[skills]] entry with "
            f'schema = "{schema.name}" and without arguments after the others.',
        )

    def failure(self, schema: Schema, arguments: Arguments) -> Sequence[Fact]:
        """The literals that a failure of an action makes true."""
        failure = self.of(schema, arguments).failure
        return () if isinstance(failure, str) else failure


def read_entries(tables: Sequence[Mapping[str, Any]], domain: Domain, problem: Problem) -> Entries:
    """Read all tables; the values of the one with schema ``*`` are defaults of the others.

    Raises:
        TaskError: A table is not valid, or an action has none.
    """
    general = [number for number, table in enumerate(tables) if table.get("schema") == ALL]
    if len(general) > 1:
        place = f"skill '{ALL}' (number {general[1] + 1})"
        raise TaskError(place, f'there are two entries with schema = "{ALL}"; join them.')
    defaults = {
        key: value for number in general for key, value in tables[number].items() if key != "schema"
    }
    entries = [
        _entry(named("skill", i, table, "schema"), table, defaults, domain, problem)
        for i, table in enumerate(tables, 1)
    ]
    stated = {entry.schema for entry in entries}
    for name in domain.schemas:
        if not {name, ALL} & stated:
            fix = f'add a [[skills]] entry with schema = "{name}" and its competence'
            raise TaskError(
                "skills",
                f"the action '{name}' has no entry; {fix}, or one for all: schema = \"{ALL}\".",
            )
    return Entries(
        [entry for entry in entries if entry.schema != ALL],
        next((entry for entry in entries if entry.schema == ALL), None),
    )


def _entry(
    place: str,
    table: Mapping[str, Any],
    defaults: Mapping[str, Any],
    domain: Domain,
    problem: Problem,
) -> Entry:
    general = table.get("schema") == ALL
    own = ["failure"] if general else ["arguments", "failure"]
    checks.keys(place, table, ["schema"], [*own, *LEARNING_KEYS])
    name = checks.word(f"{place}: schema", table["schema"]).lower()
    checks.one_of(f"{place}: schema", name, [*domain.schemas, ALL])
    schema = domain.schemas.get(name)
    parameters = schema.parameters if schema else {}
    stated = learning(place, {**defaults, **table})
    _filled(place, stated.get("policy", ""), {key: key for key in parameters})  # a check
    scope = Scope(f"{place}: failure", domain.vocabulary, {**problem.objects, **parameters})
    return Entry(
        place=place,
        schema=name,
        pattern=_pattern(f"{place}: arguments", table, schema, domain, problem) if schema else (),
        failure=_failure({**defaults, **table}.get("failure", "end"), scope),
        stated=stated,
    )


def _pattern(
    place: str, table: Mapping[str, Any], schema: Schema, domain: Domain, problem: Problem
) -> Arguments:
    """The arguments to match, ``*`` for any."""
    if "arguments" not in table:
        return (ALL,) * len(schema.parameters)
    given = checks.listing(place, table["arguments"])
    if len(given) != len(schema.parameters):
        wanted = f"({', '.join(schema.parameters)})"
        fix = f"'{schema.name}' takes {len(schema.parameters)} {wanted}; use \"*\" for any."
        raise TaskError(place, f"{shown(given)} has {len(given)} arguments; {fix}")
    pattern = tuple(checks.word(place, argument).lower() for argument in given)
    is_a = domain.vocabulary.is_a
    for argument, kind in zip(pattern, schema.parameters.values(), strict=True):
        fitting = [name for name, own in problem.objects.items() if is_a(own, kind)]
        checks.one_of(place, argument, (ALL, *fitting))
    return pattern


def _failure(value: Any, scope: Scope) -> Failure:
    place = scope.place
    if value in ("end", "stay"):
        word: Literal["end", "stay"] = value
        return word
    if not isinstance(value, list) or not value:
        valid = '"end", "stay" or a list of PDDL literals such as ["(on-floor ?o)"]'
        raise TaskError(place, f"{shown(value)} is not a failure; write {valid}.")
    facts: list[Fact] = []
    for part in conjuncts(read_conditions(value, scope)):
        if not isinstance(part, Fact):
            raise TaskError(
                place, f"{shown(value)}: a failure makes literals true; write each one."
            )
        if part.atom[0] == "=":
            raise TaskError(place, f"{shown(value)}: '=' cannot become true by failure; remove it.")
        facts.append(part)
    return tuple(facts)


def read_conditions(texts: Sequence[Any], scope: Scope) -> Condition:
    """The condition that all of the texts hold."""
    parts = []
    for i, text in enumerate(texts, 1):
        here = Scope(f"{scope.place}: literal {i}", scope.vocabulary, scope.terms)
        with checks.inside(here.place):
            node = parse(checks.word("", text))
        parts.append(read_condition(node, here))
    return joined(True, parts)


def _filled(place: str, template: str, values: Mapping[str, str]) -> str:
    """The template with values for its ``?parameters``."""

    def value(found: re.Match[str]) -> str:
        parameter = found.group().lower()
        if parameter not in values:
            raise TaskError(f"{place}: policy", choose_from(parameter, values))
        return values[parameter]

    return re.sub(r"\?[^\s(),]+", value, template)
