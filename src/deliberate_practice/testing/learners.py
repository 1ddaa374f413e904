"""The promises of every learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

import numpy as np

from deliberate_practice.beliefs.belief import EvidenceModel
from deliberate_practice.learners.learner import Candidate, Learner
from deliberate_practice.learners.registry import LEARNERS
from deliberate_practice.task.outcome import Outcome
from deliberate_practice.task.skill import Parameter
from deliberate_practice.testing.promise import promise

PARAMETERS = (
    Parameter("x", mean=0.1, sd=0.05, low=0.0, high=0.4),
    Parameter("angle", mean=0.5, sd=0.2, low=0.45, high=0.9),
)
ATTEMPTS = 60
REFUSED = 5
"""Candidates that are refused in a row."""
MOST = 1000
"""The most candidates that a learner may have out at once."""


def check_learner(
    make: str | Callable[..., Learner], parameters: Sequence[Parameter] = PARAMETERS
) -> None:
    """Check that a learner proposes, learns and can be replayed, as sessions require.

    Args:
        make: A registered name, or a function from parameters, seed and policy to a learner.
        parameters: The parameters to learn.

    Raises:
        AssertionError: A promise is broken.
    """
    maker = LEARNERS.resolve(make)
    for seed in range(3):
        _check_proposals(maker(parameters, seed, "Push"), parameters, seed)
        _check_refusals(maker(parameters, seed, "Push"), parameters)
        _check_repetition(maker, parameters, seed)


def _check_proposals(learner: Learner, parameters: Sequence[Parameter], seed: int) -> None:
    models = get_args(EvidenceModel)
    promise(learner.evidence in models, f"evidence is {learner.evidence!r}; it is one of {models}.")
    rng = np.random.default_rng(seed)
    seen: set[int] = set()
    for _ in range(ATTEMPTS // 3):
        may_be_out = learner.parallel
        promise(1 <= may_be_out <= MOST, f"parallel is {may_be_out}; let out at least 1 candidate.")
        out = [_proposal(learner, parameters, seen) for _ in range(may_be_out)]
        promise(learner.ask() is None, f"ask() gives more than the {may_be_out} of `parallel`.")
        for index in rng.permutation(len(out)):  # in any order
            learner.tell(out[index].id, *_told(out[index], parameters))
            _check_values("deployed", learner.deployed, parameters)


def _proposal(learner: Learner, parameters: Sequence[Parameter], seen: set[int]) -> Candidate:
    """The next candidate, which may be out."""
    candidate = learner.ask()
    promise(candidate, f"ask() gives None, though {learner.parallel} candidates may be out.")
    assert candidate
    promise(candidate.id not in seen, f"candidate {candidate.id} was proposed before.")
    seen.add(candidate.id)
    _check_values(f"candidate {candidate.id}", candidate.values, parameters)
    return candidate


def _check_refusals(learner: Learner, parameters: Sequence[Parameter]) -> None:
    """A refused candidate was not tried; another one takes its place, also again and again."""
    seen: set[int] = set()
    for number in range(ATTEMPTS // 6):
        out = [_proposal(learner, parameters, seen) for _ in range(learner.parallel)]
        tried = []
        for _ in range(REFUSED):
            refused = out.pop(number % len(out))
            tried.append(dict(refused.values))
            before = learner.parallel, dict(learner.deployed)
            learner.tell(refused.id, "refused", None)
            promise(
                (learner.parallel, dict(learner.deployed)) == before,
                "a refused candidate changes `parallel` or `deployed`; it was not tried, and "
                "another one is still to come.",
            )
            out.append(_proposal(learner, parameters, seen))
            promise(learner.ask() is None, "ask() gives more than one for a refused candidate.")
        promise(
            any(values != tried[0] for values in tried) or not parameters,
            f"{tried[0]} is proposed again however often it is refused; draw other values.",
        )
        for candidate in out:
            learner.tell(candidate.id, *_told(candidate, parameters))


def _check_values(place: str, values: Mapping[str, float], parameters: Sequence[Parameter]) -> None:
    names = [parameter.name for parameter in parameters]
    promise(sorted(values) == sorted(names), f"{place} has {sorted(values)}; give all of {names}.")
    for parameter in parameters:
        value = values[parameter.name]
        promise(
            isinstance(value, float) and parameter.low <= value <= parameter.high,
            f"{place}: {parameter.name} = {value!r} is not a float within "
            f"[{parameter.low}, {parameter.high}].",
        )


def _check_repetition(
    make: Callable[..., Learner], parameters: Sequence[Parameter], seed: int
) -> None:
    """The same outcomes lead to the same proposals, which resuming a session requires."""
    first = _attempts(make(parameters, seed, "Push"), parameters)
    np.random.seed(1)  # noqa: NPY002 - no learner may depend on it
    again = _attempts(make(parameters, seed, "Push"), parameters)
    promise(
        first == again,
        "the same outcomes lead to other proposals; draw all random numbers from the seed.",
    )


def _attempts(learner: Learner, parameters: Sequence[Parameter]) -> list[object]:
    """Candidates and deployed values of successive attempts."""
    seen: list[object] = []
    for number in range(ATTEMPTS):
        candidate = learner.ask()
        promise(candidate, "ask() gives None, though all candidates were told.")
        assert candidate
        seen.append((candidate.id, dict(candidate.values), candidate.explores))
        if number % 5 == 2:
            learner.tell(candidate.id, "refused", None)
        else:
            learner.tell(candidate.id, *_told(candidate, parameters))
        seen.append(dict(learner.deployed))
    return seen


def _told(candidate: Candidate, parameters: Sequence[Parameter]) -> tuple[Outcome, float | None]:
    """Success near a point away from the prior means, with a score for every third candidate."""
    far = max(
        abs(candidate.values.get(p.name, p.mean) - p.mean - 0.5 * p.sd) / p.sd for p in parameters
    )
    score = -far if candidate.id % 3 == 0 else None
    return ("success" if far < 0.8 else "failure"), score
