"""PDDL domains and problems as checked data: STRIPS, types, negative preconditions, equality."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from deliberate_practice.foundation.errors import TaskError, choose_from
from deliberate_practice.task.sexpr import Node, parse

Atom: TypeAlias = tuple[str, ...]
"""A predicate and its arguments: parameters (``?x``) or objects."""

REQUIREMENTS = (":strips", ":typing", ":negative-preconditions", ":equality")

NOTHING = re.compile(r"\A(?:\s|;[^\n]*(?:\n|\Z))*")
"""Text that may precede a list: spaces, line ends and comments."""

BEGINNING = re.compile(NOTHING.pattern + r"\(\s*define\s*\(\s*(?:domain|problem)\b", re.IGNORECASE)
"""The beginning of every PDDL file."""

SCHEMA_PARTS = (":parameters", ":precondition", ":effect")

UNSUPPORTED = {
    "or": "disjunction",
    "imply": "implication",
    "forall": "a quantifier",
    "exists": "a quantifier",
    "when": "a conditional effect",
    "preference": "a preference",
    **dict.fromkeys(("<", ">", "<=", ">=", "+", "*", "/"), "arithmetic"),
    **dict.fromkeys(
        ("increase", "decrease", "assign", "scale-up", "scale-down"), "a numeric effect"
    ),
    ":functions": "numeric fluents",
    ":metric": "numeric fluents",
    ":derived": "a derived predicate",
    ":durative-action": "a durative action",
    ":constraints": "constraints",
    "either": "a union of types",
}


@dataclass(frozen=True)
class Literal:
    """An atom, or its negation; equality is the predicate ``=``."""

    atom: Atom
    positive: bool


@dataclass(frozen=True)
class Schema:
    """An action schema, with the types of its parameters."""

    name: str
    parameters: Mapping[str, str]
    precondition: tuple[Literal, ...]
    effect: tuple[Literal, ...]


@dataclass(frozen=True)
class Domain:
    """A PDDL domain; ``parents`` has every type's supertype, which for ``object`` is itself."""

    name: str
    parents: Mapping[str, str]
    predicates: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, str]
    schemas: Mapping[str, Schema]

    def is_a(self, kind: str, other: str) -> bool:
        """Whether a type is another type or one of its subtypes."""
        while kind not in (other, "object"):
            kind = self.parents[kind]
        return kind == other


@dataclass(frozen=True)
class Problem:
    """A PDDL problem; ``objects`` begins with the constants, ``goal`` is None if not stated."""

    objects: Mapping[str, str]
    init: frozenset[Atom]
    goal: tuple[Literal, ...] | None


def read_domain(text: str, file: str) -> Domain:
    """Read a domain.

    Raises:
        TaskError: A mistake, or something that is not supported, with ``file:line:column``.
    """
    known = (":requirements", ":types", ":constants", ":predicates", ":action")
    name, sections = _define(text, file, "domain", known)
    parents = {"object": "object"}
    for node, kind in _typed(_section(sections, ":types"), ":types"):
        node.check(
            node.word != "object" or kind == "object",
            ":types",
            "'object' is the root type; leave it out.",
        )
        node.check(
            parents.get(node.word, kind) in ("object", kind),
            ":types",
            f"'{node.word}' has two supertypes; leave one out.",
        )
        parents.setdefault(kind, "object")  # a type may first appear as a supertype
        parents[node.word] = kind
    _check_circles(parents, sections)
    constants = _objects(_section(sections, ":constants"), ":constants", parents, {})
    domain = Domain(name, parents, _predicates(sections, parents), constants, {})
    schemas: dict[str, Schema] = {}
    for section in sections:
        if section.head == ":action":
            schema = _schema(section, domain)
            section.check(
                schema.name not in schemas,
                f"action '{schema.name}'",
                "it is defined twice; rename one.",
            )
            schemas[schema.name] = schema
    return Domain(name, parents, domain.predicates, constants, schemas)


def read_problem(text: str, file: str, domain: Domain) -> Problem:
    """Read a problem of the domain.

    Raises:
        TaskError: A mistake, or something that is not supported, with ``file:line:column``.
    """
    known = (":domain", ":requirements", ":objects", ":init", ":goal")
    _, sections = _define(text, file, "problem", known)
    for section in sections:
        if section.head == ":domain":
            section.check(
                str(section) == f"(:domain {domain.name})",
                ":domain",
                f"{section} is another domain; write (:domain {domain.name}) or name its file.",
            )
    objects = _objects(_section(sections, ":objects"), ":objects", domain.parents, domain.constants)
    init = set()
    for node in _section(sections, ":init"):
        literal = _literal(node, ":init", domain, objects)
        node.check(
            literal.atom[0] != "=",
            ":init",
            f"{node} is not a fact; leave it out (objects differ by name).",
        )
        if literal.positive:  # facts that are not stated are false
            init.add(literal.atom)
    goal = None
    for section in sections:
        if section.head == ":goal":
            section.check(
                len(section.items) == 2,
                ":goal",
                "write one condition, e.g. (:goal (and (on a b))).",
            )
            goal = tuple(conjunction(section.items[1], ":goal", domain, objects))
    return Problem(objects, frozenset(init), goal)


def conjunction(
    node: Node, place: str, domain: Domain, terms: Mapping[str, str]
) -> Iterator[Literal]:
    """The literals of a nested ``and``, or of a single literal.

    Args:
        node: The condition or effect.
        place: Where it is, for messages.
        domain: Predicates and types.
        terms: Parameters and objects that may be used, with their types.
    """
    if not node.word and (not node.items or node.head == "and"):
        for item in node.items[1:]:
            yield from conjunction(item, place, domain, terms)
    else:
        yield _literal(node, place, domain, terms)


def _define(text: str, file: str, kind: str, known: Sequence[str]) -> tuple[str, Sequence[Node]]:
    """Name and sections of a file ``(define (kind name) section...)``; unknown ones are refused."""
    fix = f"this is not a PDDL {kind}; begin with (define ({kind} NAME) ...)."
    if not BEGINNING.match(text):  # the message then quotes nothing from the file
        before = text[: len(text) - len(NOTHING.sub("", text, count=1))]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise TaskError("", fix, f"{file}:{line}:{column}")
    root = parse(text, file)
    title, *sections = root.items[1:]
    root.check(title.head == kind and len(title.items) == 2 and title.items[1].word, "", fix)
    for section in sections:
        _refuse_unsupported(section, "")
        if section.head not in known:
            raise section.fault(
                "", "unknown section " + choose_from(section.head or str(section), known)
            )
    for node in _section(sections, ":requirements"):
        node.check(
            node.word in REQUIREMENTS,
            ":requirements",
            f"'{node}' is not supported; supported: {', '.join(REQUIREMENTS)}. "
            "Remove it if nothing in the file needs it.",
        )
    return title.items[1].word, sections


def _refuse_unsupported(node: Node, place: str) -> None:
    if node.head in UNSUPPORTED:
        raise node.fault(
            place,
            f"'{node.head}' ({UNSUPPORTED[node.head]}) is not supported; only STRIPS with types, "
            "negative preconditions and equality is. Rewrite it with 'and', 'not', more actions.",
        )


def _section(sections: Sequence[Node], head: str) -> Sequence[Node]:
    found = [section for section in sections if section.head == head]
    if len(found) > 1:
        raise found[1].fault(head, "there are two such sections; join them.")
    return found[0].items[1:] if found else ()


def _typed(nodes: Sequence[Node], place: str) -> Iterator[tuple[Node, str]]:
    """Words of a typed list ``a b - kind c`` with their types, ``object`` by default."""
    waiting: list[Node] = []
    rest = iter(nodes)
    for node in rest:
        if node.word != "-":
            node.check(
                node.word, place, f"{node} is a list where a name is needed; write the name."
            )
            waiting.append(node)
            continue
        kind = next(rest, None)
        if kind is None or not waiting:
            raise node.fault(place, "'-' needs names before it and a type after it.")
        _refuse_unsupported(kind, place)
        kind.check(kind.word, place, f"{kind} is a list where a type is needed; write its name.")
        yield from ((name, kind.word) for name in waiting)
        waiting = []
    yield from ((name, "object") for name in waiting)


def _check_circles(parents: Mapping[str, str], sections: Sequence[Node]) -> None:
    for kind in parents:
        above = kind
        for _ in parents:
            above = parents[above]
        if above != "object":
            section = next(section for section in sections if section.head == ":types")
            raise section.fault(":types", f"'{kind}' is below itself; remove the cycle.")


def _objects(
    nodes: Sequence[Node], place: str, parents: Mapping[str, str], others: Mapping[str, str]
) -> dict[str, str]:
    """Given objects and those of a typed list, with their types."""
    objects = dict(others)
    for node, kind in _typed(nodes, place):
        _check_type(node, place, kind, parents)
        node.check(
            not node.word.startswith("?"),
            place,
            f"'{node}' is a parameter, not an object; drop the '?'.",
        )
        node.check(
            node.word not in objects, place, f"'{node}' is declared twice; leave out one of them."
        )
        objects[node.word] = kind
    return objects


def _check_type(node: Node, place: str, kind: str, parents: Mapping[str, str]) -> None:
    if kind not in parents:
        raise node.fault(
            place, f"the type of '{node}' is not declared: " + choose_from(kind, parents)
        )


def _predicates(sections: Sequence[Node], parents: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    predicates: dict[str, tuple[str, ...]] = {}
    for node in _section(sections, ":predicates"):
        node.check(
            node.head not in ("", "=", *UNSUPPORTED),
            ":predicates",
            f"{node} is not a predicate; write e.g. (on ?x ?y).",
        )
        node.check(
            node.head not in predicates,
            ":predicates",
            f"'{node.head}' is declared twice; leave out one.",
        )
        predicates[node.head] = tuple(_parameters(node.items[1:], ":predicates", parents).values())
    return predicates


def _parameters(nodes: Sequence[Node], place: str, parents: Mapping[str, str]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for node, kind in _typed(nodes, place):
        _check_type(node, place, kind, parents)
        node.check(
            node.word.startswith("?"), place, f"'{node}' is not a parameter; write '?{node}'."
        )
        node.check(node.word not in parameters, place, f"'{node}' occurs twice; rename one.")
        parameters[node.word] = kind
    return parameters


def _schema(section: Node, domain: Domain) -> Schema:
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
    parameters = _parameters(listed.items, f"{place}: parameters", domain.parents)
    terms = {**domain.constants, **parameters}
    precondition = conjunction(
        parts.get(":precondition", empty), f"{place}: precondition", domain, terms
    )
    effect = tuple(conjunction(parts[":effect"], f"{place}: effect", domain, terms))
    parts[":effect"].check(
        all(literal.atom[0] != "=" for literal in effect),
        f"{place}: effect",
        "'=' cannot be an effect; remove it.",
    )
    return Schema(name, parameters, tuple(precondition), effect)


def _literal(node: Node, place: str, domain: Domain, terms: Mapping[str, str]) -> Literal:
    """An atom or a negated atom, with checked predicate, number of arguments, terms and types."""
    _refuse_unsupported(node, place)
    if node.head == "not":
        node.check(
            len(node.items) == 2 and node.items[1].head not in ("", "not", "and"),
            place,
            f"{node}: 'not' takes one atom; write e.g. (not (on ?x ?y)).",
        )
        _refuse_unsupported(node.items[1], place)
        return Literal(_atom(node.items[1], place, domain, terms), positive=False)
    return Literal(_atom(node, place, domain, terms), positive=True)


def _atom(node: Node, place: str, domain: Domain, terms: Mapping[str, str]) -> Atom:
    node.check(node.head, place, f"'{node}' is not an atom; write e.g. (on ?x ?y).")
    if node.head == "=":
        kinds: tuple[str, ...] = ("object", "object")
    elif node.head in domain.predicates:
        kinds = domain.predicates[node.head]
    else:
        raise node.fault(place, "unknown predicate " + choose_from(node.head, domain.predicates))
    arguments = node.items[1:]
    node.check(
        len(arguments) == len(kinds),
        place,
        f"{node} has {len(arguments)} arguments; '{node.head}' takes {len(kinds)}.",
    )
    for argument, kind in zip(arguments, kinds, strict=True):
        _check_term(argument, kind, f"{place}: {node}", domain, terms)
    return (node.head, *(argument.word for argument in arguments))


def _check_term(
    node: Node, kind: str, place: str, domain: Domain, terms: Mapping[str, str]
) -> None:
    if not node.word:
        _refuse_unsupported(node, place)
        raise node.fault(
            place, f"{node} is a list where a name is needed; numbers are not supported."
        )
    if node.word not in terms:
        what = "parameter" if node.word.startswith("?") else "object"
        raise node.fault(place, f"unknown {what} " + choose_from(node.word, terms))
    node.check(
        domain.is_a(terms[node.word], kind),
        place,
        f"'{node}' is a '{terms[node.word]}', but a '{kind}' is needed here; use another.",
    )
