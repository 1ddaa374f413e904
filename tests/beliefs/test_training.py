"""Beliefs about policies that are trained elsewhere: evaluations are the only evidence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from counts import examples
from hypothesis import given, settings, strategies as st

from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.belief import Batch, Belief, usual_evidence
from deliberate_practice.beliefs.hypotheses import competence_at, competence_rows
from deliberate_practice.beliefs.prior import prior_weights
from deliberate_practice.beliefs.running_average import RunningAverage
from deliberate_practice.beliefs.stated import stated
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.toml_reader import read_task

SO101 = read_task(Path(__file__).parents[2] / "examples" / "so101.toml")
PICK = "PickCube"

ROUNDS = st.lists(
    st.integers(1, 12).flatmap(
        lambda more: st.integers(0, 6).flatmap(
            lambda n: st.tuples(st.just(more), st.just(n), st.integers(0, n))
        )
    ),
    min_size=1,
    max_size=5,
)
"""Rounds: demonstrations, evaluations, successes."""


def trained(belief: Belief, demonstrations: int) -> Belief:
    return belief.after(Batch(PICK, demonstrations, 0, 0, explore=False, training=True))


def evaluated(belief: Belief, demonstrations: int, n: int, successes: int) -> Belief:
    return belief.after(Batch(PICK, demonstrations, n, successes, explore=False, test=True))


def after_rounds(belief: Belief, rounds: list[tuple[int, int, int]]) -> Belief:
    b = 0
    for more, n, successes in rounds:
        b += more
        belief = evaluated(trained(belief, b), b, n, successes)
    return belief


@settings(max_examples=examples(30), deadline=None)
@given(ROUNDS, st.sampled_from([1.0, 0.8, 0.5, 0.0]))
def test_evidence_fades_by_the_factor_for_every_training_run_since(
    rounds: list[tuple[int, int, int]], fading: float
) -> None:
    belief = after_rounds(BayesBelief.prior(SO101, quality="noisy", fading=fading), rounds)
    log = np.zeros(len(competence_at(0)))
    b = 0
    for i, (more, n, successes) in enumerate(rounds):
        b += more
        q = competence_at(b)
        likelihood = successes * np.log(q) + (n - successes) * np.log1p(-q)
        log += fading ** (len(rounds) - 1 - i) * likelihood
    prior = prior_weights(stated(SO101.policies[PICK]))[1]  # noisy
    weights = prior * np.exp(log - log.max())
    mean = weights @ competence_rows(b + 20)[:, b:] / weights.sum()
    np.testing.assert_allclose(belief.curve(PICK, 20), mean, atol=1e-9)


@settings(max_examples=examples(30), deadline=None)
@given(ROUNDS)
def test_with_factor_one_the_posterior_is_exact_bayes(rounds: list[tuple[int, int, int]]) -> None:
    faded = after_rounds(BayesBelief.prior(SO101, fading=1.0), rounds)
    exact: Belief = BayesBelief.prior(SO101)
    b = 0
    for more, n, successes in rounds:  # the same evaluations, without anything that fades
        b += more
        exact = exact.after(Batch(PICK, b, n, successes, explore=False))
    missing = b - max(
        (sum(r[0] for r in rounds[: i + 1]) for i, r in enumerate(rounds) if r[1]), default=0
    )
    np.testing.assert_allclose(
        faded.curve(PICK, 5), exact.curve(PICK, 5 + missing)[missing:], atol=1e-9
    )
    np.testing.assert_allclose(faded.mixture(0).weights, exact.mixture(0).weights, atol=1e-9)


@pytest.mark.parametrize("make", [BayesBelief.prior, RunningAverage.prior])
def test_a_training_run_advances_the_curve_and_demonstrations_alone_do_not(make) -> None:  # type: ignore[no-untyped-def]
    belief = make(SO101)
    ahead = belief.curve(PICK, 20)
    after = trained(belief, 10)
    np.testing.assert_allclose(after.curve(PICK, 10), ahead[10:], atol=1e-9)
    other = "OpenDrawer"
    np.testing.assert_array_equal(after.curve(other, 10), belief.curve(other, 10))


def test_the_running_average_takes_the_evaluations_of_the_last_round() -> None:
    belief = evaluated(trained(RunningAverage.prior(SO101, eps=0.0), 10), 10, 5, 3)
    assert belief.competence(PICK) == pytest.approx(0.6)
    assert belief.curve(PICK, 10)[-1] == pytest.approx(0.9)  # 0.3 in the last 10, and again
    again = evaluated(trained(belief, 20), 20, 5, 2)
    assert again.competence(PICK) == pytest.approx(0.4)


def test_the_usual_evidence_of_a_policy_that_is_trained_elsewhere() -> None:
    assert usual_evidence(SO101)[PICK] == "training"


def test_a_training_run_has_no_attempts() -> None:
    with pytest.raises(ArgumentError, match="a training run has no attempts"):
        Batch(PICK, 10, 5, 3, explore=False, training=True)
    with pytest.raises(ArgumentError, match=r"fading: 1\.2"):
        BayesBelief.prior(SO101, fading=1.2)
