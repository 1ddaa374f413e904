"""Checks of a session's arguments, before anything is written."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from deliberate_practice.foundation.checks import (
    LARGEST_BUDGET,
    LARGEST_SEED,
    check_name,
    number,
    one_of,
    whole_number,
)
from deliberate_practice.foundation.errors import ArgumentError, shown
from deliberate_practice.foundation.registry import Registry, recorded
from deliberate_practice.practice.journal.rows import TRIAL_SECONDS, Settings

Part = TypeVar("Part")

APPROACHES = ("execute", "free")
GATES = ("never", "abort", "always")


def checked_settings(
    budget: object,
    strategy: object,
    belief: object,
    learner: object,
    seed: object,
    approach: object,
    robot: object,
    scene: str,
    trial_seconds: object = TRIAL_SECONDS,
    gate: object = "never",
    until: datetime | None = None,
    sinks: tuple[object, ...] = (),
) -> Settings:
    """The checked settings of a new session.

    Raises:
        ArgumentError: A value makes no sense.
    """
    approach = one_of("approach", approach, APPROACHES, ArgumentError)
    for place, chosen, example in (
        ("strategy", strategy, "random"),
        ("belief", belief, "bayes"),
        ("learner", learner, "cma-es"),
    ):
        if not isinstance(chosen, str) and not callable(chosen):
            raise ArgumentError(f"{place}: {shown(chosen)} is neither a name nor a function.")
        if isinstance(chosen, str):
            check_name(place, chosen, example)
    if robot is not None and not isinstance(robot, str) and not hasattr(robot, "run"):
        raise ArgumentError(f"robot: {shown(robot)} is neither a name nor has a method `run`.")
    return Settings(
        whole_number("budget", budget, 0, LARGEST_BUDGET),
        recorded(strategy),
        recorded(belief),
        recorded(learner),
        whole_number("seed", seed, 0, LARGEST_SEED),
        approach,
        None if robot is None else check_name("robot", recorded(robot), "left-arm"),
        scene,
        number("trial_seconds", trial_seconds, 1, 1e9, error=ArgumentError),
        one_of("gate", gate, GATES, ArgumentError),
        None if until is None else until.isoformat(),
        tuple(sink for sink in sinks if isinstance(sink, str)),
    )


def needed_part(registry: Registry[Part], chosen: object) -> Part:
    """A part with which a session was started.

    Raises:
        ArgumentError: It is not to be had here; the message names it.
    """
    name = chosen.partition(":")[0] if isinstance(chosen, str) else ""
    if name and not name.endswith("()") and name not in registry:
        raise ArgumentError(
            f"the session needs the {registry.kind} '{name}', which this installation does not "
            "have; install the package that offers it, or register it and go on in Python "
            f"(open_session). Those that are here: {', '.join(registry)}."
        )
    return registry.resolve(chosen)
