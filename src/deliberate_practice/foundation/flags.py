"""Flags that users give: True or False, and nothing that merely resembles them."""

from __future__ import annotations

import numpy as np

from deliberate_practice.foundation.errors import ArgumentError, shown


def check_flag(place: str, value: object) -> bool:
    """True or False.

    Raises:
        ArgumentError: It is something else.
    """
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ArgumentError(f"{place}: {shown(value)} is not valid; give True or False.")
