"""The paper's belief: competence as last estimated, and a running average of its improvement."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from deliberate_practice.beliefs.belief import MOST_TESTS, Batch, Belief, EvidenceModel, Tests
from deliberate_practice.beliefs.stated import Stated, known_of, stated
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.checks import check_flag, number, one_of, whole_number
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.model import Task

EPS = 0.5
"""Default weight of the past in the running average; the paper gives none."""

LOWEST, HIGHEST = 0.01, 0.99
"""Estimates of p_t are kept within these, so that no policy looks hopeless or perfect for good, and
ln(1 - p_t) stays finite."""

TESTS = 6
"""Default number of tests after a round; the paper gives none."""

FORMS = ("piecewise-linear", "exponential")

WINDOWS = {"window": 18, "round": 6}
"""Estimators of p_t that look at practice, and the number of latest attempts each looks at."""

ESTIMATORS = ("evaluation", *WINDOWS)


@dataclass(frozen=True)
class Track:
    """The running average of one policy.

    Attributes:
        p: Competence as last estimated, p_t, within [0.01, 0.99] once attempts were seen.
        delta: Running average of the improvement [1/attempt], at least 0.
        practised: Attempts of the policy so far.
        since: How many of them came after p was estimated.
        window: Latest batches as (attempts, successes), oldest first: of tests, or of all attempts.
            At first it is filled with imagined ones that succeeded as often as stated.
    """

    p: float
    delta: float
    practised: int = 0
    since: int = 0
    window: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class RunningAverage(Belief):
    """Extrapolates the recent improvement of each policy:

        Delta_t = max(0, eps Delta_{t-1} + (1 - eps) g_t / k)

    over the last k attempts, with g_t = p_t - p_{t-1} and the curve min(1, p_t + Delta_t b)
    (``piecewise-linear``), or g_t = -ln((1 - p_t) / (1 - p_{t-1})) and the curve
    1 - (1 - p_t) exp(-Delta_t b) (``exponential``). p_0 and Delta_0 are as stated; a stated ceiling
    is ignored, as published. The belief has no uncertainty: one explanation, and bands of 0.

    p_t is the competence of the skill after practice, observed by executing what is then deployed:
    the success rate of the tests after the latest round. If there were fewer than usual, because
    the budget was spent or they did not reach the skill, tests of earlier rounds make up the usual
    number; without any test p_t stays. Other executions of the deployed policy, on approaches, do
    not count: they belong to no round of its practice. Until the next tests the curve begins where
    it predicts that the attempts since have led.

    Attributes:
        tracks: What is kept of each practised policy.
        constants: Competence of each policy that is not practised, as stated.
        eps: Weight of the past.
        form: ``piecewise-linear`` or ``exponential``.
        estimator: How p_t is estimated, see :meth:`prior`.
        asked: The tests that it asks for.
        sizes: How many tests p_t rests on where that is not their usual number: the evaluations
            of a round, of each policy that is trained elsewhere.
    """

    tracks: Mapping[str, Track]
    constants: Mapping[str, float]
    eps: float
    form: str
    estimator: str
    asked: Tests
    sizes: Mapping[str, int]

    @classmethod
    def prior(
        cls,
        task: Task,
        evidence: Mapping[str, EvidenceModel] | None = None,
        eps: float = EPS,
        form: str = "piecewise-linear",
        estimator: str = "evaluation",
        tests: int | None = None,
        charged: bool | None = None,
    ) -> RunningAverage:
        """What the task states, before any attempt.

        Args:
            task: The task.
            evidence: How each policy improves; this belief sees all of them alike.
            eps: Weight of the past, in [0, 1].
            form: ``piecewise-linear`` or ``exponential``.
            estimator: p_t is the success rate of the tests after the latest round
                (``evaluation``), or, without any tests, that of the latest 18 attempts (``window``)
                or of the latest 6 (``round``). In each case it is kept within [0.01, 0.99].
            tests: How many tests after a round, from 1 to 100; by default 6.
            charged: Whether tests cost as much as episodes of practice, as by default, or nothing.

        Raises:
            ArgumentError: An option is not valid, or tests are asked for without being used.
        """
        one_of("form", form, FORMS, ArgumentError)
        one_of("estimator", estimator, ESTIMATORS, ArgumentError)
        number("eps", eps, 0, 1, error=ArgumentError)
        if estimator == "evaluation":
            count = whole_number("tests", TESTS if tests is None else tests, 1, MOST_TESTS)
            asked = Tests(count, True if charged is None else check_flag("charged", charged))
        elif tests is None and charged is None:
            asked = Tests()
        else:
            raise ArgumentError(
                f"estimator: '{estimator}' uses no tests; leave out `tests` and `charged`, or "
                "choose estimator=evaluation."
            )
        practised = [policy for policy in task.policies.values() if policy.practisable]
        size = WINDOWS.get(estimator, asked.number)
        sizes = {p.name: max(1, p.rounds.evaluations) for p in practised if p.rounds}
        return cls(
            tracks={p.name: _track(stated(p), form, sizes.get(p.name, size)) for p in practised},
            constants={p.name: p.competence for p in task.policies.values() if not p.practisable},
            eps=eps,
            form=form,
            estimator=estimator,
            asked=asked,
            sizes=sizes,
        )

    @property
    def tests(self) -> Tests:
        """The test executions that it asks for."""
        return self.asked

    @property
    def policies(self) -> list[str]:
        """Names of all policies of the task."""
        return [*self.tracks, *self.constants]

    def after(self, batch: Batch) -> RunningAverage:
        """The belief once a batch has been seen; policies that are not practised stay as stated.

        Deployed attempts do not advance practice: they move p_t, but Delta_t only if attempts have
        been practised since p_t was last estimated. A test says how many those were.
        """
        track = known_of(batch.policy, self.tracks, self.constants)
        if track is None or (batch.attempts == 0 and not batch.training):
            return self
        if batch.explore or batch.test or batch.training:
            reached = batch.before + (batch.attempts if batch.explore else 0)
            reached = max(track.practised, reached)
            since = track.since + reached - track.practised
            track = replace(track, practised=reached, since=since)
        if not batch.training and (batch.test or self.estimator in WINDOWS):
            usual = WINDOWS.get(self.estimator, self.asked.number)
            track = _seen(track, batch, self.sizes.get(batch.policy, usual))
            track = self._estimated(track, _success_rate(track))
        return replace(self, tracks={**self.tracks, batch.policy: track})

    def curve(self, policy: str, attempts: int) -> FloatArray:
        """Competence after 0, 1, ..., ``attempts`` more attempts, nondecreasing."""
        track = known_of(policy, self.tracks, self.constants)
        if track is None:
            return np.full(attempts + 1, self.constants[policy])
        b = track.since + np.arange(attempts + 1.0)
        if self.form == "exponential":
            rising = 1 - (1 - track.p) * np.exp(-track.delta * b)
        else:
            rising = track.p + track.delta * b
        curve: FloatArray = np.minimum(1.0, rising)
        return np.maximum.accumulate(curve)  # against rounding

    def _estimated(self, track: Track, estimate: float) -> Track:
        """The paper's update, once p_t has been estimated."""
        p = min(max(estimate, LOWEST), HIGHEST)
        delta = track.delta
        if track.since > 0:
            before = min(max(track.p, LOWEST), HIGHEST)
            gain = p - before
            if self.form == "exponential":
                gain = -math.log((1 - p) / (1 - before))
            delta = max(0.0, self.eps * delta + (1 - self.eps) * gain / track.since)
        return replace(track, p=p, delta=delta, since=0)


def _track(said: Stated, form: str, window: int) -> Track:
    rate = said.rate
    if form == "exponential":  # the same initial slope
        rate /= max(1 - said.start, 1 - HIGHEST)
    return Track(said.start, rate, window=((float(window), window * said.start),))


def _seen(track: Track, batch: Batch, size: int) -> Track:
    """The track with a batch in its window.

    The oldest batch, or a batch larger than the window, counts only with the part that fits, at its
    success rate.
    """
    window: list[tuple[float, float]] = []
    room = float(size)
    for attempts, successes in [(batch.attempts, batch.successes), *reversed(track.window)]:
        kept = min(float(attempts), room)
        if kept > 0:
            window.insert(0, (kept, successes * kept / attempts))
        room -= kept
    return replace(track, window=tuple(window))


def _success_rate(track: Track) -> float:
    attempts = sum(attempts for attempts, _ in track.window)
    return sum(successes for _, successes in track.window) / attempts
