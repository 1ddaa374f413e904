"""Trials for simulated robots, without a session."""

from __future__ import annotations

from collections.abc import Mapping

from deliberate_practice.practice.robot import Trial

Deployed = Mapping[str, Mapping[str, float]]
"""Parameters by policy."""


def trial(
    deployed: Deployed,
    skill: str,
    seed: int,
    approach: tuple[str, ...] = (),
    changed: Deployed | None = None,
) -> Trial:
    """An attempt of a skill with deployed parameters, some of them changed."""
    values = {**deployed, **(changed or {})}
    return Trial(1, skill, skill, "explore", True, values[skill], approach, values, {}, seed)
