"""The vocabulary of a PDDL domain: types, constants, predicates and functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deliberate_practice.foundation.errors import choose_from
from deliberate_practice.task.pddl.sections import (
    CHANGES,
    UNSUPPORTED,
    WORDS,
    contents,
    refuse_unsupported,
)
from deliberate_practice.task.pddl.sexpr import Node

COST, REWARD = "total-cost", "reward"

SUMS = {COST: (), REWARD: ()}
"""Functions that only actions may change; they need no declaration."""


@dataclass(frozen=True)
class Vocabulary:
    """The names of a domain.

    A type is written as a word, and a union of types as several words with spaces between them.

    Attributes:
        parents: The supertype of every type, which for ``object`` is itself.
        predicates: The types of the arguments of each predicate.
        functions: The same for functions.
        constants: The type of each constant.
    """

    parents: Mapping[str, str]
    predicates: Mapping[str, tuple[str, ...]]
    functions: Mapping[str, tuple[str, ...]]
    constants: Mapping[str, str]

    def is_a(self, kind: str, other: str) -> bool:
        """Whether everything of a type is of another type."""
        if kind == other or "object" in (names := other.split()):
            return True
        return all(
            name in names or (name != "object" and self.is_a(self.parents[name], other))
            for name in kind.split()
        )


def read_vocabulary(sections: Sequence[Node]) -> Vocabulary:
    """Read the sections of a domain that declare names.

    Raises:
        TaskError: A name is declared twice or has an unknown type.
    """
    parents = {"object": "object"}
    for node, kind in _typed(contents(sections, ":types"), ":types"):
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
        for name in kind.split():
            parents.setdefault(name, "object")  # a type may first appear as a supertype
        parents[node.word] = kind
    _check_circles(parents, sections)
    return Vocabulary(
        parents,
        _declared(sections, ":predicates", "predicate", "(on ?x ?y)", parents),
        {**_declared(sections, ":functions", "function", "(distance ?x ?y)", parents), **SUMS},
        read_objects(contents(sections, ":constants"), ":constants", parents, {}),
    )


def read_objects(
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


def read_parameters(
    nodes: Sequence[Node], place: str, parents: Mapping[str, str]
) -> dict[str, str]:
    """The parameters of a typed list, with their types."""
    parameters: dict[str, str] = {}
    for node, kind in _typed(nodes, place):
        _check_type(node, place, kind, parents)
        node.check(
            node.word.startswith("?"), place, f"'{node}' is not a parameter; write '?{node}'."
        )
        node.check(node.word not in parameters, place, f"'{node}' occurs twice; rename one.")
        parameters[node.word] = kind
    return parameters


def _typed(nodes: Sequence[Node], place: str) -> Iterator[tuple[Node, str]]:
    """Words of a typed list ``a b - kind c`` with their types, ``object`` by default."""
    waiting: list[Node] = []
    rest = iter(nodes)
    for node in rest:
        if node.word != "-":
            refuse_unsupported(node, place)
            node.check(
                node.word, place, f"{node} is a list where a name is needed; write the name."
            )
            waiting.append(node)
            continue
        kind = next(rest, None)
        if kind is None or not waiting:
            raise node.fault(place, "'-' needs names before it and a type after it.")
        yield from ((name, _kind(kind, place)) for name in waiting)
        waiting = []
    yield from ((name, "object") for name in waiting)


def _kind(node: Node, place: str) -> str:
    """A type, or ``(either a b)``."""
    if node.word:
        return node.word
    node.check(
        node.head == "either" and len(node.items) > 1 and all(item.word for item in node.items),
        place,
        f"{node} is a list where a type is needed; write its name, or (either A B).",
    )
    return " ".join(dict.fromkeys(item.word for item in node.items[1:]))


def _check_circles(parents: Mapping[str, str], sections: Sequence[Node]) -> None:
    for kind in parents:
        above = {kind}
        for _ in parents:
            above = {name for below in above for name in parents[below].split()}
        if above != {"object"}:
            section = next(section for section in sections if section.head == ":types")
            raise section.fault(":types", f"'{kind}' is below itself; remove the cycle.")


def _check_type(node: Node, place: str, kind: str, parents: Mapping[str, str]) -> None:
    for name in kind.split():
        if name not in parents:
            raise node.fault(
                place, f"the type of '{node}' is not declared: " + choose_from(name, parents)
            )


def _declared(
    sections: Sequence[Node], head: str, what: str, example: str, parents: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """The predicates or functions of a section, with the types of their arguments."""
    declared: dict[str, tuple[str, ...]] = {}
    nodes = iter(contents(sections, head))
    for node in nodes:
        if node.word == "-" and head == ":functions":  # the type of the values before it
            kind = next(nodes, node)
            kind.check(
                kind.word == "number", head, f"'{kind}' is not a type of values; write number."
            )
            continue
        node.check(
            node.head not in ("", "=", *WORDS, *CHANGES, *UNSUPPORTED),
            head,
            f"{node} is not a {what}; write e.g. {example}.",
        )
        node.check(
            node.head not in declared, head, f"'{node.head}' is declared twice; leave out one."
        )
        declared[node.head] = tuple(read_parameters(node.items[1:], head, parents).values())
    return declared
