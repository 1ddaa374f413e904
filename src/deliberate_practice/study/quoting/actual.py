"""Plan against actual: a quote beside the session that carried it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.percent import percent
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.earning import exact_earnings
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.session import Session
from deliberate_practice.study.quoting.one_goal import for_one_goal
from deliberate_practice.study.quoting.result import Quote
from deliberate_practice.study.quoting.words import (
    amount_in_words,
    budget_in_words,
    target_in_words,
)
from deliberate_practice.task.seconds import is_in_seconds


@dataclass(frozen=True)
class Actual:
    """What a session has come to.

    Attributes:
        session: Its name.
        spent: Budget units spent, in the units of its own task.
        timed: Whether these are seconds.
        practised: Episodes of each policy, tests included.
        worth: Value or success rate of the robot's own plan, as the quote's target.
        measured: Whether that was measured; otherwise it is believed.
        reached: Whether the target is reached.
    """

    session: str
    spent: int
    timed: bool
    practised: Mapping[str, int]
    worth: float
    measured: bool
    reached: bool

    def episodes(self, quote: Quote) -> dict[str, tuple[float, int]]:
        """Planned and practised episodes of each policy."""
        names = dict.fromkeys((*quote.policies, *self.practised))
        planned = {name: share.episodes for name, share in quote.policies.items()}
        return {name: (planned.get(name, 0.0), self.practised.get(name, 0)) for name in names}

    def as_data(self) -> dict[str, Any]:
        """The same as plain data, as ``--format json`` prints it."""
        return asdict(self)

    def in_words(self, quote: Quote) -> str:
        """One sentence on the session."""
        said = "has reached" if self.reached else "has not reached"
        known = "measured" if self.measured else "believed"
        spent = budget_in_words(self.spent, timed=self.timed)
        worth = percent(self.worth) if quote.measure == "success" else f"{self.worth:.3g}"
        return (
            f"Session {self.session} {said} the target ({target_in_words(quote)}): it is at "
            f"{worth} ({known}) after {spent}{self._quoted(quote)}."
        )

    def _quoted(self, quote: Quote) -> str:
        """The practice that was quoted; a part of it can be named only in its own unit."""
        if not quote.answer:
            return " of an unknown budget"
        amount = amount_in_words(quote, quote.answer.budget)
        return f" of {amount}" if self.timed == quote.timed else f"; the quote was {amount}"


def actual(quote: Quote, session: Session) -> Actual:
    """What a session has come to so far, as the quote states its target.

    Raises:
        ArgumentError: The session practises another task.
    """
    check_session(quote.task, session)
    state = session.state
    worth, measured = _value(session) if quote.measure == "value" else _success(quote, session)
    practice, tests = state.episodes("practice"), state.episodes("test")
    names = dict.fromkeys((*practice, *tests))
    return Actual(
        session=session.name,
        spent=state.settled,
        timed=is_in_seconds(session.task),
        practised={name: practice.get(name, 0) + tests.get(name, 0) for name in names},
        worth=worth,
        measured=measured,
        reached=worth >= quote.target,
    )


def check_session(task: str, session: Session) -> None:
    """Refuse a session that practises another task than the quoted one."""
    if session.task.name != task:
        raise ArgumentError(
            f"session: '{session.name}' practises the task '{session.task.name}', and the quote is "
            f"for '{task}'; name a session of that task."
        )


def _value(session: Session) -> tuple[float, bool]:
    """The reward of the robot's own plan, and whether it was measured since the last trial."""
    state = session.state
    if state.fresh:
        return state.fresh[-1].earnings.reward, True
    return exact_earnings(intention(session.ground, state), state.competences).reward, False


def _success(quote: Quote, session: Session) -> tuple[float, bool]:
    """How often the plan for the goal of the quote succeeds, and whether that was measured.

    An exact reward does not tell it if steps have rewards of their own.
    """
    state, task = session.state, session.task
    alone = for_one_goal(task, quote.goal)
    fresh = state.fresh[-1] if state.fresh else None
    if fresh and fresh.goal == quote.goal:
        earned = fresh.earnings
        if not any(skill.step_reward for skill in task.skills):
            reward = next(goal.reward for goal in task.goals if goal.name == quote.goal)
            return earned.undiscounted / reward, True
        if earned.successes:
            return sum(earned.successes) / len(earned.successes), True
    aim = intention(ground(alone), state)
    return exact_earnings(aim, state.competences).undiscounted, False
