"""Every view, light and dark: no barrier that axe finds, and nothing wider than a phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from page_desk import DESK, Desk
from playwright.sync_api import Page, ViewportSize, expect

pytestmark = pytest.mark.slow

GRAVE = ("serious", "critical")
PHONE: ViewportSize = {"width": 360, "height": 740}


def barriers(page: Page) -> list[str]:
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{barrier['id']}: {barrier['nodes'][0]['html'][:200]}"
        for barrier in found
        if barrier["impact"] in GRAVE
    ]


def views(desk: Desk, page: Page) -> Iterator[str]:
    """Each view on the page, one after the other, with as much in it as there may be."""
    name = desk.start(budget=20, gate="abort", approach="free")
    for outcome in ("success", "failure", "assisted", "aborted"):
        asked = desk.ask(name)
        desk.tell(
            name, asked["id"], outcome, note="a note with averylongwordthatcannotbebroken" * 2
        )
    desk.call("POST", f"/sessions/{name}/block", {"skill": "OpenMicrowave", "why": "its hinge"})
    expect(page.locator("h1")).to_have_text("Sessions")
    yield "sessions"
    page.goto(f"{desk.lab.url}/#/new")
    page.get_by_label("My own task file").check()
    yield "start"
    page.goto(f"{desk.lab.url}/#/sessions/{name}")
    page.locator(".frontier").wait_for()
    page.get_by_text("keys on").click()
    yield "session"
    page.locator(".trial").first.click()
    yield "trial"
    page.get_by_role("button", name="Close").click()
    page.locator("#operator[data-armed=yes] #ask").click()
    page.locator("#operator[data-armed=yes] #ready").wait_for()
    yield "scene"
    page.locator("#ready").click()
    page.locator("#operator[data-armed=yes] [data-outcome=success]").wait_for()
    page.get_by_text("It never came to the attempt").click()
    yield "label"
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("h1")).to_have_text("Open with a token")
    yield "token"


def test_no_view_has_barriers_or_is_wider_than_a_phone(desk: Desk) -> None:
    page = desk.page()
    for view in views(desk, page):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert barriers(page) == [], (view, scheme)
        page.set_viewport_size(PHONE)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"], view
        small = page.evaluate(
            "[...document.querySelectorAll('.labels > button, #ready, .verbs button')]"
            ".filter(b => b.getBoundingClientRect().height < 44).map(b => b.textContent)"
        )
        assert small == [], view
        page.set_viewport_size(DESK)


def test_focus_stays_while_the_session_goes_on(desk: Desk) -> None:
    name = desk.start()
    desk.tell(name, desk.ask(name)["id"])
    page = desk.page(f"sessions/{name}")
    page.locator(".trial").focus()
    page.locator(".frontier").wait_for()
    trial = desk.ask(name)["id"]
    expect(page.locator(".trial")).to_have_count(2)
    desk.tell(name, trial, "failure")
    expect(page.locator(".trial .mark.failure")).to_have_count(1)
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "Trial 1, StartToaster: success"
    page.keyboard.press("ArrowRight")
    assert "Trial 2" in page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.get_by_role("link", name="Skip to the content").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert desk.network == []
