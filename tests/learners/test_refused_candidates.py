"""Candidates that a robot refuses: a sample of the same search takes their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.learners.cma_es import CmaEs
from deliberate_practice.learners.learner import Candidate, Learner
from deliberate_practice.learners.no_parameters import NoParameters
from deliberate_practice.learners.registry import LEARNERS, make_learner
from deliberate_practice.strategies.strategy import ROUND
from deliberate_practice.task.model import Policy
from deliberate_practice.task.skill import Parameter

PARAMETERS = (
    Parameter("x", mean=0.1, sd=0.05, low=0.0, high=0.4),
    Parameter("angle", mean=0.5, sd=0.2, low=0.45, high=0.9),
)


def _policy(*parameters: Parameter) -> Policy:
    return Policy("Push", 0.1, None, None, 1, parameters, ("Push",))


def _ask(learner: Learner) -> Candidate:
    candidate = learner.ask()
    assert candidate is not None
    return candidate


def _round(learner: Learner) -> list[Candidate]:
    """All candidates that may be out now."""
    return [_ask(learner) for _ in range(learner.parallel)]


def _tell(learner: Learner, candidates: list[Candidate], successes: Sequence[bool]) -> None:
    for candidate, success in zip(candidates, successes, strict=True):
        learner.tell(candidate.id, "success" if success else "failure", None)


@pytest.fixture(params=sorted(LEARNERS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def _far(values: Mapping[str, float]) -> bool:
    return values["x"] > 0.1


def _refusing(learner: Learner, rounds: int, order: np.random.Generator) -> list[object]:
    """The candidates of each round that are not refused, told in any order, and what it deploys."""
    seen: list[object] = []
    for _ in range(rounds):
        length, out, kept = learner.parallel, _round(learner), list[Candidate]()
        while out:
            candidate = out.pop(int(order.integers(len(out))))
            if not _far(candidate.values):
                _tell(learner, [candidate], [candidate.values["angle"] < 0.6])
                kept.append(candidate)
            else:
                left = learner.parallel
                learner.tell(candidate.id, "refused", None)
                assert learner.parallel == left
                out.append(_ask(learner))
        assert len(kept) == length == ROUND
        seen += [sorted(tuple(candidate.values.items()) for candidate in kept), learner.deployed]
    return seen


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=20)
def test_what_takes_the_place_of_a_refused_candidate_does_not_depend_on_the_order(
    seed: int,
) -> None:
    for name in sorted(LEARNERS):
        learners = [make_learner(name, _policy(*PARAMETERS), seed) for _ in range(2)]
        orders = [np.random.default_rng(number) for number in range(2)]
        one, other = (
            _refusing(learner, 6, order) for learner, order in zip(learners, orders, strict=True)
        )
        assert one == other


def test_no_number_is_used_twice_where_candidates_are_refused(name: str) -> None:
    learner = make_learner(name, _policy(*PARAMETERS), 0)
    numbers: list[int] = []
    for place in (*range(ROUND), *range(ROUND)):
        out = _round(learner)
        refused = out.pop(place)
        learner.tell(refused.id, "refused", None)
        with pytest.raises(ArgumentError, match="is not the number of a candidate that is out"):
            learner.tell(refused.id, "refused", None)
        other = _ask(learner)
        assert learner.ask() is None
        assert other.values != refused.values
        numbers += [candidate.id for candidate in (*out, refused, other)]
        _tell(learner, [*out, other], [True] * ROUND)
    assert sorted(numbers) == list(range(2 * ROUND * (ROUND + 1)))


def test_refusals_change_no_other_candidate(name: str) -> None:
    """Neither of the generation, nor of the next ones if the same succeed."""
    plain, refused = (make_learner(name, _policy(*PARAMETERS), 4) for _ in range(2))
    for number in range(4):
        ours, theirs = _round(plain), _round(refused)
        assert [c.values for c in ours] == [c.values for c in theirs]
        assert [c.explores for c in ours] == [c.explores for c in theirs]
        again = theirs[number + 1]
        refused.tell(again.id, "refused", None)
        theirs[number + 1] = _ask(refused)
        for learner, asked in ((plain, ours), (refused, theirs)):
            _tell(learner, asked, [False] * ROUND)  # all equal: the search stays where it is


def test_a_sample_takes_the_place_of_deployed_parameters_that_are_refused() -> None:
    learner = CmaEs(PARAMETERS, 0, "Push")
    _tell(learner, _round(learner), [True] * ROUND)
    deployed = dict(learner.deployed)
    out = _round(learner)
    assert [candidate.explores for candidate in out] == [False] + [True] * 5
    learner.tell(out[0].id, "refused")
    other = _ask(learner)
    assert other.explores
    assert other.values != deployed
    assert learner.deployed == deployed
    learner.tell(other.id, "failure")  # of a sample: no success is given up for it
    assert learner.deployed == deployed


def test_samples_in_the_place_of_refused_ones_are_of_the_same_distribution(name: str) -> None:
    wide = (Parameter("x", mean=0.3, sd=0.5, low=-1e6, high=1e6),)
    drawn = []
    for seed in range(400):
        learner = make_learner(name, _policy(*wide), seed)
        for candidate in _round(learner):
            learner.tell(candidate.id, "refused", None)
            drawn.append(_ask(learner).values["x"])
    assert np.mean(drawn) == pytest.approx(0.3, abs=0.03)
    assert np.std(drawn) == pytest.approx(0.5, abs=0.03)
    assert len(set(drawn)) == len(drawn)


def test_without_parameters_a_refused_attempt_is_still_to_come() -> None:
    learner = NoParameters()
    out = _round(learner)
    learner.tell(out[2].id, "refused")
    assert learner.parallel == ROUND
    again = _ask(learner)
    assert (again.id, dict(again.values)) == (ROUND, {})
    _tell(learner, [*out[:2], *out[3:], again], [False] * ROUND)
    assert _ask(learner).id == ROUND + 1
