"""What a robot of one's own is given: steps in order, and no more trials than it takes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import deliberate_practice as dp


def _trial(*skills: str) -> dp.Trial:
    *route, attempt = map(dp.Step, skills)
    return dp.Trial(1, dp.Approach(tuple(route)), attempt, "explore", 0)


@pytest.mark.parametrize(
    ("fails", "executed", "result"),
    [
        (None, ["Pick", "Turn", "Place"], dp.Result("success")),
        ("Place", ["Pick", "Turn", "Place"], dp.Result("failure")),
        ("Turn", ["Pick", "Turn"], dp.Result("unreached", at="Turn")),
    ],
)
def test_an_episode_ends_at_the_first_step_that_fails(
    fails: str | None, executed: list[str], result: dp.Result
) -> None:
    seen: list[str] = []

    def execute(step: dp.Step) -> bool:
        seen.append(step.skill)
        return step.skill != fails

    assert dp.run_episode(_trial("Pick", "Turn", "Place"), execute) == result
    assert seen == executed


class Counting:
    """Succeeds in every second episode, and notes how many trials it is given at once."""

    def __init__(self, parallel: int | None) -> None:
        if parallel:
            self.parallel = parallel
        self.groups: list[int] = []

    def run(self, trials: Sequence[dp.Trial]) -> list[dp.Result]:
        self.groups.append(len(trials))
        return [dp.Result("success" if trial.id % 2 else "failure") for trial in trials]

    def earn(self, intention: dp.Intention, executions: int) -> dp.Earnings:
        return dp.measured_earnings(self, intention, executions)


@pytest.mark.parametrize(
    ("parallel", "groups"), [(None, [1] * 5), (2, [2, 2, 1]), (100, [5])], ids=str
)
def test_a_plan_is_executed_in_groups_that_the_robot_takes(
    parallel: int | None, groups: list[int]
) -> None:
    robot = Counting(parallel)
    done = dp.run("breakfast", robot, 0, journal=None, executions=5)
    assert robot.groups == groups
    assert done.measured[-1].earnings.successes == (True, False, True, False, True)
    assert done.measured[-1].earnings.undiscounted == pytest.approx(0.6)
