"""Watching a session, in a real browser: live, in several tabs, after a reload, and read-only."""

from __future__ import annotations

from typing import Any

import pytest
from page_desk import Desk
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.slow

COSTLY = """
name = "doors"
[variables]
door = ["shut", "ajar", "open"]
[[goals]]
name = "through"
reward = 1.0
when = { door = "open" }
[[skills]]
name = "Unlatch"
cost = 3
precondition = { door = "shut" }
effect = { door = "ajar" }
competence = 0.2
curve = { kind = "exponential", rate = 0.1 }
[[skills]]
name = "Push"
precondition = { door = "ajar" }
effect = { door = "open" }
competence = 0.2
curve = { kind = "exponential", rate = 0.1 }
"""


def marks(page: Page) -> int:
    return page.locator(".trial").count()


def test_a_simulated_robot_is_watched_live(desk: Desk) -> None:
    """Two tabs; one is reloaded in the middle. Both show every trial in the end."""
    name = desk.start(budget=40)
    context = desk.context()
    first = desk.watched(context)
    first.goto(f"{desk.lab.url}/#token={desk.token('read-only')}")
    expect(first.locator("h1")).to_have_text("Sessions")
    assert "token" not in first.evaluate("location.href")
    assert first.evaluate("history.length") == 2  # a blank page, and ours
    first.get_by_role("link", name=name).click()
    expect(first.locator("h1")).to_have_text("Nothing practised yet")
    second = desk.watched(context)  # the browser keeps the token
    second.goto(f"{desk.lab.url}/#/sessions/{name}")
    expect(second.locator("#connection")).to_have_text("Live")

    robot = desk.lab.workers.start(
        "robot", desk.lab.url, "--session", name, "--token", desk.lab.token, "--as", "left-arm",
        "--robot", "curves",
    )  # fmt: skip
    first.locator(".trial").first.wait_for()
    seen = marks(first)
    first.reload()
    assert desk.lab.workers.wait(robot) == 0
    for page in (first, second):
        expect(page.locator(".state").first).to_have_text("Done")
        expect(page.locator(".trial")).to_have_count(40)
    assert 0 < seen <= 40
    told = desk.trials(name)
    for outcome in {trial["outcome"] for trial in told}:
        shown = sum(trial["outcome"] == outcome for trial in told)
        expect(second.locator(f".trial .mark.{outcome}")).to_have_count(shown)
    expect(second.locator(".robots")).to_contain_text("left-arm")
    expect(second.locator("#status")).to_contain_text("trial")  # it was announced, in few words
    assert desk.network == []


def test_a_reader_sees_everything_and_changes_nothing(desk: Desk) -> None:
    name = desk.start(gate="always")
    desk.ask(name)
    page = desk.page(f"sessions/{name}", desk.token("read-only"))
    expect(page.locator(".state").first).to_have_text("Waits for Ready")
    for part in ("What the budget buys", "Competence by skill", "Timeline", "Robots", "Notes"):
        expect(page.get_by_role("heading", name=part)).to_be_visible()
    expect(page.locator(".frontier .here-label")).to_have_text("you are here")
    assert page.locator("#operator").count() == 0
    names = [button.get_attribute("aria-label") or button.inner_text() for button in
             page.get_by_role("button").all()]  # fmt: skip
    assert names == ["Sign out", "Trial 1, StartToaster: open"]
    for key in ("Space", "s", "n", "ArrowLeft"):
        page.keyboard.press(key)
    page.locator(".trial").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("practice, explore")
    assert dialog.get_by_role("button").count() == 1  # Close
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.goto(f"{desk.lab.url}/#/new")  # is not for readers
    expect(page.locator("h1")).to_have_text("Sessions")
    assert page.get_by_role("link", name="Start a session").count() == 0
    assert desk.call("GET", f"/sessions/{name}")["events"] == 2
    assert desk.network == []


def test_the_token_of_a_robot_opens_its_session_alone(desk: Desk) -> None:
    name = desk.start(gate="never", approach="free")
    page = desk.page(token=desk.token("robot", name, "arm"))
    page.get_by_role("button", name="Ask for a trial").click()
    page.locator("#operator[data-armed=yes] #ready").click()
    page.locator("#operator[data-armed=yes] [data-outcome=failure]").click()
    expect(page.locator(".trial .mark.failure")).to_have_count(1)
    assert desk.trials(name)[0]["outcome"] == "failure"
    for verb in ("Pause", "End", "Block StartToaster", "Take back"):
        assert page.get_by_role("button", name=verb).count() == 0
    assert page.get_by_role("link", name="Sessions").count() == 0
    assert desk.network == []


def test_a_hidden_page_rests_and_misses_nothing(desk: Desk) -> None:
    """Browsers allow few open connections, so a page that nobody sees closes its stream."""
    hide = """hidden => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""
    name = desk.start()
    page = desk.page(f"sessions/{name}")
    expect(page.locator("#connection")).to_have_text("Live")
    with page.expect_event("requestfailed", lambda request: "/events" in request.url):
        page.evaluate(hide, True)
    desk.tell(name, desk.ask(name)["id"], "failure")
    page.wait_for_timeout(600)
    assert page.locator(".trial").count() == 0
    page.evaluate(hide, False)
    expect(page.locator(".trial .mark.failure")).to_have_count(1)
    assert desk.network == []


def test_a_probed_plan_shows_what_its_skills_lose(desk: Desk) -> None:
    name = desk.start(gate="never", approach="free")
    page = desk.page(f"sessions/{name}", desk.token("read-only"))
    expect(page.get_by_role("heading", name="Competence by skill")).to_be_visible()
    assert page.locator(".gaps").count() == 0
    asked = {"robot": "arm", "probe": True}
    trial = desk.call("POST", f"/sessions/{name}/ask", asked)
    assert trial["instruction"].startswith("execute the whole plan: PickBread, ")
    desk.tell(name, trial["id"], "unreached", at="PlaceBread")
    gaps = page.locator(".gaps")
    expect(gaps).to_contain_text("Lost right after another skill")
    expect(gaps).to_contain_text("PickBread then PlaceBread")
    expect(gaps).to_contain_text("0 of 1 succeeded")
    expect(page.get_by_text("1 episode executed the whole plan: 1 unit.")).to_be_visible()


def test_the_budget_went_by_units_not_by_episodes(desk: Desk) -> None:
    name = desk.start(30, COSTLY, gate="never", approach="free", strategy="uniform")
    trials: list[dict[str, Any]] = []
    while len({trial["skill"] for trial in trials}) < 2:
        trials.append(desk.ask(name))
        desk.tell(name, trials[-1]["id"], "failure")
    many = [sum(trial["skill"] == skill for trial in trials) for skill in ("Unlatch", "Push")]
    units = [3 * many[0], many[1]]
    page = desk.page(f"sessions/{name}", desk.token("read-only"))
    bars = page.locator(".bars")
    expect(bars).to_have_count(2)
    for row, bar in enumerate(bars.all()):
        assert f": {units[row]} unit" in (bar.get_attribute("aria-label") or "")
        width = f"{100 * units[row] / max(units):.2f}%"
        assert bar.locator("rect").get_attribute("width") == width


def test_many_notes_leave_no_hole_in_the_page(desk: Desk) -> None:
    name = desk.start(gate="never")
    for number in range(20):
        desk.call("POST", f"/sessions/{name}/note", {"text": f"note {number}: " + "slipped " * 30})
    page = desk.page(f"sessions/{name}", desk.token("read-only"))
    expect(page.locator(".notes li")).to_have_count(20)
    box = "element => element.getBoundingClientRect().toJSON()"
    notes, lead, charts = (
        page.locator(f".{part}").evaluate(box) for part in ("notes", "lead", "charts")
    )
    assert notes["height"] <= 480
    assert charts["top"] - lead["bottom"] < 60
