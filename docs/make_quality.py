"""Write the short tables of pages from the long ones of benchmark.md and results.md.

A test compares them, so every figure has one source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
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
"""The table below its heading, up to its end."""


def pages() -> dict[Path, str]:
    """The pages with the figures of their sources."""
    tables = {
        "practice.md": {
            "| strategy, belief | free approaches | executed approaches |": _strategies(),
            "| budget spent when it was stated | 0 % | 25 % | 50 % | 75 % |": _forecasts(),
        },
        "breakfast.md": {
            "| strategy | 30 episodes | 70 episodes |": _results(
                "breakfast-paper", "running-average"
            ),
            "| strategy | 20 episodes | 40 episodes |": _results("breakfast", "bayes"),
        },
    }
    return {HERE / name: _written(HERE / name, found) for name, found in tables.items()}


def _written(page: Path, tables: dict[str, Iterator[str]]) -> str:
    text = page.read_text(encoding="utf-8")
    for heading, rows in tables.items():
        pattern = re.compile(TABLE.format(re.escape(heading)), re.MULTILINE)
        lines = ["|---" * (heading.count("|") - 1) + "|", *rows]
        text, count = pattern.subn("\n".join(lines) + "\n", text)
        if count != 1:
            raise ValueError(f"{page.name}: there is no table '{heading}'")
    return text


def _strategies() -> Iterator[str]:
    """The mean score of each strategy with free and with executed approaches."""
    free, execute = (_scores(approach) for approach in ("free", "execute"))
    for words, part in ROWS.items():
        cells = [f"{scores[part]:.0%}" if part in scores else "–" for scores in (free, execute)]
        yield f"| {words} | {' | '.join(cells).replace('%', ' %')} |"


def _scores(approach: str) -> dict[tuple[str, str], float]:
    section = _section("benchmark.md", rf"J.*approach {approach}")
    rows = re.findall(r"^\| (\S+) \| (\S+) \| ([\d.]+) \|", section, re.MULTILINE)
    return {(strategy, belief): float(score) for strategy, belief, score in rows}


def _forecasts() -> Iterator[str]:
    """The share of rewards within the band, for each stage."""
    section = _section("benchmark.md", "How often forecasts come true")
    (row,) = re.findall(r"^\| all \|(.*)$", section, re.MULTILINE)
    shares = [cell.split()[0] for cell in row.split("|")[:4]]
    yield f"| rewards within the band | {' | '.join(f'{share} %' for share in shares)} |"


def _results(experiment: str, belief: str) -> Iterator[str]:
    """The rewards and goals of every strategy of an experiment with one belief."""
    rows = re.findall(
        rf"^\| (\S+) \| {belief} \| (.*) \| [\d, ]+ \|$",
        _section("results.md", experiment),
        re.MULTILINE,
    )
    for strategy, cells in rows:
        yield f"| {strategy} | {cells} |"


def _section(page: str, heading: str) -> str:
    """The text of a page below a heading, up to the next one."""
    text = (HERE / page).read_text(encoding="utf-8")
    pattern = rf"^## {heading}\n(.*?)(?=^## |\Z)"
    (found,) = re.findall(pattern, text, re.DOTALL | re.MULTILINE)
    return str(found)


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
