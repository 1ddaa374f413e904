"""One browser and one service for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser import browser as program
from faulty_service import Lab, Workers
from page_desk import Desk
from playwright.sync_api import Browser, sync_playwright


@pytest.fixture(scope="module")  # while it is open, no other test can run an event loop
def chromium() -> Iterator[Browser]:
    path = program()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    workers = Workers()
    service = Lab(workers, tmp_path_factory.mktemp("page") / "lab.db")
    service.wait()
    yield service
    service.close()
    workers.close()


@pytest.fixture
def desk(lab: Lab, chromium: Browser) -> Iterator[Desk]:
    """Pages that are closed afterwards, and have shown no error."""
    desk = Desk(lab, chromium)
    yield desk
    desk.close()
    assert desk.errors == []
