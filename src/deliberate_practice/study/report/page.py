"""The report as one HTML file with everything in it: it opens without a network."""

from __future__ import annotations

from collections.abc import Sequence

from deliberate_practice.charts.browser import plotly_figure
from deliberate_practice.charts.chart import Chart
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.foundation.markup import json_in_html, text_in_html
from deliberate_practice.study.report.content import Section, Table

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""What a browser may load for the page: nothing."""


def page(title: str, sections: Sequence[Section]) -> str:
    """The whole file.

    Args:
        title: Its heading.
        sections: What it says.

    Raises:
        ArgumentError: The package ``plotly`` is not installed.
    """
    charts = {
        part.name: plotly_figure(part)
        for section in sections
        for part in section.parts
        if isinstance(part, Chart)
    }
    data = json_in_html(charts)
    links = "\n".join(
        f'<li><a href="#section-{i}">{text_in_html(section.title)}</a></li>'
        for i, section in enumerate(sections)
    )
    body = "\n".join(_section(i, section) for i, section in enumerate(sections))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{text_in_html(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header><h1>{text_in_html(title)}</h1></header>
<nav aria-label="Contents"><ol>
{links}
</ol></nav>
<main id="content">
{body}
</main>
<script type="application/json" id="charts">{data}</script>
<script>{plotly_js()}</script>
<script>{DRAW}</script>
</body>
</html>
"""


def plotly_js() -> str:
    """The script that draws the charts.

    Raises:
        ArgumentError: The package ``plotly`` is not installed.
    """
    try:
        from plotly.offline import get_plotlyjs
    except ModuleNotFoundError:
        raise ArgumentError(
            f"report: it needs the package plotly; run: {install_command('report')}"
        ) from None
    text: str = get_plotlyjs()
    return text.replace("</script", "<\\/script")


def _section(number: int, section: Section) -> str:
    heading = f'<h2 id="heading-{number}">{text_in_html(section.title)}</h2>'
    text = "\n".join(f"<p>{text_in_html(paragraph)}</p>" for paragraph in section.text)
    parts = "\n".join(
        _figure(part) if isinstance(part, Chart) else _table(part) for part in section.parts
    )
    return (
        f'<section id="section-{number}" aria-labelledby="heading-{number}">\n'
        f"{heading}\n{text}\n{parts}\n</section>"
    )


def _figure(chart: Chart) -> str:
    text, file = text_in_html(chart.text), text_in_html(chart.name)
    files = ", ".join(
        f'<a href="figures/{file}.{ending}">{ending.upper()}</a>'
        for ending in ("pdf", "png", "csv")
    )
    return (
        f"<h3>{text_in_html(chart.title)}</h3>\n"
        f'<figure><div class="chart" id="chart-{file}" role="img" aria-label="{text}"></div>\n'
        f"<figcaption>{text} For print, and its data: {files}.</figcaption></figure>"
    )


def _table(table: Table) -> str:
    def cells(tag: str, row: Sequence[str]) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        looks = ["" if i < table.words else ' class="number"' for i in range(len(row))]
        return "".join(
            f"<{tag}{scope}{look}>{_unbroken(cell)}</{tag}>"
            for look, cell in zip(looks, row, strict=True)
        )

    body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in table.rows)
    caption = text_in_html(table.caption)
    return (
        f'<div class="table" role="region" tabindex="0" aria-label="{caption}"><table>'
        f'<caption>{caption} (<a href="figures/{text_in_html(table.name)}.csv">CSV</a>)</caption>\n'
        f"<thead><tr>{cells('th', table.columns)}</tr></thead>\n<tbody>\n{body}\n</tbody>"
        "</table></div>"
    )


def _unbroken(cell: str) -> str:
    """A list breaks between its entries, not at a hyphen in a name or before a number."""
    return ", ".join(
        f"<span>{text_in_html(entry)}</span>" if entry.count(" ") <= 1 else text_in_html(entry)
        for entry in cell.split(", ")
    )


STYLE = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1c1c; --faint: #5f5f5f;
  --rule: #d8d8d8; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --paper: #15181c; --ink: #e8e8e8;
  --faint: #b0b0b0; --rule: #3a3f46; --link: #7db8f0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 72rem; background: var(--paper);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.8rem; line-height: 1.2; }
h2 { margin-top: 3rem; font-size: 1.35rem; border-top: 1px solid var(--rule);
  padding-top: 1.2rem; }
h3 { font-size: 1rem; margin: 2rem 0 .4rem; }
p { max-width: 46rem; }
a { color: var(--link); }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; }
figure { margin: 0 0 1.5rem; }
figcaption { color: var(--faint); font-size: .88rem; max-width: 46rem; }
/* Colours are those of the printed figures, so charts stay on white paper. */
.chart { background: #ffffff; border-radius: 6px; min-height: 12rem; margin-bottom: .4rem;
  overflow: hidden; }
.table { overflow-x: auto; margin: 1.5rem 0; }
table { border-collapse: collapse; font-size: .88rem; }
caption { text-align: left; color: var(--faint); padding-bottom: .4rem; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top; }
th { vertical-align: bottom; }
td span { white-space: nowrap; }
td.number:last-child { white-space: normal; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
@media print { nav, .skip { display: none; } figure { break-inside: avoid; } }
"""

DRAW = """
const charts = Object.entries(JSON.parse(document.getElementById("charts").textContent));
const settings = { responsive: true, displaylogo: false };
let drawn = 0;
function next() {  // one after the other, so that the page can be read meanwhile
  if (drawn === charts.length) { return; }
  const [name, figure] = charts[drawn];
  Plotly.newPlot("chart-" + name, figure.data, figure.layout, settings).then(() => {
    drawn += 1;
    document.body.dataset.drawn = drawn;
    setTimeout(next);
  });
}
next();
"""
