"""A session as an MCAP file, which Foxglove and other tools of the field show on a timeline.

Events are JSON messages on ``/events``, with the time at which they were written. Trials that were
told are on ``/trials``, and the believed competence of every policy after each of them is on
``/competence``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.practice.journal.events import Told, encode

if TYPE_CHECKING:
    from deliberate_practice.practice.session import Session

ANYTHING: Mapping[str, Any] = {"type": "object"}
TOPICS: Mapping[str, Mapping[str, Any]] = {
    "/events": {"type": "object", "properties": {"kind": {"type": "string"}, "data": ANYTHING}},
    "/trials": {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "skill": {"type": "string"},
            "outcome": {"type": "string"},
            "robot": {"type": "string"},
            "measurements": ANYTHING,
        },
    },
    "/competence": {"type": "object", "additionalProperties": {"type": "number"}},
}
"""The topics, with the schemas of their messages."""


def write_mcap(session: Session, path: str | Path) -> int:
    """Write all events of a session.

    Args:
        session: The session.
        path: The file.

    Returns:
        The number of events.

    Raises:
        ArgumentError: The package ``mcap`` is not installed.
    """
    try:
        from mcap.writer import Writer
    except ImportError:
        raise ArgumentError(
            f"--mcap: the package mcap is not installed; run: {install_command('mcap')}"
        ) from None
    count = 0
    with Path(path).open("wb") as file:
        writer: Any = Writer(file)
        writer.start(library="deliberate-practice")
        channels = {topic: _channel(writer, topic) for topic in TOPICS}

        def write(topic: str, time: datetime, message: Mapping[str, object]) -> None:
            nanoseconds = int(time.timestamp() * 1e9)
            text = json.dumps(message, allow_nan=False).encode()
            writer.add_message(channels[topic], nanoseconds, text, nanoseconds, sequence=count)

        for entry, state in session.entries():
            count += 1
            kind, data = encode(entry.event)
            write("/events", entry.time, {"kind": kind, "data": json.loads(data)})
            if isinstance(entry.event, Told):
                record = state.records[entry.event.trial]
                assert record.result is not None
                write(
                    "/trials",
                    entry.time,
                    {
                        "id": record.trial.id,
                        "skill": record.trial.skill,
                        "outcome": record.result.outcome,
                        "robot": record.robot or "",
                        "measurements": dict(record.result.measurements),
                    },
                )
                write("/competence", entry.time, state.competences)
        writer.finish()
    return count


def _channel(writer: Any, topic: str) -> int:
    text = json.dumps(TOPICS[topic]).encode()
    schema = writer.register_schema(topic.strip("/"), "jsonschema", text)
    return int(writer.register_channel(topic, "json", schema))
