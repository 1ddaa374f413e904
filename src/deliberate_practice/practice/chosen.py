"""A strategy or belief as it was chosen: by a registered name, or as a function of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from deliberate_practice.beliefs.belief import Belief
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.model import Task

if TYPE_CHECKING:
    from deliberate_practice.strategies.strategy import Strategy

MakeBelief = Callable[[Task], Belief]


def the_strategy(chosen: str | Strategy) -> Strategy:
    """The strategy itself.

    Raises:
        ArgumentError: There is none of that name, or it was a function.
    """
    if not isinstance(chosen, str):
        return chosen
    from deliberate_practice.strategies.strategy import STRATEGIES

    _refuse_function("strategy", chosen)
    return STRATEGIES.bound(chosen)


def the_belief(chosen: str | MakeBelief) -> MakeBelief:
    """What makes the belief for a task.

    Raises:
        ArgumentError: It was a function.
    """
    if not isinstance(chosen, str):
        return chosen
    from deliberate_practice.beliefs.registry import make_belief

    _refuse_function("belief", chosen)
    return lambda task: make_belief(chosen, task)


def recorded(chosen: object) -> str:
    """For the record: a function never by the name of a registered one, which may be another."""
    if isinstance(chosen, str):
        return chosen
    return str(getattr(chosen, "__name__", type(chosen).__name__)) + "()"


def _refuse_function(what: str, name: str) -> None:
    if name.endswith("()"):
        raise ArgumentError(
            f"{what}: the session was started with the function {name}; give it again: "
            f"open_session(..., {what}={name[:-2]})."
        )
