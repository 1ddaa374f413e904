"""Try draws from the search prior of each skill: how many are executed, touch and succeed.

This is what a learner meets before it has learned anything. Every draw is attempted once, from a
start at the skill's precondition, with seeds that neither experiments nor learning curves use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from deliberate_practice.foundation.checks import whole_number
from deliberate_practice.foundation.estimates import rate
from deliberate_practice.learners.evolution_strategy import EvolutionStrategy
from deliberate_practice.practice.domain import opened_robot
from deliberate_practice.practice.robot import Approach, Result, Step, Trial, run_all
from deliberate_practice.strategies.strategy import ROUND
from deliberate_practice.study.learning_curves import MOST, chosen_policies
from deliberate_practice.study.parallel import in_processes
from deliberate_practice.task.model import Policy, Task
from deliberate_practice.task.skill import Parameter

FIRST_SEED = 2_000_000
"""Seeds of samples begin here."""
COUNTED = ("executed", "touched", "succeeded", "stopped")
"""What is counted of the samples."""
LOADS = ("force", "speed")
"""What is measured of the executed ones, as parts of the robot's limits."""
LIMITS = {"speed": 1.0}
"""Limits where the robot states none: a speed is measured as a part of its limit."""


@dataclass(frozen=True)
class Load:
    """The largest and the median of what was measured, as parts of its limit."""

    largest: float
    median: float


@dataclass(frozen=True)
class PriorSample:
    """What became of the draws from a skill's search prior.

    Attributes:
        skill: The skill, by the name of its policy.
        samples: Draws.
        executed: Those that the robot could execute; it refused the others.
        touched: Those in which the robot touched what the skill acts on; None if it cannot tell.
        succeeded: Those that succeeded.
        stopped: Those that the robot's reflex ended; None if it cannot tell.
        force: The largest force of an executed draw, as a part of the robot's limit; None if it is
            not measured or has no limit.
        speed: The same for the largest speed of a joint.
    """

    skill: str
    samples: int
    executed: int
    touched: int | None
    succeeded: int
    stopped: int | None
    force: Load | None
    speed: Load | None

    def interval(self, counted: str) -> tuple[float, float] | None:
        """Wilson's 95 % interval of a count as a part of all samples; None where it is None."""
        count: int | None = getattr(self, counted)
        return None if count is None else rate(count, self.samples).interval

    def as_data(self) -> dict[str, object]:
        """For JSON: counts, the largest loads and their medians, and an interval of each count."""
        loads: dict[str, Load | None] = {key: getattr(self, key) for key in LOADS}
        return {
            **vars(self),
            **{key: load and load.largest for key, load in loads.items()},
            **{f"{key}_median": load and load.median for key, load in loads.items()},
            **{f"{key}_ci95": self.interval(key) for key in COUNTED},
        }


def prior_samples(
    task: Task,
    robot: str,
    samples: int,
    *,
    policies: Sequence[str] | None = None,
    workers: int = 1,
    good: Mapping[str, Mapping[str, float]] | None = None,
    finished: Callable[[PriorSample], None] | None = None,
) -> list[PriorSample]:
    """Execute draws from the search prior of every policy, each once.

    Args:
        task: The task with the skills and their parameters.
        robot: Name of the robot that executes them.
        samples: Draws for each policy.
        policies: Which policies; all that can be practised by default.
        workers: Processes.
        good: By policy: parameters to execute every time instead of draws, for comparison.
        finished: Called with what became of each policy's draws as soon as it is known.
    """
    whole_number("samples", samples, 1, MOST)
    work = partial(_sample, task, robot, samples, good or {})
    return in_processes(work, chosen_policies(task, policies), workers, finished)


def draw(parameters: Sequence[Parameter], rng: np.random.Generator) -> dict[str, float]:
    """A draw from the search prior, drawn again while it is outside the bounds, as learners do.

    Args:
        parameters: Mean, standard deviation and bounds of each.
        rng: Where randomness comes from.
    """
    if not parameters:
        return {}
    mean, sd, low, high = np.array([[p.mean, p.sd, p.low, p.high] for p in parameters]).T
    search = EvolutionStrategy(
        np.zeros(len(mean)), 1.0, (low - mean) / sd, (high - mean) / sd, population=ROUND
    )
    found = search.sample(lambda: rng.standard_normal(len(mean)))
    values = np.clip(mean + sd * found, low, high)
    return dict(zip((p.name for p in parameters), values.tolist(), strict=True))


def _sample(
    task: Task,
    robot: str,
    samples: int,
    good: Mapping[str, Mapping[str, float]],
    name: str,
) -> PriorSample:
    """All draws of one policy."""
    policy = task.policies[name]
    with opened_robot(robot, task, FIRST_SEED) as body:
        results = run_all(body, [_trial(policy, good.get(name), i) for i in range(samples)])
        limits = {**LIMITS, **getattr(body, "limits", {})}
    executed = [result for result in results if result.outcome != "refused"]
    return PriorSample(
        skill=name,
        samples=samples,
        executed=len(executed),
        touched=_count("touched", executed),
        succeeded=sum(result.outcome == "success" for result in executed),
        stopped=_count("stopped", executed),
        force=_load("force", executed, limits),
        speed=_load("speed", executed, limits),
    )


def _trial(policy: Policy, good: Mapping[str, float] | None, number: int) -> Trial:
    seeds = np.random.SeedSequence([FIRST_SEED, number, *policy.name.encode()])
    drawn = draw(policy.parameters, np.random.default_rng(seeds))
    values = drawn if good is None else good
    start = int(seeds.spawn(1)[0].generate_state(1)[0])
    return Trial(number + 1, Approach(), Step(policy.skills[0], values), "explore", start)


def _count(measured: str, results: Sequence[Result]) -> int | None:
    """How many results measured more than 0; None if one of them did not measure it."""
    if not all(measured in result.measurements for result in results):
        return None
    return sum(result.measurements[measured] > 0 for result in results)


def _load(measured: str, results: Sequence[Result], limits: Mapping[str, float]) -> Load | None:
    """The load of the results; None if there is none, or one of them did not measure it."""
    if not results or measured not in limits:
        return None
    if not all(measured in result.measurements for result in results):
        return None
    parts = [result.measurements[measured] / limits[measured] for result in results]
    return Load(max(parts), float(np.median(parts)))
