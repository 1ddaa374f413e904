"""CMA-ES with a binary reward, and with changes that save attempts.

The paper's learner draws a generation of N = 6 random samples from a Gaussian, moves the Gaussian
towards the best half, and deploys its mean; that is ``cma-es-paper``. Ours differs in three ways.
Samples are quasi-random: they cover the search distribution evenly, also over generations in which
nothing succeeds. The deployed parameters are the middle of the latest successes, not the mean of
the search distribution, which a few chance updates can move away: if success means to be inside a
region, the middle of points inside it is mostly inside too. And as soon as there are successes, the
first candidate of every generation is the deployed one: if it fails, the success farthest from it
is given up.

Parameters are searched in units of their prior standard deviations, from mean 0, step size 1 and
covariance I, so that the prior is the diagonal Gaussian that the task states. The best 3 of a
generation move the mean. Weights and learning rates are the defaults of ``evolution_strategy.py``
for the dimension.

Samples depend only on (seed, policy, generation), so a learner that is told the same again has the
same candidates, bit for bit. A candidate that the robot refuses leaves its place in the generation
to a random sample of the same search distribution. That one depends also on the place and on
how many candidates were refused there, whatever else is told meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from deliberate_practice.beliefs.belief import EvidenceModel
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.checks import check_flag
from deliberate_practice.learners.deviates import EvenDeviates, RandomDeviates
from deliberate_practice.learners.evolution_strategy import EvolutionStrategy
from deliberate_practice.learners.generation import Generation, Told
from deliberate_practice.learners.learner import Candidate
from deliberate_practice.strategies.strategy import ROUND
from deliberate_practice.task.outcome import Outcome
from deliberate_practice.task.skill import Parameter

LATEST = 6
"""The number of latest successes whose middle is deployed; older ones are from a wider search."""


class CmaEs:
    """Search a policy's parameters by generations of 6.

    >>> reach = Parameter("reach", mean=0.5, sd=0.1, low=0.0, high=1.0)
    >>> learner = CmaEs([reach], seed=0, policy="Push")
    >>> for _ in range(120):
    ...     candidate = learner.ask()
    ...     near = abs(candidate.values["reach"] - 0.62) < 0.05
    ...     learner.tell(candidate.id, "success" if near else "failure")
    >>> bool(abs(learner.deployed["reach"] - 0.62) < 0.05)
    True

    Args:
        parameters: Prior mean, standard deviation and bounds of each parameter.
        seed: Seed of the session.
        policy: Name of the policy, so that policies of one session draw different numbers.
        even: Whether samples are spread evenly; random ones otherwise.
        successes: Whether the middle of the latest successes is deployed; else the search's mean.
        scores: Whether scores rank candidates whose outcomes are equal; by default success is all
            that counts.

    Raises:
        ArgumentError: An option is neither True nor False.
    """

    evidence: EvidenceModel = "search"  # also of the paper's variant, by measurement

    def __init__(
        self,
        parameters: Sequence[Parameter],
        seed: int,
        policy: str,
        *,
        even: bool = True,
        successes: bool = True,
        scores: bool = False,
    ) -> None:
        for name, flag in (("even", even), ("successes", successes), ("scores", scores)):
            check_flag(name, flag)
        self._names = [parameter.name for parameter in parameters]
        self._prior_mean = np.array([parameter.mean for parameter in parameters])
        self._sd = np.array([parameter.sd for parameter in parameters])
        self._low = np.array([parameter.low for parameter in parameters])
        self._high = np.array([parameter.high for parameter in parameters])
        self._entropy = [seed, *policy.encode()]
        self._kind = EvenDeviates if even else RandomDeviates
        self._deploys_successes = successes
        self._uses_scores = scores
        self._number = 0
        self._successes: list[FloatArray] = []  # before the present generation
        self._generation: Generation
        self._first_is_deployed: bool
        self._search = self._new_search(np.zeros(len(parameters)))
        self._sample(first=0)

    @property
    def parallel(self) -> int:
        """Places of the present generation whose candidate was not told yet."""
        return self._generation.untold

    @property
    def deployed(self) -> Mapping[str, float]:
        """The middle of the latest successes; the mean of the search before there are any."""
        successes = self._latest_successes()
        if not successes or not self._deploys_successes:
            return self._named(self._in_units(self._search.mean))
        return self._named(np.clip(np.mean(successes, axis=0), self._low, self._high))

    def ask(self) -> Candidate | None:
        """The next candidate of the generation; the first one may be the deployed parameters."""
        asked = self._generation.ask()
        if asked is None:
            return None
        number, place = asked
        explores = place > 0 or not self._first_is_deployed
        return Candidate(number, self._named(self._candidate(place)), explores)

    def substitute(self, tried: Candidate) -> None:
        """Other values were tried in the place of a candidate of this generation."""
        place = self._generation.place(tried.id)
        values = np.array([tried.values[name] for name in self._names])
        self._candidates[place] = (values - self._prior_mean) / self._sd
        self._first_is_deployed = self._first_is_deployed and (place > 0 or not tried.explores)

    def tell(self, id: int, outcome: Outcome, score: float | None = None) -> None:
        """Record an outcome; the last one of a generation updates mean, step and covariance.

        Successes rank before failures; among equals a higher score ranks first, then candidates
        without a score; remaining ties are broken at random. A generation in which all candidates
        are equal carries no information and changes nothing. A refused candidate is replaced.
        """
        if outcome == "refused":
            self._draw_again(*self._generation.refuse(id))
            return
        self._generation.tell(id, Told(outcome == "success", score if self._uses_scores else None))
        if self._generation.untold:
            return
        self._successes = self._latest_successes()
        if not self._generation.all_equal:
            self._update()
        self._number += 1
        self._sample(self._generation.end)

    def _new_search(self, mean: FloatArray) -> EvolutionStrategy:
        low = (self._low - self._prior_mean) / self._sd
        high = (self._high - self._prior_mean) / self._sd
        return EvolutionStrategy(np.clip(mean, low, high), 1.0, low, high, population=ROUND)

    def _sample(self, first: int) -> None:
        """Draw the whole generation at once; outcomes told meanwhile do not change it."""
        begin, dimension = ROUND * self._number, len(self._sd)
        self._deviates = self._kind(self._entropy, dimension, begin, ROUND)
        self._candidates = [self._search.sample(self._deviates.draw) for _ in range(ROUND)]
        self._first_is_deployed = self._deploys_successes and bool(self._successes)
        if self._first_is_deployed:
            self._candidates[0] = (np.mean(self._successes, axis=0) - self._prior_mean) / self._sd
        self._generation = Generation(first, ROUND)

    def _draw_again(self, place: int, refused: int) -> None:
        """Fill a place whose candidates so far were refused."""
        entropy = [*self._entropy, place, refused]
        deviates = RandomDeviates(entropy, len(self._sd), ROUND * self._number, 1)
        self._candidates[place] = self._search.sample(deviates.draw)
        self._first_is_deployed = self._first_is_deployed and place > 0

    def _latest_successes(self) -> list[FloatArray]:
        """The successes whose middle is deployed, independent of the order of telling."""
        successes = list(self._successes)
        failed = self._first_is_deployed and self._generation.succeeded(0) is False
        if failed and len(successes) > 1:
            # They have no common middle: forget the one that is least like the others.
            far = (np.array(successes) - np.mean(successes, axis=0)) / self._sd
            del successes[int(np.argmax(np.linalg.norm(far, axis=1)))]
        new = [self._candidate(i) for i in range(ROUND) if self._generation.succeeded(i)]
        return [*successes, *new][-LATEST:]

    def _update(self) -> None:
        before = self._search.mean
        ties = np.random.default_rng([*self._entropy, self._number])
        order = self._generation.ranking(ties)
        try:
            with np.errstate(all="ignore"):
                self._search.update(np.array([self._candidates[i] for i in order]))
                further = self._search.sample(self._deviates.draw)
                sound = bool(np.isfinite(self._search.mean + further).all())
        except np.linalg.LinAlgError:
            sound = False
        if not sound:  # the covariance lost a direction, e.g. all candidates on one bound
            self._search = self._new_search(before)

    def _candidate(self, place: int) -> FloatArray:
        """Parameters of a candidate of the present generation, within their bounds."""
        return self._in_units(self._candidates[place])

    def _in_units(self, normalised: FloatArray) -> FloatArray:
        return np.clip(self._prior_mean + self._sd * normalised, self._low, self._high)

    def _named(self, values: FloatArray) -> dict[str, float]:
        return dict(zip(self._names, values.tolist(), strict=True))


cma_es_paper = partial(CmaEs, even=False, successes=False, scores=False)
"""The paper's learner: random samples, the mean deployed, binary reward."""
