"""Compare everything the solvers state about a small task with exact rational arithmetic."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from exact_values import ExactSolution, ExactTask, competence_tables, exact_splits

import deliberate_practice as dp
from deliberate_practice.task.toml_writer import task_to_toml

T = TypeVar("T")

ERROR = Fraction(1, 10**6)
"""Error of a value, relative to the absolute terms that it is the sum of."""

ROUNDING = Fraction(1, 10**12)
"""Rules are told apart if they differ by more than this part of their absolute terms."""

LIE = Fraction(1, 1000)
"""The part by which a tampered value differs."""

REFUSAL = "the tolerances of the linear program"
"""Words with which the linear program refuses a task that it cannot be trusted with."""

ENDLESS = 30.0
"""A call on a task of six states that takes longer [s] is taken to be endless."""


def complaints(task: dp.Task, budget: int, *, auto: bool = True) -> list[str]:
    """Each statement of a solver about the task that is not true; empty if all is well.

    Args:
        task: A task with few states and splits.
        budget: Budget units.
        auto: Try ``auto`` also where it may call a global solver, which takes a while.
    """
    truth = Truth(task, budget)
    product = of_product_form(task)
    faults = truth.judge_values() + truth.judge_frontier()
    for solver in ("auto", "plans", "local") if product else ("auto", "local"):
        if solver != "auto" or auto or product:
            limit = None if product and solver != "local" else 2.0
            faults += truth.judge_allocation(solver, limit, exact=product and solver != "local")
    return faults


def describe(task: dp.Task, budget: int, faults: list[str]) -> str:
    """A message from which the faults can be reproduced."""
    return "\n".join([f"budget {budget}:", *faults, "", task_to_toml(task)])


def of_product_form(task: dp.Task) -> bool:
    """One start, sure effects, rewards only at goals, failures "end" or "stay"."""
    return not task.starts and all(
        isinstance(skill.effect, Mapping)
        and skill.failure in ("end", "stay")
        and skill.step_reward == 0
        for skill in task.skills
    )


@dataclass(frozen=True)
class _Interval:
    """Answers that double precision can be expected to give."""

    low: Fraction
    high: Fraction

    def __contains__(self, value: float) -> bool:
        return math.isfinite(value) and self.low <= Fraction(value) <= self.high

    def __str__(self) -> str:
        return f"[{float(self.low)!r}, {float(self.high)!r}]"


class Truth:
    """The exact values of all splits of one task, and judgement of what solvers say."""

    def __init__(self, task: dp.Task, budget: int) -> None:
        self.task, self.budget = task, budget
        self.exact = ExactTask(task)
        self.tables = competence_tables(task, budget)
        self.splits = exact_splits(task, budget)
        self.best = self.best_within(budget)

    def best_within(self, budget: int) -> ExactSolution:
        """The optimum of a smaller budget."""
        solutions = [split.solution for split in self.splits if split.spent <= budget]
        return max(solutions, key=lambda solution: solution.value)

    def judge_values(self) -> list[str]:
        """Value iteration and the linear program at the worst and the best competences."""
        faults = []
        ends = [min, max]
        for chosen in [end(self.splits, key=lambda s: s.solution.value) for end in ends]:
            competence = np.array(list(chosen.competences.values()))
            right = self._interval(chosen.competences)
            for name, solve in (("solve", _by_iteration), ("solve_by_lp", _by_program)):
                value = _attempt(solve, self.task, competence)
                if name == "solve_by_lp" and REFUSAL in str(value):
                    continue  # HiGHS cannot do it, and says so instead of being wrong
                if isinstance(value, str):
                    faults.append(f"{name}{competence.tolist()}: {value}")
                elif value not in right:
                    faults.append(f"{name}{competence.tolist()}: {value!r} is not in {right}")
        return faults

    def judge_allocation(self, solver: str, limit: float | None, *, exact: bool) -> list[str]:
        """Value, bound and status of an allocation, and what verification says about it."""
        answer = _attempt(dp.allocate, self.task, self.budget, solver=solver, time_limit=limit)
        if isinstance(answer, str):
            return [f"allocate({solver}): {answer}"]
        faults = self._judge_statement(answer.value, answer.bound, answer.allocation, self.budget)
        if answer.status == "optimal" and not self._nearly_best(answer.value):
            faults.append(f"optimal: {answer.value!r}, but {float(self.best.value)!r} is possible")
        if exact and answer.status != "optimal":
            faults.append(f"status {answer.status}: bound {answer.bound!r}, value {answer.value!r}")
        if not faults:
            faults += self._judge_verification(answer)
        return [f"allocate({solver}): {fault}" for fault in faults]

    def judge_frontier(self) -> list[str]:
        """Value and bound at every budget."""
        frontier = _attempt(dp.frontier, self.task, self.budget, time_limit=5.0)
        if isinstance(frontier, str):
            return [f"frontier: {frontier}"]
        faults = []
        for budget in frontier.budgets:
            stated = self._judge_statement(
                frontier.values[budget],
                frontier.bounds[budget],
                frontier.allocations[budget],
                budget,
            )
            faults += [f"frontier at {budget}: {fault}" for fault in stated]
        return faults

    def _judge_statement(
        self, value: float, bound: float, episodes: Mapping[str, float], budget: int
    ) -> list[str]:
        faults = []
        if sum(self.task.policies[name].cost * b for name, b in episodes.items()) > budget:
            faults.append(f"{dict(episodes)} costs more than {budget}")
        competences = {
            name: table[min(int(episodes.get(name, 0)), len(table) - 1)]
            for name, table in self.tables.items()
        }
        right, best = self._interval(competences), self.best_within(budget).value
        if value not in right:
            faults.append(f"value {value!r} of {dict(episodes)} is not in {right}")
        if math.isnan(bound) or (math.isfinite(bound) and Fraction(bound) < best) or bound < 0:
            short = float((best - Fraction(bound)) / best) if math.isfinite(bound) and best else 1.0
            faults.append(f"bound {bound!r} is {short:.1g} below the optimum {float(best)!r}")
        if not value <= bound:
            faults.append(f"bound {bound!r} is below the value {value!r}")
        return faults

    def _judge_verification(self, answer: dp.Allocation) -> list[str]:
        """A right answer passes, and each lie about it is found by the check it concerns."""
        faults = []
        for name, lie, checks in [("the right answer", answer, set()), *self._lies(answer)]:
            verification = _attempt(dp.verify, self.task, lie)
            if isinstance(verification, str):
                faults.append(f"verify of {name}: {verification}")
                continue
            failed = {
                check.name: check.detail for check in verification.checks if check.passed is False
            }
            if not checks and failed:
                faults.append(f"verify of {name}: fails {failed}")
            if checks and not checks & set(failed):
                stated = {check.name: check.detail for check in verification.checks}
                faults.append(f"verify of {name}: passes {stated}")
        return faults

    def _lies(self, answer: dp.Allocation) -> list[tuple[str, dp.Allocation, set[str]]]:
        lies = []
        scale = self._scale(answer.allocation)
        if scale:
            more = float(Fraction(answer.value) + LIE * scale)
            lie = dataclasses.replace(answer, value=more, bound=max(answer.bound, more))
            lies.append((f"a value of {more!r}", lie, {"value", "plan"}))
        unfit = self._skill_that_cannot_begin()
        if unfit is not None:
            lie = dataclasses.replace(answer, plan=(unfit, *answer.plan))
            lies.append((f"a plan that begins with {unfit}", lie, {"plan"}))
        idle = _attempt(dp.allocate, self.task, 0, solver="local", time_limit=2.0)
        if not isinstance(idle, str) and Fraction(idle.value) < (
            self.best.value - LIE * self.best.scale
        ):
            lie = dataclasses.replace(idle, budget=self.budget, bound=idle.value, status="optimal")
            lies.append(("a bound for no practice", lie, {"bound"}))
        return lies

    def _skill_that_cannot_begin(self) -> str | None:
        possible = {action.skill for s in self.exact.starts for action in self.exact.actions[s]}
        names = [s.name for i, s in enumerate(self.task.skills) if i not in possible]
        return names[0] if names else None

    def _scale(self, episodes: Mapping[str, float]) -> Fraction:
        competences = {
            name: table[min(int(episodes.get(name, 0)), len(table) - 1)]
            for name, table in self.tables.items()
        }
        return self.exact.solve(competences).scale

    def _nearly_best(self, value: float) -> bool:
        return Fraction(value) >= self.best.value - ERROR * self.best.scale

    def _interval(self, competences: Mapping[str, float]) -> _Interval:
        """The value, give or take the error; rules that doubles cannot tell apart are all right."""
        solution = self.exact.solve(competences)
        seeming = self.exact.solve(competences, widened=ROUNDING)
        error = ERROR * max(solution.scale, solution.value)
        return _Interval(solution.value - error, max(solution.value + error, seeming.value))


def _by_iteration(task: dp.Task, competence: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return dp.solve(dp.ground(task), competence).value


def _by_program(task: dp.Task, competence: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return dp.solve_by_lp(dp.ground(task), competence)


def _attempt(call: Callable[..., T], *arguments: object, **options: object) -> T | str:
    """The result of a call, or the error it ends with: a crash is an answer to judge, too."""
    try:
        with _ended_after(ENDLESS):
            return call(*arguments, **options)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@contextlib.contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """Stop a call that never returns, on systems with alarms."""

    def stop(*_: object) -> None:
        raise TimeoutError("the call does not end")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
