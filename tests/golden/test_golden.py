from __future__ import annotations

import json

import pytest
from golden.sessions import RECORD, Known, digest, known_sessions, trials_of

SESSIONS = known_sessions()


def test_the_record_has_every_session() -> None:
    assert list(json.loads(RECORD.read_text())) == [known.key for known in SESSIONS]
    assert len(SESSIONS) >= 100


@pytest.mark.parametrize("part", range(12))
def test_trials_are_what_they_were(part: int) -> None:
    recorded = json.loads(RECORD.read_text())
    for known in SESSIONS[part::12]:
        _check(known, recorded[known.key].split())


def _check(known: Known, expected: list[str]) -> None:
    rows = trials_of(known)
    found = list(map(digest, rows))
    for number, (mine, theirs) in enumerate(zip(found, expected, strict=False)):
        assert mine == theirs, f"session {known.key}: trial {number + 1} is now {rows[number]}"
    assert len(found) == len(expected), f"session {known.key}"
