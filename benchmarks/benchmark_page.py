"""The page docs/benchmark.md, of which two benchmarks write a part each."""

from __future__ import annotations

from pathlib import Path

FORECASTS = "## How often forecasts come true\n"
"""The heading of the second part."""


def write_strategies(page: Path, text: str) -> None:
    """Write the part on strategies, and keep the other."""
    page.write_text(f"{text}{_forecasts(page)}")


def write_forecasts(page: Path, text: str) -> None:
    """Write the part on forecasts, which comes last."""
    before = page.read_text().partition(FORECASTS)[0] if page.exists() else ""
    page.write_text(f"{before.rstrip()}\n\n{FORECASTS}\n{text}")


def _forecasts(page: Path) -> str:
    if not page.exists():
        return ""
    _, heading, text = page.read_text().partition(FORECASTS)
    return f"\n{heading}{text}" if heading else ""
