"""Results of a benchmark, kept in a file with a line each, so that a stopped run goes on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import click
from processes import worked_off


class Result(Protocol):
    """A dataclass of what JSON can hold, with a key of its own."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def key(self) -> Hashable:
        """The piece of work that it comes from."""


Kept = TypeVar("Kept", bound=Result)
Key = TypeVar("Key", bound=Hashable)


def practised(
    kind: type[Kept],
    work: Callable[[Key], Kept],
    keys: Sequence[Key],
    unit: str,
    workers: int,
    out: Path | None,
) -> list[Kept]:
    """The results of all keys, in their order.

    Args:
        kind: The class of the results.
        work: Makes the result of a key; picklable.
        keys: The pieces of work.
        unit: What a piece is called, in the plural.
        workers: Processes.
        out: Keeps results. What it has is not made again; in the end it is in the order of keys.
    """
    if not keys:
        raise click.UsageError(f"No {unit} are asked for.")
    found = {one.key: one for one in kept(kind, out)}
    missing = [key for key in keys if key not in found]
    for one in worked_off(work, missing, unit, len(keys), workers):
        found[one.key] = one
        if out:
            _append(out, one)
    if out and missing:
        others = found.keys() - set(keys)
        _write(out, [found[key] for key in (*keys, *(key for key in found if key in others))])
    return [found[key] for key in keys]


def kept(kind: type[Kept], out: Path | None) -> list[Kept]:
    """The results that a file has; a line that was not finished is removed."""
    if out is None or not out.exists():
        return []
    text = out.read_text(encoding="utf-8")
    lines = text.split("\n")[:-1]
    try:
        if text and not text.startswith("{"):
            raise ValueError("not a line of JSON")
        found = [kind(**json.loads(line)) for line in lines]
    except (TypeError, ValueError):
        raise click.UsageError(
            f"{out} is not a file of this benchmark. Give --out another name."
        ) from None
    if text and not text.endswith("\n"):
        _write(out, found)
    return found


def _append(out: Path, one: Result) -> None:
    with out.open("a", encoding="utf-8") as file:
        file.write(_line(one))
        file.flush()
        os.fsync(file.fileno())


def _write(out: Path, found: Iterable[Result]) -> None:
    temporary = out.with_name(f"{out.name}.new")
    temporary.write_text("".join(map(_line, found)), encoding="utf-8")
    temporary.replace(out)


def _line(one: Result) -> str:
    return f"{json.dumps(asdict(one))}\n"
