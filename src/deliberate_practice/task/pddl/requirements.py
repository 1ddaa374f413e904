"""The requirements that a PDDL file states, and those of its content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from deliberate_practice.task.pddl.sections import CHANGES, REQUIREMENTS, contents
from deliberate_practice.task.pddl.sexpr import Node

ANYWHERE = {
    "or": ":disjunctive-preconditions",
    "imply": ":disjunctive-preconditions",
    "exists": ":existential-preconditions",
    "when": ":conditional-effects",
    "probabilistic": ":probabilistic-effects",
    "=": ":equality",
}
"""The requirement of a list that begins with this word."""

INCLUDED = {
    ":adl": REQUIREMENTS[: REQUIREMENTS.index(":adl")],
    ":quantified-preconditions": (":existential-preconditions", ":universal-preconditions"),
    ":mdp": (":probabilistic-effects", ":rewards"),
    ":fluents": (":action-costs", ":rewards"),
    ":numeric-fluents": (":action-costs", ":rewards"),
}
"""Requirements that stand for several others."""


def declared(sections: Sequence[Node]) -> tuple[str, ...]:
    """The requirements that a file states."""
    return tuple(node.word for node in contents(sections, ":requirements"))


def used(sections: Sequence[Node]) -> tuple[str, ...]:
    """The requirements of the content of a file, in the order of the language."""
    found = {":strips"}
    for section in sections:
        if section.head == ":action":
            for key, value in zip(section.items[2::2], section.items[3::2], strict=False):
                found.update(_of(value, key.word))
        elif section.head == ":init":
            drawn = any(fact.head == "probabilistic" for fact in section.items)
            found.update([":probabilistic-effects"] if drawn else [])
        elif section.head != ":requirements":
            found.update(_of(section, section.head))
    return tuple(name for name in REQUIREMENTS if name in found)


def unused(stated: Sequence[str], needed: Sequence[str]) -> tuple[str, ...]:
    """Stated requirements that nothing needs."""
    return tuple(
        name for name in stated if not {name, *INCLUDED.get(name, ())}.intersection(needed)
    )


def _of(node: Node, part: str) -> Iterator[str]:
    """The requirements of a list in a part of a file."""
    head = node.head
    if head in ANYWHERE:
        yield ANYWHERE[head]
    if head == "forall":
        effect = part == ":effect"
        yield ":conditional-effects" if effect else ":universal-preconditions"
    if head == "not" and part != ":effect":
        inner = node.items[1].head
        if inner in ("and", "or", "imply", "forall", "exists", "not"):
            yield ":disjunctive-preconditions"
        elif inner != "=":
            yield ":negative-preconditions"
    if head in CHANGES:
        sum = node.items[1].word or node.items[1].head
        yield ":action-costs" if sum == "total-cost" else ":rewards"
    if head == ":goal-reward":
        yield ":rewards"
    for item in node.items:
        if item.word == "-" and part != ":functions":
            yield ":typing"
        yield from _of(item, ":precondition" if head == "when" and item is node.items[1] else part)
