"""Write the short tables of docs/practice.md from docs/benchmark.md; a test compares them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
PAGE, MEASURED = HERE / "practice.md", HERE / "benchmark.md"
PAPER = "running-average:estimator=window"
"""The belief of the paper in the benchmark."""
ROWS = {
    "`deliberate` on `bayes`": ("deliberate", "bayes"),
    "the paper's rule": ("deliberate-paper", PAPER),
    "the paper's rule on `bayes`": ("deliberate-paper", "bayes"),
    "`ees`": ("ees", PAPER),
    "`ees` on `bayes`": ("ees", "bayes"),
    "`random`": ("random", "bayes"),
}
TABLE = r"(?<=^{}\n)(?:\|.*\n)+"
"""The table below a line, up to its end."""


def page() -> str:
    """The page with the figures of the benchmark."""
    text = PAGE.read_text(encoding="utf-8")
    for heading, rows in (
        ("| strategy, belief | free approaches | executed approaches |", _strategies()),
        ("| budget spent when it was stated | 0 % | 25 % | 50 % | 75 % |", _forecasts()),
    ):
        pattern = re.compile(TABLE.format(re.escape(heading)), re.MULTILINE)
        lines = ["|---" * (heading.count("|") - 1) + "|", *rows]
        text, count = pattern.subn("\n".join(lines) + "\n", text)
        if count != 1:
            raise ValueError(f"{PAGE.name}: there is no table '{heading}'")
    return text


def _strategies() -> Iterator[str]:
    """The mean score of each strategy with free and with executed approaches."""
    free, execute = (_scores(approach) for approach in ("free", "execute"))
    for words, part in ROWS.items():
        cells = [f"{scores[part]:.0%}" if part in scores else "–" for scores in (free, execute)]
        yield f"| {words} | {' | '.join(cells).replace('%', ' %')} |"


def _scores(approach: str) -> dict[tuple[str, str], float]:
    text = MEASURED.read_text(encoding="utf-8")
    (section,) = re.findall(
        rf"^## J.*approach {approach}\n(.*?)^## ", text, re.DOTALL | re.MULTILINE
    )
    rows = re.findall(r"^\| (\S+) \| (\S+) \| ([\d.]+) \|", section, re.MULTILINE)
    return {(strategy, belief): float(score) for strategy, belief, score in rows}


def _forecasts() -> Iterator[str]:
    """The share of rewards within the band, for each stage."""
    (row,) = re.findall(r"^\| all \|(.*)$", MEASURED.read_text(encoding="utf-8"), re.MULTILINE)
    shares = [cell.split()[0] for cell in row.split("|")[:4]]
    yield f"| rewards within the band | {' | '.join(f'{share} %' for share in shares)} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
