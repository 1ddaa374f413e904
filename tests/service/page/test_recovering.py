"""The page when something fails: the service, the token, the session."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing

import httpx
import pytest
from page_desk import Desk
from playwright.sync_api import Route, expect

from deliberate_practice.service.settings import Limits
from deliberate_practice.service.store import ServiceStore
from deliberate_practice.service.tokens import revoke

pytestmark = pytest.mark.slow

INVALID = "This token is not valid"


def test_the_page_outlives_a_restart_of_the_service(desk: Desk) -> None:
    """A label that is given meanwhile is kept and sent; Ready is refused at once."""
    name = desk.start(approach="free", gate="never")
    desk.tell(name, desk.ask(name)["id"])
    page = desk.page(f"sessions/{name}")
    page.locator("#operator[data-armed=yes] #ask").click()
    page.locator("#operator[data-armed=yes] #ready").wait_for()
    assert desk.lab.workers.kill(desk.lab.process)
    expect(page.locator("#connection")).to_have_text("Connection lost, trying again")
    expect(page.locator("#alert")).to_contain_text("The connection is lost")
    page.locator("#ready").click()
    expect(page.locator("#operator .fault")).to_have_text("The service does not answer.")
    desk.lab.start()
    desk.lab.wait()
    expect(page.locator("#connection")).to_have_text("Live")
    expect(page.locator("#status")).to_contain_text("The connection is back")
    page.locator("#operator[data-armed=yes] #ready").click()
    page.locator("#operator[data-armed=yes] [data-outcome=success]").wait_for()

    assert desk.lab.workers.kill(desk.lab.process)
    page.locator("#operator[data-armed=yes] [data-outcome=success]").click()
    expect(page.locator("#operator")).to_contain_text("Not sent yet")
    kept = json.loads(page.evaluate("localStorage['deliberate-outbox']"))
    assert [item["body"]["outcome"] for item in kept] == ["success"]
    desk.lab.start()
    desk.lab.wait()
    expect(page.locator(".trial .mark.success")).to_have_count(2)
    expect(page.locator("#operator")).not_to_contain_text("Not sent yet")
    assert [trial["outcome"] for trial in desk.trials(name)] == ["success", "success"]
    assert all("ERR_" in message for message in desk.network)


def test_too_many_pages_are_said_so_and_still_shown(desk: Desk) -> None:
    name = desk.start()
    token = desk.token("read-only")
    headers = {"Authorization": f"Bearer {token}"}
    with ExitStack() as streams, httpx.Client(headers=headers, trust_env=False) as client:
        for _ in range(Limits.streams):
            streams.enter_context(client.stream("GET", f"{desk.lab.url}/api/events", timeout=60))
        page = desk.page(f"sessions/{name}", token)
        expect(page.locator("#connection")).to_have_text("Not live: too many pages are open")
        desk.ask(name)
        expect(page.locator(".trial")).to_have_count(1)
    expect(page.locator("#connection")).to_have_text("Live")
    assert desk.network
    assert all("429" in message for message in desk.network)


def test_a_wrong_token_is_one_sentence(desk: Desk) -> None:
    page = desk.page(token="dp_wrong")
    expect(page.locator(".fault")).to_contain_text(INVALID)
    assert page.locator(".fault").inner_text().count(".") == 2
    page.get_by_label("Token or link").fill(f"{desk.lab.url}/#token={desk.token('admin')}")
    page.get_by_role("button", name="Open").click()
    expect(page.locator("h1")).to_have_text("Sessions")
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("h1")).to_have_text("Open with a token")
    assert page.evaluate("localStorage['deliberate-token']") is None
    assert len(desk.network) == 1


def test_a_revoked_token_closes_the_page(desk: Desk) -> None:
    name = desk.start()
    token = desk.token("read-only", name)
    page = desk.page(token=token)
    expect(page.locator("h1")).to_have_text("Nothing practised yet")
    with closing(ServiceStore(desk.lab.db)) as store:
        revoke(store, token.split("_")[1])
    desk.ask(name)  # something happens, so the page asks again
    expect(page.locator(".fault")).to_contain_text(INVALID)
    assert page.locator(".trial").count() == 0


def test_a_token_revoked_before_the_stream_closes_the_page(desk: Desk) -> None:
    name = desk.start()
    token = desk.token("read-only", name)
    page = desk.watched(desk.context())

    def revoked(route: Route) -> None:
        with closing(ServiceStore(desk.lab.db)) as store:
            revoke(store, token.split("_")[1])
        route.continue_()

    page.route("**/api/**/frontier*", lambda route: route.abort())
    page.route("**/events", revoked)
    page.goto(f"{desk.lab.url}/#token={token}")
    expect(page.locator(".fault")).to_contain_text(INVALID)


def test_a_session_that_is_gone(desk: Desk) -> None:
    name = desk.start()
    page = desk.page(f"sessions/{name}")
    expect(page.locator("h1")).to_have_text("Nothing practised yet")
    desk.call("DELETE", f"/sessions/{name}")
    expect(page.locator(".fault")).to_contain_text(f"There is no session {name}")
    page.get_by_role("link", name="All sessions").click()
    expect(page.locator("h1")).to_have_text("Sessions")


def test_a_late_answer_does_not_bring_a_gone_session_back(desk: Desk) -> None:
    name = desk.start()
    page = desk.watched(desk.context())
    late: list[Route] = []
    page.route("**/api/**/frontier*", lambda route: late.append(route))
    page.goto(f"{desk.lab.url}/#token={desk.token('admin')}")
    page.goto(f"{desk.lab.url}/#/sessions/{name}")
    expect(page.locator("#connection")).to_have_text("Live")
    desk.call("DELETE", f"/sessions/{name}")
    expect(page.locator(".fault")).to_contain_text(f"There is no session {name}")
    with page.expect_response("**/frontier*"):
        late[0].continue_()
    page.wait_for_timeout(300)
    expect(page.locator(".fault")).to_contain_text(f"There is no session {name}")


def test_a_late_answer_does_not_draw_over_the_next_view(desk: Desk) -> None:
    name = desk.start()
    page = desk.watched(desk.context())
    late: list[Route] = []
    page.route("**/api/sessions", lambda route: late.append(route))
    with page.expect_request("**/api/sessions"):
        page.goto(f"{desk.lab.url}/#token={desk.token('admin')}")
    with page.expect_response("**/frontier*"):
        page.goto(f"{desk.lab.url}/#/sessions/{name}")
    expect(page.locator("#connection")).to_have_text("Live")
    page.wait_for_timeout(1_000)
    with page.expect_response("**/api/sessions"):
        late[0].continue_()
    page.wait_for_timeout(300)
    assert page.locator("h1").inner_text() == "Nothing practised yet"
