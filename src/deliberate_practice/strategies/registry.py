"""Strategies by name: ours, and any that another package offers.

A package offers one through the entry point group ``deliberate_practice.strategies``; in Python,
``register_strategy`` does the same.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from deliberate_practice.foundation.blame import told
from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.strategies.competence_improvement import competence_improvement
from deliberate_practice.strategies.deliberate import deliberate
from deliberate_practice.strategies.deliberate_paper import deliberate_paper
from deliberate_practice.strategies.ees import ees, ees_episode
from deliberate_practice.strategies.ees_predicators import ees_predicators
from deliberate_practice.strategies.least_competent import least_competent
from deliberate_practice.strategies.random_practice import random_practice
from deliberate_practice.strategies.strategy import Strategy
from deliberate_practice.strategies.uniform import uniform

STRATEGIES: dict[str, Strategy] = {
    "deliberate": deliberate,
    "deliberate-paper": deliberate_paper,
    "ees": ees,
    "ees-episode": ees_episode,
    "ees-predicators": ees_predicators,
    "competence-improvement": competence_improvement,
    "least-competent": least_competent,
    "random": random_practice,
    "uniform": uniform,
}

GROUP = "deliberate_practice.strategies"


def make_strategy(name: str) -> Strategy:
    """The strategy of that name."""
    if name in STRATEGIES:
        return STRATEGIES[name]
    offered = {point.name: point for point in entry_points(group=GROUP)}
    if name in offered:
        return _load(offered[name])
    raise ArgumentError("strategy: " + choose_from(name, [*STRATEGIES, *offered]))


def register_strategy(name: str, strategy: Strategy) -> None:
    """Make a strategy known under a name of its own.

    >>> register_strategy("first", lambda s: None)
    >>> make_strategy("first") is STRATEGIES.pop("first")
    True
    """
    if name in STRATEGIES:
        raise ArgumentError(f"strategy: '{name}' is taken; choose another name.")
    STRATEGIES[name] = strategy


def _load(point: EntryPoint) -> Strategy:
    """What another package offers."""
    try:
        loaded: Strategy = point.load()
    except Exception as error:
        raise ArgumentError(
            f"strategy: '{point.name}' is offered as {point.value}, which cannot be loaded: "
            f"{told(error)}"
        ) from error
    return loaded
