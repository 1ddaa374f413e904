"""A lab whose page is open in a browser, and that notes every error in it."""

from __future__ import annotations

import re
from contextlib import closing
from itertools import count
from typing import Any

import httpx
from faulty_service import Lab
from playwright.sync_api import Browser, ConsoleMessage, Page, ViewportSize, expect

from deliberate_practice.service.store import ServiceStore
from deliberate_practice.service.tokens import make_token

DESK: ViewportSize = {"width": 1280, "height": 900}
NETWORK = re.compile(r"Failed to load resource")
"""The browser's own note about a request that failed or was refused."""

_NUMBERS = count(1)
TIMEOUT_MS = 20_000
expect.set_options(timeout=TIMEOUT_MS)


class Desk:
    """A lab with a service in its own process, and pages that show it."""

    def __init__(self, lab: Lab, browser: Browser) -> None:
        self.lab, self._browser = lab, browser
        self.errors: list[str] = []
        self.network: list[str] = []
        self._contexts: list[Any] = []

    def token(self, role: str, session: str | None = None, name: str = "ada") -> str:
        """A new token."""
        with closing(ServiceStore(self.lab.db)) as store:
            return make_token(store, role, name, session)

    def context(self, **options: Any) -> Any:
        """A browser profile of its own."""
        context = self._browser.new_context(**{"viewport": DESK, **options})
        context.set_default_timeout(TIMEOUT_MS)
        self._contexts.append(context)
        return context

    def page(self, place: str = "", token: str | None = None, **options: Any) -> Page:
        """A page of an admin, or with a token, at a place such as ``sessions/monday``."""
        page = self.watched(self.context(**options))
        page.goto(f"{self.lab.url}/#token={token or self.token('admin')}")
        if place:
            page.goto(f"{self.lab.url}/#/{place}")
        return page

    def watched(self, context: Any) -> Page:
        """A page whose errors are noted."""
        page: Page = context.new_page()

        def note(message: ConsoleMessage) -> None:
            if message.type == "error":
                place = self.network if NETWORK.match(message.text) else self.errors
                place.append(message.text)

        page.on("console", note)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        return page

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """A request of an admin, past the page."""
        headers = {"Authorization": f"Bearer {self.lab.token}"}
        answer = httpx.request(
            method, f"{self.lab.url}/api{path}", json=body, headers=headers, trust_env=False
        )
        assert answer.status_code == 200, answer.text
        return answer.json()

    def start(self, budget: int = 12, task: str = "breakfast", **more: Any) -> str:
        """The name of a new session."""
        name = f"s{next(_NUMBERS)}"
        self.call("POST", "/sessions", {"name": name, "task": task, "budget": budget, **more})
        return name

    def ask(self, session: str, robot: str = "arm") -> Any:
        """A trial for a robot."""
        return self.call("POST", f"/sessions/{session}/ask", {"robot": robot})

    def tell(self, session: str, trial: int, outcome: str = "success", **more: Any) -> None:
        """The outcome of a trial."""
        body = {"outcome": outcome, **more}
        self.call("POST", f"/sessions/{session}/trials/{trial}/tell", body)

    def trials(self, session: str) -> list[dict[str, Any]]:
        """All trials of a session."""
        return list(self.call("GET", f"/sessions/{session}")["trials"])

    def close(self) -> None:
        """Close its pages."""
        for context in self._contexts:
            context.close()
