"""A learner: random search around the mean of all successes, nearer with each of them."""

from collections.abc import Mapping, Sequence

import numpy as np

import deliberate_practice as dp

TOGETHER = 3


class Shrinking:
    """Proposes three candidates at a time; the next three depend on how these did."""

    evidence: dp.EvidenceModel = "search"

    def __init__(
        self, parameters: Sequence[dp.Parameter], seed: int, policy: str, *, spread: float = 1.0
    ):
        self._parameters, self._spread = parameters, spread
        self._entropy = [seed, *policy.encode()]
        self._successes: dict[int, Mapping[str, float]] = {}
        self._out: dict[int, Mapping[str, float]] = {}
        self._asked = self._told = 0

    @property
    def parallel(self) -> int:
        """What is left of the present three."""
        return TOGETHER - self._told % TOGETHER

    @property
    def deployed(self) -> Mapping[str, float]:
        """The mean of the successes so far; of the prior without any."""
        found = [self._successes[id] for id in sorted(self._successes)]  # told in any order
        return {
            p.name: float(np.mean([values[p.name] for values in found])) if found else p.mean
            for p in self._parameters
        }

    def ask(self) -> dp.Candidate | None:
        """A sample around what is deployed; None if all three are out."""
        if len(self._out) == self.parallel:
            return None
        if not self._out and self.parallel == TOGETHER:
            self._centre, self._width = self.deployed, self._spread / (1 + len(self._successes))
        rng, values = np.random.default_rng([*self._entropy, self._asked]), {}
        for p in self._parameters:
            drawn = self._centre[p.name] + self._width * p.sd * rng.normal()
            values[p.name] = float(np.clip(drawn, p.low, p.high))
        self._out[self._asked] = values
        self._asked += 1
        return dp.Candidate(self._asked - 1, values)

    def tell(self, id: int, outcome: str, score: float | None) -> None:
        """Keep a success; a candidate that was refused is still to come."""
        values = self._out.pop(id)
        self._told += outcome != "refused"
        if outcome == "success":
            self._successes[id] = values
