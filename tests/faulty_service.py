"""What goes wrong between a robot and its service: killed processes, and a bad network."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import socketserver
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from deliberate_practice.practice.journal.journal import Journal
from deliberate_practice.service.store import ServiceStore
from deliberate_practice.service.tokens import make_token

WORKER = Path(__file__).with_name("service") / "worker.py"
KILLED = -signal.SIGKILL


class Workers:
    """Processes that serve or practise, quick to start."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
        self._lock = threading.Lock()

    def start(self, *words: str) -> int:
        """Number of a process that runs a command now."""
        return int(self._answer({"run": words}))

    def wait(self, process: int) -> int:
        """Exit status of a process once it is over."""
        return int(self._answer({"wait": process}))

    def kill(self, process: int) -> bool:
        """Kill a process; whether it was still running."""
        os.kill(process, signal.SIGKILL)  # until it is waited for, its number stays its own
        return self.wait(process) == KILLED

    def close(self) -> None:
        """End it."""
        self._server.communicate()

    def _answer(self, command: dict[str, object]) -> str:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        with self._lock:
            self._server.stdin.write(json.dumps(command) + "\n")
            self._server.stdin.flush()
            return self._server.stdout.readline()


class Lab:
    """A journal with a service in a process of its own, always at the same address."""

    def __init__(self, workers: Workers, db: Path) -> None:
        self.workers, self.db = workers, db
        with closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        Journal(db, create=True).close()
        with closing(ServiceStore(db)) as store:
            self.token = make_token(store, "admin", "test")
        self.start()

    def start(self) -> None:
        """Start the service."""
        self.process = self.workers.start("serve", "--db", str(self.db), "--port", str(self.port))

    def wait(self) -> None:
        """Wait until it answers."""
        for _ in range(500):
            try:
                urllib.request.urlopen(f"{self.url}/api/health", timeout=5).close()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.02)
        raise AssertionError("the service does not answer")

    def close(self) -> None:
        """Kill the service."""
        self.workers.kill(self.process)


def events(db: Path, name: str) -> list[tuple[str, str]]:
    """The events of a session."""
    with closing(sqlite3.connect(db)) as raw:
        rows = raw.execute(
            "SELECT kind, data FROM events WHERE session = "
            "(SELECT id FROM sessions WHERE name = ?) ORDER BY number",
            (name,),
        )
        return [(kind, data) for kind, data in rows]


class BadNetwork(socketserver.ThreadingTCPServer):
    """A proxy that drops, delays and doubles requests, and drops answers.

    Args:
        port: Where the service is.
        seed: Seed of its faults.
    """

    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int, seed: int) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.target = port
        self.rng = random.Random(seed)
        self.faults = dict.fromkeys(("lost", "unanswered", "doubled", "late", "cut"), 0)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self._thread = threading.Thread(target=self.serve_forever, args=[0.05], daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop it."""
        self.shutdown()
        self.server_close()
        self._thread.join()

    def fault(self) -> str | None:
        """What goes wrong with the next request."""
        missing = [kind for kind, count in self.faults.items() if not count]
        kind = missing[0] if missing else self.rng.choice([*self.faults, *[None] * 8])
        if kind:
            self.faults[kind] += 1
        return kind

    def forward(self, request: bytes) -> bytes:
        """The answer of the service; nothing if it does not run."""
        answer = b""
        try:
            with socket.create_connection(("127.0.0.1", self.target), timeout=30) as service:
                service.sendall(request)
                while part := service.recv(65_536):
                    answer += part
        except OSError:
            return b""
        return answer


class _Passing(socketserver.BaseRequestHandler):
    """Passes one request on; the clients open a connection for each."""

    server: Any

    def handle(self) -> None:
        network: BadNetwork = self.server
        request = self._request()
        fault = network.fault()
        if fault == "lost" or not request:
            return
        if fault == "doubled":
            threading.Timer(network.rng.uniform(0, 0.2), network.forward, args=[request]).start()
        if fault == "late":
            time.sleep(network.rng.uniform(0, 0.2))
        answer = network.forward(request)
        if fault == "unanswered":
            return
        if fault == "cut":
            answer = answer[: network.rng.randrange(len(answer) + 1)]
        with suppress(OSError):
            self.request.sendall(answer)

    def _request(self) -> bytes:
        data = b""
        while b"\r\n\r\n" not in data:
            part = self.request.recv(65_536)
            if not part:
                return b""
            data += part
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").lower().split("\r\n")
        lengths = [int(line.split(":")[1]) for line in lines if line.startswith("content-length:")]
        while lengths and len(body) < lengths[0]:
            body += self.request.recv(65_536)
        return head + b"\r\n\r\n" + body
