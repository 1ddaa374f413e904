"""CMA-ES with binary rewards: replay, bounds, ties, and learning on hidden balls."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from counts import count
from hypothesis import given, settings, strategies as st

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.learners import cma_es
from deliberate_practice.learners.cma_es import CmaEs
from deliberate_practice.learners.no_parameters import NoParameters
from deliberate_practice.learners.registry import LEARNERS, make_learner
from deliberate_practice.strategies.strategy import Learner
from deliberate_practice.task.model import Policy
from deliberate_practice.task.skill import Parameter

HERE = Path(__file__).parent

PARAMETERS = (
    Parameter("x", mean=0.1, sd=0.05, low=0.0, high=0.4),
    Parameter("y", mean=-2.0, sd=3.0, low=-20.0, high=20.0),
    Parameter("angle", mean=0.5, sd=0.2, low=0.45, high=0.9),
)


def _policy(*parameters: Parameter) -> Policy:
    return Policy("Push", 0.1, None, None, 1, parameters, ("Push",))


def _generation(learner: Learner) -> list[list[float]]:
    return [learner.candidate(i).tolist() for i in range(GENERATION)]


def _practise(learner: Learner, generations: int, seed: int = 0) -> list[list[float]]:
    rng = np.random.default_rng(seed)
    seen = []
    for _ in range(generations):
        seen += _generation(learner)
        for index in learner.untold():
            learner.tell(index, bool(rng.random() < 0.4))
    return [*seen, learner.best.tolist()]


@pytest.fixture(params=sorted(LEARNERS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_same_is_proposed_again_in_another_process(name: str) -> None:
    here = _practise(make_learner(name, _policy(*PARAMETERS), 3), 20)
    code = (
        f"import sys, json; sys.path[:0] = {[str(HERE), str(HERE.parent)]};"
        "import test_cma_es as t;"
        f"print(json.dumps(t._practise(t.make_learner({name!r}, t._policy(*t.PARAMETERS), 3), 20)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == here


def test_seeds_policies_and_generations_differ(name: str) -> None:
    learner = make_learner(name, _policy(*PARAMETERS), 0)
    first = _generation(learner)
    assert first != _generation(make_learner(name, _policy(*PARAMETERS), 1))
    other = Policy("Pull", 0.1, None, None, 1, PARAMETERS, ("Pull",))
    assert first != _generation(make_learner(name, other, 0))
    for index in range(GENERATION):
        learner.tell(index, False)
    assert first != _generation(learner)


def test_the_order_within_a_generation_does_not_matter(name: str) -> None:
    learners = [make_learner(name, _policy(*PARAMETERS), 7) for _ in range(4)]
    rng = np.random.default_rng(0)
    for _ in range(10):
        success = rng.random(GENERATION) < 0.4
        for learner in learners:
            for index in rng.permutation(GENERATION).tolist():
                learner.tell(index, bool(success[index]))
        assert all(_generation(learner) == _generation(learners[0]) for learner in learners)


@pytest.mark.parametrize("success", [False, True])
def test_a_generation_of_equals_changes_nothing(name: str, success: bool) -> None:
    learner = make_learner(name, _policy(*PARAMETERS), 0)
    candidates = []
    for _ in range(20):
        candidates += _generation(learner)
        for index in range(GENERATION):
            learner.tell(index, success)
    for values, prior in zip(np.transpose(candidates)[:2], PARAMETERS, strict=False):
        assert np.std(values) == pytest.approx(prior.sd, rel=0.15)  # the third has narrow bounds
        assert np.mean(values) == pytest.approx(prior.mean, abs=0.25 * prior.sd)


def test_the_middle_of_the_latest_successes_is_deployed_and_tried(name: str) -> None:
    learner = make_learner(name, _policy(*PARAMETERS), 0)
    assert learner.best == pytest.approx([p.mean for p in PARAMETERS])
    assert all(learner.explores(index) for index in range(GENERATION))
    worked: list[np.ndarray] = []
    for generation in range(3):
        if generation:
            assert not learner.explores(0)
            assert learner.candidate(0) == pytest.approx(learner.best)
        for index in range(GENERATION):
            worked += [learner.candidate(index)] if index % 2 == 0 else []
            learner.tell(index, success=index % 2 == 0)
        assert learner.best == pytest.approx(np.mean(worked[-6:], axis=0))


def test_successes_without_a_common_middle_are_given_up(name: str) -> None:
    learner = make_learner(name, _policy(*PARAMETERS), 0)
    worked = [learner.candidate(index) for index in range(3)]
    for index in range(GENERATION):
        learner.tell(index, success=index < 3)
    middle = learner.best
    far = [np.linalg.norm((x - middle) / [p.sd for p in PARAMETERS]) for x in worked]
    del worked[int(np.argmax(far))]
    learner.tell(0, success=False)
    assert learner.best == pytest.approx(np.mean(worked, axis=0))
    for index in range(1, GENERATION):
        learner.tell(index, success=False)
    assert learner.candidate(0) == pytest.approx(np.mean(worked, axis=0))


def test_a_score_breaks_ties(name: str) -> None:
    mean = np.array([p.mean for p in PARAMETERS])
    learner = make_learner(name, _policy(*PARAMETERS), 0)
    for index in range(GENERATION):
        learner.tell(index, False, score=float(learner.candidate(index)[1]))
    assert learner.best[1] > mean[1]
    learner = make_learner(name, _policy(*PARAMETERS), 0)
    for index in range(GENERATION):
        learner.tell(index, False, score=1.0)
    assert learner.best.tolist() == pytest.approx(mean.tolist())


def test_a_success_ranks_before_any_score() -> None:
    learner = CmaEs(PARAMETERS, 0, "Push")
    lowest = int(np.argmin([learner.candidate(i)[1] for i in range(GENERATION)]))
    for index in range(GENERATION):
        learner.tell(index, index == lowest, score=None if index == lowest else 0.0)
    other = CmaEs(PARAMETERS, 0, "Push")
    for index in range(GENERATION):
        other.tell(index, index == lowest, score=-1.0 if index == lowest else 9.0)
    assert learner.best[1] == other.best[1]


def test_telling_twice_or_too_much_is_refused(name: str) -> None:
    learner = make_learner(name, _policy(*PARAMETERS), 0)
    learner.tell(2, True)
    assert learner.untold() == [0, 1, 3, 4, 5]
    for index in (2, 6, -1):
        with pytest.raises(ArgumentError, match="0, 1, 3, 4, 5"):
            learner.tell(index, True)


parameters = st.builds(
    lambda low, width, at, sd: Parameter("p", low + at * width, sd, low, low + width),
    st.floats(-1e3, 1e3),
    st.floats(1e-6, 1e3),
    st.floats(0, 1),
    st.floats(1e-6, 1e6),
)


@settings(max_examples=count(250), deadline=None)
@given(st.lists(parameters, min_size=1, max_size=6), st.integers(0, 99), st.data())
def test_candidates_stay_within_bounds(
    given_parameters: list[Parameter], seed: int, data: st.DataObject
) -> None:
    usable = [p for p in given_parameters if p.low < p.high and p.low <= p.mean <= p.high]
    learner = CmaEs(usable or PARAMETERS, seed, "Push")
    low = np.array([p.low for p in usable or PARAMETERS])
    high = np.array([p.high for p in usable or PARAMETERS])
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    for _ in range(8):
        for index in learner.untold():
            assert (learner.candidate(index) >= low).all()
            assert (learner.candidate(index) <= high).all()
            learner.tell(index, bool(rng.random() < 0.5))
        assert (learner.best >= low).all()
        assert (learner.best <= high).all()


@pytest.mark.parametrize(
    ("dimension", "radius", "displacement", "least"), [(2, 1.0, 1.4, 0.8), (3, 1.0, 1.4, 0.7)]
)
def test_it_learns_to_hit_a_hidden_ball(
    dimension: int, radius: float, displacement: float, least: float
) -> None:
    def hits(x: FloatArray, centre: FloatArray) -> bool:
        return bool(np.linalg.norm((x - 5.0) / 2.0 - centre) <= radius)

    start, end = [], []
    for seed in range(20):
        direction = np.random.default_rng(seed).standard_normal(dimension)
        centre = displacement * direction / np.linalg.norm(direction)
        ball = [Parameter(f"x{i}", 5.0, 2.0, -20.0, 30.0) for i in range(dimension)]
        learner = CmaEs(ball, seed, "Push")
        start.append(hits(learner.best, centre))
        for _ in range(10):
            for index in learner.untold():
                learner.tell(index, hits(learner.candidate(index), centre))
        end.append(hits(learner.best, centre))
    assert np.mean(start) == 0
    assert np.mean(end) >= least


def test_without_parameters_there_is_only_counting() -> None:
    learner = make_learner("cma-es", _policy(), 0)
    assert isinstance(learner, NoParameters)
    assert learner.candidate(0).shape == learner.best.shape == (0,)
    for index in range(GENERATION):
        assert learner.untold()[0] == index
        learner.tell(index, True)
    assert len(learner.untold()) == GENERATION


def test_an_unknown_learner_is_named() -> None:
    with pytest.raises(ArgumentError, match="'sgd' is not one of: cma-es"):
        make_learner("sgd", _policy(), 0)


def test_the_example_works() -> None:
    results = doctest.testmod(cma_es)
    assert results.attempted > 0
    assert results.failed == 0
