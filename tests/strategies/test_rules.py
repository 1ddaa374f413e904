"""Deliberate practice where failures can be recovered: decision rules, splits and approaches."""

from __future__ import annotations

import dataclasses

import numpy as np
from counts import count
from exact_belief import ExactBelief, practise_surely, situation
from random_tasks import random_task

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.plans import all_plans, task_value
from deliberate_practice.beliefs.belief import BELIEFS, Batch, Mixture, usual_evidence
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.strategies.rules import rule_prospects
from deliberate_practice.strategies.strategy import STRATEGIES
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill

RISING = PiecewiseLinear(rate=0.05)


def _coffee(**changes: float) -> Task:
    """Grind (may be repeated), pour (spills, which must be wiped), or just serve water."""
    stated = {"grind": 0.3, "pour": 0.2, "wipe": 0.9, "water": 0.5} | changes
    return Task(
        "coffee",
        {"cup": ["empty", "ground", "spilled", "coffee", "water"]},
        [Goal("coffee", 3.0, {"cup": "coffee"}), Goal("water", 0.5, {"cup": "water"})],
        [
            Skill("grind", {"cup": "empty"}, {"cup": "ground"}, stated["grind"], "stay", RISING),
            Skill(
                "pour",
                {"cup": "ground"},
                {"cup": "coffee"},
                stated["pour"],
                {"cup": "spilled"},
                RISING,
            ),
            Skill("wipe", {"cup": "spilled"}, {"cup": "empty"}, stated["wipe"]),
            Skill("water", {"cup": "empty"}, {"cup": "water"}, stated["water"], curve=RISING),
        ],
        discount=0.9,
    )


def test_a_decision_says_what_it_is_for() -> None:
    task = _coffee()
    belief = BELIEFS["bayes"](task, usual_evidence(task))
    for free in (True, False):
        decision = STRATEGIES["deliberate"](situation(task, belief, 40, free=free))
        assert decision is not None
        assert decision.plan == ("grind", "pour")
        why = dict(decision.why)
        assert why["goal"] == "coffee"
        assert why["plan"] == ["grind", "pour"]
        shares = why["shares"]
        assert isinstance(shares, dict)
        assert shares[decision.policy] == decision.share
        assert sum(shares.values()) <= 40
        assert 0 < float(str(why["value_without"])) < float(str(why["value"])) < 3


def test_with_known_curves_practice_reaches_what_allocation_promises() -> None:
    parts = []
    for seed in range(count(250)):
        rng = np.random.default_rng(seed)
        task = random_task(rng, product_form=False)
        if all_plans(ground(task)) is not None or not _reaches_some(task):
            continue
        promised = allocate(task, 12, solver="local").value
        attempts = practise_surely(task, STRATEGIES["deliberate"], 12)
        reached = task_value(
            ground(task),
            {n: float(p.predict(np.asarray(attempts[n]))) for n, p in task.policies.items()},
        )
        if promised > 0.01:
            parts.append(reached / promised)
    assert len(parts) > 5
    assert np.mean(parts) > 0.97
    assert min(parts) > 0.8


def test_practice_that_makes_the_robot_worse_is_left() -> None:
    """A failed throw leaves the ball at the feet, from where it is kicked into the goal."""
    task = Task(
        "ball",
        {"ball": ["hand", "feet", "net", "goal"]},
        [Goal("goal", 1.0, {"ball": "goal"}), Goal("net", 0.2, {"ball": "net"})],
        [
            Skill("throw", {"ball": "hand"}, {"ball": "net"}, 0.2, {"ball": "feet"}, RISING),
            Skill("kick", {"ball": "feet"}, {"ball": "goal"}, 0.9, {"ball": "hand"}),
            Skill("pick up", {"ball": "feet"}, {"ball": "hand"}, 0.95, "stay"),
        ],
        discount=0.9,
    )
    now = situation(task, ExactBelief(task, {}), 12)
    assert any(rule.split for rule in rule_prospects(now))
    assert STRATEGIES["deliberate"](now) is None


def test_what_cannot_be_reached_yet_waits_for_what_leads_to_it() -> None:
    task = _coffee(grind=0.02, pour=0.2)
    skills = [
        dataclasses.replace(s, failure="end") if s.name == "grind" else s for s in task.skills
    ]
    far = dataclasses.replace(task, skills=skills)
    now = situation(far, ExactBelief(far, {}), 25, free=False)
    assert now.routes["pour"].probability < 0.05
    first = STRATEGIES["deliberate"](now)
    assert first is not None
    assert first.policy == "grind"
    (best, *_) = rule_prospects(now)
    assert best.reach["pour"] > 0.5
    paid = sum(b / best.reach[u] for u, b in best.split.items())
    assert paid <= 25 * (1 + 1e-9)
    (free_best, *_) = rule_prospects(situation(far, ExactBelief(far, {}), 25))
    assert best.value < free_best.value


def test_what_costs_more_gets_fewer_episodes() -> None:
    task = _coffee()
    skills = [dataclasses.replace(s, cost=3) if s.name == "pour" else s for s in task.skills]
    dear = dataclasses.replace(task, skills=skills)
    shares = []
    for one in (task, dear):
        (best, *_) = rule_prospects(situation(one, ExactBelief(one, {}), 18))
        shares.append(best.split)
        costs = {name: policy.cost for name, policy in one.policies.items()}
        assert sum(costs[u] * b for u, b in best.split.items()) <= 18
    assert 0 < shares[1].get("pour", 0) < shares[0]["pour"]


def test_rules_are_scored_on_the_mixture_and_not_on_mean_curves() -> None:
    """Two skills in series that are both good or both bad are worth more than their means say."""

    @dataclasses.dataclass(frozen=True)
    class Either(ExactBelief):
        def mixture(self, attempts: int) -> Mixture:
            curves = {name: np.tile(self.curve(name, attempts), (2, 1)) for name in self.policies}
            for name in ("grind", "pour"):
                curves[name] = np.outer([1.8, 0.2], curves[name]).clip(0, 1)
            return Mixture(np.array([0.5, 0.5]), curves)

    task = _coffee(grind=0.4, pour=0.4)
    skills = [
        dataclasses.replace(s, failure="end") if s.name == "grind" else s for s in task.skills
    ]
    series = dataclasses.replace(task, skills=skills)
    (mixed, *_) = rule_prospects(situation(series, Either(series, {}), 1))
    (mean, *_) = rule_prospects(situation(series, ExactBelief(series, {}), 1))
    assert mixed.value > 1.3 * mean.value


def test_failures_without_end_lead_to_another_goal() -> None:
    task = _coffee(water=0.8)
    belief = BELIEFS["bayes"](task, usual_evidence(task))
    for before in range(0, 60, 6):
        belief = belief.after(Batch("pour", before, 6, 0))
    decision = STRATEGIES["deliberate"](situation(task, belief, 12))
    assert decision is not None
    assert decision.policy == "water"


def test_a_budget_beyond_all_practice_is_no_burden() -> None:
    task = _coffee()
    belief = BELIEFS["bayes"](task, usual_evidence(task))
    for free in (True, False):
        decision = STRATEGIES["deliberate"](situation(task, belief, 10**9, free=free))
        assert decision is not None
        assert decision.share < 10**5


def _reaches_some(task: Task) -> bool:
    """Whether there is anything to practise."""
    return bool(situation(task, ExactBelief(task, {}), 1).routes)
