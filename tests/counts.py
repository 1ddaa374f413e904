"""How often random tests run: in full for ``make acceptance``, a tenth of that otherwise."""

from __future__ import annotations

import os

FULL = os.environ.get("DELIBERATE_ACCEPTANCE") == "1"


def count(full: int) -> int:
    """The full count, or a tenth of it."""
    return full if FULL else max(1, full // 10)
