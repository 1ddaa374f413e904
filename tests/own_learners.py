"""Learners of one's own: one candidate after another, three at once, and some that are wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deliberate_practice.beliefs.belief import EvidenceModel
from deliberate_practice.learners.learner import Candidate
from deliberate_practice.task.outcome import Outcome
from deliberate_practice.task.skill import Parameter


class Steps:
    """Random steps from the best so far, told in any order.

    Args:
        parameters, seed, policy: As every learner gets them.
        parallel: Candidates that may be out at once.
    """

    evidence: EvidenceModel = "search"

    def __init__(
        self, parameters: Sequence[Parameter], seed: int, policy: str, *, parallel: int = 1
    ) -> None:
        self.parallel = parallel
        self._parameters = parameters
        self._entropy = [seed, *policy.encode()]
        self._out: dict[int, Mapping[str, float]] = {}
        self._asked = 0
        self._best = {p.name: p.mean for p in parameters}

    @property
    def deployed(self) -> Mapping[str, float]:
        """The last candidate that succeeded."""
        return self._best

    def ask(self) -> Candidate | None:
        """A step from there."""
        if len(self._out) == self.parallel:
            return None
        rng = np.random.default_rng([*self._entropy, self._asked])
        values = {
            p.name: float(np.clip(self._best[p.name] + p.sd * rng.standard_normal(), p.low, p.high))
            for p in self._parameters
        }
        self._out[self._asked] = values
        self._asked += 1
        return Candidate(self._asked - 1, values)

    def tell(self, id: int, outcome: Outcome, score: float | None) -> None:
        """Keep what worked."""
        values = self._out.pop(id)
        if outcome == "success":
            self._best = dict(values)


def sequential(parameters: Sequence[Parameter], seed: int, policy: str) -> Steps:
    """One candidate after another."""
    return Steps(parameters, seed, policy)


def asynchronous(parameters: Sequence[Parameter], seed: int, policy: str) -> Steps:
    """Three at once; a new one as soon as one is told."""
    return Steps(parameters, seed, policy, parallel=3)


class Wrong(Steps):
    """Breaks one promise of a learner, the one that ``fault`` names."""

    def __init__(
        self, parameters: Sequence[Parameter], seed: int, policy: str, *, fault: str = ""
    ) -> None:
        super().__init__(parameters, seed, policy, parallel=3)
        self._fault = fault
        if fault == "parallel":
            self.parallel: Any = "many"
        if fault == "made":
            raise RuntimeError("no weights")

    @property
    def deployed(self) -> Mapping[str, float]:
        """Out of bounds, if that is the fault."""
        if self._fault == "deployed":
            return dict.fromkeys(self._best, 1e6)
        if self._fault == "deployed raises":
            raise KeyError("weights")
        return self._best

    def ask(self) -> Any:
        """Anything but a sound candidate."""
        candidate = super().ask()
        assert candidate is not None
        name = next(iter(candidate.values))
        match self._fault:
            case "none":
                return None
            case "type":
                return dict(candidate.values)
            case "raises":
                raise ZeroDivisionError("no more ideas")
            case "number":
                return Candidate(0, candidate.values)
            case "names":
                return Candidate(candidate.id, {"speed": 1.0})
            case "bounds":
                return Candidate(candidate.id, {**candidate.values, name: 1e6})
            case "undefined":
                return Candidate(candidate.id, {**candidate.values, name: float("nan")})
            case "text":
                return Candidate(candidate.id, {**candidate.values, name: "high"})  # type: ignore[dict-item]
        return candidate

    def tell(self, id: int, outcome: Outcome, score: float | None) -> None:
        """Break, if that is the fault."""
        if self._fault == "tell":
            raise ZeroDivisionError("nothing learned")
        super().tell(id, outcome, score)
