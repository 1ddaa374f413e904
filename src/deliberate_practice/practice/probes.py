"""Probes: executions of a whole plan as it is deployed, to see how its skills work together."""

from __future__ import annotations

from collections.abc import Sequence

from deliberate_practice.mdp.approach_rule import TRIES
from deliberate_practice.practice.approaches.approach import approach_of
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.robot import Approach
from deliberate_practice.practice.testing import granted_units, spare_units


def probe_cost(state: State, skills: Sequence[str]) -> int:
    """Budget units of a probe: those of an episode of its most expensive skill.

    An evaluation counts as the episode of a policy that is trained elsewhere. A probe begins at the
    start of the task, so the robot need not turn to a skill.
    """
    policies = [state.task.policies[state.task.skill(name).policy] for name in skills]
    return max(
        policy.rounds.evaluation_cost if policy.rounds else policy.cost for policy in policies
    )


def payable_probe(state: State, skills: Sequence[str]) -> bool:
    """Whether the budget pays for a probe, besides all that is set aside or granted."""
    cost = probe_cost(state, skills)
    return state.affords(cost) and cost <= spare_units(state) - granted_units(state)


def probe_limit(skills: Sequence[str]) -> int:
    """The most executions before the last skill of a probe, retries included."""
    return TRIES * len(skills)


def probe_approach(state: State, skills: Sequence[str]) -> Approach:
    """All but the last skill of a plan, as deployed."""
    *route, last = skills
    return approach_of(state.task, last, route, {}, (), (), probe_limit(skills), state.step)
