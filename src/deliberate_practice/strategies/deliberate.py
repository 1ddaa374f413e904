"""Deliberate practice under uncertainty: allocate after every round, most uncertain policy first.

The strategy splits the remaining budget for every plan on the believed curves, and chooses the plan
with the largest expected value.

With free approaches it practises the policy of the plan with the most uncertain planned competence,
weighted by how much of the value of all rival plans depends on it. If the plan is going to fail, it
should fail early, before practice is lost on its other policies. Ties: the larger share, then file
order. With executed approaches it practises policies in the plan's order, as its split assumes:
each policy makes the next one reachable.

Other robots may practise a policy with all candidates that its learner has. Then the next policy of
the plan is practised, and if all of them are busy, one of a rival plan: the robot waits only if no
policy with a share in the plan or in a rival is free.

After a training run of a policy that is trained elsewhere, it has as many evaluations as are worth
their price (:mod:`.evaluations`).

With ``probes=auto`` it also executes its whole plan now and then (:mod:`.probing`), and expects of
every plan what the probes so far have shown.

In general tasks decision rules take the place of plans (:mod:`.rules`). Where failures can be
recovered, several policies are often within reach. So with executed approaches, too, it practises
the most uncertain one, weighted by the probability of arriving, among those that no other policy of
the split will make much easier to reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from deliberate_practice.allocation.plans import all_plans
from deliberate_practice.allocation.result import Prospect
from deliberate_practice.allocation.tolerances import TIE
from deliberate_practice.foundation.options import limited
from deliberate_practice.foundation.rounding import rounded
from deliberate_practice.mdp.values import solve
from deliberate_practice.strategies.evaluations import worthwhile_evaluations
from deliberate_practice.strategies.expectation import prospects
from deliberate_practice.strategies.probing import due_probe
from deliberate_practice.strategies.rules import RuleProspect, rule_prospects
from deliberate_practice.strategies.strategy import Decision, Situation

LEAST = 1e-9
"""Deviations are relative to the mean competence, but to no less than this."""

RIVAL = 0.35
"""Plans with at least this part of the best plan's value are its rivals."""

READY = 0.8
"""A policy is practised once it is reached with this part of the probability that is planned."""


@limited(
    rival=(0.0, 1.0),
    evaluations=("worthwhile", "all", "none"),
    probes=("auto", "never"),
)
def deliberate(
    situation: Situation,
    *,
    rival: float = RIVAL,
    evaluations: Literal["worthwhile", "all", "none"] = "worthwhile",
    probes: Literal["auto", "never"] = "never",
) -> Decision | None:
    """Choose the most uncertain policy of the plan with the largest value, or of a rival.

    Args:
        situation: The situation.
        rival: Plans with at least this part of the best plan's value are its rivals.
        evaluations: After a training run: those that are ``worthwhile``, ``all`` that the task
            allows, or ``none``.
        probes: Whether whole plans are executed now and then: ``auto`` or ``never``.
    """
    by_plans = all_plans(situation.ground) is not None
    if by_plans:
        decision = _for_plans(situation, rival, probes)
    else:
        decision = _for_general_tasks(situation, rival)
    if decision is None or decision.probe or evaluations == "all":
        return decision
    worth = 0 if evaluations == "none" else worthwhile_evaluations(situation, decision.policy)
    return replace(decision, evaluations=worth)


def _for_plans(situation: Situation, rival: float, probes: str) -> Decision | None:
    """Choose a policy of the plan with the largest value, or of a rival."""
    ranked = prospects(situation)
    served = _served(situation, ranked, rival)
    if served is None:
        idle = probes == "auto" and ranked and not situation.busy
        return due_probe(situation, ranked[0], idle=True) if idle else None
    plan, shares = served
    probe = due_probe(situation, plan) if probes == "auto" else None
    if probe:
        return probe
    if situation.free:
        policy = _doubtful(situation, shares, _breadth(ranked, rival))
    else:
        policy = next(iter(shares))  # in order of use
    return _decision(policy, plan, ranked, rival)


def _served(
    situation: Situation, ranked: list[Prospect], rival: float
) -> tuple[Prospect, dict[str, float]] | None:
    """The chosen plan, or its best rival with a policy that is free; and the shares of those."""
    # If practice cannot improve the best plan, that plan may be the wrong one: take the next.
    chosen = next((prospect for prospect in ranked if prospect.split), None)
    if chosen is None:
        return None
    for prospect in (chosen, *rivals(ranked, rival)):
        free = {u: share for u, share in prospect.split.items() if u in situation.routes}
        if free:
            return prospect, free
    return None


def rivals(ranked: Sequence[Prospect], rival: float = RIVAL) -> list[Prospect]:
    """Plans with at least this part of the best plan's value."""
    return [prospect for prospect in ranked if prospect.value >= rival * ranked[0].value]


def _decision(policy: str, chosen: Prospect, ranked: list[Prospect], rival: float) -> Decision:
    """The decision with its reasons: the plan, its value, and how many rival plans need it."""
    plan = chosen.plan
    considered = rivals(ranked, rival)
    users = [prospect for prospect in considered if policy in prospect.split]
    others = [prospect.value for prospect in ranked if policy not in prospect.split]
    why = {
        "goal": plan.goal,
        "plan": list(plan.skills),
        "shares": chosen.split,
        "value": chosen.value,
        "value_without": max(others, default=0.0),
        "ways": [len(users), len(considered)],
        "goals": list(dict.fromkeys(prospect.plan.goal for prospect in users)),
    }
    return Decision(policy, int(chosen.split[policy]), plan.skills, why=why)


def _breadth(ranked: list[Prospect], rival: float) -> dict[str, float]:
    """The fraction of the value of all rival plans that depends on each policy."""
    breadth: dict[str, float] = {}
    for prospect in rivals(ranked, rival):
        for name in prospect.split:
            breadth[name] = breadth.get(name, 0.0) + prospect.value
    return breadth


def _doubtful(
    situation: Situation, split: Mapping[str, float], breadth: Mapping[str, float]
) -> str:
    """The policy with the largest relative deviation after its share, times breadth and reach."""

    def doubt(name: str) -> tuple[float, float]:
        reach = 1.0 if situation.free else situation.routes[name].probability
        mean = float(situation.belief.curve(name, int(split[name]))[-1])
        deviation = float(situation.belief.band(name, int(split[name]))[-1])
        weight = reach * breadth.get(name, 1.0)
        return rounded(deviation / max(mean, LEAST) * weight), rounded(split[name] * reach)

    return max((name for name in situation.ground.policy_names if name in split), key=doubt)


def _for_general_tasks(situation: Situation, rival: float) -> Decision | None:
    """Choose a policy of the decision rule with the largest value, as of a plan.

    A policy that others will make easier to reach waits for them.
    """
    candidates = _harmless(rule_prospects(situation))
    ranked = [Prospect(rule.path, rule.split, rule.value) for rule in candidates]
    served = _served(situation, ranked, rival)
    if served is None:
        return None
    rule, shares = served
    reach = candidates[ranked.index(rule)].reach
    ready = {
        name: share
        for name, share in shares.items()
        if situation.free or situation.routes[name].probability >= READY * reach[name]
    }
    policy = _doubtful(situation, ready or shares, _breadth(ranked, rival))
    return _decision(policy, rule, ranked, rival)


def _harmless(candidates: list[RuleProspect]) -> list[RuleProspect]:
    """Where the best rule needs no practice: without the rules whose practice would make it worse.

    That happens where a failure leads to a better state than a success.
    """
    if not candidates or candidates[0].split:
        return candidates
    now, *after = (solve(rule.ground, rule.competence).value for rule in candidates)
    kept = [
        rule
        for rule, value in zip(candidates[1:], after, strict=True)
        if value >= now - TIE * abs(now)
    ]
    return [candidates[0], *kept]
