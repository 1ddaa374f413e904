"""The one way in which a conformance suite says that a promise is broken."""

from __future__ import annotations


def promise(kept: object, broken: str) -> None:
    """Raise an error that says what is wrong, unless the promise is kept.

    Args:
        kept: Whether it is.
        broken: What the part did instead, and what it should do.

    Raises:
        AssertionError: It is not kept.
    """
    if not kept:
        raise AssertionError(broken)
