"""Parts of 1 in percent, for people."""

from __future__ import annotations


def percent(part: float, digits: int = 0) -> str:
    """A part of 1 in percent.

    >>> percent(0.9), percent(0.0123, digits=1)
    ('90 %', '1.2 %')
    """
    return f"{100 * part:.{digits}f} %"
