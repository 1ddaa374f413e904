"""How often random tests run: in full for ``make acceptance``, a tenth of that otherwise.

``make quick`` runs a hundredth.
"""

from __future__ import annotations

import os

FULL = os.environ.get("DELIBERATE_ACCEPTANCE") == "1"
QUICK = os.environ.get("DELIBERATE_QUICK") == "1" and not FULL


def count(full: int) -> int:
    """The full count, or the part of it that is run."""
    return full if FULL else max(1, full // (100 if QUICK else 10))


def examples(usual: int) -> int:
    """How many examples hypothesis draws for a property: a tenth in ``make quick``."""
    return max(5, usual // 10) if QUICK else usual
