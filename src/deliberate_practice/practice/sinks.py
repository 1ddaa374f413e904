"""Sinks: where the events of a session go besides the journal, as they are written.

A sink is called with every event that this process has written, after it is safe in the journal.
What a sink does with it is its own affair: an exception is reported once as a warning, and the
session goes on.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from deliberate_practice.foundation.errors import ArgumentError, shown
from deliberate_practice.foundation.registry import Registry
from deliberate_practice.practice.journal.events import encode
from deliberate_practice.practice.journal.rows import Entry


@dataclass(frozen=True)
class Written:
    """An event that is safe in the journal.

    Attributes:
        session: Name of the session.
        number: Number of the event in the session, from 1.
        kind: Its kind: ``decide``, ``ask``, ``tell``, ``correct``, ...
        time: When it was written, in UTC.
        data: Its fields.
    """

    session: str
    number: int
    kind: str
    time: str
    data: dict[str, Any]


Sink = Callable[[Written], None]

SINKS: Registry[Callable[..., Sink]] = Registry(
    "sink", {"jsonl": "deliberate_practice.practice.sinks:JsonLines"}
)
"""Makers of sinks by name; other packages offer theirs as ``deliberate_practice.sinks``."""

register_sink = SINKS.register


class JsonLines:
    """Appends every event to a file, one JSON object a line.

    Args:
        file: The file.

    Raises:
        ArgumentError: No file is given.
    """

    def __init__(self, *, file: str = "") -> None:
        if not isinstance(file, str) or not file:
            raise ArgumentError("sink 'jsonl': say where to, e.g. jsonl:file=night.jsonl.")
        self._path = Path(file)

    def __repr__(self) -> str:
        """Its name with its option."""
        return f"jsonl:file={self._path}"

    def check(self) -> None:
        """Refuse a file in a missing folder.

        Raises:
            ArgumentError: There is no such folder.
        """
        if not self._path.parent.is_dir():
            raise ArgumentError(
                f"sink 'jsonl': there is no folder '{self._path.parent}'; make it first."
            )

    def __call__(self, written: Written) -> None:
        """Append a line."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(written), allow_nan=False) + "\n")


class Outlet:
    """The sinks of a session, and the events that they have not seen yet.

    Args:
        session: Name of the session.
        sinks: Names, which may carry options, or functions.

    Raises:
        ArgumentError: There is no such sink or option.
    """

    def __init__(self, session: str, sinks: Sequence[str | Sink]) -> None:
        self._session = session
        self._sinks = [sink if callable(sink) else SINKS.bound(sink)() for sink in sinks]
        self._mine: set[int] = set()
        self._fresh: list[Written] = []
        self._warned: set[int] = set()

    def expect(self, first: int, count: int) -> None:
        """This process writes events of these numbers."""
        self._mine.update(range(first, first + count) if self._sinks else ())

    def forget(self) -> None:
        """They were not written after all."""
        self._mine.clear()
        self._fresh.clear()

    def read(self, entry: Entry) -> None:
        """An event was read from the journal."""
        if entry.number in self._mine:
            self._mine.discard(entry.number)
            kind, text = encode(entry.event)
            time = entry.time.isoformat()
            self._fresh.append(Written(self._session, entry.number, kind, time, json.loads(text)))

    def flush(self) -> None:
        """Let the sinks see what is new."""
        fresh, self._fresh = self._fresh, []
        for written in fresh:
            for number, sink in enumerate(self._sinks):
                try:
                    sink(written)
                except Exception as error:
                    if number not in self._warned:
                        self._warned.add(number)
                        warnings.warn(
                            f"sink {shown(sink)} failed, the session goes on: {error}",
                            stacklevel=2,
                        )


def checked_sinks(sinks: object) -> tuple[str | Sink, ...]:
    """Names or functions.

    Raises:
        ArgumentError: One is neither, or there is no sink of that name.
    """
    if isinstance(sinks, str) or not isinstance(sinks, Sequence):
        raise ArgumentError(f"sinks: {shown(sinks)} is not a list; write e.g. ['jsonl:file=x'].")
    for sink in sinks:
        if not callable(sink):
            made = SINKS.bound(sink)()
            if hasattr(made, "check"):
                made.check()
    return tuple(sinks)
