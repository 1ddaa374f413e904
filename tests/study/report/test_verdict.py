"""Verdicts: the best strategy, its lead, and nothing called settled that is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.cell import Cell, CellResult
from deliberate_practice.study.experiment import Experiment
from deliberate_practice.study.loaded import Loaded
from deliberate_practice.study.report.tables import verdict_table
from deliberate_practice.study.report.verdict import (
    Verdict,
    sentences,
    standings,
    summary,
    verdicts,
)
from deliberate_practice.study.run_study import Finished


def _judged(*rewards: Mapping[str, Sequence[float]]) -> list[Verdict]:
    """The verdicts on rewards by strategy, for budgets 10, 20, ..."""
    return verdicts(_finished(*rewards))


def _finished(*rewards: Mapping[str, Sequence[float]]) -> Finished:
    sessions = [
        CellResult(Cell(strategy, "bayes", "cma-es", budget, seed), reward, reward, None, {})
        for budget, table in zip(range(10, 100, 10), rewards, strict=False)
        for strategy, values in table.items()
        for seed, reward in enumerate(values)
    ]
    budgets = sorted({one.cell.budget for one in sessions})
    task = load_task("breakfast")
    experiment = Experiment("e", task, budgets, "regions", strategies=list(rewards[0]))
    return Finished(Loaded("s", experiment, task, {}, "0"), tuple(sessions))


def test_the_best_is_settled_if_it_wins_with_every_seed() -> None:
    ees, deliberate = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.6, 0.7, 0.8, 0.9, 1.0, 1.1]
    (found,) = _judged({"ees": ees, "deliberate": deliberate})
    assert (found.best, found.second, found.settled) == ("deliberate", "ees", True)
    assert found.lead is not None
    assert abs(found.lead.value - 0.5) < 1e-12
    assert sentences([found]) == [
        "Budget 10: deliberate is the best: 0.500 above ees, and this lead is settled."
    ]
    three = _judged({"ees": ees, "deliberate": deliberate, "random": [0.0] * 6})
    assert sentences(three) == [
        "Budget 10: deliberate is the best: 0.500 above ees, and its lead over all others is "
        "settled."
    ]


def test_luck_is_not_settled() -> None:
    """One large reward makes the best mean, although most seeds say the opposite."""
    lucky = [10.0, 0.5, 0.5, 0.5, 0.5, 0.5]
    (found,) = _judged({"ees": [1.0] * 6, "random": lucky, "uniform": [0] * 6})
    assert (found.best, found.beaten, found.undecided) == ("random", ("uniform",), ("ees",))
    assert not found.settled
    assert sentences([found]) == [
        "Budget 10: random has the highest mean, 1.083 above ees. Its lead over uniform is "
        "settled; over ees it is not."
    ]


def test_equal_rewards_settle_nothing() -> None:
    (found,) = _judged({"ees": [1.0] * 9, "random": [1.0] * 9})
    assert (found.settled, found.undecided) == (False, ("random",))


def test_equal_means_are_both_the_highest() -> None:
    tie = _finished({"ees": [1.0] * 4, "deliberate": [0.5, 1.5, 1.0, 1.0], "random": [0.0] * 4})
    (found,) = verdicts(tie)
    assert (found.best, found.equal, found.second) == ("ees", ("deliberate",), "deliberate")
    assert sentences([found]) == [
        "Budget 10: ees has the highest mean, equal to that of deliberate. Its lead over "
        "random is not settled."
    ]
    highest = {one.strategy: one.highest for one in standings([tie])}
    assert highest == {"ees": 1, "deliberate": 1, "random": 0}


def test_rounding_makes_no_mean_the_highest() -> None:
    tie = _finished({"ees": [0.3] * 3, "deliberate": [0.1 + 0.2] * 3})
    assert {one.strategy: one.highest for one in standings([tie])} == {"ees": 1, "deliberate": 1}
    assert sentences(verdicts(tie)) == [
        "Budget 10: deliberate has the highest mean, equal to that of ees."
    ]


def test_what_rounds_to_zero_has_no_minus() -> None:
    judged = _judged({"ees": [0.1, 0.2], "deliberate": [0.10001, 0.20002]})
    (row,) = verdict_table("t", {"e": judged}).rows
    assert "+0.000 (+0.000 to +0.000)" in row


def test_few_seeds_settle_nothing() -> None:
    five, six = _judged({"ees": [0] * 5, "random": [1] * 5}, {"ees": [0] * 6, "random": [1] * 6})
    assert (five.settled, six.settled) == (False, True)


def test_strategies_are_paired_by_seed_while_a_study_is_unfinished() -> None:
    (found,) = _judged({"ees": [1, 2, 3, 4, 5, 6, 7], "deliberate": [2, 3, 4, 5]})
    assert sentences([found]) == [
        "Budget 10: ees has the highest mean, 1.000 below deliberate, seed by seed. Its lead over "
        "deliberate is not settled."
    ]
    (later,) = _judged({"ees": [1, 2, 3, 4, 5, 6], "deliberate": [2, 3, 4, 5, 6, 7, 8]})
    assert later.lead is not None
    assert (later.lead.value, later.settled) == (1.0, True)


def test_a_lonely_strategy_wins_nothing() -> None:
    alone = _judged({"ees": [1.0] * 5})
    assert sentences(alone) == ["Budget 10: only ees was run, so there is nothing to compare."]
    assert not alone[0].settled


def test_standings_count_every_pair_of_every_budget() -> None:
    first = _finished(
        {"ees": [0.0] * 6, "deliberate": [1.0] * 6, "random": [0.0] * 6},
        {"ees": [1.0] * 6, "deliberate": [0.0] * 6, "random": [0.0] * 6},
    )
    second = _finished({"ees": [0.0] * 6, "deliberate": [1.0] * 6})
    ranked = {one.strategy: one for one in standings([first, second])}
    assert list(ranked) == ["deliberate", "ees", "random"]
    best, ees, random = ranked.values()
    assert (best.compared, best.highest, best.best) == (3, 2, 2)
    assert (best.won, best.lost, best.undecided) == (3, 1, 1)
    assert (ees.won, ees.lost, ees.undecided) == (2, 2, 1)
    assert (random.won, random.lost, random.undecided) == (0, 2, 2)
    assert sum(one.won for one in ranked.values()) == sum(one.lost for one in ranked.values())
    assert "deliberate stands first: it has the highest mean in 2 of 3" in summary([best, ees])


def test_a_study_that_settles_nothing_has_no_first_strategy() -> None:
    ranked = standings([_finished({"ees": [0.0] * 4, "deliberate": [1.0] * 4})])
    assert summary(ranked) == (
        "Over the whole study no difference is settled. deliberate has the highest mean in 1 of 1 "
        "comparisons."
    )
