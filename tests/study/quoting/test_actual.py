"""Plan against actual: a session beside its quote."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import deliberate_practice as dp
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.estimates import rate
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.study.quoting.actual import Actual, actual
from deliberate_practice.study.quoting.result import Amount, Quote, quote_of
from deliberate_practice.task.model import Task
from deliberate_practice.task.seconds import in_seconds
from deliberate_practice.task.toml_reader import parse_task

DOOR = """
name = "door"
discount = 1.0
variables = { door = ["closed", "open"] }
goals = [{ name = "open", reward = 2.0, when = { door = "open" } }]

[[skills]]
name = "Open"
precondition = { door = "closed" }
effect = { door = "open" }
competence = 0.2
step_reward = -0.5
seconds = { episode = 60, reset = 30 }
curve = { kind = "piecewise-linear", rate = 0.05 }
"""


def _quote(hours: float | None = None, **changes: Any) -> Quote:
    """A quote that nobody has computed."""
    amount = Amount(20 if hours is None else 1800, hours, rate(18, 20))
    every = rate(20, 20)
    said = Quote(
        "door", 0.5, "value", None, 0.9, 20, amount, amount, every, None, 40, (amount,), {}, ()
    )  # fmt: skip
    return replace(said, **changes)


def _carried_out(
    quote: Quote, task: Task, folder: Path, budget: int, *, stop: int | None = None
) -> Actual:
    """A session that practises, and is stopped after so many trials."""
    told = 0

    def look(*_: object) -> None:
        nonlocal told
        told += 1
        if told == stop:
            raise KeyboardInterrupt

    journal = folder / "lab.db"
    with suppress(KeyboardInterrupt):
        dp.run(task, "curves", budget, journal=journal, name="night", progress=look)
    with open_session(journal, "night") as session:
        return actual(quote, session)


def test_a_measurement_counts_until_the_next_trial(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    task = parse_task(DOOR)
    stopped = _carried_out(_quote(), task, tmp_path, 20, stop=12)
    assert not stopped.measured
    assert stopped.worth > 0.2 * 2.0 - 0.5  # what was measured before practice
    assert _carried_out(_quote(), task, tmp_path / "whole", 20).measured


def test_each_amount_has_its_own_unit(tmp_path: Path) -> None:
    timed = _carried_out(_quote(), in_seconds(parse_task(DOOR)), tmp_path, 900)
    assert timed.spent == 900
    assert "after 15 min; the quote was 20 units" in timed.in_words(_quote())
    (tmp_path / "units").mkdir()
    counted = _carried_out(_quote(0.5), parse_task(DOOR), tmp_path / "units", 10)
    assert "after 10 units; the quote was 30 min" in counted.in_words(_quote(0.5))


def test_rewards_of_steps_are_no_success(tmp_path: Path) -> None:
    quote = _quote(measure="success", goal="open", target=0.9)
    done = _carried_out(quote, parse_task(DOOR), tmp_path, 40)
    assert 0.9 < done.worth <= 1.0  # with the steps it would be 0.75
    assert done.reached


def test_a_session_for_another_goal_is_refused(tmp_path: Path) -> None:
    quote = _quote(measure="success", goal="shut", target=0.9)
    with pytest.raises(ArgumentError, match="goal: 'shut'"):
        _carried_out(quote, parse_task(DOOR), tmp_path, 2)


def test_a_session_of_another_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="'night' practises the task 'door', and the quote"):
        _carried_out(_quote(task="window"), parse_task(DOOR), tmp_path, 2)


def test_a_saved_quote_may_have_its_session_beside_it(tmp_path: Path) -> None:
    quote = _quote()
    done = _carried_out(quote, parse_task(DOOR), tmp_path, 2)
    assert quote_of({**quote.as_data(), "actual": done.as_data()}) == quote
