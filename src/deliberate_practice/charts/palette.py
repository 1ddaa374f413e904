"""Looks that colour-blind readers can distinguish; a strategy has the same one everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from deliberate_practice.charts.chart import Look

STRATEGIES = {
    "deliberate": Look("#0072B2", (), "circle"),
    "deliberate-paper": Look("#56B4E9", (4, 1.5), "square"),
    "ees": Look("#D55E00", (1.2, 1.2), "triangle-up"),
    "competence-improvement": Look("#009E73", (6, 1.5, 1.2, 1.5), "diamond"),
    "least-competent": Look("#CC79A7", (3, 1.2, 1, 1.2, 1, 1.2), "triangle-down"),
    "random": Look("#7F7F7F", (2.5, 2.5), "x"),
    "uniform": Look("#E69F00", (8, 2), "cross"),
    "ees-episode": Look("#8C510A", (1, 2.5), "triangle-left"),
    "ees-predicators": Look("#B2A100", (5, 1, 1, 1, 1, 1), "triangle-right"),
    "kalman-gain": Look("#6A3D9A", (3, 1, 1, 3), "star"),
}
"""Okabe and Ito's palette for the strategies of the paper, and more for the others."""

GREY, PALE = "#595959", "#BDBDBD"
SCALE = ("#FFFFFF", "#000000")
"""Shades of a heat map, from the smallest value to the largest."""

SOLVERS = {"plans": "#0072B2", "scip": "#D55E00", "gurobi": "#009E73"}
STOPPED = {"scip": "#E9A87C", "gurobi": "#7FCDB5"}
"""Solvers that reached their time limit, in paler shades of their colours."""

ACCENT = STRATEGIES["deliberate"].colour
"""The one colour of a page that shows a session."""

OUTCOMES = {
    "success": Look("#009E73", marker="circle"),
    "failure": Look("#D55E00", marker="x"),
    "unreached": Look("#E69F00", marker="triangle-down"),
    "aborted": Look("#CC79A7", marker="square"),
    "assisted": Look("#56B4E9", marker="diamond"),
    "refused": Look("#7F7F7F", marker="cross"),
}
"""Outcomes differ in colour and in shape."""

OTHERS = (
    Look("#332288", (5, 2), "pentagon"),
    Look("#88CCEE", (2, 1), "hexagon"),
    Look("#117733", (7, 1, 1, 1), "star"),
    Look("#DDCC77", (1, 1, 3, 1), "cross"),
    Look("#CC6677", (3, 3), "pentagon"),
    Look("#AA4499", (9, 2), "hexagon"),
    Look("#44AA99", (2, 1, 2, 3), "star"),
    Look("#999933", (1, 3), "cross"),
)
"""Tol's muted palette, for user-defined strategies."""

MORE = tuple(look.colour for look in OTHERS)
"""For everything without its own colour."""

WHEEL = (*(look.colour for look in STRATEGIES.values()), *MORE)
DASHES = ((), *(look.dash for look in OTHERS))


DARK_PAPER, DARK_INK = "#15181c", "#e8e8e8"
"""Background and text of a dark page."""
DISTINCT = 4.5
"""The least contrast of lines and areas with a dark background, as WCAG 2 asks for text."""
STEPS = 20
"""Steps from a colour to white."""


def on_dark(colour: str) -> str:
    """The colour for a dark page: mixed with white until it is distinct from the background.

    >>> on_dark("#E69F00"), on_dark("#440154")
    ('#E69F00', '#a280aa')
    """
    parts = _parts(colour)
    for step in range(STEPS):
        mixed = [round(part + (255 - part) * step / STEPS) for part in parts]
        if _contrast(mixed, _parts(DARK_PAPER)) >= DISTINCT:
            return "#{:02x}{:02x}{:02x}".format(*mixed) if step else colour
    return "#ffffff"


def of_strategies(names: Iterable[str]) -> dict[str, Look]:
    """The looks of strategies: fixed for built-in ones, by order for others, no two alike.

    A name with options, such as ``ees:ahead=1``, has its own look.

    Args:
        names: All strategies shown together, in one chart or one report.
    """
    shown = dict.fromkeys(names)
    others = [name for name in shown if name not in STRATEGIES]
    return {name: STRATEGIES.get(name) or _other(others.index(name)) for name in shown}


def of_lines(names: Iterable[str]) -> dict[str, Look]:
    """Looks of lines: one colour each; if there are more lines than colours, dashes differ."""
    return {
        name: Look(WHEEL[i % len(WHEEL)], DASHES[i // len(WHEEL) % len(DASHES)])
        for i, name in enumerate(dict.fromkeys(names))
    }


def of_goals(goals: Iterable[str]) -> dict[str, Look]:
    """Looks of goals from light to dark, in the order of the task; none is grey."""
    named = [goal for goal in dict.fromkeys(goals) if goal != "none"]
    shades = ("#D9A400", "#3E9B6E", "#31688E", "#440154")  # still in order when printed in grey
    if len(named) > len(shades):
        colours = [MORE[i % len(MORE)] for i in range(len(named))]
    else:
        colours = [shades[round(i * 3 / max(1, len(named) - 1))] for i in range(len(named))]
    return {**dict(zip(named, map(Look, colours), strict=True)), "none": Look(PALE)}


def _other(number: int) -> Look:
    """One of infinitely many looks: colours first, then dashes and shapes, then longer dashes."""
    count = len(OTHERS)
    look = OTHERS[(number + number // count) % count]
    dash = tuple(length * (1 + number // count**2) for length in look.dash)
    return Look(MORE[number % count], dash, look.marker)


def _parts(colour: str) -> list[int]:
    """Red, green and blue, from 0 to 255."""
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def _contrast(first: Sequence[int], second: Sequence[int]) -> float:
    """The contrast of two colours by WCAG 2, from 1 to 21."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(parts: Sequence[int]) -> float:
    linear = [
        part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4
        for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
