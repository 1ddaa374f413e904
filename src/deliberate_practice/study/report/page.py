"""The report as one HTML file with everything in it: it opens without a network."""

from __future__ import annotations

from collections.abc import Sequence

from deliberate_practice.charts.chart import Chart
from deliberate_practice.charts.markup import text_in_html
from deliberate_practice.charts.page import chart_element, html_page
from deliberate_practice.study.report.content import Section, Table

PRINTED = ("pdf", "png", "csv")
"""Formats of every chart beside the page."""


def page(title: str, sections: Sequence[Section]) -> str:
    """The whole file.

    Args:
        title: Its heading.
        sections: What it says.

    Raises:
        ArgumentError: The package ``plotly`` is not installed.
    """
    links = "\n".join(
        f'<li><a href="#section-{i}">{text_in_html(section.title)}</a></li>'
        for i, section in enumerate(sections)
    )
    content = "\n".join(_section(i, section) for i, section in enumerate(sections))
    body = f"""<a class="skip" href="#content">To the content</a>
<header><h1>{text_in_html(title)}</h1></header>
<nav aria-label="Contents"><ol>
{links}
</ol></nav>
<main id="content">
{content}
</main>"""
    parts = [part for section in sections for part in section.parts]
    return html_page(title, body, [part for part in parts if isinstance(part, Chart)])


def _section(number: int, section: Section) -> str:
    heading = f'<h2 id="heading-{number}">{text_in_html(section.title)}</h2>'
    text = "\n".join(f"<p>{text_in_html(paragraph)}</p>" for paragraph in section.text)
    parts = "\n".join(
        _figure(part, section.topic) if isinstance(part, Chart) else _table(part)
        for part in section.parts
    )
    return (
        f'<section id="section-{number}" aria-labelledby="heading-{number}">\n'
        f"{heading}\n{text}\n{parts}\n</section>"
    )


def _figure(chart: Chart, topic: str) -> str:
    file = text_in_html(chart.name)
    files = ", ".join(
        f'<a href="figures/{file}.{ending}">{ending.upper()}</a>' for ending in PRINTED
    )
    caption = f"{text_in_html(chart.text)} For print, and its data: {files}."
    heading = chart.title.removeprefix(f"{topic}: ")
    heading = heading[:1].upper() + heading[1:]
    return f"<h3>{text_in_html(heading)}</h3>\n{chart_element(chart, caption)}"


def _table(table: Table) -> str:
    def cells(tag: str, row: Sequence[str]) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        looks = [
            "" if i < table.words or ", " in cell else ' class="number"'
            for i, cell in enumerate(row)
        ]
        return "".join(
            f"<{tag}{scope}{look}>{_interval(cell) if look else _unbroken(cell)}</{tag}>"
            for look, cell in zip(looks, row, strict=True)
        )

    body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in table.rows)
    caption = text_in_html(table.caption)
    return (
        f'<div class="table" role="region" tabindex="0" aria-label="{caption}"><table>'
        f'<caption><span>{caption} (<a href="figures/{text_in_html(table.name)}.csv">CSV</a>)'
        f"</span></caption>\n"
        f"<thead><tr>{cells('th', table.columns)}</tr></thead>\n<tbody>\n{body}\n</tbody>"
        "</table></div>"
    )


def _interval(cell: str) -> str:
    """A number and its interval, each of them in one line."""
    number, bracket, interval = cell.partition(" (")
    if not bracket:
        return text_in_html(cell)
    return f"{text_in_html(number)} <span>{text_in_html(f'({interval}')}</span>"


def _unbroken(cell: str) -> str:
    """A list breaks between its entries, not at a hyphen in a name or before a number."""
    return ", ".join(
        f"<span>{text_in_html(entry)}</span>" if entry.count(" ") <= 1 else text_in_html(entry)
        for entry in cell.split(", ")
    )
