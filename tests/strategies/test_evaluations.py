"""How many evaluations of a new version are worth their price."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from pathlib import Path

import numpy as np
import pytest
from exact_belief import ExactBelief, situation

from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.belief import Batch
from deliberate_practice.strategies.deliberate import deliberate
from deliberate_practice.strategies.evaluations import predictive, worthwhile_evaluations
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_reader import read_task

SO101 = read_task(Path(__file__).parents[2] / "examples" / "so101.toml")


def with_evaluations(cost: int, per_round: int = 5) -> Task:
    """The task with another price of evaluations."""
    changed = {"cost": cost, "per_round": per_round}
    return replace(
        SO101,
        skills=[replace(s, evaluation=changed) if s.learner else s for s in SO101.skills],
    )


def granted(task: Task, budget: int, policy: str = "PickCube") -> int | None:
    return worthwhile_evaluations(situation(task, BayesBelief.prior(task), budget), policy)


def test_where_nothing_is_uncertain_evaluations_are_worth_nothing() -> None:
    here = situation(SO101, ExactBelief(SO101, {}), 240)
    assert worthwhile_evaluations(here, "PickCube") == 0


def test_a_policy_that_is_practised_by_attempts_has_none() -> None:
    task = replace(
        SO101,
        skills=[
            replace(s, learner="", demonstration={}, training={}, evaluation={}, training_noise=0)
            for s in SO101.skills
        ],
    )
    assert granted(task, 240) is None


def test_free_evaluations_are_taken_and_dear_ones_are_not() -> None:
    assert granted(with_evaluations(0), 240) == 5
    assert granted(with_evaluations(0, per_round=0), 240) == 0
    assert granted(with_evaluations(100), 240) == 0


def test_an_evaluation_that_cannot_be_paid_for_is_not_granted() -> None:
    assert granted(SO101, 23) == 0
    assert (granted(SO101, 25) or 0) <= 2


def test_deliberate_grants_them_with_the_round() -> None:
    here = situation(SO101, BayesBelief.prior(SO101), 240)
    decision = deliberate(here)
    assert decision is not None
    assert decision.evaluations == worthwhile_evaluations(here, decision.policy)
    chosen = [deliberate(here, evaluations="all"), deliberate(here, evaluations="none")]
    assert [one and (one.policy, one.evaluations) for one in chosen] == [
        (decision.policy, None),
        (decision.policy, 0),
    ]


def test_the_number_of_successes_is_beta_binomial() -> None:
    certain = predictive(ExactBelief(SO101, {}), "PickCube", 4)
    binomial = [comb(4, s) * 0.3**s * 0.7 ** (4 - s) for s in range(5)]
    np.testing.assert_allclose(certain, binomial, atol=1e-4)
    belief = BayesBelief.prior(SO101).after(Batch("PickCube", 10, 0, 0, False, training=True))
    for n in (1, 5):
        shares = predictive(belief, "PickCube", n)
        assert shares.sum() == pytest.approx(1)
        assert shares @ np.arange(n + 1) / n == pytest.approx(belief.competence("PickCube"))
    # Two of two is as likely as the second moment of the competence says.
    second = belief.band("PickCube", 0)[0] ** 2 + belief.competence("PickCube") ** 2
    assert predictive(belief, "PickCube", 2)[2] == pytest.approx(second)
