"""Deliberate practice under uncertainty: re-allocate after every round, doubts first.

The remaining budget is split for every plan on the believed curves; the plan with the largest
expected value wins. If the task calls its priors accurate, the plan practised last is kept while it
is worth almost as much: what looks better or worse than was measured is then mostly luck, and who
follows luck finishes nothing. Where nobody knows how good the priors are, it is news.

If approaches are free, of the policies that have a share in the plan the one is practised whose
planned competence is least certain, times how much of the value of all rival plans hangs on it: if
the plan is going to fail, it should fail early, and until then practice should not be lost on the
others. Ties: the larger share, then file order. If approaches are executed, policies are practised
in the plan's order, as its split assumes: each paves the way to the next.
"""

from __future__ import annotations

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.strategies.outlook import Prospect, prospects
from deliberate_practice.strategies.plan_book import mean_curves, plan_book
from deliberate_practice.strategies.strategy import Decision, Situation

RIVAL = 0.35
"""Plans worth at least this part of the best one are rivals."""
LOYAL = 0.7
"""With accurate priors the plan practised last is kept while worth this part of the best one."""


def deliberate(situation: Situation) -> Decision | None:
    """The least certain policy of the plan that is worth most."""
    book = plan_book(situation.ground)
    if book is None:
        return _for_general_tasks(situation)
    ranked = prospects(situation, book)
    chosen = _chosen(situation, ranked)
    if chosen is None:
        return None
    why = {
        "goal": chosen.plan.goal,
        "plan": list(chosen.plan.skills),
        "shares": chosen.shares,
        "value": chosen.value,
    }
    if situation.free:
        policy = _doubtful(situation, chosen.shares, _breadth(ranked))
    else:
        policy = next(iter(chosen.shares))  # in order of use
    why["value_without"] = _value_without(ranked, policy)
    return Decision(policy, chosen.shares[policy], chosen.plan.skills, why=why)


def _chosen(situation: Situation, ranked: list[Prospect]) -> Prospect | None:
    """The plan practised last if it is still good enough, or the best that practice improves.

    A best plan that nothing makes better may be the wrong one: then the next best is practised.
    """
    improvable = [prospect for prospect in ranked if prospect.shares]
    if situation.past and situation.ground.task.priors == "accurate":
        last = situation.past[-1].decision.plan
        for prospect in improvable:
            if prospect.plan.skills == last and prospect.value >= LOYAL * ranked[0].value:
                return prospect
    return improvable[0] if improvable else None


def _breadth(ranked: list[Prospect]) -> dict[str, float]:
    """How much of the value of all rival plans hangs on each policy."""
    rivals = [p for p in ranked if p.value >= RIVAL * ranked[0].value]
    breadth: dict[str, float] = {}
    for rival in rivals:
        for name in rival.shares:
            breadth[name] = breadth.get(name, 0.0) + rival.value
    return breadth


def _doubtful(situation: Situation, shares: dict[str, int], breadth: dict[str, float]) -> str:
    """The policy with the largest relative deviation at its planned practice, times reach."""

    def doubt(name: str) -> tuple[float, float]:
        reach = 1.0 if situation.free else situation.routes[name].probability
        mean = float(situation.belief.curve(name, shares[name])[-1])
        deviation = float(situation.belief.band(name, shares[name])[-1])
        weight = reach * breadth.get(name, 1.0)
        return deviation / max(mean, 1e-9) * weight, shares[name] * reach

    order = {name: i for i, name in enumerate(situation.ground.policy_names)}
    return max(sorted(shares, key=order.__getitem__), key=doubt)


def _value_without(ranked: list[Prospect], policy: str) -> float:
    """What the best plan that does not practise this policy would be worth."""
    others = [prospect.value for prospect in ranked if policy not in prospect.shares]
    return max(others, default=0.0)


def _for_general_tasks(situation: Situation) -> Decision | None:
    """The least certain policy of the split that local search finds for the mean curves."""
    curves = mean_curves(situation)
    found = allocate(situation.ground, situation.budget, solver="local", curves=curves)
    shares = {u: int(b) for u, b in found.allocation.items() if u in situation.routes}
    if not shares:
        return None
    why = {"goal": found.goal, "plan": list(found.plan), "shares": shares, "value": found.value}
    policy = _doubtful(situation, shares, {})
    return Decision(policy, shares[policy], found.plan, why=why)
