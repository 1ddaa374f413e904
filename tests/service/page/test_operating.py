"""The operator's work, in a real browser: start, set the scene, Ready, label, take back, pause."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_desk import Desk
from playwright.sync_api import Page, Route, expect

pytestmark = pytest.mark.slow

COFFEE = Path(__file__).parents[3] / "examples" / "coffee_station.toml"


def panel(page: Page, title: str) -> None:
    """Wait until the panel shows a step and takes keys."""
    page.locator(f"#operator[data-armed=yes]:has(h2:text-is('{title}'))").wait_for()


def outcomes(desk: Desk, name: str) -> list[str | None]:
    return [trial["outcome"] for trial in desk.trials(name)]


def test_a_session_starts_on_the_page(desk: Desk) -> None:
    page = desk.page()
    page.get_by_role("link", name="Start a session").click()
    page.get_by_label("Name").fill("from the page")
    page.get_by_label("My own task file").check()
    page.get_by_label("Choose the file").set_input_files(COFFEE)
    expect(page.get_by_label("or paste its text")).to_have_value(re.compile("coffee"))
    page.get_by_label("or paste its text").fill("name = 1")
    page.get_by_label("Budget").fill("25")
    page.get_by_label("Trials wait for Ready").select_option("always")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert").first).to_contain_text("name")  # the service's own words
    expect(page.get_by_label("Name")).to_have_value("from the page")
    page.get_by_label("Choose the file").set_input_files([])
    page.get_by_label("Choose the file").set_input_files(COFFEE)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("h1")).to_have_text("Nothing practised yet")
    started = desk.call("GET", "/sessions/from%20the%20page/task")
    settings = started["settings"]
    assert (settings["budget"], settings["gate"], settings["approach"]) == (25, "always", "execute")
    assert "coffee" in started["task"]
    assert [message[-17:] for message in desk.network] == ["400 (Bad Request)"]


def test_practice_by_hand_with_keys_alone(desk: Desk) -> None:
    name = desk.start(approach="free", gate="abort")
    robots_own = desk.ask(name)["id"]
    page = desk.page(f"sessions/{name}")
    panel(page, "Practise by hand")
    page.keyboard.press("n")
    assert len(desk.trials(name)) == 1  # whoever only watches asks for nothing
    page.locator("#operator-title").click()
    page.keyboard.press("n")
    panel(page, "Set the scene")
    expect(page.locator(".setting")).to_contain_text("bread")
    expect(page.locator("#operator")).to_contain_text("It stops no robot")
    page.keyboard.press("s")  # a label before Ready is none
    page.keyboard.press("Space")
    panel(page, "How did it go?")
    page.keyboard.press("s")
    panel(page, "Practise by hand")
    assert outcomes(desk, name) == [None, "success"]  # the robot keeps its own trial
    assert desk.trials(name)[1]["by"] == "ada"

    for title in ("Which label is right?", "Practise by hand", "Which label is right?"):
        page.keyboard.press("ArrowLeft")  # once more leaves the label as it is
        panel(page, title)
    page.keyboard.press("f")
    panel(page, "Practise by hand")
    corrected = desk.trials(name)[1]
    assert (corrected["outcome"], corrected["corrected_from"]) == ("failure", "success")
    expect(page.locator(".trial.corrected")).to_have_count(1)

    page.keyboard.press("n")
    panel(page, "Set the scene")
    page.keyboard.press("Space")
    panel(page, "How did it go?")
    page.keyboard.press("Escape")
    panel(page, "Practise by hand")
    assert outcomes(desk, name) == [None, "failure", "aborted"]
    page.keyboard.press("ArrowLeft")
    panel(page, "Which label is right?")
    page.keyboard.press("a")
    panel(page, "Practise by hand")
    assert outcomes(desk, name) == [None, "failure", "assisted"]
    robots = desk.call("GET", f"/sessions/{name}/robots")["robots"]
    assert {robot["name"]: robot["open"] for robot in robots} == {
        "ada by hand": [],
        "arm": [robots_own],
    }
    assert desk.network == []


def test_the_last_word_on_a_trial_counts(desk: Desk) -> None:
    """The answer to a correction is lost, so it is sent again; meanwhile another one is given."""
    name = desk.start(approach="free", gate="never")
    page = desk.page(f"sessions/{name}")
    lost = True

    def corrected(route: Route) -> None:
        if lost:
            route.fetch()  # it takes place
            route.abort()
        else:
            route.continue_()

    page.route("**/correct", corrected)
    panel(page, "Practise by hand")
    page.locator("#operator-title").click()
    for key, title in (("n", "Set the scene"), ("Space", "How did it go?")):
        page.keyboard.press(key)
        panel(page, title)
    page.keyboard.press("s")
    panel(page, "Practise by hand")
    for key in "fs":
        page.keyboard.press("ArrowLeft")
        panel(page, "Which label is right?")
        page.keyboard.press(key)
        panel(page, "Practise by hand")
        lost = False
    page.wait_for_function("localStorage['deliberate-outbox'] === '[]'")
    assert outcomes(desk, name) == ["success"]
    assert desk.call("GET", f"/sessions/{name}")["trials"][0]["by"] == "ada"


def test_a_second_press_does_not_reach_the_next_step(desk: Desk) -> None:
    name = desk.start(approach="free", gate="never")
    page = desk.page(f"sessions/{name}")
    panel(page, "Practise by hand")
    page.get_by_text("keys on").click()
    page.get_by_label("Ask for the next trial after each of my labels").check()
    page.keyboard.press("Escape")  # typed in the settings: no label
    page.locator("#operator-title").focus()
    page.keyboard.press("n")
    panel(page, "Set the scene")
    page.keyboard.press("Space")
    panel(page, "How did it go?")
    for key in ("s", "s", "Space", "f"):
        page.keyboard.press(key)
    expect(page.locator(".over", has_text="Trial 2")).to_be_visible()
    panel(page, "Set the scene")
    assert outcomes(desk, name) == ["success", None]


def test_ready_lets_a_robot_begin(desk: Desk) -> None:
    name = desk.start(gate="always")
    asked = desk.ask(name)
    assert (asked["id"], asked["trial"]) == (None, 1)
    page = desk.page(f"sessions/{name}")
    panel(page, "Set the scene")
    expect(page.locator(".state").first).to_have_text("Waits for Ready")
    expect(page.locator("#operator")).to_contain_text("The robot executes PickBread and PlaceBread")
    page.keyboard.press("Space")  # somebody scrolls: no robot moves because of it
    for _ in range(100):
        page.wait_for_timeout(50)
        if page.evaluate("window.scrollY"):
            break
    assert page.evaluate("window.scrollY")
    assert desk.ask(name)["id"] is None
    page.locator("#operator-title").click()
    page.keyboard.press("Space")
    expect(page.locator("#operator-title")).to_have_text("Practise by hand")
    assert desk.ask(name)["id"] == 1
    page.get_by_role("button", name="Label it here").click()
    panel(page, "How did it go?")
    page.get_by_text("It never came to the attempt").click()
    page.get_by_role("button", name="Failed at PlaceBread").click()
    panel(page, "Practise by hand")
    (trial,) = desk.trials(name)
    assert (trial["outcome"], trial["at"]) == ("unreached", "PlaceBread")
    page.keyboard.press("ArrowLeft")
    panel(page, "Which label is right?")
    page.get_by_text("It never came to the attempt").click()
    page.get_by_role("button", name="Failed at PickBread").click()
    panel(page, "Practise by hand")
    (trial,) = desk.trials(name)
    assert (trial["outcome"], trial["at"]) == ("unreached", "PickBread")
    assert "emergency" not in page.locator("body").inner_text().lower()


def test_pause_note_block_refund_end(desk: Desk) -> None:
    name = desk.start(gate="never")
    desk.tell(name, desk.ask(name)["id"], "aborted")
    page = desk.page(f"sessions/{name}")
    page.get_by_role("button", name="Pause").click()
    page.get_by_label("Why").fill("lunch")
    page.get_by_role("dialog").get_by_role("button", name="Pause").click()
    expect(page.locator(".state").first).to_have_text("Paused")
    assert desk.ask(name)["reason"] == "the session is paused (lunch)"
    page.get_by_role("button", name="Resume").click()
    expect(page.locator(".state").first).not_to_have_text("Paused")

    page.locator("#notes-title ~ button").click()
    page.get_by_role("textbox", name="Note").fill("<img src=x onerror=alert(1)>")
    page.get_by_role("button", name="Write it").click()
    expect(page.locator(".note-text")).to_have_text("<img src=x onerror=alert(1)>")

    page.get_by_role("button", name="Block StartToaster").click()
    page.get_by_label("Why").fill("the lever is broken")
    page.get_by_role("button", name="Block it").click()
    expect(page.locator(".tag")).to_have_text("blocked: the lever is broken")
    page.get_by_role("button", name="Unblock StartToaster").click()
    expect(page.locator(".tag")).to_have_count(0)

    page.get_by_role("button", name="Trial 1, StartToaster: aborted").click()
    page.get_by_role("button", name="Refund its cost").click()
    expect(page.get_by_role("button", name="aborted, refunded")).to_be_visible()
    expect(page.locator(".facts .number").first).to_have_text("12")

    page.get_by_role("button", name="More budget").click()
    page.get_by_label("Units to add").fill("8")
    page.get_by_role("button", name="Add them").click()
    expect(page.locator(".facts .number").first).to_have_text("20")
    page.get_by_role("button", name="End").click()
    page.get_by_role("button", name="End it").click()
    expect(page.locator(".state").first).to_have_text("Ended")
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert desk.network == []
