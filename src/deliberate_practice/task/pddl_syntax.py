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
"""What may stand before a list: spaces, line ends and comments."""

BEGINNING = re.compile(NOTHING.pattern + r"\(\s*define\s*\(\s*(?:domain|problem)\b", re.IGNORECASE)
"""How a file begins that is PDDL."""

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
    """An action schema; parameters with their types."""

    name: str
    parameters: Mapping[str, str]
    precondition: tuple[Literal, ...]
    effect: tuple[Literal, ...]


@dataclass(frozen=True)
class Domain:
    """A PDDL domain; ``parents`` has every type's supertype, the root ``object`` has itself."""

    name: str
    parents: Mapping[str, str]
    predicates: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, str]
    schemas: Mapping[str, Schema]

    def is_a(self, kind: str, other: str) -> bool:
        """Whether a type is another one or below it."""
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
    name, sections = _define(_parsed(text, file, "domain"), "domain")
    known = (":requirements", ":types", ":constants", ":predicates", ":action")
    for section in sections:
        _known(section, known)
    _check_requirements(sections)
    parents = {"object": "object"}
    for node, kind in _typed(_section(sections, ":types"), ":types"):
        if node.word == "object" and kind != "object":
            raise node.fault(":types", "'object' is the type above all others; leave it out.")
        if node.word in parents and parents[node.word] not in ("object", kind):
            raise node.fault(":types", f"'{node.word}' has two types above it; leave one out.")
        parents.setdefault(kind, "object")  # a type may be named first as the one above others
        parents[node.word] = kind
    _check_circles(parents, sections)
    constants: dict[str, str] = {}
    _add_objects(_section(sections, ":constants"), ":constants", parents, constants)
    domain = Domain(name, parents, _predicates(sections, parents), constants, {})
    schemas: dict[str, Schema] = {}
    for section in sections:
        if section.head == ":action":
            schema = _schema(section, domain)
            if schema.name in schemas:
                raise section.fault(f"action '{schema.name}'", "it is defined twice; rename one.")
            schemas[schema.name] = schema
    return Domain(name, parents, domain.predicates, constants, schemas)


def read_problem(text: str, file: str, domain: Domain) -> Problem:
    """Read a problem of the domain.

    Raises:
        TaskError: A mistake, or something that is not supported, with ``file:line:column``.
    """
    _, sections = _define(_parsed(text, file, "problem"), "problem")
    known = (":domain", ":requirements", ":objects", ":init", ":goal")
    for section in sections:
        _known(section, known)
    _check_requirements(sections)
    for section in sections:
        if section.head == ":domain" and str(section) != f"(:domain {domain.name})":
            raise section.fault(
                ":domain",
                f"{section} is another domain; write (:domain {domain.name}) or name its file.",
            )
    objects = dict(domain.constants)
    _add_objects(_section(sections, ":objects"), ":objects", domain.parents, objects)
    init = set()
    for node in _section(sections, ":init"):
        literal = _literal(node, ":init", domain, objects)
        if literal.atom[0] == "=":
            raise node.fault(
                ":init", f"{node} is not a fact; leave it out (objects differ by name)."
            )
        if literal.positive:  # what is not stated is false
            init.add(literal.atom)
    goal = None
    for section in sections:
        if section.head == ":goal":
            if len(section.items) != 2:
                raise section.fault(":goal", "write one condition, e.g. (:goal (and (on a b))).")
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


def _parsed(text: str, file: str, kind: str) -> Node:
    """The one list of a file; nothing of a file that is not PDDL is quoted."""
    if BEGINNING.match(text):
        return parse(text, file)
    before = text[: len(text) - len(NOTHING.sub("", text, count=1))]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    fix = f"this is not a PDDL {kind}; begin with (define ({kind} NAME) ...)."
    raise TaskError("", fix, f"{file}:{line}:{column}")


def _define(root: Node, kind: str) -> tuple[str, Sequence[Node]]:
    """Name and sections of ``(define (kind name) section...)``."""
    title = root.items[1] if len(root.items) > 1 else root
    named = title.head == kind and len(title.items) == 2 and title.items[1].word
    if root.head != "define" or not named:
        raise root.fault("", f"this is not a PDDL {kind}; begin with (define ({kind} NAME) ...).")
    return title.items[1].word, root.items[2:]


def _known(section: Node, known: Sequence[str]) -> None:
    _refuse_unsupported(section, "")
    if section.head not in known:
        raise section.fault(
            "", "unknown section " + choose_from(section.head or str(section), known)
        )


def _refuse_unsupported(node: Node, place: str) -> None:
    if node.head in UNSUPPORTED:
        raise node.fault(
            place,
            f"'{node.head}' ({UNSUPPORTED[node.head]}) is not supported; only STRIPS with types, "
            "negative preconditions and equality is. Rewrite it with 'and', 'not', more actions.",
        )


def _check_requirements(sections: Sequence[Node]) -> None:
    for node in _section(sections, ":requirements"):
        if node.word not in REQUIREMENTS:
            raise node.fault(
                ":requirements",
                f"'{node}' is not supported; supported: {', '.join(REQUIREMENTS)}. "
                "Remove it if nothing in the file needs it.",
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
            if not node.word:
                raise node.fault(place, f"{node} is a list where a name is needed; write the name.")
            waiting.append(node)
            continue
        kind = next(rest, None)
        if kind is None or not waiting:
            raise node.fault(place, "'-' needs names before it and a type after it.")
        _refuse_unsupported(kind, place)
        if not kind.word:
            raise kind.fault(place, f"{kind} is a list where a type is needed; write its name.")
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
            raise section.fault(":types", f"'{kind}' is below itself; remove the circle.")


def _add_objects(
    nodes: Sequence[Node], place: str, parents: Mapping[str, str], objects: dict[str, str]
) -> None:
    for node, kind in _typed(nodes, place):
        _check_type(node, place, kind, parents)
        if node.word.startswith("?"):
            raise node.fault(place, f"'{node}' is a parameter, not an object; drop the '?'.")
        if node.word in objects:
            raise node.fault(place, f"'{node}' is declared twice; leave out one of them.")
        objects[node.word] = kind


def _check_type(node: Node, place: str, kind: str, parents: Mapping[str, str]) -> None:
    if kind not in parents:
        raise node.fault(
            place, f"the type of '{node}' is not declared: " + choose_from(kind, parents)
        )


def _predicates(sections: Sequence[Node], parents: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    predicates: dict[str, tuple[str, ...]] = {}
    for node in _section(sections, ":predicates"):
        if not node.head or node.head == "=" or node.head in UNSUPPORTED:
            raise node.fault(":predicates", f"{node} is not a predicate; write e.g. (on ?x ?y).")
        if node.head in predicates:
            raise node.fault(":predicates", f"'{node.head}' is declared twice; leave out one.")
        predicates[node.head] = tuple(_parameters(node.items[1:], ":predicates", parents).values())
    return predicates


def _parameters(nodes: Sequence[Node], place: str, parents: Mapping[str, str]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for node, kind in _typed(nodes, place):
        _check_type(node, place, kind, parents)
        if not node.word.startswith("?"):
            raise node.fault(place, f"'{node}' is not a parameter; write '?{node}'.")
        if node.word in parameters:
            raise node.fault(place, f"'{node}' occurs twice; rename one.")
        parameters[node.word] = kind
    return parameters


def _schema(section: Node, domain: Domain) -> Schema:
    if len(section.items) < 2 or not section.items[1].word:
        raise section.fault("", "the action has no name; write (:action NAME ...).")
    name, rest = section.items[1].word, section.items[2:]
    place = f"action '{name}'"
    parts: dict[str, Node] = {}
    for key, value in zip(rest[::2], rest[1::2], strict=False):
        if key.word not in SCHEMA_PARTS:
            raise key.fault(place, "unknown part " + choose_from(str(key), SCHEMA_PARTS))
        if key.word in parts:
            raise key.fault(place, f"'{key}' is given twice; join the two.")
        parts[key.word] = value
    if len(rest) % 2:
        raise rest[-1].fault(place, f"'{rest[-1]}' has nothing after it; write what belongs to it.")
    if ":effect" not in parts:
        raise section.fault(place, "it has no :effect; add one, e.g. :effect (holding ?x).")
    empty = Node("", (), section.where)
    if parts.get(":parameters", empty).word:
        raise parts[":parameters"].fault(f"{place}: parameters", "write a list, e.g. (?x - item).")
    parameters = _parameters(
        parts.get(":parameters", empty).items, f"{place}: parameters", domain.parents
    )
    terms = {**domain.constants, **parameters}
    precondition = conjunction(
        parts.get(":precondition", empty), f"{place}: precondition", domain, terms
    )
    effect = tuple(conjunction(parts[":effect"], f"{place}: effect", domain, terms))
    if any(literal.atom[0] == "=" for literal in effect):
        raise parts[":effect"].fault(f"{place}: effect", "'=' cannot be an effect; remove it.")
    return Schema(name, parameters, tuple(precondition), effect)


def _literal(node: Node, place: str, domain: Domain, terms: Mapping[str, str]) -> Literal:
    """An atom or a negated atom, with known predicate, number of arguments, terms and types."""
    _refuse_unsupported(node, place)
    if node.head == "not":
        if len(node.items) != 2 or node.items[1].head in ("", "not", "and"):
            raise node.fault(place, f"{node}: 'not' takes one atom; write e.g. (not (on ?x ?y)).")
        _refuse_unsupported(node.items[1], place)
        return Literal(_atom(node.items[1], place, domain, terms), positive=False)
    return Literal(_atom(node, place, domain, terms), positive=True)


def _atom(node: Node, place: str, domain: Domain, terms: Mapping[str, str]) -> Atom:
    if not node.head:
        raise node.fault(place, f"'{node}' is not an atom; write e.g. (on ?x ?y).")
    if node.head == "=":
        kinds: tuple[str, ...] = ("object", "object")
    elif node.head in domain.predicates:
        kinds = domain.predicates[node.head]
    else:
        raise node.fault(place, "unknown predicate " + choose_from(node.head, domain.predicates))
    arguments = node.items[1:]
    if len(arguments) != len(kinds):
        raise node.fault(
            place, f"{node} has {len(arguments)} arguments; '{node.head}' takes {len(kinds)}."
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
    if not domain.is_a(terms[node.word], kind):
        raise node.fault(
            place,
            f"'{node}' is a '{terms[node.word]}', but a '{kind}' is needed here; use another.",
        )
