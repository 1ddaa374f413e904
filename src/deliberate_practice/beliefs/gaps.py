"""Composition gaps: how much less often a skill succeeds right after another one.

In a plan, policy v right after policy u succeeds with p_v (1 - g_uv), where p_v is its competence
as it is practised. The gap g_uv is 0 for most pairs. A pair has a gap with probability π, and then
a size between 0 and 0.9; all pairs share π, which is not known either. So a plan that works as
predicted also makes gaps of other pairs less likely. The posterior is exact on the grids below:

    P(π | seen)  ∝  P(π) Π_uv ((1 - π) L_uv(0) + π Σ_g P(g) L_uv(g)),
    L_uv(g)      =  E_p[Π_t (p_t (1 - g))^s_t (1 - p_t (1 - g))^(n_t - s_t)],

where s_t of n_t executions of v after u succeeded while the believed competence of v was m_t. The
present competence p follows a Beta distribution with the mean m and the deviation that the belief
states now, and p_t = min(1, p m_t / m): if the belief errs about v, it errs by the same factor all
the time. The executions are evidence of p, too, so a plan counts with k_uv = E[p (1 - g)] / m in
place of 1 - g. It may exceed 1: then the plan has worked better than the belief about v expects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError

Pair = tuple[str, str]
"""Two policies: the one before, and the one right after it."""

SIZES: FloatArray = np.linspace(0.05, 0.9, 18)
"""Possible sizes of a gap."""
_SIZE_WEIGHTS = np.sqrt(SIZES) * (1 - SIZES) ** 2
SIZE_PRIOR: FloatArray = _SIZE_WEIGHTS / _SIZE_WEIGHTS.sum()
"""Their probabilities if there is a gap: most gaps are between 0.1 and 0.5."""
SHARES: FloatArray = np.array([0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6])
"""Possible shares π of pairs with a gap."""
SHARE_PRIOR: FloatArray = np.array([0.05, 0.05, 0.1, 0.2, 0.2, 0.2, 0.2])
"""Their probabilities: a pair has a gap with probability 0.31."""
COMPETENCES: FloatArray = (np.arange(200) + 0.5) / 200
"""Competences at which an uncertain one is evaluated."""
NARROW = 0.005
"""Smaller deviations of a competence count as none: they are below the step of that grid."""
LEAST = 1e-6
"""Competences are kept so far from 0 and 1."""
WITHIN = 1 - 1e-12
"""Ranks are scaled by this, so that none exceeds a sum of probabilities that is rounded down."""
BAND = (0.1, 0.9)
"""The ends of the band."""

GAPS: FloatArray = np.concatenate([np.zeros(1), SIZES])
"""No gap, and every possible size."""


@dataclass(frozen=True)
class Seen:
    """Executions of a policy right after another one, while its believed competence was the same.

    Attributes:
        mean: The believed competence of the second policy at that time.
        executions: How many.
        successes: How many of them succeeded.
    """

    mean: float
    executions: int
    successes: int

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.executions or not 0 <= self.mean <= 1:
            raise ArgumentError(
                f"executions after another skill: {self.successes} successes in "
                f"{self.executions} at a competence of {self.mean:g}; give 0 <= successes <= "
                "executions and a probability."
            )


@dataclass(frozen=True)
class Losses:
    """What each policy is expected to keep of its competence right after another one.

    Attributes:
        by_pair: k of each pair that was seen, and 1 of pairs that are practised together.
        otherwise: k of every other pair.
    """

    by_pair: Mapping[Pair, float] = field(default_factory=dict)
    otherwise: float = 1.0

    def kept(self, before: str | None, policy: str) -> float:
        """k: 1 at the start of a plan."""
        if before is None:
            return 1.0
        return self.by_pair.get((before, policy), self.otherwise)

    def __bool__(self) -> bool:
        return bool(self.by_pair) or self.otherwise < 1

    def as_data(self) -> dict[str, Any]:
        """The same as plain data."""
        pairs = [{"before": u, "policy": v, "kept": k} for (u, v), k in self.by_pair.items()]
        return {"pairs": pairs, "otherwise": self.otherwise}

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> Losses:
        """What :meth:`as_data` described."""
        pairs = {(row["before"], row["policy"]): row["kept"] for row in data["pairs"]}
        return Losses(pairs, data["otherwise"])


@dataclass(frozen=True)
class PairGap:
    """What is believed about one pair.

    Attributes:
        before, policy: The pair.
        gap: Expected gap.
        low, high: Ends of its 80 % band.
        executions, successes: The evidence.
    """

    before: str
    policy: str
    gap: float
    low: float
    high: float
    executions: int
    successes: int


@dataclass(frozen=True)
class Gaps:
    """The belief about all gaps.

    Attributes:
        seen: The evidence by pair.
        believed: Mean and deviation of the present competence of every policy in it.
        practised: Pairs that are practised together: their competence includes the gap.
        active: Whether the session has probed a plan. Before that no gap is expected anywhere.
    """

    seen: Mapping[Pair, Sequence[Seen]] = field(default_factory=dict)
    believed: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    practised: frozenset[Pair] = frozenset()
    active: bool = True

    def pairs(self) -> list[PairGap]:
        """Every pair with evidence, in the order in which they were seen."""
        found = []
        for pair, mine in self._evidence.items():
            weights = self.posterior(pair).sum(axis=0)
            below = np.cumsum(weights)
            low, high = (float(GAPS[np.searchsorted(below, end)]) for end in BAND)
            counts = sum(one.executions for one in mine), sum(one.successes for one in mine)
            found.append(PairGap(*pair, float(weights @ GAPS), low, high, *counts))
        return found

    @cached_property
    def losses(self) -> Losses:
        """What every pair is expected to keep; all before a plan was probed."""
        if not self.active:
            return Losses()
        kept = {
            pair: float((self.posterior(pair) * self._keeps(pair)).sum()) for pair in self._evidence
        }
        otherwise = 1 - float(self.shares @ SHARES) * float(SIZE_PRIOR @ SIZES)
        return Losses({**kept, **dict.fromkeys(sorted(self.practised), 1.0)}, otherwise)

    @cached_property
    def shares(self) -> FloatArray:
        """Posterior probability of each share π, shape (len(SHARES),)."""
        logs = np.log(SHARE_PRIOR)
        for likelihood in self._likelihoods.values():
            by_gap = likelihood.sum(axis=0)
            logs = logs + np.log((1 - SHARES) * by_gap[0] + SHARES * (by_gap[1:] @ SIZE_PRIOR))
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def posterior(self, pair: Pair) -> FloatArray:
        """Probability of each competence of the second policy and each gap of :data:`GAPS`."""
        return np.asarray(np.einsum("s,spg->pg", self.shares, self._given_share(pair)))

    def draw(self, pairs: Iterable[Pair], ranks: FloatArray) -> dict[Pair, FloatArray]:
        """k of several pairs, drawn together: they share π.

        Args:
            pairs: The pairs.
            ranks: Numbers from 0 to 1, shape (1 + pairs, draws); the first row draws π.
        """
        shared = np.searchsorted(np.cumsum(self.shares), ranks[0] * WITHIN)
        drawn = {}
        for pair, mine in zip(pairs, ranks[1:], strict=True):
            weights = self._given_share(pair).reshape(len(SHARES), -1)
            order = np.argsort(self._keeps(pair), axis=None, kind="stable")
            below = np.cumsum(weights[:, order], axis=1)
            places = np.zeros(len(mine), dtype=np.int64)
            for share in np.unique(shared):
                chosen = shared == share
                places[chosen] = np.searchsorted(below[share], mine[chosen] * WITHIN)
            drawn[pair] = self._keeps(pair).ravel()[order[places]]
        return drawn

    def _given_share(self, pair: Pair) -> FloatArray:
        """Posterior of one pair under each share π, shape (shares, competences, gaps)."""
        if not self.active or pair in self.practised:
            prior = np.tile(np.eye(1, len(GAPS)), (len(SHARES), 1))
        else:
            prior = np.column_stack([1 - SHARES, np.outer(SHARES, SIZE_PRIOR)])
        weights = prior[:, None, :] * self._likelihoods.get(pair, np.ones((1, len(GAPS))))
        return np.asarray(weights / weights.sum(axis=(1, 2), keepdims=True))

    def _keeps(self, pair: Pair) -> FloatArray:
        """p (1 - g) / m for each competence and gap."""
        if pair not in self._evidence:
            return (1 - GAPS)[None, :]
        mean = self._competence(pair[1])[2]
        return np.asarray(self._competence(pair[1])[0][:, None] * (1 - GAPS) / mean)

    @property
    def _evidence(self) -> dict[Pair, Sequence[Seen]]:
        if not self.active:
            return {}
        return {pair: mine for pair, mine in self.seen.items() if pair not in self.practised}

    @cached_property
    def _likelihoods(self) -> dict[Pair, FloatArray]:
        """Of each pair: P(p) times the likelihood of all that was seen, for each p and gap.

        Only their ratios count.
        """
        return {pair: self._likelihood(pair[1], mine) for pair, mine in self._evidence.items()}

    def _likelihood(self, policy: str, seen: Sequence[Seen]) -> FloatArray:
        competence, weights, mean = self._competence(policy)
        logs = np.log(weights)[:, None] + np.zeros(len(GAPS))
        for one in seen:
            then = np.clip(competence * one.mean / mean, LEAST, 1 - LEAST)
            works = then[:, None] * (1 - GAPS)
            failures = one.executions - one.successes
            logs = logs + one.successes * np.log(works) + failures * np.log1p(-works)
        return np.asarray(np.exp(logs - logs.max()))

    def _competence(self, policy: str) -> tuple[FloatArray, FloatArray, float]:
        """Competences, their probabilities (a Beta distribution, or one value), and the mean."""
        mean, deviation = self.believed[policy]
        mean = float(np.clip(mean, LEAST, 1 - LEAST))
        if deviation < NARROW or mean * (1 - mean) < NARROW**2:
            return np.array([mean]), np.ones(1), mean
        size = max(mean * (1 - mean) / deviation**2 - 1, 0.05)
        p = COMPETENCES
        logs = (size * mean - 1) * np.log(p) + (size * (1 - mean) - 1) * np.log1p(-p)
        weights = np.maximum(np.exp(logs - logs.max()), 1e-300)
        weights = weights / weights.sum()
        return p, weights, float(weights @ p)


NO_GAPS = Gaps(active=False)
"""The belief before any plan was probed."""
