"""Every registered belief keeps the contract on every built-in task."""

from __future__ import annotations

import numpy as np
import pytest

from deliberate_practice.beliefs.bayes import BayesBelief
from deliberate_practice.beliefs.belief import BELIEFS, Batch, Belief, usual_evidence
from deliberate_practice.beliefs.posterior import Posterior
from deliberate_practice.beliefs.search import SearchPosterior
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import load_task
from deliberate_practice.task.model import Task


def make(text: str, task: Task) -> Belief:
    return BELIEFS.resolve(text)(task, usual_evidence(task))


@pytest.mark.parametrize("name", BELIEFS)
@pytest.mark.parametrize("task_name", ["counterexample", "breakfast", "cleanup", "cleanup-multi"])
def test_contract(name: str, task_name: str) -> None:
    task = load_task(task_name)
    belief = make(name, task)
    practised = next(policy.name for policy in task.policies.values() if policy.practisable)
    later = belief.after(Batch(practised, 0, 6, 2))
    for held in (belief, later, later.after(Batch(practised, 6, 6, 6))):
        mixture = held.mixture(40)
        assert set(mixture.curves) == set(task.policies)
        assert mixture.weights.sum() == pytest.approx(1)
        for policy in task.policies:
            curve = held.curve(policy, 40)
            assert curve.shape == held.band(policy, 40).shape == (41,)
            assert mixture.weights @ mixture.curves[policy] == pytest.approx(curve)
            assert held.competence(policy) == pytest.approx(curve[0])
            assert (np.diff(curve) >= 0).all()
            assert (curve >= 0).all()
            assert (curve <= 1).all()


def test_options_reach_the_belief() -> None:
    task = load_task("breakfast")
    assert len(make("bayes:quality=noisy", task).mixture(3).weights) == 1
    slow, quick = (make(f"running-average:eps={eps}", task) for eps in (0.9, 0.1))
    batch = Batch("StartToaster", 6, 6, 3, explore=False, test=True)
    assert (
        slow.after(batch).curve("StartToaster", 6)[6]
        < quick.after(batch).curve("StartToaster", 6)[6]
    )
    with pytest.raises(ArgumentError, match="bayes, running-average"):
        make("bays", task)
    with pytest.raises(ArgumentError, match="quality, exploration"):
        make("bayes:eps=0.5", task)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bayes:quality=x", "quality: 'x' is not one of: accurate, noisy"),
        ("bayes:quality=3", "quality: 3 is not one of: accurate, noisy"),
        ("bayes:exploration=x", "exploration: 'x' is not a number"),
        ("bayes:exploration=nan", "exploration: nan is outside"),
        ("bayes:exploration=true", "exploration: True is not a number"),
        ("running-average:eps=x", "eps: 'x' is not a number"),
        ("running-average:eps=2", r"eps: 2 is outside the valid range \[0, 1\]"),
        ("running-average:form=cubic", "form: 'cubic' is not one of: piecewise-linear"),
        ("running-average:estimator=7", "estimator: 7 is not one of: evaluation, window, round"),
        ("running-average:tests=0", "tests: 0 is not valid; give a whole number of at least 1"),
        ("running-average:tests=101", "tests: 101 is too large; give at most 100"),
        ("running-average:tests=1.5", "tests: 1.5 is not valid"),
        ("running-average:charged=perhaps", "charged: 'perhaps' is not valid; give True or False"),
        ("running-average:estimator=window,tests=3", "'window' uses no tests; leave out `tests`"),
        ("running-average:estimator=round,charged=false", "'round' uses no tests"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make(text, load_task("breakfast"))


def test_the_learner_says_which_model_describes_it() -> None:
    task = load_task("breakfast")
    for model, kind in (("curve", Posterior), ("search", SearchPosterior)):
        belief = BELIEFS["bayes"](task, dict.fromkeys(task.policies, model))
        assert isinstance(belief, BayesBelief)
        assert {type(known) for known in belief.posteriors.values()} == {kind}
