"""Conformance suites: our own parts pass them, and each suite finds what it looks for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from refusing import Choosy, Rounds

import deliberate_practice as dp
from deliberate_practice import testing
from deliberate_practice.beliefs.belief import BELIEFS
from deliberate_practice.charts.registry import CHARTS
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.learners.registry import LEARNERS
from deliberate_practice.practice.domain import DOMAINS
from deliberate_practice.strategies.strategy import STRATEGIES
from deliberate_practice.testing.tasks import small_tasks

TASK = small_tasks()[0]


@pytest.mark.parametrize("name", STRATEGIES)
def test_our_strategies_pass(name: str) -> None:
    testing.check_strategy(name)


@pytest.mark.parametrize(
    "name",
    [*BELIEFS, "running-average:form=exponential,estimator=round", "running-average:charged=false"],
)
def test_our_beliefs_pass(name: str) -> None:
    testing.check_belief(name)


@pytest.mark.parametrize("name", [*LEARNERS, "cma-es:even=false", "cma-es:scores=false"])
def test_our_learners_pass(name: str) -> None:
    testing.check_learner(name)


@pytest.mark.parametrize("name", ["curves", "regions", "regions:noise=0"])
@pytest.mark.parametrize("task", small_tasks(), ids=lambda task: task.name)
def test_our_synthetic_robots_pass(name: str, task: dp.Task) -> None:
    testing.check_robot(dp.make_robot(name, task, 3), task)


@pytest.mark.slow
@pytest.mark.parametrize("name", DOMAINS)
def test_our_domains_pass(name: str) -> None:
    testing.check_domain(name)


@pytest.mark.parametrize("name", CHARTS)
def test_our_charts_pass(name: str) -> None:
    testing.check_chart(name)


def _any_of(situation: dp.Situation, number: int) -> dp.Decision | None:
    names = list(situation.routes)
    return dp.Decision(names[number % len(names)], 2) if names else None


def _remembering() -> Callable[[dp.Situation], dp.Decision | None]:
    """A strategy that counts its decisions in a way that no journal knows."""
    count = itertools.count()
    return lambda situation: _any_of(situation, next(count) // 3)


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (_remembering(), "an interrupted session continues differently"),
        (lambda situation: None, "nothing is practised in the task 'assembly'"),
    ],
)
def test_faults_of_a_strategy_are_found(strategy: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        testing.check_strategy(strategy)


class Plain(dp.Belief):
    """A belief that keeps its promises; others below break one each."""

    def __init__(self, task: dp.Task, evidence: Mapping[str, dp.EvidenceModel]) -> None:
        self.task, self.successes = task, dict.fromkeys(task.policies, 0)

    @property
    def policies(self) -> list[str]:
        return list(self.task.policies)

    def after(self, batch: dp.Batch) -> Plain:
        new = type(self)(self.task, {})
        new.successes = {**self.successes}
        new.successes[batch.policy] += batch.successes
        return new

    def curve(self, policy: str, attempts: int) -> FloatArray:
        stated = self.task.policies[policy]
        rising = stated.practisable * (self.successes[policy] + np.arange(attempts + 1.0))
        return 1 - (1 - stated.competence) * 0.98**rising


class Changing(Plain):
    def after(self, batch: dp.Batch) -> Plain:
        self.successes[batch.policy] += batch.successes
        return self


class Falling(Plain):
    def curve(self, policy: str, attempts: int) -> FloatArray:
        return super().curve(policy, attempts)[::-1]


class Unbounded(Plain):
    def curve(self, policy: str, attempts: int) -> FloatArray:
        return super().curve(policy, attempts) + np.linspace(0, 1, attempts + 1)


class Contrary(Plain):
    def after(self, batch: dp.Batch) -> Plain:
        failures = dp.Batch(batch.policy, 0, batch.attempts, batch.attempts - batch.successes)
        return super().after(failures)


class Elsewhere(Plain):
    def competence(self, policy: str) -> float:
        return 0.5


class Fickle(Plain):
    @property
    def tests(self) -> dp.Tests:
        return dp.Tests(sum(self.successes.values()))


class Uncounted(Plain):
    tests = 6  # type: ignore[assignment]  # that it is found is the point


class Forgetful(Plain):
    @property
    def policies(self) -> list[str]:
        return super().policies[1:]


@pytest.mark.parametrize(
    ("belief", "message"),
    [
        (Changing, r"after\(\) changes the belief itself"),
        (Falling, "decreases"),
        (Fickle, r"after\(\) changes the tests that it asks for"),
        (Uncounted, "tests is 6; say which tests"),
        (Unbounded, r"leaves \[0, 1\]"),
        (Contrary, "believed to be worse than after failures alone"),
        (Elsewhere, r"competence\('Pick'\) is 0.5, but the curve begins at 0.9"),
        (Forgetful, "the mixture has no curves of 'Pick'"),
    ],
)
def test_faults_of_a_belief_are_found(belief: type[Plain], message: str) -> None:
    testing.check_belief(Plain)
    with pytest.raises(AssertionError, match=message):
        testing.check_belief(belief)


class Steady:
    """A learner that keeps its promises; others below break one each."""

    evidence: dp.EvidenceModel = "curve"
    parallel = 1

    def __init__(self, parameters: Sequence[dp.Parameter], seed: int, policy: str) -> None:
        self.parameters, self.rng = parameters, np.random.default_rng([seed, *policy.encode()])
        self.deployed: Mapping[str, float] = {p.name: p.mean for p in parameters}
        self.out, self.count = False, 0

    def ask(self) -> dp.Candidate | None:
        if self.out:
            return None
        self.out, self.count = True, self.count + 1
        return dp.Candidate(self.count, {p.name: self.draw(p) for p in self.parameters})

    def draw(self, p: dp.Parameter) -> float:
        return float(np.clip(self.rng.normal(p.mean, p.sd), p.low, p.high))

    def tell(self, id: int, outcome: dp.Outcome, score: float | None) -> None:
        self.out = False


class Outside(Steady):
    def draw(self, p: dp.Parameter) -> float:
        return p.high + 1


class Whole(Steady):
    def draw(self, p: dp.Parameter) -> Any:
        return np.float32(p.mean)


class Careless(Steady):
    def draw(self, p: dp.Parameter) -> float:
        return float(np.random.uniform(p.low, p.high))  # noqa: NPY002 - the fault


class Generous(Steady):
    def ask(self) -> dp.Candidate | None:
        self.out = False
        return super().ask()


class Repeating(Steady):
    def ask(self) -> dp.Candidate | None:
        self.count = 0
        return super().ask()


class Lost(Steady):
    def tell(self, id: int, outcome: dp.Outcome, score: float | None) -> None:
        self.deployed = {}
        self.out = False


class Closed(Steady):
    parallel = 0


class Stubborn(Steady):
    def draw(self, p: dp.Parameter) -> float:
        return p.mean


class Frightened(Steady):
    """Deploys something else as soon as the robot refuses a candidate."""

    def tell(self, id: int, outcome: dp.Outcome, score: float | None) -> None:
        super().tell(id, outcome, score)
        if outcome == "refused":
            self.deployed = {p.name: p.high for p in self.parameters}


class Surprised(Steady):
    def tell(self, id: int, outcome: dp.Outcome, score: float | None) -> None:
        self.out = outcome not in ("success", "failure")


class Vague(Steady):
    evidence: Any = "guess"


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (Outside, "is not a float within"),
        (Whole, "is not a float within"),
        (Careless, "the same outcomes lead to other proposals"),
        (Generous, "gives more than the 1 of `parallel`"),
        (Repeating, "candidate 1 was proposed before"),
        (Lost, "deployed has"),
        (Closed, "parallel is 0"),
        (Stubborn, "is proposed again however often it is refused"),
        (Frightened, "a refused candidate changes `parallel` or `deployed`"),
        (Rounds, "a refused candidate changes `parallel` or `deployed`"),
        (Surprised, "ask\\(\\) gives None, though 1 candidates may be out"),
        (Vague, "evidence is 'guess'"),
    ],
)
def test_faults_of_a_learner_are_found(learner: Callable[..., Any], message: str) -> None:
    testing.check_learner(Steady)
    with pytest.raises(AssertionError, match=message):
        testing.check_learner(learner)


class Fixed:
    """A robot that keeps its promises; others below break one each."""

    parallel = 2

    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        return [dp.run_episode(trial, lambda step: True) for trial in trials]


class Wavering(Fixed):
    def __init__(self) -> None:
        self._count = itertools.count()

    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        return [dp.Result("failure" if next(self._count) % 3 else "success") for _ in trials]


class Together(Fixed):
    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        return [dp.Result("success" if len(trials) == 1 else "failure") for _ in trials]


class Short(Fixed):
    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        return []


class Nowhere(Fixed):
    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        return [dp.Result("unreached") for _ in trials]


class Endless(Fixed):
    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        return [dp.Result("success", score=float("nan")) for _ in trials]


class Idle(Fixed):
    parallel = 0


class Boasting(Fixed):
    def earn(self, intention: dp.Intention, executions: int) -> dp.Earnings:
        return dp.Earnings(2.0, 2.0, (0.0, 1.0))


@pytest.mark.parametrize(
    ("robot", "message"),
    [
        (Wavering, "the same trial ends differently"),
        (Together, "trials that run together end differently"),
        (Short, "return one Result for each"),
        (Nowhere, "'unreached' names the skill of the approach that failed"),
        (Endless, "not a finite number"),
        (Idle, "parallel is 0"),
        (Boasting, "which is outside its interval"),
    ],
)
def test_faults_of_a_robot_are_found(robot: type[Fixed], message: str) -> None:
    testing.check_robot(Fixed(), TASK)
    testing.check_robot(Choosy(lambda values: True), TASK)  # a robot may refuse
    with pytest.raises(AssertionError, match=message):
        testing.check_robot(robot(), TASK)


@pytest.fixture
def offered_as_other() -> Iterator[str]:
    dp.register_domain("other", dp.Domain("mine", lambda: TASK))
    yield "other"
    DOMAINS.unregister("other")


def test_a_domain_that_is_offered_under_another_name_is_found(offered_as_other: str) -> None:
    with pytest.raises(AssertionError, match="offered as 'other', but its name is 'mine'"):
        testing.check_domain(offered_as_other)


def _growing() -> Callable[[], dp.Task]:
    """Makes another task each time."""
    count = itertools.count(2)
    return lambda: replace(TASK, discount=1 / next(count))


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        (dp.Domain("growing", _growing()), "making the task twice gives two different tasks"),
        (dp.Domain("mine", lambda: TASK, {"mujoco": "math:pi"}), "is 3.14.*, no Scene"),
        (
            dp.Domain("mine", lambda: TASK, {"mujoco": dp.Scene(lambda *given: Short())}),
            "return one Result for each",
        ),
    ],
)
def test_faults_of_a_domain_are_found(domain: dp.Domain, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        testing.check_domain(domain)


def _chart(text: str = "Text.", value: float = 1.0) -> dp.Chart:
    return dp.Chart("Title", text, [dp.Panel("", [dp.Series("s", [1], [value])])])


def _drifting() -> Callable[[dp.Finished], dp.Chart]:
    count = itertools.count()
    return lambda finished: _chart(value=float(next(count)))


@pytest.mark.parametrize(
    ("chart", "message"),
    [
        (lambda finished: "a chart", "make a Chart, or None"),
        (lambda finished: _chart(text=""), "its title or text is empty"),
        (_drifting(), "made twice from the same results, it differs"),
    ],
)
def test_faults_of_a_chart_are_found(chart: Any, message: str) -> None:
    testing.check_chart(lambda finished: None)
    with pytest.raises(AssertionError, match=message):
        testing.check_chart(chart)
