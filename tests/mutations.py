"""Documents that nobody would write on purpose: TOML with random mistakes in it."""

from __future__ import annotations

import copy
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

EXTREMES: tuple[Any, ...] = (
    *(0, 1, -1, 2, 2**31, 2**63, 2**64, 10**30, -(10**30), True, False),
    *(5e-324, 1e-310, 1e-17, 1 - 1e-16, 1e308, -1e308, float("inf"), float("nan"), -0.0, 0.5),
    *("", " ", "a", "end", "stay", "=1", "\u2028", "<!--<script>", "a\0b", "ä" * 300, "x" * 10_000),
    *([], {}, [[]], [{}], [0.0, 1.0], [0.5, 0.1], ["a", "a"], {"a": 1}, {"": ""}, {"x": {"y": []}}),
)
"""Values of every type, at the ends of what they can be."""


def mutated(document: dict[str, Any], rng: np.random.Generator) -> str:
    """A document with one mistake or two, as TOML; now and then the text is damaged too."""
    changed = copy.deepcopy(document)
    for _ in range(int(rng.integers(1, 3))):
        _mistake(changed, rng)
    text = dumped(changed)
    if rng.random() < 0.1:
        at, length = int(rng.integers(len(text) + 1)), int(rng.integers(1, 20))
        text = text[:at] + str(rng.choice(["", "[", '"', "\0", "=", "\n[["])) + text[at + length :]
    return text


def dumped(document: dict[str, Any]) -> str:
    """The document as TOML, one key in a line."""
    return "".join(f"{json.dumps(key)} = {_value(value)}\n" for key, value in document.items())


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """End what takes longer, so that one bad document does not stop all others."""

    def over(*_: object) -> None:
        raise AssertionError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _value(value: Any) -> str:
    if isinstance(value, bool | str):
        return json.dumps(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return repr(value)


def _mistake(document: dict[str, Any], rng: np.random.Generator) -> None:
    """Change one place, chosen at random."""
    places = list(_places(document))
    if not places:
        return
    holder, key = places[int(rng.integers(len(places)))]
    kind = rng.choice(
        ["like", "like", "like", *["replace", "delete", "swap", "double", "nest", "rename"]]
    )
    if kind == "like":
        _replace_by_its_like(places, rng)
    elif kind == "replace":
        holder[key] = copy.deepcopy(EXTREMES[int(rng.integers(len(EXTREMES)))])
    elif kind == "delete":
        del holder[key]
    elif kind == "swap":
        other, there = places[int(rng.integers(len(places)))]
        holder[key] = copy.deepcopy(other[there])
    elif kind == "double":
        if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        else:
            holder[key] = [holder[key]] * 2
    elif kind == "nest":
        for _ in range(int(rng.choice([1, 3, 60]))):
            holder[key] = [holder[key]] if rng.random() < 0.7 else {"a": holder[key]}
    elif isinstance(holder, dict):
        holder[str(rng.choice(["", "name", "rate", "naem", "é", "a.b", key]))] = holder.pop(key)


def _replace_by_its_like(places: list[tuple[Any, Any]], rng: np.random.Generator) -> None:
    """Put a number in the place of a number, or a text of the document in that of another."""
    kind = float if rng.random() < 0.7 else str
    same = [
        (holder, key)
        for holder, key in places
        if isinstance(holder[key], (int, float) if kind is float else str)
    ]
    if not same:
        return
    holder, key = same[int(rng.integers(len(same)))]
    other, there = same[int(rng.integers(len(same)))]
    holder[key] = other[there]
    if kind is float and rng.random() < 0.8:
        numbers = [value for value in EXTREMES if isinstance(value, int | float)]
        holder[key] = numbers[int(rng.integers(len(numbers)))]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document: what holds it, and under which key."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(entries):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)
