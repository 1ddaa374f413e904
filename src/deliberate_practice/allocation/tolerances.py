"""Tolerances within which two numbers count as equal."""

from __future__ import annotations

GAP = 1e-6
"""Relative gap between value and bound that counts as optimal by default."""

TIE = 1e-9
"""Values within this relative distance are equal; logarithms within this distance."""

ROUNDING = 1e-12
"""Sums and products within this distance differ by rounding alone."""
