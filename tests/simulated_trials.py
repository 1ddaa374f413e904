"""Trials and plans for simulated robots, without a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deliberate_practice.practice.robot import Approach, Robot, Step, Trial
from deliberate_practice.robots.mujoco.robot import MujocoRobot

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


def filmed_to_the_end(
    robot: MujocoRobot, plan: Sequence[str], deployed: Deployed, seed: int
) -> Mapping[str, str]:
    """The abstract state after a filmed plan, whose takes show every skill and what decides it."""
    film = robot.film(steps(plan, deployed), seed)
    states = film.states
    assert [take.step.skill for take in film.takes] == list(plan)
    assert film.success
    for take, end in zip(film.takes, film.ends, strict=True):
        assert take.begin < take.decisive < end
        before, after = (robot.workcell.abstract(states[row]) for row in (take.begin, end - 1))
        assert before != after == robot.workcell.abstract(states[take.decisive])
    assert len({take.camera for take in film.takes}) == len(plan)
    return robot.workcell.abstract(states[-1])
