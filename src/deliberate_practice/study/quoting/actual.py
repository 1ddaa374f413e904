"""Plan against actual: a quote beside the session that carried it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from deliberate_practice.practice.earning import exact_earnings
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.robot import Earnings
from deliberate_practice.practice.session import Session
from deliberate_practice.study.quoting.result import Quote
from deliberate_practice.study.quoting.words import amount_in_words, target_in_words


@dataclass(frozen=True)
class Actual:
    """What a session has come to.

    Attributes:
        session: Its name.
        spent: Budget units spent, in the units of its own task.
        practised: Episodes of each policy, tests included.
        worth: Value or success rate of the robot's own plan, as the quote's target.
        measured: Whether that was measured; otherwise it is believed.
        reached: Whether the target is reached.
    """

    session: str
    spent: int
    practised: Mapping[str, int]
    worth: float
    measured: bool
    reached: bool

    def episodes(self, quote: Quote) -> dict[str, tuple[float, int]]:
        """Planned and practised episodes of each policy."""
        names = dict.fromkeys((*quote.policies, *self.practised))
        planned = {name: share.episodes for name, share in quote.policies.items()}
        return {name: (planned.get(name, 0.0), self.practised.get(name, 0)) for name in names}

    def in_words(self, quote: Quote) -> str:
        """One sentence on the session."""
        said = "has reached" if self.reached else "has not reached"
        known = "measured" if self.measured else "believed"
        spent = amount_in_words(quote, self.spent)
        planned = amount_in_words(quote, quote.sure.budget) if quote.sure else "an unknown budget"
        return (
            f"Session {self.session} {said} the target ({target_in_words(quote)}): it is at "
            f"{self.worth:.3g} ({known}) after {spent} of {planned}."
        )


def actual(quote: Quote, session: Session) -> Actual:
    """What a session has come to so far, as the quote states its target."""
    state = session.state
    aim = intention(session.ground, state)
    fresh = state.executions[-1] if state.executions else None
    earned = fresh.earnings if fresh else exact_earnings(aim, state.competences)
    worth = _worth(quote, session, fresh.goal if fresh else aim.goal, earned)
    practice, tests = state.episodes("practice"), state.episodes("test")
    names = dict.fromkeys((*practice, *tests))
    return Actual(
        session=session.name,
        spent=state.settled,
        practised={name: practice.get(name, 0) + tests.get(name, 0) for name in names},
        worth=worth,
        measured=fresh is not None,
        reached=worth >= quote.target,
    )


def _worth(quote: Quote, session: Session, goal: str | None, earned: Earnings) -> float:
    """The reward, or the success rate if the plan aims for the goal of the quote."""
    if quote.measure == "value":
        return earned.reward
    rewards = {one.name: one.reward for one in session.task.goals}
    return earned.undiscounted / rewards[goal] if goal is not None and goal == quote.goal else 0.0
