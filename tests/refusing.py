"""A robot that refuses some parameters, and a learner that never draws those."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from deliberate_practice.learners.cma_es import CmaEs
from deliberate_practice.learners.learner import Candidate
from deliberate_practice.practice.episode import run_episode
from deliberate_practice.practice.robot import Result, Step, Trial
from deliberate_practice.task.skill import Parameter

Rule = Callable[[Mapping[str, float]], bool]


def far(values: Mapping[str, float]) -> bool:
    """Beyond reach; policies without parameters are within it."""
    return any(value > LIMIT.get(name, 1e9) for name, value in values.items())


LIMIT = {"height": 0.1, "depth": 0.22}


class Choosy:
    """Refuses parameters by a rule. What it executes succeeds by its parameters alone.

    Args:
        refuses: Whether parameters cannot be executed.
        parallel: Trials at a time.
    """

    def __init__(self, refuses: Rule = far, parallel: int = 1) -> None:
        self.refuses, self.parallel = refuses, parallel
        self.moved = 0
        """Steps that were executed."""

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        return [self._run(trial) for trial in trials]

    def _run(self, trial: Trial) -> Result:
        if self.refuses(trial.parameters):
            return Result("refused")
        return run_episode(trial, self._execute)

    def _execute(self, step: Step) -> bool:
        self.moved += 1
        return sum(step.parameters.values()) < 0.28  # a few samples do not


class Knowing(CmaEs):
    """Draws again by itself what the robot would refuse."""

    refuses: Rule = staticmethod(far)

    def ask(self) -> Candidate | None:
        candidate = super().ask()
        while candidate and self.refuses(candidate.values):
            super().tell(candidate.id, "refused")
            candidate = super().ask()
        return candidate


class Rounds:
    """A learner of rounds of 3 that knows no refusals: to it they are failures."""

    evidence = "search"

    def __init__(self, parameters: Sequence[Parameter], seed: int, policy: str) -> None:
        self.deployed = {p.name: p.mean for p in parameters}
        self._parameters = parameters
        self._asked = self._told = 0

    @property
    def parallel(self) -> int:
        return 3 - self._told % 3

    def ask(self) -> Candidate | None:
        if self._asked - self._told == self.parallel:
            return None
        self._asked += 1
        part = self._asked * 0.618 % 1
        values = {p.name: p.low + part * (p.high - p.low) for p in self._parameters}
        return Candidate(self._asked, values)

    def tell(self, id: int, outcome: str, score: float | None) -> None:
        self._told += 1
