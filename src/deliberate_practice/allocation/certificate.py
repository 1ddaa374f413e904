"""A split with a bound on all splits, as every certified search returns it."""

from __future__ import annotations

from typing import NamedTuple

from deliberate_practice.foundation.arrays import IntArray


class Certificate(NamedTuple):
    """A split and an upper bound.

    Attributes:
        episodes: Episodes of each policy in file order, shape (policies,).
        bound: Upper bound on the value of every split within the budget; infinite if there is none.
        finished: Whether the bound is within the gap.
    """

    episodes: IntArray
    bound: float
    finished: bool
