"""Experience from simulated skills, whose true distribution is known."""

from dataclasses import replace

import numpy as np
import pytest

from deliberate_practice.beliefs.experience.axes import USUALLY_IMPOSSIBLE
from deliberate_practice.beliefs.experience.evidence import Seen
from deliberate_practice.beliefs.experience.fit import fit
from deliberate_practice.beliefs.experience.heights import LAB, SKILL
from deliberate_practice.beliefs.experience.populations import learned_rows
from deliberate_practice.beliefs.experience.words import kinds_seen
from deliberate_practice.beliefs.hypotheses import competence_at, hypotheses
from deliberate_practice.beliefs.population import USUAL_START
from deliberate_practice.beliefs.prior import QUALITIES, logit, prior_weights
from deliberate_practice.beliefs.search import grid
from deliberate_practice.beliefs.stated import Stated
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.task.experience import ANY, MODELS, Experience, Kind

SAID = Stated(0.1, 0.02, 1.0, 0.02)
NOTHING = np.zeros(len(hypotheses().start))


def _attempts(rng: np.random.Generator, start: float, rate: float, rounds: int) -> FloatArray:
    """Log-likelihood of simulated attempts under every curve of the table."""
    found = NOTHING
    for number in range(rounds):
        chance = competence_at(6 * number)
        successes = rng.binomial(6, min(0.985, start + rate * 6 * number))
        found = found + successes * np.log(chance) + (6 - successes) * np.log1p(-chance)
    return found


def _seen(kind: str, log_likelihood: FloatArray, said: Stated = SAID) -> Seen:
    return Seen("curve", kind, said, log_likelihood, practised=bool(np.any(log_likelihood)))


def _sessions(rng: np.random.Generator, count: int) -> Experience:
    """Two kinds: easy ones start at .4 and rise by .03, hard ones at .05 and by .008."""
    easy = [_seen("easy", _attempts(rng, 0.4, 0.03, 8)) for _ in range(count)]
    hard = [_seen("hard", _attempts(rng, 0.05, 0.008, 12)) for _ in range(count)]
    return fit([easy, hard])


def _kind(experience: Experience, name: str, quality: str = "vague") -> Kind:
    return experience.models["curve"].kind(quality, name)


def test_kinds_are_told_apart_and_new_ones_lie_between() -> None:
    learned = _sessions(np.random.default_rng(1), 6)
    start = {kind: _kind(learned, kind).start for kind in ("easy", "hard", "new")}
    assert abs(start["easy"][0] - logit(np.array(0.4))) < 0.4
    assert abs(start["hard"][0] - logit(np.array(0.05))) < 0.8  # drawn to what is usual
    assert start["hard"][0] < start["new"][0] < start["easy"][0]
    assert start["new"][1] > max(start["easy"][1], start["hard"][1])
    assert _kind(learned, "easy").rate[0] > _kind(learned, "hard").rate[0] + 0.5


def test_experience_predicts_better_than_stated_figures() -> None:
    rng = np.random.default_rng(2)
    learned = _sessions(rng, 6)
    usual = np.array([q.weight for q in QUALITIES.values()]) @ prior_weights(SAID)
    shares = np.array([*learned.qualities.values()])
    gains = []
    for kind, start, rate in (("easy", 0.4, 0.03), ("hard", 0.05, 0.008)):
        with_it = shares @ learned_rows(prior_weights, learned, "curve", kind, SAID)
        for _ in range(10):
            new = _attempts(rng, start, rate, 6)
            likelihood = np.exp(new - new.max())
            gains.append(np.log(with_it @ likelihood) - np.log(usual @ likelihood))
    assert np.mean(gains) > 0.5


def test_impossible_kinds_are_learned() -> None:
    rng = np.random.default_rng(3)
    flat = [_seen("dead", _attempts(rng, 0.02, 0.0, 14)) for _ in range(5)]
    good = [_seen("good", _attempts(rng, 0.3, 0.03, 10)) for _ in range(5)]
    learned = fit([flat, good])
    assert _kind(learned, "dead").impossible > 0.4
    assert _kind(learned, "good").impossible < _kind(learned, "new").impossible / 2


def test_nothing_seen_leaves_what_is_usual() -> None:
    """What is stated of one skill says little about a kind, and nothing about another."""
    learned = fit([[_seen("one", NOTHING)]])
    new = _kind(learned, ANY)
    assert new.impossible == pytest.approx(USUALLY_IMPOSSIBLE)
    assert new.skills == _kind(learned, "one").skills == 0
    assert new.start[0] == pytest.approx(USUAL_START.mean, abs=LAB * USUAL_START.sd)
    assert new.start[1] == pytest.approx(USUAL_START.sd, rel=0.15)


def test_statements_alone_tell_kinds_apart() -> None:
    """Even if nothing was practised: accurate statements the more, vague ones the less."""
    fast = [_seen("fast", NOTHING, Stated(0.1, r, 1.0, r)) for r in (0.05, 0.06, 0.07)]
    slow = [_seen("slow", NOTHING, Stated(0.1, r, 1.0, r)) for r in (0.005, 0.006, 0.007)]
    learned = fit([fast + slow])
    apart = {
        quality: _kind(learned, "fast", quality).rate[0] - _kind(learned, "slow", quality).rate[0]
        for quality in QUALITIES
    }
    assert apart["accurate"] > apart["noisy"] > apart["vague"] > 0.2
    assert apart["accurate"] > 1.5


def test_equal_statements_count_once() -> None:
    """A file may repeat a default."""
    once = fit([[_seen("one", NOTHING)]])
    often = fit([[_seen("one", NOTHING) for _ in range(20)]])
    for quality in QUALITIES:
        expected, found = _kind(once, "one", quality), _kind(often, "one", quality)
        assert found.start == pytest.approx(expected.start, abs=0.05)
        assert found.rate == pytest.approx(expected.rate, abs=0.05)


def test_the_quality_is_learned() -> None:
    """Skills start at .1 and rise by .012, and their author states more."""
    rng, names = np.random.default_rng(6), ("a", "b", "c")
    told, found = {"accurate": (0.0, 0.0), "optimistic": (0.8, 1.05)}, {}
    for quality, (more_start, more_rate) in told.items():
        sessions = []
        for _ in range(5):
            odds = np.exp(logit(np.array(0.1)) + more_start + rng.normal(0, 0.2, 3))
            rates = 0.012 * np.exp(more_rate + rng.normal(0, 0.2, 3))
            stated = [
                Stated(p, r, 1.0, r)
                for p, r in zip((odds / (1 + odds)).tolist(), rates.tolist(), strict=True)
            ]
            attempts = [_attempts(rng, 0.1, 0.012, 8) for _ in names]
            sessions.append([*map(_seen, names, attempts, stated)])
        found[quality] = fit(sessions).qualities
    for quality, shares in found.items():
        assert sum(shares.values()) == pytest.approx(1.0)
        assert shares[quality] > 0.7
        assert min(shares.values()) > 0


def test_searches_have_their_own_experience() -> None:
    """A kind whose first samples often succeed, and one whose samples fail."""
    table = grid()
    seen = []
    for kind, successes in (("easy", 4), ("hard", 0)):
        for _ in range(4):
            chance = table.first(0, 12)
            log_likelihood = successes * np.log(chance) + (12 - successes) * np.log1p(-chance)
            seen.append(Seen("search", kind, SAID, log_likelihood))
    kinds = fit([seen]).models["search"].kinds["vague"]
    assert kinds["easy"].rate[0] > kinds[ANY].rate[0] > kinds["hard"].rate[0]


def test_the_table_for_people_names_the_way_if_there_are_several() -> None:
    learned = _sessions(np.random.default_rng(7), 1)
    both = replace(learned, models=dict.fromkeys(MODELS[:2], learned.models["curve"]))
    kinds = ("easy", "hard", "any other")
    expected = [f"{kind} ({way})" for way in MODELS[:2] for kind in kinds]
    assert [row.kind for row in kinds_seen(both)] == expected


def test_the_table_for_people() -> None:
    """Means over qualities; kinds that were not seen come last."""
    learned = _sessions(np.random.default_rng(7), 3)
    rows = {row.kind: row for row in kinds_seen(learned)}
    assert list(rows) == ["easy", "hard", "any other"]
    assert rows["easy"].start > rows["hard"].start
    assert rows["easy"].skills == rows["hard"].skills == 3
    assert all(row.start_low < row.start < row.start_high for row in rows.values())
    assert SKILL * USUAL_START.sd < _kind(learned, "easy").start[1]
