"""Entries that all task files share: curves, parameters and possible effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskError, shown
from deliberate_practice.task.curves import Curve, read_curve
from deliberate_practice.task.model import Gap
from deliberate_practice.task.skill import Parameter, PossibleEffect

LEARNING_KEYS = (
    "competence",
    "curve",
    "truth",
    "policy",
    "kind",
    "cost",
    "switch",
    "seconds",
    "termination",
    "step_reward",
    "parameters",
    "learner",
    "demonstration",
    "training",
    "evaluation",
)
"""Keys of a skill about its competence and how practice improves it."""


def learning(place: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """The values under :data:`LEARNING_KEYS` in an entry, as arguments of :class:`Skill`."""
    stated = {key: entry[key] for key in LEARNING_KEYS if key in entry}
    if "policy" in stated:
        checks.word(f"{place}: policy", stated["policy"])
    if isinstance(stated.get("truth"), Mapping) and "training_noise" in stated["truth"]:
        stated["truth"] = dict(stated["truth"])
        stated["training_noise"] = stated["truth"].pop("training_noise")
    for key in ("curve", "truth"):
        if key in stated:
            stated[key] = _curve(f"{place}: {key}", stated[key])
    stated["parameters"] = [
        _parameter(named(f"{place}: parameter", number, parameter), parameter)
        for number, parameter in enumerate(tables(entry, "parameters", place, "skills"), 1)
    ]
    return stated


def effects(place: str, value: Any) -> Any:
    """An effect (a table or a word, unchanged) or a list of possible effects."""
    if isinstance(value, str | Mapping):
        return value
    if not isinstance(value, list):
        raise TaskError(
            place,
            f'{shown(value)} is not an effect; write {{ variable = "value" }}, "end", "stay", '
            "or a list of { probability = ..., effect = ... }.",
        )
    result = []
    for number, entry in enumerate(value, 1):
        here = f"{place}: effect {number}"
        checks.keys(here, checks.table(here, entry), ["probability", "effect"], [])
        result.append(PossibleEffect(**entry))
    return result


def gaps(document: Mapping[str, Any]) -> list[Gap]:
    """The composition gaps that a file states for the synthetic robot."""
    found = []
    for number, entry in enumerate(tables(document, "gaps"), 1):
        with checks.inside(f"gap {number}"):
            checks.keys("", entry, ["before", "policy", "lost"], [])
            found.append(Gap(**entry))
    return found


def tables(
    document: Mapping[str, Any], key: str, place: str = "", parent: str = ""
) -> Sequence[Mapping[str, Any]]:
    """The tables under a key of a file, or of an entry of ``parent``; none if it is missing."""
    value = document.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        header = f"[[{parent}.{key}]]" if parent else f"[[{key}]]"
        raise TaskError(
            f"{place}: {key}" if place else key,
            f"{shown(value)} is not a list of tables; write a line {header} above each one.",
        )
    return value


def named(kind: str, number: int, entry: Mapping[str, Any], key: str = "name") -> str:
    """The name of an entry in messages, e.g. ``skill 'Pick' (number 3)``."""
    name = entry.get(key)
    return f"{kind} '{name}' (number {number})" if isinstance(name, str) else f"{kind} {number}"


def _curve(place: str, value: object) -> Curve:
    stated = checks.table(place, value, '{ kind = "exponential", rate = 0.05 }')
    with checks.inside(place):
        return read_curve(stated)


def _parameter(place: str, value: Mapping[str, Any]) -> Parameter:
    checks.keys(place, value, ["name", "mean", "sd", "low", "high"], ["unit"])
    if not isinstance(value.get("unit", ""), str):
        raise TaskError(f"{place}: unit", f'{shown(value["unit"])} is not a unit; write e.g. "m".')
    with checks.inside(place):
        return Parameter(**value)
