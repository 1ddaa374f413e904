"""A service in a thread of this process, and clients for it."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from deliberate_practice.service.app import make_app
from deliberate_practice.service.settings import Limits, ServiceSettings
from deliberate_practice.service.store import ServiceStore
from deliberate_practice.service.tokens import make_token

ROOMY = Limits(rate=10_000.0, burst=10_000, failures=10_000.0, failures_burst=10_000)
"""Limits that no test meets by accident."""


class Served:
    """A running service.

    Args:
        db: Its journal.
        limits: Limits of its users.
    """

    def __init__(self, db: Path, limits: Limits = ROOMY) -> None:
        self.db = db
        self.settings = ServiceSettings(db, port=0, limits=limits)
        self.app = make_app(self.settings)
        config = uvicorn.Config(
            self.app, log_level="error", access_log=False, timeout_graceful_shutdown=1, ws="none"
        )
        self._server = uvicorn.Server(config)
        self._listening = socket.socket()
        self._listening.bind(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._listening]}, daemon=True
        )
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        self._clients: list[httpx.Client] = []
        self.admin = self.client("admin")

    def token(self, role: str, session: str | None = None, name: str = "test") -> str:
        """A new token."""
        with closing(ServiceStore(self.db)) as store:
            return make_token(store, role, name, session)

    def client(self, role: str | None, session: str | None = None) -> httpx.Client:
        """A client with a new token of that role; None for no token at all."""
        headers = {"Authorization": f"Bearer {self.token(role, session)}"} if role else {}
        client = httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False)
        self._clients.append(client)
        return client

    def start(self, name: str = "s", task: str = "breakfast", budget: int = 12, **more: Any) -> str:
        """Start a session; the beginning of its addresses."""
        body = {"name": name, "task": task, "budget": budget, **more}
        answer = self.admin.post("/api/sessions", json=body)
        assert answer.status_code == 200, answer.text
        return f"/api/sessions/{name}"

    def close(self) -> None:
        """Stop it."""
        for client in self._clients:
            client.close()
        self._server.should_exit = True
        self._thread.join()
        self._listening.close()


def certificate(folder: Path) -> tuple[str, str]:
    """Files with a new certificate of 127.0.0.1 and its key; it needs openssl."""
    words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout lab.key -out lab.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*words.split(), *names], cwd=folder, capture_output=True, check=True)
    return str(folder / "lab.pem"), str(folder / "lab.key")


def error(answer: httpx.Response) -> str:
    """The message of an error."""
    data = answer.json()
    assert list(data) == ["error"], data
    assert "Traceback" not in data["error"]
    return str(data["error"])
