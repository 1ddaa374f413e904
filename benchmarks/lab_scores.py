"""Tables of the lab benchmark: what each strategy earned, relative to what was possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lab_results import Session
from lab_tasks import BUDGETS

from deliberate_practice.foundation.estimates import Estimate
from deliberate_practice.study.statistics import mean

OURS = "deliberate"
LEAST = 0.5
"""A task whose mean score is below this counts as a failure."""
COLUMNS = (
    "strategy",
    "score",
    "95 % interval",
    *(f"budget {budget}" for budget in BUDGETS),
    "worst task",
    f"tasks below {LEAST}",
    f"{OURS} minus it",
)


def rows(found: Sequence[Session]) -> Iterator[list[str]]:
    """One row for each strategy, of sessions with one kind of approach.

    Intervals are bootstrap intervals over tasks, and differences are paired by task.
    """
    ours = by_task(found, OURS)
    for method in methods_of(found):
        scores = by_task(found, method)
        of_budgets = (by_task([s for s in found if s.budget == b], method) for b in BUDGETS)
        paired = ours and method != OURS
        yield [
            method,
            f"{mean([*scores.values()]).value:.3f}",
            _ends(mean([*scores.values()]), ""),
            *(f"{mean([*mine.values()]).value:.3f}" if mine else "" for mine in of_budgets),
            f"{min(scores.values()):.2f}",
            f"{sum(score < LEAST for score in scores.values())}",
            difference([ours[task] - scores[task] for task in ours]) if paired else "",
        ]


def methods_of(found: Sequence[Session]) -> list[str]:
    """The strategies, in the order in which they were run."""
    return list(dict.fromkeys(session.method for session in found))


def by_task(found: Sequence[Session], method: str) -> dict[str, float]:
    """The mean score of a strategy on each task."""
    scores: dict[str, list[float]] = {}
    for session in found:
        if session.method == method:
            scores.setdefault(f"{session.station}-{session.seed}", []).append(session.score)
    return {task: sum(mine) / len(mine) for task, mine in scores.items()}


def worst(found: Sequence[Session], count: int = 5) -> str:
    """The tasks on which our strategy scores least, in words."""
    scores = by_task(found, OURS)
    least = sorted(scores, key=lambda task: scores[task])[:count]
    return ", ".join(f"{task} {scores[task]:.2f}" for task in least)


def difference(values: Sequence[float]) -> str:
    """A mean difference with its interval."""
    estimate = mean(values)
    return f"{estimate.value:+.3f} ({_ends(estimate, '+')})"


def _ends(estimate: Estimate, sign: str) -> str:
    if estimate.interval is None:
        return "–"
    low, high = estimate.interval
    return f"{low:{sign}.3f} to {high:{sign}.3f}"
