"""Estimates with their intervals, in words."""

from __future__ import annotations

from deliberate_practice.foundation.estimates import Estimate


def said(estimate: Estimate, form: str = ".2f") -> str:
    """A value and its 95 % interval, as ``0.52 (0.38 to 0.66)``."""
    low, high = estimate.interval or (estimate.value, estimate.value)
    return f"{estimate.value:{form}} ({low:{form}} to {high:{form}})"
