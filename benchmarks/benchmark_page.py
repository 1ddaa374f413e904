"""The page docs/benchmark.md, of which three benchmarks write a part each."""

from __future__ import annotations

from pathlib import Path

FOREIGN = "## Foreign worlds\n"
FORECASTS = "## How often forecasts come true\n"
"""The headings of the second and the third part."""


def write_strategies(page: Path, text: str) -> None:
    """Write the part on strategies, which comes first, and keep the others."""
    _, foreign, forecasts = _parts(page)
    _write(page, text, foreign, forecasts)


def write_foreign(page: Path, text: str) -> None:
    """Write the part on foreign worlds."""
    strategies, _, forecasts = _parts(page)
    _write(page, strategies, f"{FOREIGN}\n{text}", forecasts)


def write_forecasts(page: Path, text: str) -> None:
    """Write the part on forecasts, which comes last."""
    strategies, foreign, _ = _parts(page)
    _write(page, strategies, foreign, f"{FORECASTS}\n{text}")


def _parts(page: Path) -> tuple[str, str, str]:
    """The three parts of a page with their headings; empty where one is missing."""
    text = page.read_text() if page.exists() else ""
    before, heading, forecasts = text.partition(FORECASTS)
    strategies, title, foreign = before.partition(FOREIGN)
    return strategies, title + foreign, heading + forecasts


def _write(page: Path, *parts: str) -> None:
    page.write_text("\n\n".join(part.strip() for part in parts if part.strip()) + "\n")
