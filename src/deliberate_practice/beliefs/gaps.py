"""Composition gaps: how much less often a skill succeeds right after another one.

In a plan, policy v right after policy u succeeds with p_v (1 - g_uv), where p_v is its competence
as it is practised. The gap g_uv is 0 for most pairs. A pair has a gap with probability π, and then
a size between 0 and 0.9; all pairs share π, which is not known either. So a plan that works as
predicted also makes gaps of other pairs less likely. The posterior is exact on the grids below:

    P(π | seen)  ∝  P(π) Π_uv ((1 - π) L_uv(0) + π Σ_g P(g) L_uv(g)),
    L_uv(g)      =  Π E_p[(p (1 - g))^s (1 - p (1 - g))^(n - s)],

with a factor for every competence p_v at which s of n executions after u succeeded. p follows a
Beta distribution with the mean and the deviation that the belief states for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

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
SHARE_PRIOR: FloatArray = np.array([0.1, 0.1, 0.15, 0.2, 0.2, 0.15, 0.1])
"""Their probabilities: a pair has a gap with probability 0.24."""
COMPETENCES: FloatArray = (np.arange(200) + 0.5) / 200
"""Competences at which an uncertain one is evaluated."""
NARROW = 0.005
"""Smaller deviations of a competence count as none: they are below the step of that grid."""
BAND = (0.1, 0.9)
"""The ends of the band."""


@dataclass(frozen=True)
class Seen:
    """Executions of a policy right after another one, while its competence was the same.

    Attributes:
        mean, deviation: The believed competence of the second policy at that time.
        executions: How many.
        successes: How many of them succeeded.
    """

    mean: float
    deviation: float
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
    """The part of its successes that each policy is expected to lose right after another one.

    Attributes:
        by_pair: Expected gap of each pair that was seen.
        otherwise: Expected gap of every other pair.
        practised: Pairs that are practised together, so that no gap is left between them.
    """

    by_pair: Mapping[Pair, float] = field(default_factory=dict)
    otherwise: float = 0.0
    practised: frozenset[Pair] = frozenset()

    def kept(self, before: str | None, policy: str) -> float:
        """1 - g: 1 at the start of a plan."""
        if before is None or (before, policy) in self.practised:
            return 1.0
        return 1.0 - self.by_pair.get((before, policy), self.otherwise)

    def __bool__(self) -> bool:
        return bool(self.by_pair) or self.otherwise > 0


@dataclass(frozen=True)
class PairGap:
    """What is believed about one pair.

    Attributes:
        before, policy: The pair.
        mean: Expected gap.
        low, high: Ends of its 80 % band.
        executions, successes: The evidence.
    """

    before: str
    policy: str
    mean: float
    low: float
    high: float
    executions: int
    successes: int


@dataclass(frozen=True)
class Gaps:
    """The belief about all gaps.

    Attributes:
        seen: The evidence by pair.
        practised: Pairs that are practised together: their competence includes the gap.
        active: Whether the session has probed a plan. Before that no gap is expected anywhere.
    """

    seen: Mapping[Pair, Sequence[Seen]] = field(default_factory=dict)
    practised: frozenset[Pair] = frozenset()
    active: bool = True

    def pairs(self) -> list[PairGap]:
        """Every pair with evidence, in the order in which they were seen."""
        found = []
        for pair, mine in self._evidence.items():
            weights = self.posterior(pair)
            below = np.cumsum(weights)
            low, high = (float(_GAPS[np.searchsorted(below, end)]) for end in BAND)
            counts = sum(one.executions for one in mine), sum(one.successes for one in mine)
            found.append(PairGap(*pair, float(weights @ _GAPS), low, high, *counts))
        return found

    @cached_property
    def losses(self) -> Losses:
        """The expected gap of every pair; none before a plan was probed."""
        if not self.active:
            return Losses()
        means = {pair: float(self.posterior(pair) @ _GAPS) for pair in self._evidence}
        otherwise = float(self.shares @ SHARES) * float(SIZE_PRIOR @ SIZES)
        return Losses(means, otherwise, self.practised)

    @cached_property
    def shares(self) -> FloatArray:
        """Posterior probability of each share π, shape (len(SHARES),)."""
        logs = np.log(SHARE_PRIOR)
        for none, some in self._marginals.values():
            logs = logs + np.log((1 - SHARES) * none + SHARES * some)
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def posterior(self, pair: Pair) -> FloatArray:
        """Probability of no gap and of each size, shape (1 + len(SIZES),)."""
        return np.asarray(self.shares @ self._given_share(pair))

    def draw(self, pairs: Iterable[Pair], ranks: FloatArray) -> dict[Pair, FloatArray]:
        """Gaps of several pairs, drawn together: they share π.

        Args:
            pairs: The pairs.
            ranks: Numbers from 0 to 1, shape (1 + pairs, draws); the first row draws π.
        """
        shared = np.searchsorted(np.cumsum(self.shares), ranks[0] * (1 - 1e-12))
        drawn = {}
        for pair, mine in zip(pairs, ranks[1:], strict=True):
            below = np.cumsum(self._given_share(pair), axis=1)[shared]
            drawn[pair] = _GAPS[(below < mine[:, None] * (1 - 1e-12)).sum(axis=1)]
        return drawn

    def _given_share(self, pair: Pair) -> FloatArray:
        """Posterior of one pair under each share π, shape (len(SHARES), 1 + len(SIZES))."""
        if not self.active or pair in self.practised:
            return np.tile(np.eye(1, len(_GAPS)), (len(SHARES), 1))
        prior = np.column_stack([1 - SHARES, np.outer(SHARES, SIZE_PRIOR)])
        weights = prior * self._likelihoods.get(pair, np.ones(len(_GAPS)))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    @property
    def _evidence(self) -> dict[Pair, Sequence[Seen]]:
        if not self.active:
            return {}
        return {pair: mine for pair, mine in self.seen.items() if pair not in self.practised}

    @cached_property
    def _likelihoods(self) -> dict[Pair, FloatArray]:
        """L of each pair for no gap and for each size; only their ratios count."""
        return {pair: _likelihood(mine) for pair, mine in self._evidence.items()}

    @property
    def _marginals(self) -> dict[Pair, tuple[float, float]]:
        """L of each pair without a gap, and the mean with one."""
        return {
            pair: (float(mine[0]), float(mine[1:] @ SIZE_PRIOR))
            for pair, mine in self._likelihoods.items()
        }


NO_GAPS = Gaps(active=False)
"""The belief before any plan was probed."""

_GAPS: FloatArray = np.concatenate([np.zeros(1), SIZES])


def _likelihood(seen: Sequence[Seen]) -> FloatArray:
    """L for no gap and for each size, as parts of the largest, shape (1 + len(SIZES),)."""
    logs = np.zeros(len(_GAPS))
    for one in seen:
        competence, weights = _competence(one)
        works = competence[:, None] * (1 - _GAPS)
        failures = one.executions - one.successes
        logs = logs + np.log(weights @ (works**one.successes * (1 - works) ** failures))
    return np.asarray(np.exp(logs - logs.max()))


def _competence(seen: Seen) -> tuple[FloatArray, FloatArray]:
    """Competences and their probabilities: a Beta distribution on the grid, or one value."""
    mean, widest = seen.mean, seen.mean * (1 - seen.mean)
    if seen.deviation < NARROW or widest < NARROW**2:
        return np.array([np.clip(mean, 1e-6, 1 - 1e-6)]), np.ones(1)
    size = max(widest / seen.deviation**2 - 1, 0.05)
    p = COMPETENCES
    logs = (size * mean - 1) * np.log(p) + (size * (1 - mean) - 1) * np.log1p(-p)
    weights = np.exp(logs - logs.max())
    return p, np.asarray(weights / weights.sum())
