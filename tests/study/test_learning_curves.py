"""Learning curves of single skills: measured where the truth is known, and fitted."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from command import runner
from hypothesis import given, settings, strategies as st
from refusing import Choosy

from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.practice.domain import load_task, make_robot
from deliberate_practice.practice.robot import ROBOTS, Result, Robot, Trial, register_robot
from deliberate_practice.study import learning_curves as learning_curve_module
from deliberate_practice.study.learning_curves import fit_exponential, learning_curves
from deliberate_practice.task.model import Task


@settings(deadline=None, max_examples=40)
@given(st.floats(0.02, 0.4), st.floats(0.01, 0.15), st.floats(0.6, 1.0))
def test_a_fit_finds_the_curve_that_was_there(start: float, rate: float, ceiling: float) -> None:
    b = np.arange(0.0, 121.0, 12.0)
    found = fit_exponential(b, start + (ceiling - start) * -np.expm1(-rate * b))
    assert found == pytest.approx((start, rate, ceiling), rel=0.02, abs=0.004)


def test_measured_curves_follow_the_truth() -> None:
    """On the curve robot the truth is the stated line, .1 + .03 b."""
    task = load_task("breakfast")
    (curve,) = learning_curves(task, "curves", 40, 24, 20, policies=["StartToaster"])
    assert curve.attempts == (0, 12, 24)
    assert curve.competence == pytest.approx((0.1, 0.46, 0.82), abs=0.05)
    assert max(curve.error) < 0.05


@pytest.mark.parametrize(
    ("attempts", "every", "points"),
    [(24, 10, (0, 12, 24)), (20, 12, (0, 12, 24)), (18, 7, (0, 12, 18)), (6, 1, (0, 6))],
)
def test_points_are_between_generations(attempts: int, every: int, points: tuple[int, ...]) -> None:
    task = load_task("breakfast")
    (curve,) = learning_curves(
        task, "curves", 1, attempts, 1, every=every, policies=["StartToaster"]
    )
    assert curve.attempts == points


def test_numbers_that_make_no_sense_are_refused() -> None:
    task = load_task("breakfast")
    with pytest.raises(ArgumentError, match="seeds: 0 is not valid"):
        learning_curves(task, "curves", 0)
    with pytest.raises(ArgumentError, match="workers: 0 is not valid"):
        learning_curves(task, "curves", 1, workers=0)
    with pytest.raises(ArgumentError, match="policy: 'PickBread' is not one of: StartToaster"):
        learning_curves(task, "curves", 1, policies=["PickBread"])


def test_what_would_lose_a_measurement_is_refused_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(monkeypatch, capsys)
    broken = tmp_path / "priors.toml"
    broken.write_text("not [toml")
    for option, message in (
        (f"--out {broken}", "is not a file of priors"),
        ("--plot curves.gif", "has no known ending"),
        ("--plot nowhere/curves.png", "--plot: there is no folder 'nowhere'"),
        ("--out nowhere/priors.toml", "--out: there is no folder 'nowhere'"),
    ):
        refused = run(f"priors breakfast --robot curves --seeds 100000 {option}")
        assert (refused.status, refused.out) == (2, "")
        assert message in refused.err
    assert broken.read_text() == "not [toml"


def test_priors_are_written_and_others_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, plot = tmp_path / "priors.toml", tmp_path / "curves.png"
    out.write_text('["cma-es".Other]\ncompetence = 0.5\n\n[own.Other]\ncompetence = 0.4\n')
    printed = runner(monkeypatch, capsys)(
        "priors breakfast --robot curves --seeds 2 --attempts 12 --skills StartToaster "
        f"--workers 1 --out {out} --plot {plot} --format json"
    )
    (curve,) = printed.data["curves"]
    assert curve["policy"] == "StartToaster"
    written = tomllib.loads(out.read_text())
    assert written["own"] == {"Other": {"competence": 0.4}}
    mine = written["cma-es"]
    assert list(mine) == ["Other", "StartToaster"]
    assert mine["StartToaster"]["measured"] == pytest.approx(curve["competence"], abs=1e-3)
    assert plot.stat().st_size > 5000


def test_whoever_stops_keeps_the_skills_that_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, made = tmp_path / "priors.toml", 0

    def stopped_at_the_second(name: str, task: Task, seed: int) -> Robot:
        nonlocal made
        made += 1
        if made == 2:
            raise KeyboardInterrupt
        return make_robot(name, task, seed)

    monkeypatch.setattr(learning_curve_module, "make_robot", stopped_at_the_second)
    stopped = runner(monkeypatch, capsys)(
        f"priors breakfast --robot curves --seeds 2 --attempts 12 --workers 1 --out {out}"
    )
    assert (stopped.status, stopped.out) == (130, "")
    assert list(tomllib.loads(out.read_text())["cma-es"]) == ["StartToaster"]


class Careful(Choosy):
    """Refuses some starts of samples; what it executes succeeds."""

    def __init__(self, part: int) -> None:
        super().__init__()
        self.part, self.seeds = part, list[int]()

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        self.seeds += [trial.seed for trial in trials]
        return [
            Result("refused" if trial.mode == "explore" and trial.seed % self.part else "success")
            for trial in trials
        ]


@pytest.fixture
def careful() -> Iterator[list[Careful]]:
    made: list[Careful] = []

    def make(task: Task, seed: int, threads: int, *, part: int = 3) -> Careful:
        made.append(Careful(part))
        return made[-1]

    register_robot("careful", make)
    yield made
    ROBOTS.unregister("careful")


def test_a_refused_candidate_is_drawn_again_and_is_no_sample(careful: list[Careful]) -> None:
    task = load_task("breakfast")
    (curve,) = learning_curves(task, "careful", 4, 24, 5, policies=["StartToaster"])
    assert curve.attempts == (0, 12, 24)
    assert curve.explored == curve.competence[1:] == (1.0, 1.0)
    (robot,) = careful
    assert len(robot.seeds) > 4 * (24 + 3 * 5)
    assert len(set(robot.seeds)) == len(robot.seeds)  # no start is used twice


def test_a_robot_that_refuses_everything_is_no_measurement(careful: list[Careful]) -> None:
    task = load_task("breakfast")
    with pytest.raises(
        PartFailed, match="policy 'StartToaster': the robot refused 100 candidates in a row"
    ):
        learning_curves(task, "careful:part=10000000", 1, 6, 1, policies=["StartToaster"])
