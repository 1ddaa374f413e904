"""Streams of events: every event once and in order, also for readers that were cut off."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from served import Served

from deliberate_practice.practice.journal.events import encode
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.service.routes import events


class Reader:
    """Reads messages of a stream until it has enough, or is cut off."""

    def __init__(self, client: httpx.Client, path: str, **params: Any) -> None:
        self.client, self.path, self.params = client, path, params
        self.last: str | None = None
        self.comments = 0

    def read(self, most: int, begun: threading.Event | None = None) -> list[dict[str, Any]]:
        headers = {"Last-Event-ID": self.last} if self.last else {}
        found: list[dict[str, Any]] = []
        with self.client.stream("GET", self.path, headers=headers, params=self.params) as answer:
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
            if begun:
                begun.set()
            for line in answer.iter_lines():
                if line.startswith("id: "):
                    self.last = line[4:]
                elif line.startswith("data: "):
                    found.append(json.loads(line[6:]))
                    if len(found) == most:
                        return found
                elif line.startswith(":"):
                    self.comments += 1
                    if most == 0:
                        return found
        return found


def history(served: Served, name: str) -> list[tuple[str, Any]]:
    with open_session(served.db, name) as session:
        pairs = [encode(event) for event, _ in session.history()]
    return [(kind, json.loads(text)) for kind, text in pairs]


def practise(served: Served, base: str, trials: int) -> None:
    for _ in range(trials):
        trial = served.admin.post(f"{base}/ask", json={"robot": "arm"}).json()
        served.admin.post(f"{base}/trials/{trial['id']}/tell", json={"outcome": "success"})


@contextmanager
def meanwhile(work: Any, *arguments: Any) -> Iterator[None]:
    thread = threading.Thread(target=work, args=arguments)
    thread.start()
    yield
    thread.join()


def test_a_reader_that_is_cut_off_misses_nothing(served: Served, name: str) -> None:
    base = served.start(name, budget=12)
    reader = Reader(served.client("read-only"), f"{base}/events", after=0)
    rng = random.Random(0)
    found: list[dict[str, Any]] = []
    practise(served, base, 2)
    with meanwhile(practise, served, base, 10):
        while len(found) < 20:
            found += reader.read(rng.randint(1, 4))
    everything = history(served, name)
    while len(found) < len(everything):
        found += reader.read(1)
    assert [row["number"] for row in found] == list(range(1, len(everything) + 1))
    assert [(row["kind"], row["data"]) for row in found] == everything
    assert {row["session"] for row in found} == {name}
    assert reader.last == str(len(everything))


def test_all_sessions_in_one_stream(served: Served, name: str) -> None:
    bases = [served.start(f"{name} {letter}", budget=4) for letter in "ab"]
    reader = Reader(served.client("read-only"), "/api/events", all=True)
    before = sum(row["events"] for row in _shown(served))
    found = reader.read(before) if before else []
    for base in bases:
        practise(served, base, 1)
    late = served.start(f"{name} c", budget=4)
    practise(served, late, 1)
    total = sum(row["events"] for row in _shown(served))
    while len(found) < total:
        found += reader.read(1)
    for letter in "abc":
        rows = [row for row in found if row["session"] == f"{name} {letter}"]
        assert [(row["kind"], row["data"]) for row in rows] == history(served, f"{name} {letter}")


def _shown(served: Served) -> list[dict[str, Any]]:
    names = [row["name"] for row in served.admin.get("/api/sessions").json()["sessions"]]
    return [served.admin.get(f"/api/sessions/{name}").json() for name in names]


def test_by_default_a_stream_begins_with_news(served: Served, name: str) -> None:
    base = served.start(name)
    practise(served, base, 1)
    reader, begun = Reader(served.client("read-only"), f"{base}/events"), threading.Event()
    found: list[dict[str, Any]] = []

    def read() -> None:
        found.extend(reader.read(1, begun))

    with meanwhile(read):
        begun.wait()
        served.admin.post(f"{base}/note", json={"text": "news"})
    assert (found[0]["kind"], found[0]["data"]["text"]) == ("note", "news")


def test_a_quiet_stream_has_heartbeats(
    served: Served, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.1)
    base = served.start(name)
    reader = Reader(served.client("read-only"), f"{base}/events")
    assert reader.read(0) == []
    assert reader.comments == 1


def test_a_stream_ends_with_its_token_or_its_session(
    served: Served, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_SECONDS", 0.1)
    base = served.start(name)
    made = served.admin.post("/api/tokens", json={"role": "read-only", "name": "ada"}).json()
    header = {"Authorization": f"Bearer {made['token']}"}
    with httpx.Client(base_url=served.url, headers=header, trust_env=False) as client:
        begun = threading.Event()
        with meanwhile(Reader(client, f"{base}/events").read, 100, begun):
            begun.wait()
            served.admin.delete(f"/api/tokens/{made['id']}")
    begun = threading.Event()
    with meanwhile(Reader(served.client("read-only"), f"{base}/events").read, 100, begun):
        begun.wait()
        served.admin.delete(base)
