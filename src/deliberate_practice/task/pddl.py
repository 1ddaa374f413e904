"""A task from a PDDL domain and problem, with a TOML file beside them.

Every ground atom that can change becomes a variable such as ``(on cup table)`` with the values
"no" and "yes", its initial value first. Every action that may be applicable becomes a skill such as
``place(cup,top)``. Rewards, competences, curves and failures come from the TOML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskError, choose_from, shown
from deliberate_practice.foundation.text_file import read_text
from deliberate_practice.task.entries import LEARNING_KEYS, learning, named, tables
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.pddl_grounding import (
    Arguments,
    Instance,
    instance_name,
    reachable_instances,
)
from deliberate_practice.task.pddl_syntax import (
    Atom,
    Domain,
    Literal as Fact,
    Problem,
    Schema,
    conjunction,
    read_domain,
    read_problem,
)
from deliberate_practice.task.sexpr import parse
from deliberate_practice.task.skill import Effect, Skill

TRUTH = {True: "yes", False: "no"}


def pddl_task(document: Mapping[str, Any], folder: Path) -> Task:
    """Build the task of a TOML document that has a ``[pddl]`` table.

    Args:
        document: The parsed TOML.
        folder: The folder of the PDDL files.

    Raises:
        TaskError: The TOML or a PDDL file is not valid.
        TaskTooLarge: There are too many instances of the actions.
    """
    checks.keys("", document, ["name", "pddl", "skills"], ["discount", "priors", "goals"])
    files = checks.table("pddl", document["pddl"])
    checks.keys("pddl", files, ["domain", "problem"], [])
    domain_file = folder / checks.word("pddl: domain", files["domain"])
    problem_file = folder / checks.word("pddl: problem", files["problem"])
    domain = read_domain(read_text(domain_file), str(domain_file))
    problem = read_problem(read_text(problem_file), str(problem_file), domain)
    entries = _Entries(
        [
            _entry(named("skill", i, entry, "schema"), entry, domain, problem)
            for i, entry in enumerate(tables(document, "skills"), 1)
        ],
        domain,
    )
    instances = reachable_instances(domain, problem, entries.failure)
    if not instances:
        raise TaskError("", "no action can ever be applied; check :init.", str(problem_file))
    goals = _goals(document, domain, problem, str(problem_file))
    variables = _variables(instances, goals, domain, problem)
    optional = {key: document[key] for key in ("discount", "priors") if key in document}
    return Task(
        name=document["name"],
        variables={
            _shown(atom): [TRUTH[atom in problem.init], TRUTH[atom not in problem.init]]
            for atom in variables
        },
        goals=[
            Goal(name, reward, {_shown(atom): TRUTH[true] for atom, true in when.items()})
            for name, reward, when in goals
        ],
        skills=[_skill(instance, entries, variables) for instance in instances],
        **optional,
    )


@dataclass(frozen=True)
class _Entry:
    """One ``[[skills]]`` table: the actions that it matches, and its values."""

    place: str
    schema: Schema
    pattern: Arguments
    failure: Literal["end", "stay"] | tuple[Fact, ...]
    stated: Mapping[str, Any]

    def matches(self, schema: Schema, arguments: Arguments) -> bool:
        return schema.name == self.schema.name and all(
            wanted in ("*", name) for wanted, name in zip(self.pattern, arguments, strict=True)
        )


class _Entries:
    """All ``[[skills]]`` tables; the first match applies to an instance."""

    def __init__(self, entries: Sequence[_Entry], domain: Domain) -> None:
        self._entries = entries
        named_schemas = {entry.schema.name for entry in entries}
        for name in domain.schemas:
            if name not in named_schemas:
                fix = f'add a [[skills]] entry with schema = "{name}" and its competence.'
                raise TaskError("skills", f"the action '{name}' has no entry; {fix}")

    def of(self, schema: Schema, arguments: Arguments) -> _Entry:
        for entry in self._entries:
            if entry.matches(schema, arguments):
                return entry
        raise TaskError(
            "skills",
            f"no entry matches {instance_name(schema, arguments)}; add a [[skills]] entry with "
            f'schema = "{schema.name}" and without arguments after the others.',
        )

    def failure(self, schema: Schema, arguments: Arguments) -> Sequence[Fact]:
        failure = self.of(schema, arguments).failure
        return () if isinstance(failure, str) else failure


def _entry(place: str, entry: Mapping[str, Any], domain: Domain, problem: Problem) -> _Entry:
    checks.keys(place, entry, ["schema"], ["arguments", "failure", *LEARNING_KEYS])
    name = checks.word(f"{place}: schema", entry["schema"]).lower()
    checks.one_of(f"{place}: schema", name, domain.schemas)
    schema = domain.schemas[name]
    terms = {**problem.objects, **schema.parameters}
    stated = learning(place, entry)
    _policy_name(place, stated.get("policy", ""), schema, tuple(schema.parameters))  # a check
    return _Entry(
        place=place,
        schema=schema,
        pattern=_pattern(f"{place}: arguments", entry, schema, domain, problem),
        failure=_failure(f"{place}: failure", entry.get("failure", "end"), domain, terms),
        stated=stated,
    )


def _pattern(
    place: str, entry: Mapping[str, Any], schema: Schema, domain: Domain, problem: Problem
) -> Arguments:
    """The arguments to match, ``*`` for any."""
    if "arguments" not in entry:
        return ("*",) * len(schema.parameters)
    given = checks.listing(place, entry["arguments"])
    if len(given) != len(schema.parameters):
        wanted = f"({', '.join(schema.parameters)})"
        fix = f"'{schema.name}' takes {len(schema.parameters)} {wanted}; use \"*\" for any."
        raise TaskError(place, f"{shown(given)} has {len(given)} arguments; {fix}")
    pattern = tuple(checks.word(place, argument).lower() for argument in given)
    for argument, kind in zip(pattern, schema.parameters.values(), strict=True):
        fitting = [name for name, own in problem.objects.items() if domain.is_a(own, kind)]
        checks.one_of(place, argument, ("*", *fitting))
    return pattern


def _failure(
    place: str, value: Any, domain: Domain, terms: Mapping[str, str]
) -> Literal["end", "stay"] | tuple[Fact, ...]:
    if value in ("end", "stay"):
        word: Literal["end", "stay"] = value
        return word
    if not isinstance(value, list) or not value:
        valid = '"end", "stay" or a list of PDDL literals such as ["(on-floor ?o)"]'
        raise TaskError(place, f"{shown(value)} is not a failure; write {valid}.")
    literals = _literals(place, value, domain, terms)
    if any(literal.atom[0] == "=" for literal in literals):
        raise TaskError(place, f"{shown(value)}: '=' cannot become true by failure; remove it.")
    return literals


def _literals(
    place: str, texts: Sequence[Any], domain: Domain, terms: Mapping[str, str]
) -> tuple[Fact, ...]:
    found: list[Fact] = []
    for i, text in enumerate(texts, 1):
        here = f"{place}: literal {i}"
        with checks.inside(here):
            node = parse(checks.word("", text))
        found.extend(conjunction(node, here, domain, terms))
    return tuple(found)


def _goals(
    document: Mapping[str, Any], domain: Domain, problem: Problem, problem_file: str
) -> list[tuple[str, float, dict[Atom, bool]]]:
    """Name, reward and condition of each goal, from the TOML or else from the problem."""
    goals = []
    for number, entry in enumerate(tables(document, "goals"), 1):
        place = named("goal", number, entry)
        checks.keys(place, entry, ["name", "reward", "when"], [])
        texts = checks.listing(f"{place}: when", entry["when"])
        literals = _literals(f"{place}: when", texts, domain, problem.objects)
        goals.append((entry["name"], entry["reward"], _condition(f"{place}: when", literals)))
    if goals:
        return goals
    if not problem.goal:
        fix = "state it there, or add [[goals]] to the TOML."
        raise TaskError(":goal", f"there is no goal; {fix}", problem_file)
    try:
        return [("goal", 1.0, _condition(":goal", problem.goal))]
    except TaskError as error:
        raise error.within(problem_file) from None


def _condition(place: str, literals: Iterable[Fact]) -> dict[Atom, bool]:
    condition: dict[Atom, bool] = {}
    for literal in literals:
        atom = literal.atom
        if atom[0] == "=" and (atom[1] == atom[2]) != literal.positive:
            raise TaskError(place, f"{_shown(atom)} can never be as stated; remove it.")
        if atom[0] != "=" and condition.setdefault(atom, literal.positive) != literal.positive:
            raise TaskError(place, f"{_shown(atom)} is both wanted and forbidden; remove one.")
    return condition


def _variables(
    instances: Iterable[Instance],
    goals: Iterable[tuple[str, float, Mapping[Atom, bool]]],
    domain: Domain,
    problem: Problem,
) -> Mapping[Atom, None]:
    """Atoms that can change or occur in goals, by predicate and objects in file order."""
    atoms = {atom for _, _, when in goals for atom in when}
    for instance in instances:
        for effect in (instance.effect, instance.failure):
            atoms |= {atom for atom, true in effect.items() if true != (atom in problem.init)}
    predicate = {name: i for i, name in enumerate(domain.predicates)}
    position = {name: i for i, name in enumerate(problem.objects)}

    def in_file_order(atom: Atom) -> tuple[int, list[int]]:
        return predicate[atom[0]], [position[name] for name in atom[1:]]

    return dict.fromkeys(sorted(atoms, key=in_file_order))


def _skill(instance: Instance, entries: _Entries, variables: Mapping[Atom, None]) -> Skill:
    entry = entries.of(instance.schema, instance.arguments)
    policy = _policy_name(
        entry.place, entry.stated.get("policy", ""), instance.schema, instance.arguments
    )

    def assigned(effect: Mapping[Atom, bool]) -> dict[str, str]:
        # An atom that is not a variable never changes, and already has the required value.
        return {_shown(atom): TRUTH[true] for atom, true in effect.items() if atom in variables}

    failure: Effect = (
        entry.failure if isinstance(entry.failure, str) else assigned(instance.failure)
    )
    with checks.inside(entry.place):
        return Skill(
            name=instance.name,
            precondition=assigned(instance.precondition),
            effect=assigned(instance.effect),
            failure=failure or "stay",
            **{**entry.stated, "policy": policy},
        )


def _policy_name(place: str, template: str, schema: Schema, arguments: Arguments) -> str:
    """The template with arguments for its ``?parameters``."""
    values = dict(zip(schema.parameters, arguments, strict=True))

    def value(found: re.Match[str]) -> str:
        parameter = found.group().lower()
        if parameter not in values:
            raise TaskError(f"{place}: policy", choose_from(parameter, values))
        return values[parameter]

    return re.sub(r"\?[^\s(),]+", value, template)


def _shown(atom: Atom) -> str:
    return f"({' '.join(atom)})"
