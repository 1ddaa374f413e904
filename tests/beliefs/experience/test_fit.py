"""Experience from simulated skills, whose true distribution is known."""

import numpy as np
import pytest

from deliberate_practice.beliefs.experience.axes import USUALLY_IMPOSSIBLE
from deliberate_practice.beliefs.experience.fit import (
    HEIGHT_SD,
    KIND_SD,
    SD,
    SD_COUNT,
    SLOPE,
    SLOPE_SD,
    Seen,
    fit,
)
from deliberate_practice.beliefs.experience.weights import expected, experienced_weights
from deliberate_practice.beliefs.hypotheses import STARTS, competence_at, hypotheses
from deliberate_practice.beliefs.prior import QUALITIES, logit, prior_weights
from deliberate_practice.beliefs.stated import Stated
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.task.experience import ANY, Experience

SAID = Stated(0.1, 0.02, 1.0, 0.02)
EVEN = np.zeros(len(QUALITIES))


def _curve(start: float, rate: float, attempts: int) -> float:
    """Linear, as one of the families."""
    return min(0.985, start + rate * attempts)


def _attempts(rng: np.random.Generator, start: float, rate: float, rounds: int) -> FloatArray:
    """Log-likelihood of simulated attempts under every curve of the table."""
    found = np.zeros(len(hypotheses().start))
    for number in range(rounds):
        chance = competence_at(6 * number)
        successes = rng.binomial(6, _curve(start, rate, 6 * number))
        found += successes * np.log(chance) + (6 - successes) * np.log1p(-chance)
    return found


def _seen(kind: str, log_likelihood: FloatArray, said: Stated = SAID) -> Seen:
    return Seen("curve", kind, said, log_likelihood)


def _sessions(rng: np.random.Generator, count: int) -> Experience:
    """Two kinds: easy ones start at .4 and rise by .03, hard ones at .05 and by .008."""
    easy = [_seen("easy", _attempts(rng, 0.4, 0.03, 8)) for _ in range(count)]
    hard = [_seen("hard", _attempts(rng, 0.05, 0.008, 12)) for _ in range(count)]
    return fit([easy, hard], [EVEN, EVEN])


def test_kinds_are_told_apart_and_new_ones_lie_between() -> None:
    learned = _sessions(np.random.default_rng(1), 6).models["curve"]
    said = float(logit(np.array(SAID.start)))
    start = {
        kind: expected(learned.start, learned.kind(kind).start, said)
        for kind in ("easy", "hard", "new")
    }
    assert abs(start["easy"][0] - logit(np.array(0.4))) < 0.35
    assert abs(start["hard"][0] - logit(np.array(0.05))) < 0.8  # drawn to the others
    assert start["hard"][0] < start["new"][0] < start["easy"][0]
    assert start["new"][1] > max(start["easy"][1], start["hard"][1])
    assert learned.kind("easy").rate[0] > learned.kind("hard").rate[0] + 0.5


def test_experience_predicts_better_than_stated_figures() -> None:
    rng = np.random.default_rng(2)
    learned = _sessions(rng, 6).models["curve"]
    gains = []
    for kind, start, rate in (("easy", 0.4, 0.03), ("hard", 0.05, 0.008)):
        for _ in range(10):
            new = _attempts(rng, start, rate, 6)
            likelihood = np.exp(new - new.max())
            usual = np.array([q.weight for q in QUALITIES.values()]) @ prior_weights(SAID)
            with_it = experienced_weights(learned, "curve", kind, SAID)
            gains.append(np.log(with_it @ likelihood) - np.log(usual @ likelihood))
    assert np.mean(gains) > 0.5


def test_impossible_kinds_are_learned() -> None:
    rng = np.random.default_rng(3)
    flat = [_seen("dead", _attempts(rng, 0.02, 0.0, 14)) for _ in range(5)]
    good = [_seen("good", _attempts(rng, 0.3, 0.03, 10)) for _ in range(5)]
    learned = fit([flat, good], [EVEN, EVEN]).models["curve"]
    assert learned.kind("dead").impossible > 0.4
    assert learned.kind("good").impossible < learned.kind("new").impossible / 2


def test_stated_figures_count_as_much_as_they_were_worth() -> None:
    """With stated starts that were right the line has slope 1, with random ones slope 0."""
    rng = np.random.default_rng(4)
    slopes = []
    for informative in (True, False):
        seen = []
        for _ in range(40):
            start = float(rng.choice([0.06, 0.17, 0.4, 0.7]))
            said = start if informative else float(rng.choice([0.06, 0.17, 0.4, 0.7]))
            attempts = _attempts(rng, start, 0.004, 10)
            seen.append(_seen("one", attempts, Stated(said, 0.004, 1.0, 0.004)))
        slopes.append(fit([seen], [EVEN]).models["curve"].start.slope)
    assert slopes[0] > 0.8
    assert slopes[1] < 0.3


def test_nearly_as_sampled() -> None:
    """The expected start of a skill, against importance sampling of everything that is shared."""
    rng, count = np.random.default_rng(5), 40_000
    skills = (("a", 0.3), ("a", 0.45), ("b", 0.1), ("b", 0.06))
    seen = [_seen(kind, _attempts(rng, start, 0.01, 5)) for kind, start in skills]
    learned = fit([seen], [EVEN]).models["curve"]
    x = float(logit(np.array(SAID.start)))
    mean, sd = expected(learned.start, learned.kind("a").start, x)

    # Only starts are shared in this check: other coordinates stay as they were found.
    levels = logit(STARTS)
    table = hypotheses()
    alive = np.isfinite(table.log_rate)
    place = np.searchsorted(STARTS, table.start[alive])
    by_start = []
    for one in seen:
        prior = experienced_weights(learned, "curve", one.kind, one.stated)
        own = np.bincount(place, prior[alive], len(STARTS))
        joint = prior * np.exp(one.log_likelihood - one.log_likelihood.max())
        by_start.append(np.bincount(place, joint[alive], len(STARTS)) / own)
    height = x + HEIGHT_SD * rng.standard_normal(count)
    kinds = {kind: KIND_SD * rng.standard_normal(count) for kind in "ab"}
    spread = np.sqrt(SD_COUNT * SD**2 / rng.chisquare(SD_COUNT, count))
    log_weight = np.zeros(count)
    for one, evidence in zip(seen, by_start, strict=True):
        middle = height + kinds[one.kind]
        density = np.exp(-0.5 * ((levels - middle[:, None]) / spread[:, None]) ** 2)
        width = np.gradient(levels)
        shares = density * width
        shares /= shares.sum(axis=1, keepdims=True)
        log_weight += np.log(shares @ evidence)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    assert 1 / (weight**2).sum() > 500  # enough samples count
    sampled = float(weight @ (height + kinds["a"]))
    square = float(weight @ ((height + kinds["a"]) ** 2 + spread**2))
    assert mean == pytest.approx(sampled, abs=0.15)
    assert sd == pytest.approx(np.sqrt(square - sampled**2), rel=0.3)


def test_nothing_seen_says_what_is_usual() -> None:
    """A policy without informative attempts changes nearly nothing."""
    learned = fit([[_seen("one", np.zeros(len(hypotheses().start)))]], [EVEN]).models["curve"]
    assert learned.kind(ANY).impossible == pytest.approx(USUALLY_IMPOSSIBLE, rel=0.05)
    assert learned.start.slope == pytest.approx(SLOPE, abs=0.01)
    assert learned.start.slope_sd == pytest.approx(SLOPE_SD, abs=0.01)


def test_qualities_follow_the_sessions() -> None:
    names = list(QUALITIES)
    clear = np.full(len(names), -40.0)
    clear[names.index("optimistic")] = 0.0
    nothing = np.zeros(len(hypotheses().start))
    found = fit([[_seen("one", nothing)]] * 5, [clear] * 5).qualities
    assert found["optimistic"] > 0.7
    assert sum(found.values()) == pytest.approx(1.0)
