"""The sections of a PDDL file, and the parts of the language that are not supported."""

from __future__ import annotations

import re
from collections.abc import Sequence

from deliberate_practice.foundation.errors import TaskError, choose_from
from deliberate_practice.task.pddl.sexpr import Node, parse

REQUIREMENTS = (
    ":strips",
    ":typing",
    ":negative-preconditions",
    ":equality",
    ":disjunctive-preconditions",
    ":existential-preconditions",
    ":universal-preconditions",
    ":quantified-preconditions",
    ":conditional-effects",
    ":adl",
    ":action-costs",
    ":fluents",
    ":numeric-fluents",
    ":probabilistic-effects",
    ":rewards",
    ":mdp",
)
"""Numeric fluents are accepted as the tables and sums of action costs and rewards alone."""

WORDS = ("and", "or", "not", "imply", "forall", "exists", "when", "probabilistic")
"""Words of conditions and effects."""

CHANGES = ("increase", "decrease")
"""Words of effects on sums."""

NOTHING = re.compile(r"\A(?:\s|;[^\n]*(?:\n|\Z))*")
"""Text that may precede a list: spaces, line ends and comments."""

BEGINNING = re.compile(NOTHING.pattern + r"\(\s*define\s*\(\s*(?:domain|problem)\b", re.IGNORECASE)
"""The beginning of every PDDL file."""

_NUMBERS = "Describe amounts that matter by predicates; only total-cost and reward are counted."
_TIME = "Describe the order of actions by predicates, and times by 'seconds' in the TOML."

UNSUPPORTED = {
    "preference": ("a preference", "State goals with rewards in the TOML."),
    ":constraints": ("constraints", "Describe them by preconditions."),
    "oneof": ("an outcome without a probability", "Write (probabilistic 0.5 ... 0.5 ...)."),
    ":derived": ("a derived predicate", "Write its condition where the predicate is used."),
    ":axiom": ("an axiom", "Write its condition where it is used."),
    ":durative-action": ("a durative action", _TIME),
    ":process": ("a process", _TIME),
    ":event": ("an event", _TIME),
    **dict.fromkeys(("<", ">", "<=", ">=", "+", "-", "*", "/"), ("arithmetic", _NUMBERS)),
    **dict.fromkeys(("assign", "scale-up", "scale-down"), ("a numeric effect", _NUMBERS)),
}
"""Words that a list may begin with: their meaning, and a way without them."""


def define(text: str, file: str, kind: str, known: Sequence[str]) -> tuple[str, Sequence[Node]]:
    """Name and sections of a file ``(define (kind name) section...)``; unknown ones are refused.

    Raises:
        TaskError: The file is another one, or has unknown sections or requirements.
    """
    fix = f"this is not a PDDL {kind}; begin with (define ({kind} NAME) ...)."
    if not BEGINNING.match(text):  # the message then quotes nothing from the file
        before = text[: len(text) - len(NOTHING.sub("", text, count=1))]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise TaskError("", fix, f"{file}:{line}:{column}")
    root = parse(text, file)
    title, *sections = root.items[1:]
    root.check(title.head == kind and len(title.items) == 2 and title.items[1].word, "", fix)
    for section in sections:
        refuse_unsupported(section, "")
        if section.head not in known:
            raise section.fault(
                "", "unknown section " + choose_from(section.head or str(section), known)
            )
    for node in contents(sections, ":requirements"):
        node.check(
            node.word in REQUIREMENTS,
            ":requirements",
            f"'{node}' is not supported; supported: {', '.join(REQUIREMENTS)}. "
            "Remove it if nothing in the file needs it.",
        )
    return title.items[1].word, sections


def refuse_unsupported(node: Node, place: str) -> None:
    """Raise an error if a list begins with an unsupported word."""
    if node.head in UNSUPPORTED:
        kind, fix = UNSUPPORTED[node.head]
        raise node.fault(place, f"'{node.head}' ({kind}) is not supported. {fix}")


def contents(sections: Sequence[Node], head: str) -> Sequence[Node]:
    """The items of the one section with that head; none if it is missing."""
    found = [section for section in sections if section.head == head]
    if len(found) > 1:
        raise found[1].fault(head, "there are two such sections; join them.")
    return found[0].items[1:] if found else ()
