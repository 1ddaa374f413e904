"""Every strategy on every task, and the paper's argument against greed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from exact_belief import ExactBelief, practise_surely, situation

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.allocation.plans import all_plans, task_value
from deliberate_practice.beliefs.belief import BELIEFS, usual_evidence
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.domain import DOMAINS, load_task
from deliberate_practice.strategies.expectation import prospects
from deliberate_practice.strategies.strategy import (
    STRATEGIES,
    Decision,
    Past,
    Situation,
    register_strategy,
)
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill


@pytest.mark.parametrize("belief", BELIEFS)
@pytest.mark.parametrize("task", DOMAINS)
@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_decides_on_every_task_with_every_belief(
    name: str, task: str, belief: str
) -> None:
    described = load_task(task)
    for free in (True, False):
        prior = BELIEFS[belief](described, usual_evidence(described))
        now = situation(described, prior, 30, free=free)
        decision = STRATEGIES[name](now)
        assert decision is not None
        assert decision.policy in now.routes
        assert decision.share >= 1
        prior = BELIEFS[belief](described, usual_evidence(described))
        again = STRATEGIES[name](situation(described, prior, 30, free=free))
        assert again == decision


def test_greed_ends_at_one_and_deliberation_at_four() -> None:
    """The paper's counterexample, in rounds of six."""
    task = load_task("counterexample")
    greedy = practise_surely(task, STRATEGIES["ees"], 20)
    assert (greedy["pi2"], greedy["pi3"]) == (0, 0)
    assert _worth(task, greedy) == pytest.approx(1.0)
    for name in ("deliberate", "deliberate-paper"):
        spent = practise_surely(task, STRATEGIES[name], 20)
        assert (spent["pi2"], spent["pi3"]) >= (9, 9)
        assert _worth(task, spent) == pytest.approx(4.0)
    spent = practise_surely(task, STRATEGIES["deliberate"], 20)
    assert (spent["pi2"], spent["pi3"]) == (9, 9)


@pytest.mark.parametrize(("budget", "goal"), [(100, "top"), (150, "middle"), (250, "bottom")])
def test_with_known_curves_practice_reaches_what_allocation_promises(
    budget: int, goal: str
) -> None:
    task = load_task("cleanup")
    promised = allocate(task, budget)
    assert promised.goal == goal
    for name in ("deliberate", "deliberate-paper"):
        attempts = practise_surely(task, STRATEGIES[name], budget)
        assert _worth(task, attempts) == pytest.approx(promised.value, rel=0.02)


def test_baselines_do_what_they_say() -> None:
    task = load_task("breakfast")
    policies = {"StartToaster": 0.3, "OpenMicrowave": 0.2, "CloseMicrowave": 0.4}
    skills = [
        dataclasses.replace(s, competence=policies[s.name]) if s.name in policies else s
        for s in task.skills
    ]
    rates = {"StartToaster": 0.01, "OpenMicrowave": 0.02, "CloseMicrowave": 0.05}
    skills = [
        dataclasses.replace(s, curve=PiecewiseLinear(rate=rates[s.name])) if s.name in rates else s
        for s in skills
    ]
    changed = dataclasses.replace(task, skills=skills)
    now = situation(changed, ExactBelief(changed, {}), 60)
    chosen = {name: STRATEGIES[name](now) for name in STRATEGIES}
    assert chosen["least-competent"] is not None
    assert chosen["least-competent"].policy == "OpenMicrowave"
    assert chosen["competence-improvement"] is not None
    assert chosen["competence-improvement"].policy == "CloseMicrowave"
    drawn = {
        decision.policy
        for seed in range(40)
        if (decision := STRATEGIES["random"](dataclasses.replace(now, rng=_rng(seed))))
    }
    assert drawn == set(policies)


def test_ties_of_ees_go_to_the_policy_practised_last() -> None:
    task = load_task("counterexample")
    attempts = {"pi1": 9, "pi2": 0, "pi3": 0}
    belief = ExactBelief(task, attempts)
    for last in ("pi1", "pi3"):
        past = [Past(Decision(last, 6), 0)]
        decision = STRATEGIES["ees"](situation(task, belief, 8, past=past))
        assert decision is not None
        assert decision.policy == last


@pytest.mark.parametrize("priors", ["accurate", "unknown"])
def test_deliberation_takes_the_best_plan_whatever_was_practised_before(priors: str) -> None:
    line = PiecewiseLinear(rate=0.02)
    task = Task(
        "two ways",
        {"at": ["a", "b", "c"]},
        [Goal("b", 0.8, {"at": "b"}), Goal("c", 1.0, {"at": "c"})],
        [
            Skill("begun", {"at": "a"}, {"at": "b"}, 0.2, curve=line),
            Skill("other", {"at": "a"}, {"at": "c"}, 0.2, curve=line),
        ],
        priors=priors,
    )
    now = situation(task, ExactBelief(task, {}), 20)
    fresh = STRATEGIES["deliberate"](now)
    assert fresh is not None
    assert fresh.policy == "other"
    past = [Past(Decision("begun", 6, ("begun",)), 0)]
    later = STRATEGIES["deliberate"](dataclasses.replace(now, past=past))
    assert later is not None
    assert later.policy == "other"


def test_plans_value_a_task_as_the_mdp_does() -> None:
    rng = np.random.default_rng(0)
    for name in DOMAINS:
        grounded = ground(load_task(name))
        assert all_plans(grounded) is not None
        for _ in range(10):
            p = rng.random(len(grounded.policy_names))
            exact = solve(grounded, p).value
            names = dict(zip(grounded.policy_names, p.tolist(), strict=True))
            assert task_value(grounded, names) == pytest.approx(exact, rel=1e-9)


def test_approach_costs_make_far_skills_dearer() -> None:
    """A skill behind one that mostly fails gets fewer attempts out of the same budget."""
    task = Task(
        "far",
        {"at": ["a", "b", "c"]},
        [Goal("c", 1.0, {"at": "c"})],
        [
            Skill("near", {"at": "a"}, {"at": "b"}, 0.2, curve=PiecewiseLinear(rate=0.02)),
            Skill("far", {"at": "b"}, {"at": "c"}, 0.2, curve=PiecewiseLinear(rate=0.02)),
        ],
    )
    belief = ExactBelief(task, {})
    free = prospects(situation(task, belief, 60))[0]
    paid = prospects(situation(task, belief, 60, free=False))[0]
    assert free.split["near"] == pytest.approx(free.split["far"], abs=1)
    assert paid.split["near"] > paid.split["far"] > 0
    reach = 0.2 + 0.02 * paid.split["near"]
    assert paid.split["near"] + paid.split["far"] / reach <= 60 + 1
    assert paid.value < free.value
    for budget in (240, 2400):  # in steps of several episodes, too
        paid = prospects(situation(task, ExactBelief(task, {}), budget, free=False))[0]
        reach = min(1.0, 0.2 + 0.02 * paid.split["near"])
        assert paid.split["near"] + (paid.split["far"] - 1) / reach <= budget


@pytest.mark.parametrize("budget", [1, 2, 3, 7])
def test_the_last_episodes_go_to_the_best_plan_though_their_approach_may_fail(budget: int) -> None:
    task = load_task("breakfast")
    now = situation(task, ExactBelief(task, {}), budget, free=False)
    decision = STRATEGIES["deliberate"](now)
    assert decision is not None
    assert decision.policy == "StartToaster"
    assert decision.share == budget


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("budget", [12, 60, 600])
def test_the_currency_of_a_budget_does_not_matter(budget: int, free: bool) -> None:
    task = load_task("breakfast")
    found = []
    for cost in (1, 7, 61, 1000):
        skills = [dataclasses.replace(skill, cost=cost) for skill in task.skills]
        dear = dataclasses.replace(task, skills=skills)
        now = situation(dear, ExactBelief(dear, {}), cost * budget, free=free)
        found.append([(p.plan.goal, p.split, p.value) for p in prospects(now)])
    assert all(other == found[0] for other in found[1:])


def test_what_costs_more_gets_fewer_episodes_but_gets_some() -> None:
    task = load_task("breakfast")
    costs = {"OpenMicrowave": 20, "CloseMicrowave": 7}
    skills = [dataclasses.replace(s, cost=costs.get(s.name, 1)) for s in task.skills]
    dear = dataclasses.replace(task, skills=skills)
    for free in (True, False):
        now = situation(dear, ExactBelief(dear, {}), 900, free=free)
        best = prospects(now)[0]
        assert best.plan.goal == "oatmeal"
        assert sum(costs.get(name, 1) * n for name, n in best.split.items()) <= 900
        assert best.value == pytest.approx(allocate(dear, 900).value, rel=0.1)


def test_a_budget_beyond_all_practice_is_no_burden() -> None:
    task = load_task("breakfast")
    now = situation(task, BELIEFS["bayes"](task, usual_evidence(task)), 10**9)
    decision = STRATEGIES["deliberate"](now)
    assert decision is not None
    assert decision.share < 10**6


def test_general_tasks_are_practised_too() -> None:
    task = Task(
        "shaky",
        {"cup": ["table", "shelf", "floor"]},
        [Goal("shelf", 1.0, {"cup": "shelf"})],
        [
            Skill(
                "put",
                {"cup": "table"},
                {"cup": "shelf"},
                0.2,
                {"cup": "floor"},
                PiecewiseLinear(rate=0.05),
            ),
            Skill(
                "lift", {"cup": "floor"}, {"cup": "table"}, 0.3, curve=PiecewiseLinear(rate=0.05)
            ),
        ],
    )
    assert all_plans(ground(task)) is None
    for name in STRATEGIES:
        decision = STRATEGIES[name](situation(task, ExactBelief(task, {}), 10))
        assert decision is not None, name


def test_a_strategy_of_ones_own() -> None:
    def stubborn(now: Situation) -> Decision | None:
        return Decision(next(iter(now.routes)), 6)

    register_strategy("stubborn", stubborn)
    try:
        assert STRATEGIES.resolve("stubborn") is stubborn
        with pytest.raises(ArgumentError, match="taken"):
            register_strategy("stubborn", stubborn)
    finally:
        STRATEGIES.unregister("stubborn")
    assert "stubborn" not in STRATEGIES
    with pytest.raises(ArgumentError, match="Did you mean 'deliberate'"):
        STRATEGIES.resolve("deliberat")


def _worth(task: Task, attempts: dict[str, int]) -> float:
    belief = ExactBelief(task, attempts)
    return task_value(ground(task), {name: belief.competence(name) for name in task.policies})


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_options_change_what_a_strategy_does() -> None:
    task = load_task("counterexample")
    now = situation(task, ExactBelief(task, {"pi1": 9, "pi2": 0, "pi3": 0}), 8)
    drawn = {
        decision.policy
        for seed in range(40)
        if (
            decision := STRATEGIES.bound("ees:ties=random,tolerance=1")(
                dataclasses.replace(now, rng=_rng(seed))
            )
        )
    }
    assert drawn == {"pi1", "pi2", "pi3"}
    episode = STRATEGIES.bound("ees:ahead=1")(now)
    assert episode == STRATEGIES["ees-episode"](now)
    assert episode is not None
    assert episode.share == 1
    # A policy of competence 1 is mastered whatever the threshold, one of 0.1 from 0.1 on.
    plain, lax = STRATEGIES["deliberate-paper"], STRATEGIES.bound("deliberate-paper:mastered=0.1")
    now = situation(task, ExactBelief(task, {}), 20)
    strict_decision, lax_decision = plain(now), lax(now)
    assert strict_decision is not None
    assert lax_decision is not None
    assert (strict_decision.share, lax_decision.share) == (9, 1)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ees:ahead=0", "ees: option 'ahead': 0 is not valid; give a whole number of at least 1"),
        ("ees:ahead=1.5", "ees: option 'ahead': 1.5 is not valid; give a whole number"),
        ("ees:ties=any", "ees: option 'ties': 'any' is not one of: last, first, random"),
        ("ees:tolerance=nan", "ees: option 'tolerance': nan is not valid; give a number from 0"),
        ("deliberate:rival=2", "deliberate: option 'rival': 2 is not valid; .* from 0 to 1"),
        ("deliberate:rival=much", "deliberate: option 'rival': 'much' is not valid"),
        ("deliberate-paper:mastered=-1", "deliberate-paper: option 'mastered': -1 is not valid"),
        ("ees-predicators:window=0", "ees-predicators: option 'window': 0 is not valid"),
        ("ees-predicators:bonus=inf", "ees-predicators: option 'bonus': inf is not valid"),
        ("random:eps=1", "strategy 'random': option 'eps' is not one of: \\(there are none\\)"),
    ],
)
def test_bad_options_are_refused_before_anything_is_practised(name: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        STRATEGIES.bound(name)
