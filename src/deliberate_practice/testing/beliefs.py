"""The promises of every belief."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from deliberate_practice.beliefs.belief import BELIEFS, Batch, Belief, EvidenceModel, Tests
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.task.model import Task
from deliberate_practice.testing.promise import promise
from deliberate_practice.testing.tasks import small_tasks

AHEAD = 40


def check_belief(make: str | Callable[..., Belief]) -> None:
    """Check that a belief predicts probabilities and learns from outcomes.

    Args:
        make: A registered name, or a function from a task and its evidence models to a belief.

    Raises:
        AssertionError: A promise is broken.
    """
    maker = BELIEFS.resolve(make)
    models: tuple[EvidenceModel, ...] = ("search", "curve")
    for task in small_tasks():
        for model in models:
            evidence: Mapping[str, EvidenceModel] = dict.fromkeys(task.policies, model)
            _check(maker(task, evidence), task)
            first, again = (_after(maker(task, evidence), task, 3) for _ in range(2))
            for name in task.policies:
                promise(
                    np.array_equal(first.curve(name, AHEAD), again.curve(name, AHEAD)),
                    "the same outcomes lead to another belief; a belief must be deterministic.",
                )


def _check(belief: Belief, task: Task) -> None:
    promise(
        isinstance(belief.tests, Tests),
        f"tests is {belief.tests!r}; say which tests it asks for with Tests(number, charged).",
    )
    before = {name: belief.curve(name, AHEAD).copy() for name in task.policies}
    practised = [name for name, policy in task.policies.items() if policy.practisable]
    for name, policy in task.policies.items():
        _check_predictions(belief, name)
        if not policy.practisable:
            promise(
                belief.competence(name) == policy.competence,
                f"'{name}' is not practised, so its competence is {policy.competence}.",
            )
    _check_mixture(belief, task)
    for name in practised:
        good, bad = belief, belief
        for batch in range(4):
            good = good.after(Batch(name, 6 * batch, 6, 6))
            bad = bad.after(Batch(name, 6 * batch, 6, 0))
            for test in (False, True):  # on an approach, and as a test of the round
                good = good.after(Batch(name, 6 * batch + 6, 2, 2, explore=False, test=test))
                bad = bad.after(Batch(name, 6 * batch + 6, 2, 0, explore=False, test=test))
            promise(
                good.tests == bad.tests == belief.tests,
                "after() changes the tests that it asks for; they stay the same in a session.",
            )
        for later in (good, bad):
            _check_predictions(later, name)
        promise(
            good.competence(name) >= bad.competence(name),
            f"after successes alone '{name}' is believed to be worse than after failures alone.",
        )
        same = belief.after(Batch(name, 0, 0, 0)).competence(name)
        promise(same == belief.competence(name), "a batch without attempts changes the belief.")
    for name, curve in before.items():
        promise(
            np.array_equal(belief.curve(name, AHEAD), curve),
            "after() changes the belief itself; it returns a new one.",
        )


def _check_predictions(belief: Belief, name: str) -> None:
    curve, band = belief.curve(name, AHEAD), belief.band(name, AHEAD)
    promise(curve.shape == (AHEAD + 1,), f"curve('{name}', {AHEAD}) has shape {curve.shape}.")
    promise(band.shape == (AHEAD + 1,), f"band('{name}', {AHEAD}) has shape {band.shape}.")
    promise(_probabilities(curve), f"curve('{name}', {AHEAD}) leaves [0, 1]: {curve}.")
    promise((np.diff(curve) >= 0).all(), f"curve('{name}', {AHEAD}) decreases: {curve}.")
    promise((band >= 0).all(), f"band('{name}', {AHEAD}) is negative: {band}.")
    promise(
        belief.competence(name) == curve[0] == belief.curve(name, 0)[0],
        f"competence('{name}') is {belief.competence(name)}, but the curve begins at {curve[0]}.",
    )


def _check_mixture(belief: Belief, task: Task) -> None:
    mixture = belief.mixture(AHEAD)
    promise(
        _probabilities(mixture.weights) and abs(mixture.weights.sum() - 1) < 1e-9,
        f"the weights of the mixture are not probabilities: {mixture.weights}.",
    )
    for name in task.policies:
        promise(name in mixture.curves, f"the mixture has no curves of '{name}'.")
        shape = mixture.curves[name].shape
        wanted = (len(mixture.weights), AHEAD + 1)
        promise(shape == wanted, f"the mixture's curves of '{name}' have shape {shape}.")
        mean = mixture.weights @ mixture.curves[name]
        promise(
            np.allclose(mean, belief.curve(name, AHEAD), atol=1e-6),
            f"the mean of the mixture's curves of '{name}' is not its curve.",
        )


def _after(belief: Belief, task: Task, rounds: int) -> Belief:
    for number in range(rounds):
        for name, policy in task.policies.items():
            if policy.practisable:
                belief = belief.after(Batch(name, 6 * number, 6, number % 3))
                tested = Batch(name, 6 * number + 6, 4, 2 * number, explore=False, test=True)
                belief = belief.after(tested)
    return belief


def _probabilities(values: FloatArray) -> bool:
    return bool(np.isfinite(values).all() and (values >= 0).all() and (values <= 1).all())
