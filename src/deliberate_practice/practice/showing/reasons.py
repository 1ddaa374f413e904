"""The reason for a trial, in one sentence for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deliberate_practice.foundation.percent import percent
from deliberate_practice.practice.journal.events import Decided
from deliberate_practice.practice.records import TrialRecord
from deliberate_practice.practice.replay import State
from deliberate_practice.task.seconds import is_in_seconds

SAME = 0.005
"""Smaller changes of a competence or a value are not worth a word."""


def reason(state: State, record: TrialRecord) -> str:
    """Why a trial is run.

    For example: practising Grind: 3 of 4 ways to coffee and tea use it; with 12 of the 40 left it
    should go from 0.30 to 0.80; the best plan without it is worth 0.6 less.
    """
    if record.kind == "evaluation":
        return f"evaluating {record.trial.skill} as it is deployed; this costs nothing"
    if record.kind == "probe":
        return _probed(record.why)
    assert record.decision is not None
    decided = state.decisions[record.decision - 1]
    rounds = state.task.policies[record.policy].rounds
    if record.kind == "training":
        return f"training {record.policy} with all demonstrations; other skills need not wait"
    if record.kind == "test" and rounds:
        return f"evaluating the new version of {record.policy}: its outcome may change the plan"
    if record.kind == "test":
        return f"testing {record.policy} as it is deployed, after a round of practice"
    return reason_of(state, decided)


def _probed(why: Any) -> str:
    """Why a whole plan is executed, as far as the strategy says."""
    text = "probing the whole plan: its skills may fail right after each other"
    if "alone" not in why:
        return text
    text += f"; it succeeds in {percent(why['alone'])} if each is as good as in practice"
    if "together" not in why:
        return f"{text}, and nobody has seen it yet"
    low, high = why["together"]
    return f"{text}, and in {100 * low:.0f} to {100 * high:.0f} % by all that was seen"


def reason_of(state: State, decided: Decided) -> str:
    """Why a policy is practised, or a plan probed."""
    if decided.probe:
        return _probed(decided.why)
    policy = state.task.policies[decided.policy]
    units = -(-decided.share // policy.stride) * policy.price
    parts = (_ways(decided.why), _growth(decided, units, in_seconds(state)), _worth(decided.why))
    verb = "demonstrating" if policy.rounds else "practising"
    return f"{verb} {decided.policy}: {'; '.join(part for part in parts if part)}"


def _ways(why: Any) -> str:
    """How many of the plans that are worth considering use it, or the goal it serves."""
    users, all_ways = why.get("ways", (0, 0))
    goals = listed([str(goal) for goal in why.get("goals", ()) if goal])
    if not goals:
        return f"it serves {why['goal']}" if why.get("goal") else ""
    if all_ways == 1:
        return f"the way to {goals} uses it"
    if users == all_ways:
        return f"{'both' if users == 2 else f'all {users}'} ways to {goals} use it"
    return f"{users} of {all_ways} ways use it, to {goals}"


def _growth(decided: Decided, units: int, timed: bool) -> str:
    planned = min(units, decided.left)
    whole, share = (amount(n, timed) for n in (decided.left, planned))
    part = "" if planned == decided.left else f"{share} of "
    budget = f"{part}the {whole} left"
    if decided.after - decided.now < SAME:
        return f"with {budget} it should be at {decided.after:.2f}"
    return f"with {budget} it should go from {decided.now:.2f} to {decided.after:.2f}"


def _worth(why: Any) -> str:
    """What the policy adds to the value, as far as the strategy says."""
    if "value" in why and "value_without" in why:
        worth = why["value"] - why["value_without"]
        return f"the best plan without it is worth {worth:.2g} less" if worth > 0 else ""
    gain = why.get("gain", why.get("improvement"))
    return f"its next round is worth +{gain:.2g}" if isinstance(gain, float) and gain > 0 else ""


def listed(words: Sequence[str]) -> str:
    """Words as a list in a sentence.

    >>> listed(["coffee", "tea", "milk"])
    'coffee, tea and milk'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def in_seconds(state: State) -> bool:
    """Whether budget units are seconds."""
    return state.until is not None or is_in_seconds(state.task)


def amount(units: int, timed: bool) -> str:
    """A number of budget units in words: as a time, if they are seconds."""
    return duration(units) if timed else str(units)


def duration(seconds: int) -> str:
    """A time in words.

    >>> duration(7260), duration(59)
    ('2 h 1 min', '59 s')
    """
    hours, minutes = seconds // 3600, seconds % 3600 // 60
    if hours:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{minutes} min" if minutes else f"{seconds} s"
