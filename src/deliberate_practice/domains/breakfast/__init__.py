"""Breakfast: two arms make toast, or hot oatmeal for a higher reward."""

from __future__ import annotations

from functools import partial

from deliberate_practice.domains.shipped import shipped_task
from deliberate_practice.practice.domain import Domain

BREAKFAST = Domain(
    "breakfast",
    partial(shipped_task, __name__),
    {
        "mujoco": f"{__name__}.simulated:BREAKFAST_IN_MUJOCO",
        "regions": f"{__name__}.regions:BREAKFAST_IN_REGIONS",
    },
)
