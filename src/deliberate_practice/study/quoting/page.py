"""A quote as one page to hand to a customer: it opens without a network, and prints."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import isotonic_regression

from deliberate_practice.charts.chart import Chart, Panel, Series
from deliberate_practice.charts.markup import text_in_html
from deliberate_practice.charts.page import STYLE
from deliberate_practice.charts.palette import of_lines
from deliberate_practice.charts.write import write_chart
from deliberate_practice.foundation.estimates import Estimate
from deliberate_practice.foundation.percent import percent
from deliberate_practice.study.quoting.actual import Actual
from deliberate_practice.study.quoting.result import Quote
from deliberate_practice.study.quoting.words import (
    amount_in_words,
    answer_in_words,
    condition_in_words,
    need_in_words,
    remark_in_words,
    saved_in_words,
    target_in_words,
)

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""A browser loads nothing from elsewhere, and runs nothing."""
HEADLINE = """
.headline { display: flex; flex-wrap: wrap; gap: 1rem 3rem; margin: 1.5rem 0; }
.headline p { margin: 0; }
.headline strong { display: block; font-size: 2.2rem; line-height: 1.1; }
img { width: 100%; max-width: 46rem; height: auto; background: #ffffff; border-radius: 6px; }
th { white-space: nowrap; }
@media print { img { max-width: 12cm; } }
"""


def quote_page(quote: Quote, actual: Actual | None = None) -> str:
    """The whole page as HTML.

    Args:
        quote: The quote.
        actual: The session that carried it out, if there is one.
    """
    title = f"{quote.task}: practice until {target_in_words(quote)}"
    parts = [*_headline(quote), *_chances(quote), *_shares(quote), *_savings(quote)]
    if actual:
        parts += _actual(quote, actual)
    parts += _method(quote)
    body = "\n".join(parts)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<title>{text_in_html(title)}</title>
<style>{STYLE}{HEADLINE}</style>
</head>
<body>
<header><h1>{text_in_html(title)}</h1></header>
<main>
{body}
</main>
</body>
</html>
"""


def _headline(quote: Quote) -> Iterator[str]:
    sure = f"with {percent(quote.confidence)} confidence"
    levels = [("in half of the cases", 0.5), (sure, quote.confidence)]
    answers = [
        (label if amount is None else f"{label} at most", answer_in_words(quote, level))
        for (label, level), amount in zip(levels, (quote.half, quote.sure), strict=True)
    ]
    if quote.if_reachable:
        label = f"{sure} at most, {condition_in_words(quote)}"
        answers.append((label, need_in_words(quote, quote.if_reachable)))
    cells = "".join(
        f"<p>{label}<strong>{text_in_html(answer)}</strong></p>" for label, answer in answers
    )
    yield f'<div class="headline">{cells}</div>'
    remark = remark_in_words(quote)
    if remark:
        yield f"<p>{text_in_html(remark)}</p>"


def _chances(quote: Quote) -> Iterator[str]:
    chart = chance_chart(quote)
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "chances.svg"
        write_chart(chart, picture, titled=False)
        data = base64.b64encode(picture.read_bytes()).decode()
    yield "<h2>How sure is that?</h2>"
    yield (
        f'<figure><img alt="{text_in_html(chart.text)}" src="data:image/svg+xml;base64,{data}">'
        f"<figcaption>{text_in_html(chart.text)}</figcaption></figure>"
    )


def chance_chart(quote: Quote) -> Chart:
    """The chance of reaching the target against the budget; more practice never lowers it."""
    hours = all(amount.hours is not None for amount in quote.chances)
    x = [amount.hours if amount.hours is not None else amount.budget for amount in quote.chances]
    values, ends = _rising([amount.chance for amount in quote.chances])
    series = Series(
        "chance",
        x,
        values,
        ends=ends,
        look=of_lines(["chance"])["chance"],
        quiet=True,
    )
    sure = percent(quote.confidence) if quote.sure else f"{percent(quote.confidence)} if in reach"
    lines = [
        (amount.hours if amount.hours is not None else float(amount.budget), label)
        for label, amount in ((percent(0.5), quote.half), (sure, quote.answer))
        if amount
    ]
    return Chart(
        title=f"{quote.task}: the chance of reaching the target",
        text="How many of the rehearsed worlds reach the target with each budget, with 95 % "
        "intervals. More practice is assumed to do no harm.",
        panels=[Panel("", [series], lines=lines)],
        x_label="practice [h]" if hours else "budget [units]",
        y_label="chance of reaching the target",
        limits=(0.0, 1.0),
    )


def _rising(chances: Sequence[Estimate]) -> tuple[list[float], list[tuple[float, float]]]:
    """Rates and their intervals if none is below that of a smaller budget.

    Budgets far from the answer are rehearsed in few worlds, so they count less.
    """
    low, high = np.array([chance.interval or (0.0, 1.0) for chance in chances]).T
    rates = np.array([chance.value for chance in chances])
    line = isotonic_regression(rates, weights=(high - low) ** -2).x
    low = np.minimum(np.maximum.accumulate(low), line)
    high = np.maximum(np.minimum.accumulate(high[::-1])[::-1], line)
    return line.tolist(), list(zip(low.tolist(), high.tolist(), strict=True))


def _shares(quote: Quote) -> Iterator[str]:
    if not quote.policies:
        return
    yield "<h2>Which skills take it?</h2>"
    if quote.answer:
        practice = text_in_html(amount_in_words(quote, quote.answer.budget))
        yield f"<p>The mean of the rehearsals with {practice} of practice.</p>"
    rows = [
        [name, f"{share.episodes:.0f}", amount_in_words(quote, share.budget), percent(share.part)]
        for name, share in quote.policies.items()
    ]
    yield _table(["skill", "episodes", "practice", "part"], rows)


def _savings(quote: Quote) -> Iterator[str]:
    if not quote.savings or quote.answer is None:
        return
    yield "<h2>What would shorten it?</h2>"
    rows = [
        [
            saving.what,
            amount_in_words(quote, saving.budget),
            saved_in_words(quote, saving),
        ]
        for saving in quote.savings
    ]
    yield _table(["with", f"needed at {percent(quote.confidence)}", "saved"], rows)


def _actual(quote: Quote, actual: Actual) -> Iterator[str]:
    yield "<h2>Plan against actual</h2>"
    yield f"<p>{text_in_html(actual.in_words(quote))}</p>"
    rows = [
        [name, f"{planned:.0f}", str(practised)]
        for name, (planned, practised) in actual.episodes(quote).items()
    ]
    yield _table(["skill", "episodes planned", "practised"], rows)


def _method(quote: Quote) -> Iterator[str]:
    yield "<h2>How this was computed</h2>"
    yield (
        "<p>The learning curves stated in the task are uncertain. Many worlds were drawn, each "
        "with other curves that the belief holds possible. The whole practice was rehearsed in "
        f"up to {quote.worlds} of these worlds with every budget. The answer holds if the robot "
        "learns as in one of them.</p>"
    )


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def cells(tag: str, row: Sequence[str]) -> str:
        return "".join(
            f"<{tag}{'' if i == 0 else ' class=number'}>{text_in_html(cell)}</{tag}>"
            for i, cell in enumerate(row)
        )

    body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    head = f"<thead><tr>{cells('th', columns)}</tr></thead>"
    return f'<div class="table"><table>{head}\n<tbody>\n{body}\n</tbody></table></div>'
