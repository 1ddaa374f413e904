"""The page of a report on a desk, on a phone, in the dark and on paper, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import browser as program
from playwright.sync_api import Browser, Page, sync_playwright

from deliberate_practice.charts.chart import Chart, Panel, Series
from deliberate_practice.charts.palette import DARK_PAPER, STRATEGIES, of_goals, on_dark
from deliberate_practice.study.report.content import Section, Table
from deliberate_practice.study.report.page import page

NAMES = ("deliberate", "ees")
CHARTS = [
    Chart(
        "reward",
        "Reward against budget.",
        [
            Panel(
                f"budget {budget}",
                [
                    Series(n, [0, budget], [0, 1], ends=[(0, 0.1), (1, 2)], look=STRATEGIES[n])
                    for n in NAMES
                ],
            )
            for budget in (10, 20, 30)
        ],
        "budget",
        "reward",
        columns=3,
        name="lines",
    ),
    Chart(
        "chosen",
        "Chosen goals.",
        [Panel("", [Series("cup", NAMES, [0.5, 1], "bar", look=of_goals(["tea", "cup"])["cup"])])],
        name="bars",
        horizontal=True,
    ),
]
TABLE = Table(
    "wide", "A caption " * 20, ["strategy", *"abcdefgh"], [["ees", *["0.123 to 0.9"] * 8]]
)
BOXES = """() => {
  const layout = document.getElementById('chart-lines')._fullLayout;
  return ['', '2', '3'].map(n => [layout['xaxis' + n], layout['yaxis' + n]])
    .map(([x, y]) => [x._offset, y._offset, x._length]);
}"""
"""Left edge, upper edge and width of each panel."""
PAPER = "() => document.querySelector('#chart-lines .main-svg').style.background"
FILL = "() => document.querySelector('#chart-bars .point path').style.fill"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    path = program()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def shown(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    """The page on a desk, in the light, with all charts drawn."""
    (tmp_path / "report.html").write_text(page("t", [Section("s", [], [*CHARTS, TABLE])]))
    window = chromium.new_page(viewport={"width": 1200, "height": 800}, color_scheme="light")
    window.goto((tmp_path / "report.html").as_uri())
    window.locator('body[data-drawn="2"]').wait_for()
    yield window
    window.close()


def _colour(text: str) -> str:
    """A colour as browsers write it."""
    return f"rgb({', '.join(str(int(text[i : i + 2], 16)) for i in (1, 3, 5))})"


@pytest.mark.slow
def test_panels_stand_below_each_other_on_a_phone(shown: Page) -> None:
    wide = shown.evaluate(BOXES)
    assert len({round(y) for _, y, _ in wide}) == 1
    shown.set_viewport_size({"width": 390, "height": 844})
    shown.wait_for_timeout(300)
    narrow = shown.evaluate(BOXES)
    assert len(narrow) == 3
    assert len({round(x) for x, _, _ in narrow}) == 1
    assert all(width > 250 for _, _, width in narrow)
    assert shown.evaluate("() => document.documentElement.scrollWidth") <= 390


@pytest.mark.slow
def test_a_caption_stays_in_view_beside_a_wide_table(shown: Page) -> None:
    shown.set_viewport_size({"width": 390, "height": 844})
    box = shown.locator("caption span").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 390
    shown.evaluate("() => { document.querySelector('.table').scrollLeft = 300; }")
    first = shown.locator("tbody td").first.bounding_box()
    assert first is not None
    assert first["x"] >= 0  # the name of the row stays too


@pytest.mark.slow
def test_charts_follow_the_scheme_and_paper_is_light(shown: Page) -> None:
    light = CHARTS[1].panels[0].series[0].look.colour
    assert shown.evaluate(PAPER) == _colour("#ffffff")
    assert shown.evaluate(FILL) == _colour(light)
    shown.emulate_media(color_scheme="dark")
    shown.wait_for_timeout(300)
    assert shown.evaluate(PAPER) == _colour(DARK_PAPER)
    assert shown.evaluate(FILL) == _colour(on_dark(light)) != _colour(light)
    shown.evaluate("() => { dispatchEvent(new Event('beforeprint')); }")
    assert shown.evaluate(FILL) == _colour(light)
    assert shown.evaluate("() => document.querySelector('.main-svg').clientWidth") < 700
    shown.evaluate("() => { dispatchEvent(new Event('afterprint')); }")
    assert shown.evaluate(FILL) == _colour(on_dark(light))
