"""The posterior: against plain loops, towards the truth, and as a consistent gambler."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from counts import examples
from expected_batches import forecasts
from hypothesis import given, settings, strategies as st

from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.belief import Batch
from deliberate_practice.beliefs.hypotheses import (
    DEAD,
    EXPONENTIAL,
    LAST,
    LINEAR,
    S_SHAPED,
    competence_rows,
    hypotheses,
)
from deliberate_practice.beliefs.prior import QUALITIES, prior_weights, statement_evidence
from deliberate_practice.beliefs.stated import stated
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.curves import Curve, Exponential, PiecewiseLinear
from deliberate_practice.task.model import PRIORS, Goal, Task
from deliberate_practice.task.skill import Skill


def chain(*curves: tuple[float, Curve | None]) -> Task:
    """A task whose skills A, B, ... lead one after the other to its goal."""
    places = [str(i) for i in range(len(curves) + 1)]
    skills = [
        Skill(chr(65 + i), {"at": places[i]}, {"at": places[i + 1]}, competence=p, curve=curve)
        for i, (p, curve) in enumerate(curves)
    ]
    return Task("chain", {"at": places}, [Goal("end", 1.0, {"at": places[-1]})], skills)


THREE = chain((0.1, PiecewiseLinear(0.02)), (0.3, Exponential(0.05, 0.9)), (0.95, None))

DATA = [
    Batch("A", 0, 6, 1),
    Batch("B", 0, 6, 3),
    Batch("A", 6, 4, 0),
    Batch("A", 10, 12, 7, explore=False),
    Batch("B", 6, 6, 5),
]


def seen(belief: BayesBelief, batches: Sequence[Batch]) -> BayesBelief:
    for batch in batches:
        belief = belief.after(batch)
    return belief


def practise(belief: BayesBelief, policy: str, truth: FloatArray, seed: int = 0) -> BayesBelief:
    """Generations of 6 with a true curve, as long as it goes on."""
    rng = np.random.default_rng(seed)
    for b in range(0, len(truth) - 6, 6):
        belief = belief.after(Batch(policy, b, 6, int(rng.binomial(6, truth[b]))))
    return belief


def brute_force(
    task: Task, batches: Sequence[Batch], more: int, factor: float
) -> tuple[list[float], dict[str, tuple[list[float], list[float]]]]:
    """Quality weights; mean and sd of each policy's curve, by loops over single curves."""
    rows = competence_rows(100).tolist()
    weights, joint = [], {}
    names = [policy.name for policy in task.policies.values() if policy.practisable]
    distinct = {stated(task.policies[name]) for name in names}
    for c, quality in enumerate(QUALITIES.values()):
        weight = quality.weight * math.exp(sum(statement_evidence(said)[c] for said in distinct))
        for name in names:
            prior = prior_weights(stated(task.policies[name]))[c].tolist()
            chances = []
            for h, row in enumerate(rows):
                chance = prior[h]
                for batch in batches:
                    if batch.policy == name:
                        p = row[batch.before] * (factor if batch.explore else 1.0)
                        chance *= p**batch.successes
                        chance *= (1 - p) ** (batch.attempts - batch.successes)
                chances.append(chance)
            weight *= sum(chances)
            joint[c, name] = [chance / sum(chances) for chance in chances]
        weights.append(weight)
    weights = [weight / sum(weights) for weight in weights]
    curves = {}
    for name in names:
        now = sum(b.attempts for b in batches if b.policy == name and b.explore)
        means, deviations = [], []
        for b in range(now, now + more + 1):
            first = second = 0.0
            for c, weight in enumerate(weights):
                for h, row in enumerate(rows):
                    first += weight * joint[c, name][h] * row[b]
                    second += weight * joint[c, name][h] * row[b] ** 2
            means.append(first)
            deviations.append(math.sqrt(second - first**2))
        curves[name] = means, deviations
    return weights, curves


@pytest.mark.parametrize("factor", [1.0, 0.7])
def test_posterior_agrees_with_plain_loops(factor: float) -> None:
    belief = seen(BayesBelief.prior(THREE, exploration=factor), DATA)
    weights, curves = brute_force(THREE, DATA, 20, factor)
    assert belief.weights == pytest.approx(weights, rel=1e-9)
    for name, (means, deviations) in curves.items():
        assert belief.curve(name, 20) == pytest.approx(means, rel=1e-9)
        assert belief.band(name, 20) == pytest.approx(deviations, rel=1e-6)
        assert belief.competence(name) == pytest.approx(means[0])
    mixture = belief.mixture(20)
    assert mixture.weights @ mixture.curves["A"] == pytest.approx(curves["A"][0])


def test_policies_without_a_curve_keep_their_competence() -> None:
    belief = BayesBelief.prior(THREE)
    assert belief.after(Batch("C", 0, 6, 0, explore=False)).curve("C", 2).tolist() == [0.95] * 3
    assert belief.band("C", 2).tolist() == [0.0] * 3
    assert (belief.mixture(4).curves["C"] == np.full((5, 5), 0.95)).all()
    assert belief.after(Batch("C", 0, 6, 3)) is belief
    assert set(belief.mixture(4).curves) == {"A", "B", "C"}


def test_prior_of_an_accurate_statement_is_near_what_is_stated() -> None:
    task = chain((0.2, PiecewiseLinear(0.02)))
    belief = BayesBelief.prior(task, quality="accurate")
    assert belief.quality == {"accurate": 1.0}
    assert belief.competence("A") == pytest.approx(0.2, abs=0.02)
    assert belief.curve("A", 10)[10] == pytest.approx(0.38, abs=0.06)


@pytest.mark.parametrize("family", [LINEAR, EXPONENTIAL, S_SHAPED, DEAD])
@pytest.mark.parametrize("quality", [None, "noisy", "vague"])
def test_much_data_leads_to_the_truth(family: int, quality: str | None) -> None:
    table = hypotheses()
    chosen = table.family == family
    if family != DEAD:
        chosen &= (table.start == 0.1) & (table.ceiling == 0.75)
        chosen &= abs(np.exp(table.log_rate) - 0.012) < 0.002
    else:
        chosen &= table.start == 0.17
    truth = competence_rows(300)[chosen][0]
    belief = BayesBelief.prior(chain((0.15, PiecewiseLinear(0.02))), quality=quality)
    rng = np.random.default_rng(3)
    for b in range(0, 61, 6):
        successes = int(rng.binomial(1000, truth[b]))
        belief = belief.after(Batch("A", b, 1000, successes, explore=False))
    assert belief.curve("A", 240) == pytest.approx(truth[60:], abs=0.03)
    assert belief.band("A", 240).max() < 0.05


def test_truth_of_no_family_in_the_table_is_followed() -> None:
    truth = np.interp(np.arange(200), [0, 40, 60, 199], [0.08, 0.08, 0.62, 0.66])
    belief = BayesBelief.prior(chain((0.1, PiecewiseLinear(0.03))))
    finals = [practise(belief, "A", truth, seed).competence("A") for seed in range(5)]
    assert np.mean(finals) == pytest.approx(0.66, abs=0.07)


def test_a_dead_skill_is_recognised() -> None:
    belief = BayesBelief.prior(chain((0.3, PiecewiseLinear(0.03)), (0.9, None)))
    assert belief.curve("A", 100)[100] > 0.7
    belief = practise(belief, "A", np.zeros(36))
    assert belief.curve("A", 100)[100] < 0.3


def test_disappointments_shift_all_skills_to_optimistic_priors() -> None:
    task = chain(*[(0.3, PiecewiseLinear(0.03))] * 5)
    belief = BayesBelief.prior(task)
    before = belief.curve("E", 40)
    for policy in "ABCD":
        belief = belief.after(Batch(policy, 0, 6, 1)).after(Batch(policy, 6, 6, 1))
    assert max(belief.quality, key=lambda name: belief.quality[name]) == "optimistic"
    assert belief.quality["optimistic"] > 0.6
    assert (belief.curve("E", 40) < before - 0.03).all()


@settings(max_examples=examples(30), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("AB"), st.integers(0, 6)), max_size=8),
    st.integers(1, 8),
    st.sampled_from([0.6, 1.0, 1.3]),
)
def test_forecasts_average_to_the_present(
    history: list[tuple[str, int]], attempts: int, exploration: float
) -> None:
    belief = BayesBelief.prior(THREE, exploration=exploration)
    count = {"A": 0, "B": 0}
    for policy, successes in history:
        belief = belief.after(Batch(policy, count[policy], 6, successes))
        count[policy] += 6
    expected = forecasts(belief, "A", count["A"], attempts)
    assert sum(p for p, _ in expected) == pytest.approx(1, abs=1e-9)
    for policy, practised in (("A", attempts), ("B", 0)):
        average = sum(p * then.curve(policy, 60) for p, then in expected)
        now = belief.curve(policy, 60 + practised)[practised:]
        assert average == pytest.approx(now, abs=1e-9)
    weights = sum(p * then.weights for p, then in expected)
    assert weights == pytest.approx(belief.weights, abs=1e-9)


@given(st.permutations(DATA))
@settings(max_examples=examples(20), deadline=None)
def test_order_of_evidence_does_not_matter(batches: list[Batch]) -> None:
    one, other = (seen(BayesBelief.prior(THREE), order) for order in (DATA, batches))
    assert other.weights == pytest.approx(one.weights, abs=1e-12)
    for policy in "AB":
        assert other.curve(policy, 30) == pytest.approx(one.curve(policy, 30), abs=1e-12)


def test_what_was_asked_before_changes_no_bit() -> None:
    asked, fresh = (seen(BayesBelief.prior(THREE), DATA) for _ in range(2))
    asked.mixture(400), asked.curve("A", 3), asked.band("A", 90), asked.mixture(130)
    for attempts in (250, 0, 63, 64):
        one, other = asked.mixture(attempts), fresh.mixture(attempts)
        assert all((one.curves[u] == other.curves[u]).all() for u in "ABC")
        assert (asked.band("B", attempts) == fresh.band("B", attempts)).all()


@given(st.lists(st.integers(0, 6), max_size=12), st.integers(0, 300))
@settings(max_examples=examples(30), deadline=None)
def test_curves_never_fall(successes: list[int], attempts: int) -> None:
    belief = BayesBelief.prior(THREE)
    for number, count in enumerate(successes):
        belief = belief.after(Batch("A", 6 * number, 6, count))
    curve, mixture = belief.curve("A", attempts), belief.mixture(attempts)
    assert curve.shape == (attempts + 1,)
    assert (np.diff(curve) >= 0).all()
    assert (np.diff(mixture.curves["A"], axis=1) >= 0).all()
    assert ((curve > 0) & (curve < 1)).all()
    assert (belief.band("A", attempts) >= 0).all()


def test_beliefs_are_values() -> None:
    belief = seen(BayesBelief.prior(THREE), DATA)
    before = belief.curve("A", 30)
    changed = belief.after(Batch("A", 10, 6, 6))
    assert changed.competence("A") > belief.competence("A")
    assert (belief.curve("A", 30) == before).all()
    assert belief.after(Batch("A", 10, 0, 0)) is belief
    with pytest.raises(AttributeError):
        belief.qualities = ()  # type: ignore[misc]  # that it is refused is the point
    with pytest.raises(ValueError, match="read-only"):
        belief.mixture(30).curves["A"][0, 0] = 1.0


def test_deployed_attempts_do_not_advance_practice() -> None:
    belief = BayesBelief.prior(THREE).after(Batch("A", 0, 6, 2))
    evaluated = belief.after(Batch("A", 6, 50, 10, explore=False))
    assert belief.posteriors["A"].practised == evaluated.posteriors["A"].practised == 6


def test_exploration_factor_explains_failing_samples() -> None:
    batch = Batch("A", 0, 12, 1)
    plain, exploring = (
        BayesBelief.prior(THREE, exploration=factor).after(batch) for factor in (1.0, 0.5)
    )
    assert exploring.competence("A") > plain.competence("A")


def test_practice_beyond_the_table_is_constant() -> None:
    belief = BayesBelief.prior(THREE).after(Batch("A", LAST + 50, 6, 5))
    curve = belief.curve("A", 500)
    assert curve.shape == (501,)
    assert (curve == curve[0]).all()
    assert BayesBelief.prior(THREE).curve("A", LAST + 100).shape == (LAST + 101,)


def test_errors_teach() -> None:
    with pytest.raises(ArgumentError, match="accurate, noisy, optimistic, pessimistic, vague"):
        BayesBelief.prior(THREE, quality="good")
    with pytest.raises(ArgumentError, match="exploration"):
        BayesBelief.prior(THREE, exploration=0)
    with pytest.raises(ArgumentError, match="Z"):
        BayesBelief.prior(THREE).curve("Z", 3)
    with pytest.raises(ArgumentError, match="7 successes in 6 attempts"):
        Batch("A", 0, 6, 7)


def test_fast_enough_to_decide_with() -> None:
    belief = BayesBelief.prior(load_task("cleanup"))
    policies = list(belief.posteriors)
    for number, policy in enumerate(policies):
        belief = belief.after(Batch(policy, 0, 6, number % 3))
    belief.mixture(250)
    begun = time.process_time()
    for successes in range(7):
        belief.after(Batch(policies[0], 6, 6, successes)).mixture(250)
    assert time.process_time() - begun < 0.25  # about 0.004 on an idle core


def test_a_task_may_say_how_good_its_priors_are() -> None:
    assert set(PRIORS) == {"unknown", *QUALITIES}
    told = BayesBelief.prior(replace(THREE, priors="accurate"))
    assert told.quality == {"accurate": 1.0}
    assert told.competence("A") == BayesBelief.prior(THREE, quality="accurate").competence("A")
    assert BayesBelief.prior(replace(THREE, priors="accurate"), quality="noisy").qualities == (
        "noisy",
    )


@pytest.mark.parametrize("others", [0, 2, 5])
@pytest.mark.parametrize("rate", [0.005, 0.02, 0.05])
def test_thirty_failures_are_believed(rate: float, others: int) -> None:
    """0 of 30 where a competence of 0.2 was stated: executed as deployed, or practised."""
    belief = BayesBelief.prior(chain(*[(0.2, PiecewiseLinear(rate))] * (1 + others)))
    deployed = belief.after(Batch("A", 0, 30, 0, explore=False))
    assert deployed.competence("A") < 0.03
    practised = seen(belief, [Batch("A", b, 6, 0) for b in range(0, 30, 6)])
    assert practised.competence("A") < 0.03
    assert practised.curve("A", 60)[-1] < 0.05


@pytest.mark.parametrize("rate", [0.005, 0.02, 0.05])
def test_one_impossible_skill_says_little_about_the_others(rate: float) -> None:
    """Its failures are its own: the other statements keep most of what they were worth."""
    curves = [(0.2 + 0.01 * i, PiecewiseLinear(rate)) for i in range(5)]
    good = [Batch(name, 0, 6, 1) for name in "BCDE"]
    belief = seen(BayesBelief.prior(chain(*curves)), good)
    after = seen(belief, [Batch("A", b, 6, 0) for b in range(0, 30, 6)])
    for name in "BCDE":
        assert after.curve(name, 60)[-1] > 0.93 * belief.curve(name, 60)[-1]


def test_more_failures_are_never_better_news() -> None:
    belief = BayesBelief.prior(chain((0.2, PiecewiseLinear(0.02)), (0.3, PiecewiseLinear(0.01))))
    believed = []
    for number in range(10):
        believed.append(belief.curve("A", 40)[-1])
        belief = belief.after(Batch("A", 6 * number, 6, 0))
    assert believed == sorted(believed, reverse=True)


def test_equal_statements_count_once() -> None:
    """A file that repeats a default for every skill is no better evidence of its quality."""
    one, many = (BayesBelief.prior(chain(*[(0.2, PiecewiseLinear(0.05))] * n)) for n in (1, 6))
    assert many.weights == pytest.approx(one.weights)


def test_a_stated_ceiling_of_one_is_believed() -> None:
    task = chain((0.2, PiecewiseLinear(0.05)))
    lower = chain((0.2, PiecewiseLinear(0.05, 0.75)))

    def end(task: Task, quality: str | None) -> float:
        belief = BayesBelief.prior(task, quality=quality)
        belief = seen(belief, [Batch("A", 0, 6, 1), Batch("A", 6, 6, 3)])  # it is not impossible
        return float(belief.curve("A", 400)[-1])

    assert end(task, "accurate") > 0.93
    assert end(task, "optimistic") < end(task, "noisy") < end(task, "accurate")
    assert end(task, None) > end(lower, None) + 0.08
