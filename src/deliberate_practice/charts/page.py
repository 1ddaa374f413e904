"""Pages with charts in one HTML file that opens without a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from deliberate_practice.charts.browser import dark_colours, plotly_figure
from deliberate_practice.charts.chart import Chart
from deliberate_practice.charts.markup import json_in_html, text_in_html
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.installing import install_command

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
"""The page's security policy: a browser loads nothing from elsewhere."""


def chart_page(chart: Chart) -> str:
    """A page with one chart, its title and its text.

    Raises:
        ArgumentError: The package ``plotly`` is not installed.
    """
    named = replace(chart, name=chart.name or "alone")
    body = (
        f"<header><h1>{text_in_html(chart.title)}</h1></header>\n<main>\n"
        f"{chart_element(named, text_in_html(chart.text))}\n</main>"
    )
    return html_page(chart.title, body, [named])


def html_page(title: str, body: str, charts: Sequence[Chart]) -> str:
    """A complete HTML file.

    Args:
        title: Title of the window.
        body: The content, as HTML, with an element for every chart.
        charts: The charts to draw in these elements.

    Raises:
        ArgumentError: The package ``plotly`` is not installed.
    """
    data = json_in_html({chart.name: _two_layouts(chart) for chart in charts})
    dark = {light: other for chart in charts for light, other in dark_colours(chart).items()}
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
{body}
<script type="application/json" id="charts">{data}</script>
<script>{plotly_js()}</script>
<script>const DARK = {json_in_html(dark)};{DRAW}</script>
</body>
</html>
"""


def _two_layouts(chart: Chart) -> dict[str, Any]:
    """The traces of a chart with its layouts for a wide page and for a phone."""
    wide, narrow = plotly_figure(chart), plotly_figure(chart, narrow=True)
    return {"data": wide["data"], "wide": wide["layout"], "narrow": narrow["layout"]}


def chart_element(chart: Chart, caption: str) -> str:
    """The element in which a chart is drawn, with a caption in HTML."""
    name, text = text_in_html(chart.name), text_in_html(chart.text)
    return (
        f'<figure><div class="chart" id="chart-{name}" role="img" aria-label="{text}"></div>\n'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def plotly_js() -> str:
    """The script that draws the charts.

    Raises:
        ArgumentError: The package ``plotly`` is not installed.
    """
    try:
        from plotly.offline import get_plotlyjs
    except ModuleNotFoundError:
        raise ArgumentError(
            f"HTML: charts in a page need the package plotly; run: {install_command('report')}"
        ) from None
    return str(get_plotlyjs()).replace("</script", "<\\/script")


STYLE = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1c1c1c; --faint: #5f5f5f;
  --rule: #d8d8d8; --link: #0b5cad; }
@media screen and (prefers-color-scheme: dark) { :root { --paper: #15181c; --ink: #e8e8e8;
  --faint: #b0b0b0; --rule: #3a3f46; --link: #7db8f0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 72rem; background: var(--paper);
  color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.8rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin-top: 3rem; font-size: 1.35rem; border-top: 1px solid var(--rule);
  padding-top: 1.2rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 2rem 0 .4rem; }
p { max-width: 46rem; }
a { color: var(--link); }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; }
figure { margin: 0 0 1.5rem; }
figcaption { color: var(--faint); font-size: .88rem; max-width: 46rem; }
.chart { min-height: 12rem; margin-bottom: .4rem; overflow: hidden; }
/* A wide table may use the margin at its right. */
.table { overflow-x: auto; margin: 1.5rem 0; width: fit-content;
  max-width: calc(100% + max(0px, (100vw - 75rem) / 2)); }
table { border-collapse: collapse; font-size: .88rem; }
caption { text-align: left; color: var(--faint); padding-bottom: .4rem; }
/* A caption stays in view while its table is moved sideways. */
caption > span { display: block; position: sticky; left: 0; width: fit-content;
  max-width: min(46rem, 100vw - 3rem); }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--rule);
  vertical-align: top; }
th { vertical-align: bottom; }
td span { white-space: nowrap; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
@media (max-width: 40rem) {
  body { padding: 1rem; }
  h1 { font-size: 1.5rem; }
  tr > :first-child { position: sticky; left: 0; background: var(--paper); }
}
@page { margin: 15mm; }
@media print {
  nav, .skip { display: none; }
  body { max-width: none; padding: 0; font-size: 11pt; }
  h2, h3 { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  .table { overflow: visible; max-width: none; }
  table { font-size: 7pt; }
  th, td { padding-right: .4rem; }
  /* On paper names break at hyphens, and numbers before their intervals. */
  td span, td.number { white-space: normal; }
  td.number span { white-space: nowrap; }
}
"""

DRAW = """
const charts = JSON.parse(document.getElementById("charts").textContent);
const names = Object.keys(charts);
const settings = { responsive: true, displayModeBar: false };  // it covers the titles of panels
const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 40rem)");
const PRINTED = 680;  // width of a page of paper [px]
let drawn = 0;
function darkened(value) {
  if (typeof value === "string") { return DARK[value] ?? value; }
  if (Array.isArray(value)) { return value.map(darkened); }
  if (value === null || typeof value !== "object") { return value; }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, darkened(part)]));
}
function draw(name, printed) {
  const chart = charts[name];
  const layout = !printed && narrow.matches ? chart.narrow : chart.wide;
  let figure = structuredClone({ data: chart.data, layout });
  if (dark.matches && !printed) { figure = darkened(figure); }
  if (printed) { figure.layout.width = PRINTED; }
  return Plotly.react("chart-" + name, figure.data, figure.layout, settings);
}
function again(printed) { names.slice(0, drawn).forEach((name) => draw(name, printed)); }
function next() {  // one at a time, so that the page can be read meanwhile
  if (drawn === names.length) { return; }
  draw(names[drawn], false).then(() => {
    drawn += 1;
    document.body.dataset.drawn = drawn;
    setTimeout(next);
  });
}
dark.addEventListener("change", () => again(false));
narrow.addEventListener("change", () => again(false));
addEventListener("beforeprint", () => again(true));
addEventListener("afterprint", () => again(false));
next();
"""
