"""The suite for robots on a task whose failures can be recovered."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from coffee import coffee

import deliberate_practice as dp
from deliberate_practice import testing


@pytest.mark.parametrize("name", ["curves", "regions"])
def test_our_synthetic_robots_follow_approaches(name: str) -> None:
    testing.check_robot(dp.make_robot(name, coffee(), 3), coffee(), trials=40)


class Steady:
    """A robot that keeps its promises without observing; others below break one each."""

    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        return [dp.run_episode(trial, lambda step: True) for trial in trials]


class Tireless(Steady):
    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        done = [tuple((u, True) for u in trial.approach.skills) * 9 for trial in trials]
        return [dp.Result("success", executed=executed) for executed in done]


class Abroad(Steady):
    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        return [dp.Result("success", executed=(("Fly", True),)) for _ in trials]


class Astray(Steady):
    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        return [self._run(trial.approach.every_skill) for trial in trials]

    def _run(self, skills: Sequence[str]) -> dp.Result:
        if not skills:
            return dp.Result("success")
        return dp.Result("unreached", skills[0], executed=tuple((u, False) for u in skills))


@pytest.mark.parametrize(
    ("robot", "message"),
    [
        (Tireless, "executions on the approach; its limit is"),
        (Abroad, "give each skill of the approach that was executed"),
        (Astray, "it is the skill that was executed last"),
    ],
)
def test_faults_on_an_approach_are_found(robot: type[Steady], message: str) -> None:
    testing.check_robot(Steady(), coffee())
    with pytest.raises(AssertionError, match=message):
        testing.check_robot(robot(), coffee())
