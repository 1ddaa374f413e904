"""CMA-ES with binary rewards: replay, bounds, ties, and learning on hidden balls."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from counts import count
from hypothesis import given, settings, strategies as st

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.learners.cma_es import CmaEs
from deliberate_practice.learners.evolution_strategy import EvolutionStrategy
from deliberate_practice.learners.learner import Candidate, Learner
from deliberate_practice.learners.no_parameters import NoParameters
from deliberate_practice.learners.registry import LEARNERS, make_learner
from deliberate_practice.strategies.strategy import ROUND
from deliberate_practice.task.model import Policy
from deliberate_practice.task.outcome import Outcome
from deliberate_practice.task.skill import Parameter

HERE = Path(__file__).parent

PARAMETERS = (
    Parameter("x", mean=0.1, sd=0.05, low=0.0, high=0.4),
    Parameter("y", mean=-2.0, sd=3.0, low=-20.0, high=20.0),
    Parameter("angle", mean=0.5, sd=0.2, low=0.45, high=0.9),
)


def _policy(*parameters: Parameter) -> Policy:
    return Policy("Push", 0.1, None, None, 1, parameters, ("Push",))


def _x(values: Mapping[str, float]) -> FloatArray:
    return np.array([*values.values()])


def _outcome(success: bool) -> Outcome:
    return "success" if success else "failure"


def _ask(learner: Learner) -> Candidate:
    candidate = learner.ask()
    assert candidate is not None
    return candidate


def _round(learner: Learner) -> list[Candidate]:
    """All candidates that may be out now."""
    return [_ask(learner) for _ in range(learner.parallel)]


def _normal(rng: np.random.Generator) -> FloatArray:
    return rng.standard_normal(len(PARAMETERS))


def _tell(learner: Learner, candidates: list[Candidate], successes: Sequence[bool]) -> None:
    for candidate, success in zip(candidates, successes, strict=True):
        learner.tell(candidate.id, _outcome(success), None)


def _practise(learner: Learner, rounds: int, seed: int = 0) -> list[dict[str, float]]:
    rng = np.random.default_rng(seed)
    seen: list[dict[str, float]] = []
    for _ in range(rounds):
        asked = _round(learner)
        seen += [dict(candidate.values) for candidate in asked]
        _tell(learner, asked, [bool(rng.random() < 0.4) for _ in asked])
    return [*seen, dict(learner.deployed)]


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


def test_seeds_policies_and_rounds_differ(name: str) -> None:
    learner = make_learner(name, _policy(*PARAMETERS), 0)
    asked = _round(learner)
    first = [candidate.values for candidate in asked]

    def drawn(other: Learner) -> list[Mapping[str, float]]:
        return [candidate.values for candidate in _round(other)]

    assert first == drawn(make_learner(name, _policy(*PARAMETERS), 0))
    assert first != drawn(make_learner(name, _policy(*PARAMETERS), 1))
    other = Policy("Pull", 0.1, None, None, 1, PARAMETERS, ("Pull",))
    assert first != drawn(make_learner(name, other, 0))
    _tell(learner, asked, [False] * ROUND)
    assert first != drawn(learner)


def test_candidates_are_numbered_on_and_on_and_as_many_are_out_as_it_says(name: str) -> None:
    learner = make_learner(name, _policy(*PARAMETERS), 0)
    numbers: list[int] = []
    for _ in range(3):
        assert learner.parallel == ROUND
        asked = _round(learner)
        assert learner.ask() is None  # all are out
        assert learner.parallel == ROUND  # asked, and not told
        for told, candidate in enumerate(asked, 1):
            learner.tell(candidate.id, "failure", None)
            assert learner.parallel == (ROUND - told or ROUND)
        numbers += [candidate.id for candidate in asked]
    assert numbers == list(range(3 * ROUND))


def test_the_order_of_telling_does_not_matter(name: str) -> None:
    learners = [make_learner(name, _policy(*PARAMETERS), 7) for _ in range(4)]
    rng = np.random.default_rng(0)
    for _ in range(10):
        success = rng.random(ROUND) < 0.4
        rounds = [_round(learner) for learner in learners]
        assert all(asked == rounds[0] for asked in rounds)
        for learner, asked in zip(learners, rounds, strict=True):
            for index in rng.permutation(ROUND).tolist():
                learner.tell(asked[index].id, _outcome(bool(success[index])), None)
        assert all(learner.deployed == learners[0].deployed for learner in learners)


def test_candidates_may_be_told_while_others_are_still_to_be_asked(name: str) -> None:
    together, singly = (make_learner(name, _policy(*PARAMETERS), 5) for _ in range(2))
    for number in range(4 * ROUND):
        if number % ROUND == 0:
            asked = _round(together)
        mine, other = asked[number % ROUND], _ask(singly)
        assert mine == other
        for learner in (together, singly):
            learner.tell(mine.id, _outcome(number % 3 == 0), None)
        assert together.deployed == singly.deployed


@pytest.mark.parametrize("success", [False, True])
def test_a_round_of_equals_changes_nothing(name: str, success: bool) -> None:
    learner = make_learner(name, _policy(*PARAMETERS), 0)
    candidates = []
    for _ in range(20):
        asked = _round(learner)
        candidates += [_x(candidate.values) for candidate in asked]
        _tell(learner, asked, [success] * ROUND)
    for values, prior in zip(np.transpose(candidates)[:2], PARAMETERS, strict=False):
        assert np.std(values) == pytest.approx(prior.sd, rel=0.15)  # the third has narrow bounds
        assert np.mean(values) == pytest.approx(prior.mean, abs=0.25 * prior.sd)


MEANS = {parameter.name: parameter.mean for parameter in PARAMETERS}


def test_the_middle_of_the_latest_successes_is_deployed_and_tried() -> None:
    learner = make_learner("cma-es", _policy(*PARAMETERS), 0)
    assert learner.evidence == "search"
    assert learner.deployed == pytest.approx(MEANS)
    worked: list[FloatArray] = []
    for number in range(3):
        middle = learner.deployed
        asked = _round(learner)
        assert [candidate.explores for candidate in asked] == [not number, *[True] * 5]
        if number:
            assert asked[0].values == pytest.approx(middle)
        worked += [_x(candidate.values) for candidate in asked[::2]]
        _tell(learner, asked, [index % 2 == 0 for index in range(ROUND)])
        assert _x(learner.deployed) == pytest.approx(np.mean(worked[-6:], axis=0))


def test_the_papers_deploys_the_mean_of_its_search_and_draws_at_random() -> None:
    """Population 6, the best half moves the mean, and nothing but success or failure counts."""
    policy = _policy(*PARAMETERS)
    paper = make_learner("cma-es-paper", policy, 0)
    assert paper.evidence == "search"
    assert paper.deployed == pytest.approx(MEANS)
    centre, scale = _x(MEANS), np.array([p.sd for p in PARAMETERS])
    low = (np.array([p.low for p in PARAMETERS]) - centre) / scale
    high = (np.array([p.high for p in PARAMETERS]) - centre) / scale
    search = EvolutionStrategy(np.zeros(3), 1.0, low, high, population=ROUND)
    for number in range(4):
        asked = _round(paper)
        assert all(candidate.explores for candidate in asked)
        deviates = np.random.default_rng([0, *b"Push", ROUND * number, 1])
        drawn = [search.sample(partial(_normal, deviates)) for _ in range(ROUND)]
        found = [(_x(candidate.values) - centre) / scale for candidate in asked]
        assert np.array(found) == pytest.approx(np.array(drawn), abs=1e-12)
        for index, candidate in enumerate(asked):  # scores that would say the opposite
            paper.tell(candidate.id, _outcome(index in (1, 4)), float(index not in (1, 4)))
        ties = np.random.default_rng([0, *b"Push", number]).permutation(ROUND)
        order = sorted(range(ROUND), key=lambda i: (i not in (1, 4), ties[i]))
        search.update(np.array([drawn[i] for i in order]))
        within = np.clip(search.mean, low, high)
        assert (_x(paper.deployed) - centre) / scale == pytest.approx(within, abs=1e-12)


def test_the_papers_ignores_scores() -> None:
    one, other = (make_learner("cma-es-paper", _policy(*PARAMETERS), 0) for _ in range(2))
    for _ in range(5):
        for mine, same in zip(_round(one), _round(other), strict=True):
            assert mine == same
            outcome = _outcome(mine.id % 4 == 0)
            one.tell(mine.id, outcome, None)
            other.tell(mine.id, outcome, mine.values["y"])
    assert one.deployed == other.deployed


def test_a_round_of_equals_with_scores_teaches_the_papers_nothing() -> None:
    learner = make_learner("cma-es-paper", _policy(*PARAMETERS), 0)
    for candidate in _round(learner):
        learner.tell(candidate.id, "failure", candidate.values["y"])
    assert learner.deployed == pytest.approx(MEANS)


def test_options_by_name() -> None:
    policy = _policy(*PARAMETERS)
    paper, spelled = (
        make_learner(text, policy, 3)
        for text in ("cma-es-paper", "cma-es:even=false,successes=false,scores=false")
    )
    assert _practise(paper, 6) == _practise(spelled, 6)
    even = make_learner("cma-es-paper:even=true", policy, 3)
    assert _round(even) == _round(make_learner("cma-es", policy, 3))
    assert even.evidence == make_learner("cma-es:successes=false", policy, 3).evidence == "search"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cma-es:even=7", "even: 7 is not valid; give True or False"),
        ("cma-es:successes=maybe", "successes: 'maybe' is not valid; give True or False"),
        ("cma-es:scores=0", "scores: 0 is not valid; give True or False"),
        ("cma-es-paper:scores=1.5", "scores: 1.5 is not valid; give True or False"),
        ("cma-es:population=6", "option 'population' is not one of: even, successes, scores"),
        ("cma-es:seed=6", "option 'seed' is not one of: even, successes, scores"),
        ("cma-es:even", "'even' is not an option; write cma-es:key=value"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make_learner(text, _policy(*PARAMETERS), 0)


def test_successes_without_a_common_middle_are_given_up() -> None:
    learner = make_learner("cma-es", _policy(*PARAMETERS), 0)
    asked = _round(learner)
    worked = [_x(candidate.values) for candidate in asked[:3]]
    _tell(learner, asked, [index < 3 for index in range(ROUND)])
    middle = _x(learner.deployed)
    far = [np.linalg.norm((x - middle) / [p.sd for p in PARAMETERS]) for x in worked]
    del worked[int(np.argmax(far))]
    first, *others = _round(learner)
    learner.tell(first.id, "failure", None)
    assert _x(learner.deployed) == pytest.approx(np.mean(worked, axis=0))
    _tell(learner, others, [False] * 5)
    assert _x(_ask(learner).values) == pytest.approx(np.mean(worked, axis=0))


def test_a_score_breaks_ties_if_that_is_wanted() -> None:
    learner = make_learner("cma-es:scores=true", _policy(*PARAMETERS), 0)
    for candidate in _round(learner):
        learner.tell(candidate.id, "failure", candidate.values["y"])
    assert learner.deployed["y"] > MEANS["y"]
    learner = make_learner("cma-es:scores=true", _policy(*PARAMETERS), 0)
    for candidate in _round(learner):
        learner.tell(candidate.id, "failure", 1.0)
    assert learner.deployed == pytest.approx(MEANS)
    learner = make_learner("cma-es", _policy(*PARAMETERS), 0)
    for candidate in _round(learner):
        learner.tell(candidate.id, "failure", candidate.values["y"])
    assert learner.deployed == pytest.approx(MEANS)


def test_a_success_ranks_before_any_score() -> None:
    learner, other = (CmaEs(PARAMETERS, 0, "Push", successes=False, scores=True) for _ in range(2))
    asked = _round(learner)
    assert asked == _round(other)
    lowest = min(asked, key=lambda candidate: candidate.values["y"])
    for candidate in asked:
        best = candidate is lowest
        learner.tell(candidate.id, _outcome(best), None if best else 0.0)
        other.tell(candidate.id, _outcome(best), -1.0 if best else 9.0)
    assert learner.deployed == other.deployed
    assert learner.deployed["y"] < MEANS["y"]


def test_telling_twice_or_too_much_is_refused(name: str) -> None:
    learner = make_learner(name, _policy(*PARAMETERS), 0)
    _round(learner)
    learner.tell(2, "success", None)
    assert learner.parallel == 5
    for number in (2, 6, -1):
        with pytest.raises(ArgumentError, match="0, 1, 3, 4, 5"):
            learner.tell(number, "success", None)
    new = make_learner(name, _policy(*PARAMETERS), 0)
    with pytest.raises(ArgumentError, match="those are: none"):
        new.tell(0, "success", None)  # never asked


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
    named = [replace(p, name=f"p{i}") for i, p in enumerate(usable)]
    options = {key: data.draw(st.booleans()) for key in ("even", "successes", "scores")}
    learner = CmaEs(named or PARAMETERS, seed, "Push", **options)
    low = np.array([p.low for p in usable or PARAMETERS])
    high = np.array([p.high for p in usable or PARAMETERS])
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    for _ in range(8):
        for candidate in _round(learner):
            assert (_x(candidate.values) >= low).all()
            assert (_x(candidate.values) <= high).all()
            learner.tell(candidate.id, _outcome(bool(rng.random() < 0.5)))
        assert (_x(learner.deployed) >= low).all()
        assert (_x(learner.deployed) <= high).all()


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
        start.append(hits(_x(learner.deployed), centre))
        for _ in range(10 * ROUND):
            candidate = _ask(learner)
            learner.tell(candidate.id, _outcome(hits(_x(candidate.values), centre)))
        end.append(hits(_x(learner.deployed), centre))
    assert np.mean(start) == 0
    assert np.mean(end) >= least


def test_without_parameters_there_is_only_counting() -> None:
    learner = make_learner("cma-es", _policy(), 0)
    assert isinstance(learner, NoParameters)
    assert (learner.evidence, learner.deployed) == ("curve", {})
    for number in range(3 * ROUND):
        assert learner.parallel == ROUND - number % ROUND
        candidate = _ask(learner)
        assert candidate == Candidate(number, {}, explores=True)
        learner.tell(candidate.id, "success")
    assert len(_round(learner)) == ROUND
    assert learner.ask() is None


def test_an_unknown_learner_is_named() -> None:
    with pytest.raises(ArgumentError, match="'sgd' is not one of: cma-es"):
        make_learner("sgd", _policy(), 0)
