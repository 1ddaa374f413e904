"""A learner of your own: it proposes parameters for one policy and is told how they did.

Run it with ``python examples/own_learner.py``. It compares a hill climber, a (1+1) evolution
strategy, with our CMA-ES on a robot whose skills succeed in hidden regions of their parameters.
"""

from collections.abc import Mapping, Sequence

import numpy as np

import deliberate_practice as dp
from deliberate_practice.testing import check_learner

TASK = dp.parse_task("""
name = "drawer"
variables = { drawer = ["open", "closed"] }
goals = [{ name = "closed", reward = 1.0, when = { drawer = "closed" } }]
[[skills]]
name = "Close"
precondition = { drawer = "open" }
effect = { drawer = "closed" }
competence = 0.1
curve = { kind = "exponential", rate = 0.05, ceiling = 0.95 }
parameters = [{ name = "push", unit = "m", mean = 0.2, sd = 0.04, low = 0.0, high = 0.3 }]
""")


class HillClimber:
    """Keeps the latest success, and looks for the next one near it."""

    evidence: dp.EvidenceModel = "search"  # successes are rare, and the deployed values are one
    parallel = 1  # one candidate at a time: the next depends on how it did

    def __init__(
        self, parameters: Sequence[dp.Parameter], seed: int, policy: str, *, step: float = 0.5
    ):
        self._parameters, self._step, self._reach = parameters, step, 1.0
        self._rng = np.random.default_rng([seed, *policy.encode()])  # nothing else is random
        self._best = {p.name: p.mean for p in parameters}
        self._out: dp.Candidate | None = None
        self._count = 0

    @property
    def deployed(self) -> Mapping[str, float]:
        """What the robot uses when it does not explore."""
        return self._best

    def ask(self) -> dp.Candidate | None:
        """A neighbour of the latest success; None while a candidate is out."""
        if self._out:
            return None
        values = {}
        for p in self._parameters:
            drawn = self._best[p.name] + self._reach * p.sd * self._rng.standard_normal()
            values[p.name] = float(np.clip(drawn, p.low, p.high))
        self._count += 1
        self._out = dp.Candidate(self._count, values)
        return self._out

    def tell(self, id: int, outcome: str, score: float | None) -> None:
        """Move to a success and search nearer to it; search farther away after a failure."""
        told, self._out = self._out, None
        if told and outcome == "success":
            self._best, self._reach = dict(told.values), self._reach * self._step
        elif outcome == "failure":  # one that the robot refused was not tried
            self._reach = min(1.5, 1.05 * self._reach)


dp.register_learner("hill-climber", HillClimber)

if __name__ == "__main__":
    check_learner(HillClimber)
    learners = ["cma-es", "hill-climber", "hill-climber:step=0.8"]
    engine = dp.make_engine(workers=1)  # leave it out to use all processors
    finished = dp.compare(
        TASK, [60], strategies=["random"], learners=learners, robot="regions", engine=engine
    )
    for row in finished.rows:
        print(f"{row.learner:22}  reward {row.mean:.2f} after {row.budget} episodes")
