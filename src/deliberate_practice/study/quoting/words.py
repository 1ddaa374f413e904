"""Quotes in words."""

from __future__ import annotations

from deliberate_practice.foundation.percent import percent
from deliberate_practice.study.quoting.result import Amount, Quote, Saving


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


def need_in_words(quote: Quote, answer: Amount) -> str:
    """The practice that an answer asks for, if any."""
    return amount_in_words(quote, answer.budget) if answer.budget else "no practice"


def answer_in_words(quote: Quote, level: float) -> str:
    """The budget at a level: 50 %, or the confidence."""
    amount = quote.half if level == 0.5 else quote.sure
    if amount:
        return need_in_words(quote, amount)
    if quote.reachable.value < level:
        return "out of reach"
    return f"more than {amount_in_words(quote, quote.largest)}"


def saved_in_words(quote: Quote, saving: Saving) -> str:
    """How much less practice an improvement leaves to do."""
    assert quote.answer is not None
    saved = quote.answer.budget - saving.budget
    return amount_in_words(quote, saved) if saved > 0 else "nothing"


def condition_in_words(quote: Quote) -> str:
    """Under which condition the second answer holds."""
    return f"if the target is within reach at all ({percent(quote.reachable.value)} of the worlds)"


def remark_in_words(quote: Quote) -> str | None:
    """One sentence if the target is met already, or probably out of reach; else None."""
    if quote.sure:
        return None if quote.sure.budget else "No practice is needed: the target is met already."
    if quote.reachable.value < quote.confidence:
        return (
            f"In {percent(1 - quote.reachable.value)} of the rehearsed worlds no practice reaches "
            "the target: the skills cannot be learned well enough there."
        )
    reach = max(tried.chance.value for tried in quote.chances)
    return (
        f"Only {percent(reach)} of the rehearsed worlds reach the target within "
        f"{amount_in_words(quote, quote.largest)}."
    )
