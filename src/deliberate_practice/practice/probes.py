"""Probes: executions of a whole plan as it is deployed, to see how its skills work together."""

from __future__ import annotations

from collections.abc import Sequence

from deliberate_practice.mdp.approach_rule import TRIES
from deliberate_practice.practice.approaches.approach import approach_of
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.robot import Approach
from deliberate_practice.practice.testing import spare_units


def spare_for_probes(state: State) -> int:
    """Budget units that a probe may cost: neither spent nor set aside, and still in time."""
    spare = max(0, spare_units(state))
    return spare if state.each is None else min(spare, state.each)


def probe_limit(skills: Sequence[str]) -> int:
    """The most executions before the last skill of a probe, retries included."""
    return TRIES * len(skills)


def probe_approach(state: State, skills: Sequence[str]) -> Approach:
    """All but the last skill of a plan, as deployed."""
    *route, last = skills
    return approach_of(state.task, last, route, {}, (), (), probe_limit(skills), state.step)
