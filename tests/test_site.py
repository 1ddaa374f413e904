"""The documentation as a site: every page is in it, and no link is broken."""

from __future__ import annotations

import runpy
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from browser import browser

ROOT = Path(__file__).parents[1]
MAKE = runpy.run_path(str(ROOT / "docs" / "make_site.py"))


def _pages(nav: list[Any]) -> Iterator[str]:
    for entry in nav:
        for target in entry.values():
            if isinstance(target, str):
                yield target
            else:
                yield from _pages(target)


def test_the_menu_has_every_page_once() -> None:
    menu = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"]
    assert sorted(_pages(menu)) == sorted(page.name for page in (ROOT / "docs").glob("*.md"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site."""
    built = tmp_path_factory.mktemp("built") / "site"
    assert MAKE["make_site"](built) == []
    return built


@pytest.mark.slow
def test_pictures_and_links_of_a_shown_file_lead_where_they_should(site: Path) -> None:
    readme = (site / "files" / "README.md.html").read_text(encoding="utf-8")
    assert 'src="../gallery-cleanup.png"' in readme
    assert 'href="../your-robot.html#the-page"' in readme
    assert 'href="../files/examples-own_robot' in (site / "files" / "examples.html").read_text(
        encoding="utf-8"
    )


@pytest.mark.slow
def test_a_site_of_files_can_be_searched(site: Path) -> None:
    program = browser()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = opened.new_page()
        page.goto((site / "index.html").as_uri())
        page.keyboard.press("Control+k")
        page.keyboard.type("forecast")
        page.get_by_text("deliberate forecast").first.wait_for(timeout=60_000)
        opened.close()


@pytest.mark.slow
def test_the_page_for_missing_ones_is_a_page_of_the_site(site: Path) -> None:
    """It opens as a file, and a server shows it in place of a page in any folder."""
    program = browser()
    from playwright.sync_api import Route, sync_playwright

    def serve(route: Route) -> None:
        file = site / urlsplit(route.request.url).path.lstrip("/")
        route.fulfill(path=file if file.is_file() else site / "404.html")

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = opened.new_page()
        page.route("http://docs.test/**", serve)
        for address in ((site / "404.html").as_uri(), "http://docs.test/files/none.html"):
            page.goto(address)
            style = "getComputedStyle(document.querySelector('.md-header')).position"
            assert page.evaluate(style) == "sticky"
            page.get_by_role("link", name="Tutorial").first.click()
            page.get_by_role("heading", name="tutorial").first.wait_for(timeout=60_000)
        opened.close()


@pytest.mark.slow
def test_no_link_is_broken_and_nothing_is_loaded_from_elsewhere(site: Path, tmp_path: Path) -> None:
    assert (site / "index.html").is_file()
    shutil.copytree(site, tmp_path / "site")
    (tmp_path / "site" / "bad.html").write_text(
        '<a href="missing.html">x</a><script src="https://elsewhere.org/x.js"></script>'
        '<a href="index.html#nowhere">y</a><p id="here"><a href="#here">z</a></p>'
    )
    assert list(MAKE["broken_links"](tmp_path / "site")) == [
        "bad.html: missing.html",
        "bad.html: loads https://elsewhere.org/x.js",
        "bad.html: index.html#nowhere",
    ]
