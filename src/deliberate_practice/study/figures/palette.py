"""Colours that colour-blind readers can tell apart; a strategy has the same one everywhere."""

from __future__ import annotations

from collections.abc import Iterable

STRATEGIES = {
    "deliberate": "#0072B2",
    "deliberate-paper": "#56B4E9",
    "ees": "#D55E00",
    "competence-improvement": "#009E73",
    "least-competent": "#CC79A7",
    "random": "#7F7F7F",
    "uniform": "#E69F00",
    "ees-episode": "#8C510A",
    "ees-predicators": "#B2A100",
}
"""Okabe and Ito's palette for the strategies of the paper, and two more for others of ours."""

MORE = ("#332288", "#88CCEE", "#117733", "#DDCC77", "#CC6677", "#AA4499", "#44AA99", "#999933")
"""Tol's muted palette, for what has no colour of its own."""

GREY, PALE = "#595959", "#BDBDBD"


def of_strategy(name: str) -> str:
    """The colour of a strategy; one of somebody's own always gets the same of the others."""
    return STRATEGIES.get(name) or MORE[sum(name.encode()) % len(MORE)]


def of_goals(goals: Iterable[str]) -> dict[str, str]:
    """Colours of goals from light to dark, in the order of the task; none is grey."""
    named = [goal for goal in dict.fromkeys(goals) if goal != "none"]
    shades = ("#D9A400", "#3E9B6E", "#31688E", "#440154")  # also in order when printed in grey
    steps = [round(i * 3 / max(1, len(named) - 1)) for i in range(len(named))]
    if len(named) > len(shades):
        colours = [MORE[i % len(MORE)] for i in range(len(named))]
    else:
        colours = [shades[step] for step in steps]
    return {**dict(zip(named, colours, strict=True)), "none": PALE}


def of_skills(skills: Iterable[str]) -> dict[str, str]:
    """Colours of skills; where there are more than colours, skills of a kind share one."""
    names = list(dict.fromkeys(skills))
    wheel = (*STRATEGIES.values(), *MORE)
    if len(names) <= len(wheel):
        return {name: wheel[i] for i, name in enumerate(names)}
    kinds = list(dict.fromkeys(kind(name) for name in names))
    return {name: wheel[kinds.index(kind(name)) % len(wheel)] for name in names}


def kind(skill: str) -> str:
    """``Place(object2,top)`` is a kind of ``Place``."""
    return skill.partition("(")[0]
