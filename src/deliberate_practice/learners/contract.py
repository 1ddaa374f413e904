"""Check what a learner answers, before a robot moves by it."""

from __future__ import annotations

from collections.abc import Container, Mapping

from deliberate_practice.foundation.checks import as_whole, is_number
from deliberate_practice.foundation.errors import ArgumentError, shown
from deliberate_practice.learners.learner import Candidate
from deliberate_practice.task.model import Policy


def checked_candidate(
    place: str, candidate: object, policy: Policy, before: Container[int]
) -> Candidate:
    """A candidate with plain numbers.

    Args:
        place: What to call the learner in a message.
        candidate: What it proposed.
        policy: What it is for.
        before: Numbers of the candidates that it proposed before.

    Raises:
        ArgumentError: It is no candidate, or its number or values make no sense.
    """
    if not isinstance(candidate, Candidate):
        raise ArgumentError(
            f"{place}: it proposed {shown(candidate)} for '{policy.name}'; return a Candidate, or "
            "None if as many as `parallel` are out."
        )
    number = as_whole(candidate.id)
    if number is None or number in before:
        raise ArgumentError(
            f"{place}: {shown(candidate.id)} does not number a new candidate of '{policy.name}'; "
            "count them: 0, 1, 2, ..."
        )
    values = checked_values(place, candidate.values, policy)
    return Candidate(number, values, bool(candidate.explores))


def checked_values(place: str, values: object, policy: Policy) -> dict[str, float]:
    """A value for each parameter of a policy, within its bounds.

    Raises:
        ArgumentError: One is missing, too many, or out of bounds.
    """
    names = [parameter.name for parameter in policy.parameters]
    if not isinstance(values, Mapping) or set(values) != set(names):
        raise ArgumentError(
            f"{place}: {shown(values)} are not the parameters of '{policy.name}'; give a mapping "
            f"with a number for each of: {', '.join(names) or '(there are none)'}."
        )
    for parameter in policy.parameters:
        value = values[parameter.name]
        if not (is_number(value) and parameter.low <= value <= parameter.high):
            raise ArgumentError(
                f"{place}: {parameter.name} = {shown(value)} of '{policy.name}' is not a number in "
                f"[{parameter.low:g}, {parameter.high:g}]."
            )
    return {name: float(values[name]) for name in names}
