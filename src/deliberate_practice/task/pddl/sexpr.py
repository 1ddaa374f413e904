"""Nested lists in parentheses (S-expressions), with the position of every node."""

from __future__ import annotations

import re
from dataclasses import dataclass

from deliberate_practice.foundation.errors import TaskError

MAX_DEPTH = 100
"""The deepest nesting of lists; no sensible file comes close."""

TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")


@dataclass(frozen=True)
class Node:
    """A word in lower case, or a list of nodes.

    Attributes:
        word: The word, empty for a list.
        items: The items of the list, empty for a word.
        where: ``file:line:column``, or None for text without its own file.
    """

    word: str
    items: tuple[Node, ...]
    where: str | None

    @property
    def head(self) -> str:
        """The first word of a list, if it has one."""
        return self.items[0].word if self.items else ""

    def fault(self, place: str, message: str) -> TaskError:
        """An error at this position."""
        return TaskError(place, message, self.where)

    def check(self, sound: object, place: str, message: str) -> None:
        """Raise an error at this position unless a condition holds."""
        if not sound:
            raise self.fault(place, message)

    def __str__(self) -> str:
        """The text of the node, without comments and line ends."""
        return self.word or f"({' '.join(map(str, self.items))})"


def parse(text: str, file: str | None = None) -> Node:
    """Parse the single list in a text; comments run from ``;`` to the end of the line.

    Args:
        text: The text; case does not matter.
        file: Name of the file, for positions.

    Raises:
        TaskError: Parentheses do not match, or there is something before or after the list.
    """
    open_lists: list[tuple[str | None, list[Node]]] = []
    result: Node | None = None
    line, end = 1, 0
    for token in TOKEN.finditer(text):
        line += text.count("\n", end, token.start())
        line_start = text.rfind("\n", 0, token.start()) + 1
        end = token.start()
        where = f"{file}:{line}:{token.start() - line_start + 1}" if file else None
        shown = token.group()
        if shown.startswith(";"):
            continue
        if result is not None:
            raise TaskError(
                "", f"'{shown}' comes after the end; remove it, or a ')' before it.", where
            )
        if shown == "(":
            open_lists.append((where, []))
            if len(open_lists) > MAX_DEPTH:
                raise TaskError(
                    "", f"more than {MAX_DEPTH} lists inside each other; flatten them.", where
                )
            continue
        if not open_lists:
            raise TaskError("", f"'{shown}' is outside parentheses; begin with '('.", where)
        if shown == ")":
            began, items = open_lists.pop()
            node = Node("", tuple(items), began)
        else:
            node = Node(shown.lower(), (), where)
        if open_lists:
            open_lists[-1][1].append(node)
        else:
            result = node
    if open_lists:
        raise TaskError("", "this '(' is never closed; add a ')'.", open_lists[-1][0])
    if result is None:
        raise TaskError("", "there is nothing here; write '(' ... ')'.", file)
    return result
