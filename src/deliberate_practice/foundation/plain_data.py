"""Values as plain data, for JSON."""

from __future__ import annotations

import math


def finite(value: float | None) -> float | None:
    """JSON has no infinity; a bound that is none becomes null.

    >>> finite(1.5), finite(math.inf)
    (1.5, None)
    """
    return value if value is not None and math.isfinite(value) else None
