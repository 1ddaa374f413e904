"""Sort results into groups: by anything they share, and into the panels of a chart."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Items by their key, in the order in which keys first occur.

    >>> grouped(["pick", "open", "place"], lambda word: word[0])
    {'p': ['pick', 'place'], 'o': ['open']}
    """
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def grid(
    items: Iterable[Item], place: Callable[[Item], tuple[str, int]]
) -> list[tuple[str, int, list[Item]]]:
    """Title, budget and items of each panel: a row for every setting, a column per budget.

    Args:
        items: What the panels show.
        place: The setting and the budget of an item.
    """
    found = grouped(items, place)
    settings = list(dict.fromkeys(setting for setting, _ in found))
    budgets = sorted({budget for _, budget in found})
    return [
        (
            f"budget {budget}" + (f", {setting}" if len(settings) > 1 else ""),
            budget,
            found.get((setting, budget), []),
        )
        for setting in settings
        for budget in budgets
    ]
