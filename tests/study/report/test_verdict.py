"""Verdicts: the best strategy, its lead, and nothing called settled that is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.experiment import Experiment
from deliberate_practice.study.loaded import Loaded
from deliberate_practice.study.report.verdict import Verdict, headline, verdicts
from deliberate_practice.study.run_study import Finished


def _judged(*rewards: Mapping[str, Sequence[float]], belief: str = "bayes") -> list[Verdict]:
    """The verdicts on rewards by strategy, for budgets 10, 20, ..."""
    sessions = [
        CellResult(Cell(strategy, belief, "cma-es", budget, seed), reward, reward, None, {})
        for budget, table in zip(range(10, 100, 10), rewards, strict=False)
        for strategy, values in table.items()
        for seed, reward in enumerate(values)
    ]
    budgets = sorted({one.cell.budget for one in sessions})
    task = load_task("breakfast")
    experiment = Experiment("e", task, budgets, "regions", strategies=list(rewards[0]))
    return verdicts(Finished(Loaded("s", experiment, task, {}, "0"), tuple(sessions)))


def test_the_best_is_settled_if_it_wins_with_every_seed() -> None:
    (found,) = _judged({"ees": [0.1, 0.2, 0.3, 0.4, 0.5], "deliberate": [0.6, 0.7, 0.8, 0.9, 1.0]})
    assert (found.best, found.second, found.settled) == ("deliberate", "ees", True)
    assert found.lead is not None
    assert abs(found.lead.value - 0.5) < 1e-12
    assert headline([found]) == (
        "deliberate is the best strategy at budget 10 (0.500 more than ees). This is settled."
    )


def test_luck_is_not_settled() -> None:
    """One large reward makes the best mean, although most seeds say the opposite."""
    (found,) = _judged({"ees": [1.0] * 5, "random": [9.0, 0.5, 0.5, 0.5, 0.5], "uniform": [0] * 5})
    assert (found.best, found.beaten, found.undecided) == ("random", ("uniform",), ("ees",))
    assert not found.settled
    assert headline([found]) == (
        "At budget 10 no strategy is settled as the best: random has the highest mean (1.200 more "
        "than ees), but its lead over ees may be chance; its lead over uniform is settled."
    )


def test_equal_rewards_settle_nothing() -> None:
    (found,) = _judged({"ees": [1.0] * 9, "random": [1.0] * 9})
    assert (found.settled, found.undecided) == (False, ("random",))


def test_few_seeds_settle_nothing() -> None:
    three, four = _judged({"ees": [0] * 3, "random": [1] * 3}, {"ees": [0] * 4, "random": [1] * 4})
    assert (three.settled, four.settled) == (False, True)


def test_strategies_are_paired_by_seed_while_a_study_is_unfinished() -> None:
    (found,) = _judged({"ees": [1, 2, 3, 4, 5, 6], "deliberate": [2, 3, 4, 5]})
    assert found.best == "deliberate" or found.lead is not None
    (later,) = _judged({"ees": [1, 2, 3, 4], "deliberate": [2, 3, 4, 5, 6, 7]})
    assert later.lead is not None
    assert (later.lead.value, later.settled) == (1.0, True)


def test_budgets_are_told_together_and_a_lonely_strategy_wins_nothing() -> None:
    better = {"ees": [0.0] * 5, "deliberate": [1.0] * 5}
    assert headline(_judged(better, better)) == (
        "deliberate is the best strategy at budgets 10 (1.000 more than ees) and 20 (1.000 more "
        "than ees). This is settled."
    )
    alone = _judged({"ees": [1.0] * 5})
    assert headline(alone) == "Only ees was run, so there is nothing to compare."
    assert not alone[0].settled
