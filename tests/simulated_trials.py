"""Trials and plans for simulated robots, without a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deliberate_practice.practice.robot import Approach, Robot, Step, Trial

Deployed = Mapping[str, Mapping[str, float]]
"""Parameters by skill."""


def trial(
    deployed: Deployed,
    skill: str,
    seed: int,
    approach: tuple[str, ...] = (),
    changed: Deployed | None = None,
) -> Trial:
    """An attempt of a skill with deployed parameters, some of them changed."""
    values = {**deployed, **(changed or {})}
    route = tuple(Step(name, values[name]) for name in approach)
    return Trial(1, Approach(route), Step(skill, values[skill]), "explore", seed)


def steps(plan: Sequence[str], deployed: Deployed) -> tuple[Step, ...]:
    """The skills of a plan as deployed."""
    return tuple(Step(name, deployed[name]) for name in plan)


def executed(
    robot: Robot, plan: Sequence[str], deployed: Deployed, seeds: Sequence[int]
) -> list[int]:
    """How many skills of a plan succeed in a row, from the start of each seed."""
    *route, last = steps(plan, deployed)
    trials = [
        Trial(number, Approach(tuple(route)), last, "deploy", seed)
        for number, seed in enumerate(seeds, 1)
    ]
    done = []
    for result in robot.run(trials):
        if result.outcome == "unreached":
            done.append(plan.index(str(result.at)))
        else:
            done.append(len(plan) - (result.outcome == "failure"))
    return done
