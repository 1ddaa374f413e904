"""The content of a report as data: sections with text, charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deliberate_practice.charts.chart import Chart

Progress = Callable[[str, int, int], None]
"""Called with the plural of what is worked on, how many of them are done, and how many in all."""


@dataclass(frozen=True)
class Table:
    """A table with a caption.

    Args:
        name: A file's name, without its ending.
        caption: What it shows.
        columns: Names of the columns.
        rows: Cells, as they are shown.
        words: How many columns at the left hold words; the others are numbers.
    """

    name: str
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int = 1


@dataclass(frozen=True)
class Section:
    """A part of the report.

    Args:
        title: Its heading.
        text: Paragraphs.
        parts: Charts and tables, in order.
        topic: The beginning that the titles of its charts share; their headings leave it out.
    """

    title: str
    text: Sequence[str]
    parts: Sequence[Chart | Table]
    topic: str = ""
