"""Quotes in words."""

from __future__ import annotations

from deliberate_practice.study.quoting.result import Quote


def target_in_words(quote: Quote) -> str:
    """The target: a reward, or a success rate."""
    if quote.measure == "success":
        return f"{quote.goal} succeeds in {percent(quote.target)} of all executions"
    return f"its plan is worth {quote.target:g}"


def amount_in_words(quote: Quote, budget: float) -> str:
    """A budget as a time if the task states times, else in units."""
    return budget_in_words(budget, timed=quote.timed)


def budget_in_words(budget: float, *, timed: bool) -> str:
    """A budget as a time if its units are seconds, else in units."""
    if not timed:
        return f"{budget:.0f} units"
    hours = budget / 3600
    return f"{hours:.1f} h" if hours >= 1 else f"{budget / 60:.0f} min"


def answer_in_words(quote: Quote, level: float) -> str:
    """The budget at a level: 50 %, or the confidence."""
    amount = quote.half if level == 0.5 else quote.sure
    if amount:
        return amount_in_words(quote, amount.budget) if amount.budget else "no practice"
    return f"more than {amount_in_words(quote, quote.largest)}"


def remark_in_words(quote: Quote) -> str | None:
    """One sentence if the target is met already, or probably out of reach; else None."""
    if quote.sure:
        return None if quote.sure.budget else "No practice is needed: the target is met already."
    reach = max(tried.chance.value for tried in quote.chances)
    return (
        f"Only {percent(reach)} of the rehearsed worlds reach the target within "
        f"{amount_in_words(quote, quote.largest)}: in the others the skills cannot be learned well "
        "enough. Give a lower target or confidence, or state better ceilings in the task."
    )


def percent(part: float) -> str:
    """A part of 1 in percent."""
    return f"{100 * part:.0f} %"
