"""Every whole number of every command at the ends of what a computer can count."""

from __future__ import annotations

import pytest
from command import Run

import deliberate_practice as dp

HUGE = ("9223372036854775808", "18446744073709551616", "1" + "0" * 30, "9" * 400, "9" * 5000)
LINES = (
    "allocate breakfast --budget {}",
    "allocate breakfast --budget 5 --max-states {}",
    "allocate breakfast --budget 5 --gap {}",
    "allocate breakfast --budget 5 --time-limit {}",
    "allocate breakfast --hours {} --episode-seconds 1",
    "allocate breakfast --hours 1 --episode-seconds {}",
    "frontier counterexample --max-budget {}",
    "check breakfast --max-states {}",
    "check cleanup-multi --set objects={}",
    "check cleanup --set rate={}",
    "start breakfast --name b --budget {}",
    "start breakfast --name b --budget 3 --seed {}",
    "run counterexample --name b --budget {} --approach free",
    "run counterexample --name b --budget 3 --approach free --seed {}",
    "extend a --budget {}",
    "tell a {} success",
    "tell a 1 success --score {}",
    "refund a {}",
    "compare counterexample --strategies random --seeds 1 --workers 1 --budgets {}",
    "compare counterexample --strategies random --workers 1 --budgets 3 --seeds {}",
    "compare counterexample --strategies random --seeds 1 --budgets 3 --workers {}",
    "compare counterexample --strategies random --seeds 1 --budgets 3 --session-seconds {}",
    "priors breakfast --robot regions --seeds {}",
    "priors breakfast --robot regions --attempts {}",
    "priors breakfast --robot regions --executions {}",
    "priors breakfast --robot regions --seeds 1 --workers {}",
)


@pytest.mark.parametrize("line", LINES)
def test_no_number_is_too_large_or_too_small_for_a_message(run: Run, line: str) -> None:
    assert run("start counterexample --name a --budget 5").status == 0
    assert run("ask a").status == 0
    for number in (*HUGE, "-1", "-9223372036854775809"):
        done = run(line.format(number))
        assert done.status in (0, 2), done.err[-500:]
        if done.status == 2:
            assert done.out == ""
            assert done.err.strip()


@pytest.mark.parametrize("power", [16, 30, 400, 5000])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_same_in_python(power: int, sign: int) -> None:
    budget = sign * 10**power
    task = dp.load_task("counterexample")
    for use in (
        lambda: dp.allocate(task, budget),
        lambda: dp.frontier(task, budget),
        lambda: dp.compare(task, [budget], strategies=["random"], seeds=1),
    ):
        with pytest.raises(dp.DeliberatePracticeError, match="budget"):
            use()


def test_a_large_budget_is_still_a_budget() -> None:
    found = dp.allocate(dp.load_task("counterexample"), 10**15)
    assert found.status == "optimal"
