"""The one check with which conformance suites report a broken promise."""

from __future__ import annotations


def promise(kept: object, broken: str) -> None:
    """Raise an error that names the fault, unless the promise is kept.

    Args:
        kept: Whether the promise is kept.
        broken: The fault and the required behaviour.

    Raises:
        AssertionError: The promise is broken.
    """
    if not kept:
        raise AssertionError(broken)
