"""A quote as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from deliberate_practice.foundation.checks import check_name, number, one_of
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.estimates import Estimate
from deliberate_practice.study.quoting.search import Measure


@dataclass(frozen=True)
class Amount:
    """A budget.

    Attributes:
        budget: In budget units of the task; in seconds if its skills state their times.
        hours: The same in hours, if they do.
        chance: How many of the worlds reach the target with it.
    """

    budget: int
    hours: float | None
    chance: Estimate


@dataclass(frozen=True)
class Share:
    """What one policy takes of the budget, as a mean over worlds.

    Attributes:
        episodes: Its episodes, tests included.
        budget: Budget units, with switches to it.
        part: The part of the whole that is.
    """

    episodes: float
    budget: float
    part: float


@dataclass(frozen=True)
class Saving:
    """What an improvement would save.

    Attributes:
        what: The improvement, in words.
        budget: Budget units that remain necessary at the same confidence.
        hours: The same in hours, if skills state their times.
    """

    what: str
    budget: int
    hours: float | None


@dataclass(frozen=True)
class Quote:
    """How much practice a target takes.

    Attributes:
        task: Name of the task.
        target: The target.
        measure: ``value`` (expected reward of the robot's own plan) or ``success`` (the probability
            that it reaches the goal).
        goal: The goal, for ``success``.
        confidence: The level of ``sure``.
        worlds: Worlds that were rehearsed at most with each budget.
        half: The budget with which half of the worlds reach the target; None if it is beyond the
            largest one.
        sure: The same for the confidence.
        reachable: How many of the worlds reach the target with any practice at all.
        if_reachable: The budget for the confidence among these worlds alone, if ``sure`` is None;
            its chance is among them too.
        largest: The largest budget that was considered.
        chances: Every budget that was tried, in order.
        policies: The shares of the policies at ``answer``, or else at the largest budget tried.
        savings: What improvements would save; empty if there is no ``answer``.
    """

    task: str
    target: float
    measure: Measure
    goal: str | None
    confidence: float
    worlds: int
    half: Amount | None
    sure: Amount | None
    reachable: Estimate
    if_reachable: Amount | None
    largest: int
    chances: tuple[Amount, ...]
    policies: Mapping[str, Share]
    savings: tuple[Saving, ...]

    @property
    def answer(self) -> Amount | None:
        """The budget for the confidence: of all worlds, or else of those within reach."""
        return self.sure or self.if_reachable

    @property
    def timed(self) -> bool:
        """Whether budgets are times, in seconds."""
        return all(amount.hours is not None for amount in self.chances)

    def as_data(self) -> dict[str, Any]:
        """The quote as plain data, as ``--format json`` prints it."""
        return asdict(self)


def quote_of(data: Mapping[str, Any]) -> Quote:
    """The quote that :meth:`Quote.as_data` wrote; a session beside it is left out.

    Raises:
        ArgumentError: It is none.
    """
    try:
        quote = Quote(
            **{
                **{key: value for key, value in data.items() if key != "actual"},
                "half": data["half"] and _amount(data["half"]),
                "sure": data["sure"] and _amount(data["sure"]),
                "reachable": _estimate(data["reachable"]),
                "if_reachable": data["if_reachable"] and _amount(data["if_reachable"]),
                "chances": tuple(map(_amount, data["chances"])),
                "policies": {name: Share(**share) for name, share in data["policies"].items()},
                "savings": tuple(Saving(**saving) for saving in data["savings"]),
            }
        )
        _check(quote)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ArgumentError(
            "this is no quote; write one by: deliberate quote TASK --target V --format json."
        ) from None
    return quote


def _amount(data: Mapping[str, Any]) -> Amount:
    return Amount(data["budget"], data["hours"], _estimate(data["chance"]))


def _estimate(data: Mapping[str, Any]) -> Estimate:
    if data["interval"] is None:
        return Estimate(data["value"], None)
    low, high = data["interval"]
    return Estimate(data["value"], (low, high))


def _check(quote: Quote) -> None:
    """Refuse values that no quote has."""
    one_of("measure", quote.measure, ("value", "success"), ArgumentError)
    check_name("task", quote.task, "breakfast")
    if quote.measure == "success":
        check_name("goal", quote.goal, "toast")
    if not quote.chances or (quote.savings and not quote.answer):
        raise ArgumentError("chances: those that the answers rest on are missing.")
    for place, value in _numbers(quote):
        number(place, value, error=ArgumentError)
    for chance in _chances(quote):
        number("chances: chance", chance.value, 0, 1, error=ArgumentError)
        low, high = chance.interval or (0.0, 1.0)
        number("chances: interval", low, 0, 1, error=ArgumentError)
        number("chances: interval", high, low, 1, open_low=True, error=ArgumentError)


def _amounts(quote: Quote) -> list[Amount]:
    """All budgets with their chances."""
    answers = (quote.half, quote.sure, quote.if_reachable)
    return [one for one in (*answers, *quote.chances) if one]


def _chances(quote: Quote) -> list[Estimate]:
    return [quote.reachable, *(amount.chance for amount in _amounts(quote))]


def _numbers(quote: Quote) -> Iterator[tuple[str, Any]]:
    """Everything that is a number, with its place."""
    for key in ("target", "confidence", "worlds", "largest"):
        yield key, getattr(quote, key)
    for name, share in quote.policies.items():
        for value in (share.episodes, share.budget, share.part):
            yield f"policies: {name}", value
    budgets: list[Amount | Saving] = [*_amounts(quote), *quote.savings]
    for one in budgets:
        yield "budget", one.budget
        yield "hours", 0.0 if one.hours is None else one.hours
