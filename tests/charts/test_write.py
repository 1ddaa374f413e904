"""One verb writes every chart, in every format, with the same bytes every time."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from browser import browser

from deliberate_practice.allocation.frontier import frontier
from deliberate_practice.allocation.frontier_chart import frontier_chart
from deliberate_practice.charts.chart import Chart, Panel, Series
from deliberate_practice.charts.write import FORMATS, check_format, write_chart
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.practice.domain import load_task

BARS = Chart(
    "<b>Bars</b> $5", "Text & more.", [Panel("p", [Series("s", ["a", "b"], [1, 2], "bar")])]
)


def _frontier() -> Chart:
    return frontier_chart(frontier(load_task("breakfast"), 70))


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("chart", [BARS, _frontier()], ids=["bars", "heat"])
def test_the_same_chart_gives_the_same_bytes(tmp_path: Path, chart: Chart, ending: str) -> None:
    one, two = tmp_path / f"one{ending}", tmp_path / f"two{ending}"
    write_chart(chart, one)
    write_chart(chart, str(two))
    assert one.read_bytes() == two.read_bytes()
    assert one.stat().st_size > 50
    assert not re.search(rb"20\d\d-\d\d-\d\dT|CreationDate", one.read_bytes()[-20_000:])


def test_endings_may_be_large(tmp_path: Path) -> None:
    write_chart(BARS, tmp_path / "A.PNG")
    assert (tmp_path / "A.PNG").read_bytes().startswith(b"\x89PNG")


def test_letters_of_a_pdf_stay_letters(tmp_path: Path) -> None:
    write_chart(BARS, tmp_path / "a.pdf")
    assert (
        b"/TrueType" in (tmp_path / "a.pdf").read_bytes()
        or b"/CIDFontType2" in (tmp_path / "a.pdf").read_bytes()
    )


def test_a_title_is_left_out_where_a_caption_holds_it(tmp_path: Path) -> None:
    plain = Chart("Titled", "", BARS.panels)
    for titled in (True, False):
        write_chart(plain, tmp_path / f"{titled}.svg", titled=titled)
    assert "<!-- Titled -->" in (tmp_path / "True.svg").read_text()
    assert "<!-- Titled -->" not in (tmp_path / "False.svg").read_text()


def test_a_page_holds_everything_and_names_stay_text(tmp_path: Path) -> None:
    write_chart(BARS, tmp_path / "a.html")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "<h1>&lt;b&gt;Bars&lt;/b&gt; $5</h1>" in text
    assert "Text &amp; more." in text
    assert "default-src 'none'" in text
    assert text.count("</script") == 3
    assert not re.search(r'(?:src|href)="', text.split("<script")[0])


def test_refuses_what_it_cannot_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArgumentError, match=r"'x.doc' .* use one of: \.png, \.pdf, \.svg, \.csv"):
        check_format("x.doc")
    with pytest.raises(ArgumentError, match=r"use one of"):
        write_chart(BARS, tmp_path / "x")
    with pytest.raises(ArgumentError, match="Panel is not a Chart"):
        write_chart(BARS.panels[0], tmp_path / "x.png")  # type: ignore[arg-type]
    for ending in FORMATS:
        path = tmp_path / "no" / f"x{ending}"
        with pytest.raises(ArgumentError, match=r"cannot write '.*no/x\..*': No such file"):
            write_chart(BARS, path)
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    check_format("x.pdf")
    for refuse in (check_format, lambda path: write_chart(BARS, path)):
        with pytest.raises(ArgumentError) as caught:
            refuse(tmp_path / "x.html")
        assert str(caught.value).endswith(f"run: {install_command('report')}")


@pytest.mark.slow
def test_a_browser_draws_a_heat_map(tmp_path: Path) -> None:
    write_chart(_frontier(), tmp_path / "frontier.html")
    command = [
        *(browser(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *("--disable-background-networking", "--proxy-server=127.0.0.1:9"),
        *(f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=30000"),
        *("--dump-dom", (tmp_path / "frontier.html").as_uri()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert 'data-drawn="1"' in done.stdout
    assert 'class="hm"' in done.stdout
