"""Sessions whose trials are known from before: what is asked, told and spent stays what it was."""

from __future__ import annotations

import hashlib
import itertools
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from deliberate_practice.practice.domain import load_task, make_robot
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.sessions import start_session

HERE = Path(__file__).parent
RECORD = HERE / "sessions.json"

STRATEGIES = (
    "deliberate",
    "deliberate-paper",
    "ees",
    "ees-episode",
    "ees-predicators",
    "competence-improvement",
    "least-competent",
    "random",
    "uniform",
)
BELIEFS = ("bayes", "running-average:estimator=window")
OWN = {"workshop": 30, "mending": 24}
BUILT_IN = {"counterexample": 24, "breakfast": 30, "cleanup": 36}


@dataclass(frozen=True)
class Known:
    """What decides the trials of a session."""

    task: str
    robot: str
    strategy: str
    belief: str
    approach: str
    budget: int
    seed: int

    @property
    def key(self) -> str:
        """The name of the session in the record."""
        return " ".join(map(str, vars(self).values()))


def known_sessions() -> list[Known]:
    """All strategies, beliefs, synthetic robots and approaches, on tasks of every kind."""
    cells: list[tuple[str, str, str, str, str, int]] = [
        (task, *choices, budget)
        for task, budget in OWN.items()
        for choices in itertools.product(
            ("curves", "regions"), STRATEGIES, BELIEFS, ("execute", "free")
        )
    ]
    cells += [
        (task, "curves", strategy, belief, approach, budget)
        for task, budget in BUILT_IN.items()
        for strategy, belief in itertools.product(STRATEGIES, BELIEFS)
        for approach in (("execute", "free")[len(strategy) % 2],)
    ]
    cells += [  # with tests after each round, and some where they cost nothing
        (task, robot, strategy, belief, approach, budget)
        for task, budget in OWN.items()
        for number, (robot, strategy) in enumerate(
            itertools.product(("curves", "regions"), STRATEGIES)
        )
        for belief in ("running-average", "running-average:tests=3,charged=false")[: 1 + number % 2]
        for approach in (("execute", "free")[number // 2 % 2],)
    ]
    return [Known(*cell, seed=number % 7) for number, cell in enumerate(cells)]


def trials_of(known: Known) -> list[list[object]]:
    """Skill, mode, parameters, outcome, at, score and units spent, for each trial of a session."""
    task = load_task(HERE / f"{known.task}.toml" if known.task in OWN else known.task)
    with (
        tempfile.TemporaryDirectory() as folder,
        start_session(
            Path(folder) / "golden.db",
            "golden",
            task,
            known.budget,
            known.strategy,
            known.belief,
            known.seed,
            approach=known.approach,  # type: ignore[arg-type]
            robot=known.robot,
            lasting=False,
        ) as session,
    ):
        practise(session, make_robot(known.robot, task, known.seed))
        rows: list[list[object]] = []
        spent = 0
        for record in session.trials():
            assert record.result
            spent += record.cost
            trial, result = record.trial, record.result
            # As many digits as survive another processor's logarithms.
            values = {name: f"{value:.6g}" for name, value in trial.parameters.items()}
            score = None if result.score is None else f"{result.score:.6g}"
            rows.append([trial.skill, trial.mode, values, result.outcome, result.at, score, spent])
        return rows


def digest(row: list[object]) -> str:
    """A short text that differs for different trials."""
    return hashlib.sha256(json.dumps(row).encode()).hexdigest()[:8]


def record() -> None:
    """Write the record anew, after behaviour was changed on purpose."""
    found = {known.key: " ".join(map(digest, trials_of(known))) for known in known_sessions()}
    RECORD.write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    record()
