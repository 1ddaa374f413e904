"""Draws from search priors: what they are, and what is counted of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from command import runner
from hypothesis import given, settings, strategies as st

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.estimates import rate
from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.robot import ROBOTS, Result, Trial, register_robot
from deliberate_practice.robots.regions import RegionRobot
from deliberate_practice.study.prior_samples import draw, prior_samples
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Parameter
from deliberate_practice.task.toml_reader import parse_task
from deliberate_practice.task.toml_writer import write_task

TASK = """
name = "push"
[variables]
door = ["open", "closed"]
[[goals]]
name = "closed"
reward = 1
when = { door = "closed" }
[[skills]]
name = "Close(door)"
precondition = { door = "open" }
effect = { door = "closed" }
competence = 0.1
curve = { kind = "exponential", rate = 0.05 }
[[skills.parameters]]
name = "reach"
mean = 0.0
sd = 1.0
low = -1.0
high = 3.0
[[skills.parameters]]
name = "height"
mean = 0.5
sd = 0.1
low = 0.0
high = 1.0
"""


class Sensing:
    """Refuses a reach below 0, touches above 0.5, stops above 1.5 and succeeds between them."""

    parallel = 7
    limits: Mapping[str, float] = {"force": 50.0}

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        """One result for each trial; never more than it takes."""
        assert 0 < len(trials) <= self.parallel
        assert all(trial.mode == "explore" and not trial.approach.route for trial in trials)
        return [self._result(trial.parameters["reach"]) for trial in trials]

    def _result(self, reach: float) -> Result:
        if reach < 0:
            return Result("refused")
        measured = {
            "force": 10 * reach,
            "speed": reach / 4,
            "touched": float(reach > 0.5),
            "stopped": float(reach > 1.5),
        }
        return Result("success" if 0.5 < reach <= 1.5 else "failure", measurements=measured)


@pytest.fixture
def push() -> Iterator[Task]:
    """A task for a robot that measures everything."""
    register_robot("sensing", lambda task, seed, threads: Sensing())
    yield parse_task(TASK)
    ROBOTS.unregister("sensing")


def _draws(task: Task, count: int) -> list[float]:
    """The reaches that are tried, as a robot sees them."""
    seen: list[float] = []

    class Seeing(Sensing):
        def _result(self, reach: float) -> Result:
            seen.append(reach)
            return super()._result(reach)

    register_robot("seeing", lambda task, seed, threads: Seeing())
    try:
        prior_samples(task, "seeing", count)
    finally:
        ROBOTS.unregister("seeing")
    return seen


def test_everything_is_counted(push: Task) -> None:
    reaches = np.array(_draws(push, 300))
    executed = reaches[reaches >= 0]
    (found,) = prior_samples(push, "sensing", 300)
    assert (found.skill, found.samples) == ("Close(door)", 300)
    assert found.executed == len(executed) < 300
    assert found.touched == (executed > 0.5).sum()
    assert found.stopped == (executed > 1.5).sum() > 0
    assert found.succeeded == ((executed > 0.5) & (executed <= 1.5)).sum()
    assert found.force is not None
    assert found.force.largest == pytest.approx(executed.max() / 5)
    assert found.force.median == pytest.approx(np.median(executed) / 5)
    assert found.speed is not None
    assert found.speed.largest == pytest.approx(executed.max() / 4)
    data = found.as_data()
    assert data["executed_ci95"] == rate(found.executed, 300).interval
    assert data["force"] == found.force.largest
    assert data["force_median"] == found.force.median


def test_draws_are_the_same_again_and_fewer_are_the_first_of_them(push: Task) -> None:
    assert _draws(push, 20) == _draws(push, 40)[:20]
    assert len(set(_draws(push, 40))) == 40


@settings(deadline=None, max_examples=30)
@given(st.floats(-1.0, 1.0), st.floats(0.01, 10.0), st.integers(0, 1000))
def test_draws_stay_within_the_bounds(mean: float, sd: float, seed: int) -> None:
    parameter = Parameter("x", mean=mean, sd=sd, low=-1.0, high=1.0)
    (value,) = draw([parameter], np.random.default_rng(seed)).values()
    assert -1.0 <= value <= 1.0


def test_draws_follow_the_truncated_gaussian() -> None:
    """Mean of a standard normal between -1 and 3, by its density at the bounds."""
    parameter = Parameter("x", mean=0.0, sd=1.0, low=-1.0, high=3.0)
    rng = np.random.default_rng(3)
    values = [draw([parameter], rng)["x"] for _ in range(4000)]
    assert np.mean(values) == pytest.approx(0.2831, abs=0.05)
    assert values.count(-1.0) == 0  # drawn again, not put onto the bound


def test_good_parameters_may_be_tried_instead(push: Task) -> None:
    good = {"Close(door)": {"reach": 1.0, "height": 0.5}}
    (found,) = prior_samples(push, "sensing", 9, good=good)
    assert (found.executed, found.touched, found.succeeded, found.stopped) == (9, 9, 9, 0)


def test_what_a_robot_does_not_measure_is_missing() -> None:
    task = parse_task(TASK)
    (found,) = prior_samples(task, "regions:radius=2,noise=0", 200)
    centre = RegionRobot(task, 2_000_000, radius=2, noise=0)
    assert (found.touched, found.stopped, found.force, found.speed) == (None,) * 4
    assert found.interval("touched") is None
    assert found.as_data()["force_median"] is None
    rng, parameters = np.random.default_rng(0), task.skills[0].parameters
    chance = np.mean([centre.competence("Close(door)", draw(parameters, rng)) for _ in range(500)])
    low, high = found.interval("succeeded") or (1.0, 0.0)
    assert low - 0.05 < chance < high + 0.05


def test_nothing_executed_means_nothing_measured(push: Task) -> None:
    (found,) = prior_samples(push, "sensing", 3, good={"Close(door)": {"reach": -1.0}})
    assert (found.executed, found.touched, found.succeeded, found.stopped) == (0, 0, 0, 0)
    assert (found.force, found.speed) == (None, None)


def test_numbers_that_make_no_sense_are_refused(push: Task) -> None:
    with pytest.raises(ArgumentError, match="samples: 0 is not valid"):
        prior_samples(push, "sensing", 0)
    with pytest.raises(ArgumentError, match="policy: 'Open' is not one of: Close"):
        prior_samples(push, "sensing", 1, policies=["Open"])


def test_processes_change_nothing() -> None:
    task = load_task("breakfast")
    assert prior_samples(task, "curves", 30, workers=2) == prior_samples(task, "curves", 30)


def test_the_command_prints_and_keeps(
    push: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(monkeypatch, capsys)
    path, out = tmp_path / "push.toml", tmp_path / "samples.json"
    write_task(push, path)
    words = f"priors {path} --robot sensing --samples 40 --workers 1"
    printed = run(f"{words} --out {out} --format json")
    data = printed.data
    assert (data["task"], data["robot"], data["samples"]) == ("push", "sensing", 40)
    (skill,) = data["skills"]
    (found,) = prior_samples(push, "sensing", 40)
    assert skill["skill"] == "Close(door)"
    assert {"samples", "executed", "touched", "succeeded", "force", "speed"} < set(skill)
    assert skill["touched"] == found.touched
    assert out.read_text() == printed.out
    table = run(words).out
    assert "Close(" in table
    low, high = found.interval("succeeded") or (0.0, 0.0)
    assert f"({100 * low:.0f}-{100 * high:.0f})" in table
