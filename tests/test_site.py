"""The documentation as a site: every page is in it, and no link is broken."""

from __future__ import annotations

import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


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


@pytest.mark.slow
def test_no_link_is_broken_and_nothing_is_loaded_from_elsewhere(tmp_path: Path) -> None:
    make = runpy.run_path(str(ROOT / "docs" / "make_site.py"))
    assert make["make_site"](tmp_path / "site") == []
    assert (tmp_path / "site" / "index.html").is_file()
    (tmp_path / "site" / "bad.html").write_text(
        '<a href="missing.html">x</a><script src="https://elsewhere.org/x.js"></script>'
        '<a href="index.html#nowhere">y</a><p id="here"><a href="#here">z</a></p>'
    )
    assert list(make["broken_links"](tmp_path / "site")) == [
        "bad.html: missing.html",
        "bad.html: loads https://elsewhere.org/x.js",
        "bad.html: index.html#nowhere",
    ]
