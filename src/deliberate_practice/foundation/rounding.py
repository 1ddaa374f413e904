"""The rounding unit of doubles."""

from __future__ import annotations

import sys

EPS = sys.float_info.epsilon
"""Distance from 1 to the next larger double."""
