"""Measure the learning curve of each skill, practised alone, as a prior for the task.

Every policy is learned many times by itself, from starts at its precondition, with seeds that no
experiment uses. At regular points its deployed parameters are executed. A task file can state the
exponential curve that fits these measurements best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.checks import one_of, whole_number
from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.learners.learner import Candidate, Learner
from deliberate_practice.learners.registry import LEARNER, LEARNERS, make_learner
from deliberate_practice.practice.domain import opened_robot
from deliberate_practice.practice.refusals import MOST_REFUSED, refused_too_often
from deliberate_practice.practice.robot import Approach, Mode, Robot, Step, Trial, run_all
from deliberate_practice.study.grouping import grouped
from deliberate_practice.study.parallel import in_processes
from deliberate_practice.task.model import Policy, Task
from deliberate_practice.task.skill import verb

MOST = 1_000_000
"""The largest valid number of seeds, attempts, executions or samples."""
FIRST_SEED = 1_000_000
"""Seeds of measurements begin here, far from those of experiments."""
REDRAWN = 2 * MOST
"""Numbers of starts with a redrawn candidate begin here; no start is used twice."""


@dataclass(frozen=True)
class LearningCurve:
    """The measured learning curve of a policy.

    Attributes:
        policy: Its name.
        attempts: Attempts behind it at each point, shape (n,).
        rates: Success rate of the deployed parameters then, of every seed, shape (seeds, n).
        explored: Success rate of the learner's samples since the point before, shape (n - 1,).
        start, rate, ceiling: The exponential curve that fits best.
        pooled: Whether it fits all skills of the same verb together, not this one alone.
    """

    policy: str
    attempts: tuple[int, ...]
    rates: tuple[tuple[float, ...], ...]
    explored: tuple[float, ...]
    start: float = 0.0
    rate: float = 0.0
    ceiling: float = 0.0
    pooled: bool = False

    @property
    def competence(self) -> tuple[float, ...]:
        """Success rate at each point over all seeds, shape (n,)."""
        return tuple(np.mean(self.rates, axis=0).tolist())

    @property
    def error(self) -> tuple[float, ...]:
        """Standard error of the competence over seeds, shape (n,); 0 for a single seed."""
        seeds = len(self.rates)
        if seeds < 2:
            return (0.0,) * len(self.attempts)
        return tuple((np.std(self.rates, axis=0, ddof=1) / np.sqrt(seeds)).tolist())

    @property
    def verb(self) -> str:
        """The name without what the skill acts on."""
        return verb(self.policy)

    @property
    def prior(self) -> dict[str, float]:
        """Competence, rate and ceiling as a file of priors states them."""
        return {
            "competence": round(self.start, 3),
            "rate": round(self.rate, 4),
            "ceiling": round(self.ceiling, 3),
        }

    def as_data(self) -> dict[str, object]:
        """For JSON: what was measured, and what fits it."""
        return {**vars(self), "competence": self.competence, "error": self.error}


def learning_curves(
    task: Task,
    robot: str,
    seeds: int = 16,
    attempts: int = 60,
    executions: int = 10,
    *,
    learner: str = LEARNER,
    every: int = 12,
    workers: int = 1,
    policies: Sequence[str] | None = None,
    finished: Callable[[LearningCurve], None] | None = None,
) -> list[LearningCurve]:
    """Measure the learning curve of every policy.

    Args:
        task: The task with the skills to learn.
        robot: Name of the robot that executes them.
        seeds: Runs of learning for each policy.
        attempts: Attempts in each run, rounded up to whole rounds: a learner may change its
            deployed parameters only between rounds.
        executions: Executions of the deployed parameters at each point.
        learner: A registered name, which may carry options.
        every: Attempts between two points, rounded up likewise.
        workers: Processes.
        policies: Which policies; all that can be practised by default.
        finished: Called with each policy's curve as soon as it is known.

    Raises:
        PartFailed: The robot refused too many candidates of one policy in a row.
    """
    counts = {"seeds": seeds, "attempts": attempts, "executions": executions, "every": every}
    for name, value in counts.items():
        whole_number(name, value, 1, MOST)
    LEARNERS.bound(learner)
    chosen = chosen_policies(task, policies)
    work = partial(_learn, task, robot, learner, seeds, attempts, executions, every)
    return in_processes(work, chosen, workers, finished)


def chosen_policies(task: Task, policies: Sequence[str] | None) -> list[str]:
    """The names of the policies to measure; all that can be practised by default.

    Raises:
        ArgumentError: One of them cannot be practised, or is not there.
    """
    practisable = [name for name, policy in task.policies.items() if policy.practisable]
    for name in policies or ():
        one_of("policy", name, practisable, ArgumentError)
    return list(policies or practisable)


def refitted(curves: Sequence[LearningCurve], *, pool: bool = False) -> list[LearningCurve]:
    """The curves with the exponentials that fit their rates best.

    Args:
        curves: What was measured.
        pool: Whether skills of one verb, which differ only in where they act, share one
            exponential, fitted to all of their measurements. What was measured stays each skill's
            own.
    """
    groups = grouped(curves, lambda curve: curve.verb if pool else curve.policy)
    fits = {name: _fit(group) for name, group in groups.items()}
    return [
        replace(curve, start=start, rate=rate, ceiling=ceiling, pooled=len(groups[name]) > 1)
        for curve in curves
        for name in [curve.verb if pool else curve.policy]
        for start, rate, ceiling in [fits[name]]
    ]


def _fit(curves: Sequence[LearningCurve]) -> tuple[float, float, float]:
    """The exponential that fits all rates of some curves best; every seed counts alike."""
    attempts = np.concatenate([np.tile(c.attempts, len(c.rates)) for c in curves])
    rates = np.concatenate([np.ravel(c.rates) for c in curves])
    points, which, counts = np.unique(attempts, return_inverse=True, return_counts=True)
    means = np.bincount(which, rates) / counts
    return fit_exponential(points.astype(float), means, counts / counts.mean())


def _learn(
    task: Task,
    robot: str,
    learner: str,
    seeds: int,
    attempts: int,
    executions: int,
    every: int,
    name: str,
) -> LearningCurve:
    """One policy, learned from every seed."""
    policy = task.policies[name]
    learners = [make_learner(learner, policy, FIRST_SEED + seed) for seed in range(seeds)]
    length = learners[0].parallel
    attempts, every = (-(-number // length) * length for number in (attempts, every))
    points = [0]
    done, explored, samples = 0, [], list[bool]()
    with opened_robot(robot, task, FIRST_SEED) as body:
        rates = [_deployed(body, policy, learners, executions, 0)]
        while done < attempts:
            samples += _attempt(body, policy, learners, done, done % length)
            done += 1
            if done % every == 0 or done >= attempts:
                points.append(done)
                explored.append(float(np.mean(samples)))
                samples.clear()
                rates.append(_deployed(body, policy, learners, executions, done))
    by_seed = tuple(map(tuple, np.transpose(rates).tolist()))
    (curve,) = refitted([LearningCurve(name, tuple(points), by_seed, tuple(explored))])
    return curve


def _attempt(
    body: Robot, policy: Policy, learners: Sequence[Learner], done: int, number: int
) -> list[bool]:
    """Whether one attempt of each learner succeeds; what the robot refuses is drawn again."""
    successes, again = list[bool](), list(range(len(learners)))
    for drawn in range(MOST_REFUSED):
        candidates = [_candidate(learners[seed], policy.name) for seed in again]
        start = number if not drawn else REDRAWN + drawn
        trials = [
            _trial(policy, candidate.values, "explore", done, seed, start)
            for seed, candidate in zip(again, candidates, strict=True)
        ]
        results = run_all(body, trials)
        for seed, candidate, result in zip(again, candidates, results, strict=True):
            learners[seed].tell(candidate.id, result.outcome, result.score)
        outcomes = [result.outcome for result in results]
        successes += [outcome == "success" for outcome in outcomes if outcome != "refused"]
        again = [seed for seed, one in zip(again, outcomes, strict=True) if one == "refused"]
        if not again:
            return successes
    raise PartFailed(refused_too_often(policy.name, MOST_REFUSED, trials[-1]))


def fit_exponential(
    attempts: FloatArray, competence: FloatArray, weights: FloatArray | float = 1.0
) -> tuple[float, float, float]:
    """Start, rate and ceiling of the exponential curve with the least squared error."""
    from scipy.optimize import least_squares  # slow to import

    root = np.sqrt(weights)

    def error(x: FloatArray) -> FloatArray:
        start, rate, gap = x
        curve = start + gap * -np.expm1(-rate * attempts)
        over = np.maximum(start + gap - 1.0, 0.0)  # no competence above 1
        return np.append(root * (curve - competence), 10 * over)

    first, last = float(competence[0]), float(competence[-1])
    guess = np.clip([first, 0.05, last - first], [0.005, 0.002, 0.005], [0.9, 0.5, 0.95])
    found = least_squares(error, guess, bounds=([0.0, 0.001, 0.0], [1.0, 1.0, 1.0]))
    start, rate, gap = (float(value) for value in found.x)
    return start, rate, min(start + gap, 1.0)


def _deployed(
    body: Robot, policy: Policy, learners: Sequence[Learner], executions: int, done: int
) -> list[float]:
    """Success rate of each learner's deployed parameters."""
    numbers = range(100, 100 + executions)  # above those of a round: no start is used twice
    trials = [
        [_trial(policy, learner.deployed, "deploy", done, seed, number) for number in numbers]
        for seed, learner in enumerate(learners)
    ]
    return [float(np.mean([r.outcome == "success" for r in run_all(body, t)])) for t in trials]


def _candidate(learner: Learner, policy: str) -> Candidate:
    candidate = learner.ask()
    if candidate is None:
        raise ArgumentError(f"learner: it proposes no candidate for '{policy}'.")
    return candidate


def _trial(
    policy: Policy, values: Mapping[str, float], mode: Mode, done: int, seed: int, number: int
) -> Trial:
    key = [FIRST_SEED, seed, done, number, *policy.name.encode()]
    start = np.random.SeedSequence(key).generate_state(1)[0]
    return Trial(1, Approach(), Step(policy.skills[0], values, done), mode, int(start))
