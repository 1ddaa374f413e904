"""The chart and the page of a quote."""

from __future__ import annotations

import itertools
from dataclasses import replace

from deliberate_practice.foundation.estimates import rate
from deliberate_practice.study.quoting.page import chance_chart, quote_page
from deliberate_practice.study.quoting.result import Amount, Quote

TRIED = {25: (1, 20), 50: (120, 200), 57: (14, 20), 71: (12, 20), 192: (180, 200)}
"""Worlds that reach the target, and worlds in all, by budget."""


def test_the_chance_never_falls_with_more_practice() -> None:
    quote = _quote()
    [series] = chance_chart(quote).panels[0].series
    assert list(series.x) == list(TRIED)
    assert all(a <= b for a, b in itertools.pairwise(series.y))
    assert 0.6 < series.y[2] == series.y[3] < 0.7  # 14 and 12 of 20 are taken together
    assert (series.y[0], series.y[4]) == (0.05, 0.9)
    assert series.ends is not None
    for value, ends in zip(series.y, series.ends, strict=True):
        assert ends is not None
        assert ends[0] <= value <= ends[1]


def test_the_page_calls_only_an_amount_a_limit() -> None:
    quote = _quote()
    page = quote_page(quote)
    assert "<p>in half of the cases at most<strong>50 units" in page
    assert "<p>with 90 % confidence at most<strong>192 units" in page
    beyond = replace(quote, sure=None, reachable=rate(140, 200), if_reachable=quote.sure)
    page = quote_page(beyond)
    assert "<p>with 90 % confidence<strong>out of reach" in page
    assert "<p>with 90 % confidence at most, if the target is within reach at all" in page


def _quote() -> Quote:
    """A quote that nobody has computed."""
    chances = tuple(Amount(budget, None, rate(*counts)) for budget, counts in TRIED.items())
    return Quote(
        task="breakfast",
        target=0.8,
        measure="value",
        goal=None,
        confidence=0.9,
        worlds=200,
        half=chances[1],
        sure=chances[4],
        reachable=rate(190, 200),
        if_reachable=None,
        largest=400,
        chances=chances,
        policies={},
        savings=(),
    )
