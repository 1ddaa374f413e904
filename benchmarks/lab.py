"""How much of what is possible each strategy achieves on lab tasks with recoverable failures.

    python benchmarks/lab.py                        all 100 tasks, budgets and seeds
    python benchmarks/lab.py --reduced              a sample that takes two minutes on one core
    python benchmarks/lab.py --tuning --tasks 20    tasks for development, never the frozen ones
    python benchmarks/lab.py --out FILE.csv         keep every finished task; run again to go on
    python benchmarks/lab_page.py FILE.csv          write docs/benchmark-lab.md

Each task (``lab_tasks.py``) is practised on the synthetic robot in a session without a journal. J
is the true value of what the robot itself would do afterwards. It is compared with

- the clairvoyant: the best split for the true curves with free approaches, by exchange search;
- the paid split: the best split for the true curves that pays for its approaches. It practises one
  policy after the other, always the one that is easiest to reach for the true competences of that
  moment. n attempts of u cost n cost_u / reach_u units, the expected number of episodes until n of
  them arrive, with reach_u the probability that the best of several approach rules arrives. What
  the budget does not pay for is not practised. The split is found by exchange search from the
  clairvoyant's.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import click
import numpy as np
from commands import COUNT, MAYBE, Benchmark, workers_option
from lab_results import ResultsFile, Session
from lab_scores import COLUMNS, OURS, rows, worst
from lab_tasks import BUDGETS, FROZEN, LONGEST, TUNING, LabTask, lab_task
from processes import worked_off
from rich.console import Console

from deliberate_practice.allocation.local_search import local_search
from deliberate_practice.allocation.problem import build_problem
from deliberate_practice.cli.output import table
from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.mdp.arrival import Arrivals, arrivals
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.routes import Route, routes
from deliberate_practice.mdp.values import solve
from deliberate_practice.study.rehearsal import rehearse

METHODS = "deliberate,deliberate-paper,ees,uniform,competence-improvement,least-competent,random"
APPROACHES = ("execute", "free")
EVALUATIONS = 600
"""Splits that are evaluated to find the best one that pays for its approaches."""
STEPS = (16, 8, 4, 2, 1)
"""Attempts per exchange."""


@click.command(cls=Benchmark)
@click.option("--tasks", "count", default=100, type=COUNT, help="How many tasks (100).")
@click.option("--first", default=0, type=MAYBE, help="Skip so many tasks.")
@click.option("--seeds", default=10, type=COUNT, help="Sessions of each method on each task (10).")
@click.option("--methods", default=METHODS, help="Strategies, separated by commas.")
@click.option("--belief", default="bayes", help="Belief of all strategies.")
@click.option("--approach", type=click.Choice([*APPROACHES, "both"]), default="both")
@click.option("--tuning", is_flag=True, help="Tasks for development instead of the frozen ones.")
@click.option("--reduced", is_flag=True, help="12 tasks, 1 seed, three strategies.")
@workers_option
@click.option(
    "--out", type=Path, help="Keep every session here, as CSV; a run that was stopped goes on."
)
def main(
    count: int,
    first: int,
    seeds: int,
    methods: str,
    belief: str,
    approach: str,
    tuning: bool,
    reduced: bool,
    workers: int,
    out: Path | None,
) -> None:
    """Print a table for each kind of approach."""
    if reduced:
        count, seeds, methods = 12, 1, "deliberate,ees,random"
    chosen = (TUNING if tuning else FROZEN)[first : first + count]
    kinds = APPROACHES if approach == "both" else (approach,)
    work = partial(sessions, methods.split(","), belief, kinds, seeds)
    console = Console(width=140)
    arguments = {
        "tasks": f"{chosen.start} to {chosen.stop - 1}",
        "seeds": seeds,
        "methods": methods,
        "belief": belief,
        "approach": approach,
    }
    each = len(BUDGETS) * len(methods.split(",")) * len(kinds) * seeds
    kept = ResultsFile(out, arguments, each) if out else None
    found = list(kept.sessions) if kept else []
    missing = [seed for seed in chosen if kept is None or seed not in kept.tasks]
    for mine in worked_off(work, missing, "tasks", len(chosen), workers):
        found += mine
        if kept:
            kept.append(mine)
    found.sort(key=lambda session: session.seed)
    for kind in kinds:
        mine = [one for one in found if one.approach == kind]
        best = "the best split that pays for its approaches" if kind == "execute" else "clairvoyant"
        console.print(f"J / {best}: {len(chosen)} tasks, {seeds} seeds, approach {kind}")
        console.print(table([*COLUMNS], list(rows(mine)), numeric=range(1, len(COLUMNS))))
        console.print(f"worst tasks of {OURS}: {worst(mine)}")


def sessions(
    methods: list[str], belief: str, kinds: tuple[str, ...], seeds: int, seed: int
) -> list[Session]:
    """All sessions on one task."""
    lab = lab_task(seed)
    found = []
    for budget in BUDGETS:
        clairvoyant, split = best_free(lab, budget)
        paid = best_paid(lab, budget, split) if "execute" in kinds else clairvoyant
        for method, kind, k in product(methods, kinds, range(seeds)):
            ended = rehearse(
                lab.task, budget, strategy=method, belief=belief, approach=kind, seed=k
            )
            earned = ended.earnings.reward
            found.append(
                Session(seed, lab.station, method, kind, budget, k, earned, clairvoyant, paid)
            )
    return found


def best_free(lab: LabTask, budget: int) -> tuple[float, IntArray]:
    """Value and split of the clairvoyant."""
    curves = {name: curve.tolist() for name, curve in lab.truth.items()}
    problem = build_problem(lab.ground, budget, curves=curves)
    split = local_search(problem).astype(np.int64)
    return problem.solve(split).value, split


def best_paid(lab: LabTask, budget: int, start: IntArray) -> float:
    """Value of the best split for the true curves that pays for its approaches."""
    paid = PaidPractice(lab, budget)
    known: dict[bytes, float] = {}

    def value(split: IntArray) -> float:
        key = split.tobytes()
        if key not in known:
            known[key] = paid.value(split)
        return known[key]

    best = max((np.zeros_like(start), start, start // 2), key=value)
    for step in STEPS:
        while len(known) < EVALUATIONS:
            better = (one for one in _exchanges(best, paid.practised, step))
            following = next((c for c in better if value(c) > value(best) * (1 + 1e-6)), None)
            if following is None:
                break
            best = following
    return value(best)


def _exchanges(split: IntArray, practised: IntArray, step: int) -> Iterator[IntArray]:
    """The splits with more attempts of one policy, alone or in place of another's."""
    for u in practised:
        for w in (None, *np.flatnonzero(split)):
            if w != u:
                changed = split.copy()
                changed[u] = min(changed[u] + step, LONGEST)
                if w is not None:
                    changed[w] = max(changed[w] - step, 0)
                yield changed


class PaidPractice:
    """Practice with the true curves, whose approaches cost what they cost in expectation."""

    def __init__(self, lab: LabTask, budget: int) -> None:
        self.ground, self.budget = lab.ground, budget
        policies = lab.task.policies
        self.curves = np.array([lab.truth[name] for name in lab.ground.policy_names])
        self.costs = np.array([policy.cost for policy in policies.values()])
        self.ways, self.policy_of = _ways(lab, self.curves)
        self.practised = np.unique(self.policy_of)

    def value(self, split: IntArray) -> float:
        """Value of the task after as much of a split as the budget pays for."""
        return solve(self.ground, self._after(self.paid(split))).value

    def paid(self, split: IntArray) -> IntArray:
        """The attempts that the budget pays for."""
        todo, done, left = split.copy(), np.zeros_like(split), float(self.budget)
        while todo.any():
            reach = self._reach(self._after(done))
            u = int(np.argmax(np.where(todo > 0, reach, -1.0)))
            price = self.costs[u] / max(float(reach[u]), 1e-9)
            attempts = min(int(todo[u]), int(left / price + 1e-9))
            done[u], todo[u], left = done[u] + attempts, 0, left - attempts * price
        return done

    def _after(self, split: IntArray) -> FloatArray:
        return np.asarray(self.curves[np.arange(len(split)), np.minimum(split, LONGEST)])

    def _reach(self, competence: FloatArray) -> FloatArray:
        """The probability of reaching each policy by the best of the approaches."""
        reach = np.zeros(len(competence))
        np.maximum.at(reach, self.policy_of, self.ways.probabilities(competence[None])[0])
        return reach


def _ways(lab: LabTask, curves: FloatArray) -> tuple[Arrivals, IntArray]:
    """Approaches that are best at some stage of practice, and the policies they lead to."""
    everywhere = ground(lab.task, everything=True)
    policies = lab.task.policies
    found: dict[tuple[object, ...], tuple[int, Route, FloatArray]] = {}
    for stage in (0, 10, 20, 40, LONGEST):
        for route in routes(everywhere, curves[:, stage]).values():
            policy = lab.task.skill(route.skill).policy
            if policies[policy].practisable:
                key = (route.skill, route.skills, _table(route))
                place = lab.ground.policy_names.index(policy)
                found[key] = (place, route, curves[:, stage])
    places, ways, competences = zip(*found.values(), strict=True)
    return arrivals(lab.ground, ways, competences), np.array(places)


def _table(route: Route) -> bytes:
    """What tells two approach rules apart."""
    return b"" if route.rule is None else route.rule.actions.tobytes()


if __name__ == "__main__":
    main()
