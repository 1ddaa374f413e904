"""Learning curves of single skills: measured where the truth is known, and fitted."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest
from command import runner
from hypothesis import given, settings, strategies as st
from refusing import Choosy

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.practice.domain import load_task, opened_robot
from deliberate_practice.practice.robot import ROBOTS, Result, Robot, Trial, register_robot
from deliberate_practice.study import learning_curves as learning_curve_module
from deliberate_practice.study.learning_curves import (
    LearningCurve,
    fit_exponential,
    learning_curves,
    refitted,
)
from deliberate_practice.study.prior_files import Measurements, write_measurements
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


@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 99))
def test_a_pool_fits_all_its_seeds_together(seeds: list[int], seed: int) -> None:
    """One curve of all seeds has the same fit as several curves that share them."""
    rng = np.random.default_rng(seed)
    rates = np.sort(rng.random((sum(seeds), 6)), axis=1)
    ends = np.cumsum(seeds)
    parts = np.split(rates, ends[:-1])
    several = [_curve(f"Close({i})", part) for i, part in enumerate(parts)]
    (alone,) = refitted([_curve("Close(all)", rates)])
    pooled = refitted(several, pool=True)
    for mine, part in zip(pooled, parts, strict=True):
        assert mine.prior == pytest.approx(alone.prior, abs=2e-3)
        assert mine.pooled == (len(seeds) > 1)
        assert mine.competence == pytest.approx(part.mean(axis=0))  # this stays its own


def test_only_skills_of_one_verb_are_pooled() -> None:
    low, high = np.full((3, 6), 0.2), np.full((3, 6), 0.8)
    curves = [_curve("Close(top)", low), _curve("Close(bottom)", high), _curve("Pick(cup)", low)]
    top, bottom, pick = refitted(curves, pool=True)
    assert top.prior == bottom.prior
    assert top.start == pytest.approx(0.5, abs=0.01)
    assert pick.start == pytest.approx(0.2, abs=0.01)
    assert [curve.pooled for curve in (top, bottom, pick)] == [True, True, False]
    assert [c.pooled for c in refitted([top, bottom, pick])] == [False, False, False]
    assert refitted(curves)[0].start == pytest.approx(0.2, abs=0.01)


def test_curves_measured_at_different_points_are_pooled_by_seed() -> None:
    many = LearningCurve("Open(a)", (0, 10, 20), ((0.0, 0.5, 0.6),) * 9, (0.1, 0.1))
    few = LearningCurve("Open(b)", (0, 20, 40), ((0.0, 1.0, 0.9),), (0.1, 0.1))
    first, _ = refitted([many, few], pool=True)
    assert first.start + (first.ceiling - first.start) * -np.expm1(
        -first.rate * 20
    ) == pytest.approx(0.64, abs=0.03)  # nine seeds at 0.6, and one at 1


def _curve(name: str, rates: FloatArray) -> LearningCurve:
    points = tuple(range(0, 61, 12))
    return LearningCurve(name, points, tuple(map(tuple, rates.tolist())), (0.0,) * 5)


def test_what_would_lose_a_measurement_is_refused_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(monkeypatch, capsys)
    broken, flat, other = (tmp_path / name for name in ("a.toml", "b.toml", "c.json"))
    broken.write_text("not [toml")
    flat.write_text("[Pick]\ncompetence = 0.5\n")
    curve = _curve("StartToaster", np.zeros((2, 6)))
    write_measurements(other, Measurements("breakfast", "regions", "cma-es", (curve,)))
    for option, message in (
        (f"--out {broken}", "is not a file of priors"),
        (f"--out {flat}", "'Pick' is not the table of a learner"),
        (f"--out {other}", "holds measurements of robot regions, not of curves"),
        (f"--measured {broken}", "is not a file of measurements"),
        ("--measured nowhere.json", "there is no such file"),
        ("--samples 3 --pool", "--samples measures no curves; leave out --pool"),
        ("--samples 3 --out some.toml", "some.toml must end in .json"),
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
    out.write_text(
        '["grid"."StartToaster"]\ncompetence = 0.5\n["cma-es"."Ötzi"]\ncompetence = 0.25\n'
    )
    printed = runner(monkeypatch, capsys)(
        "priors breakfast --robot curves --seeds 2 --attempts 12 --skills StartToaster "
        f"--workers 1 --out {out} --plot {plot} --format json"
    )
    (curve,) = printed.data["curves"]
    assert curve["policy"] == "StartToaster"
    written = tomllib.loads(out.read_text())
    assert written["grid"] == {"StartToaster": {"competence": 0.5}}
    assert list(written["cma-es"]) == ["Ötzi", "StartToaster"]
    mine = written["cma-es"]["StartToaster"]
    assert mine["measured"] == pytest.approx(curve["competence"], abs=1e-3)
    assert mine["error"] == pytest.approx(curve["error"], abs=1e-3)
    assert curve["competence"] == pytest.approx(np.mean(curve["rates"], axis=0))
    assert "pooled" not in mine
    assert plot.stat().st_size > 5000


def test_whoever_stops_keeps_the_skills_that_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, made = tmp_path / "priors.toml", 0

    def stopped_at_the_second(name: str, task: Task, seed: int) -> AbstractContextManager[Robot]:
        nonlocal made
        made += 1
        if made == 2:
            raise KeyboardInterrupt
        return opened_robot(name, task, seed)

    monkeypatch.setattr(learning_curve_module, "opened_robot", stopped_at_the_second)
    stopped = runner(monkeypatch, capsys)(
        f"priors breakfast --robot curves --seeds 2 --attempts 12 --workers 1 --out {out}"
    )
    assert (stopped.status, stopped.out) == (130, "")
    assert list(tomllib.loads(out.read_text())["cma-es"]) == ["StartToaster"]


def test_measuring_and_deriving_are_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = runner(monkeypatch, capsys)
    kept, out, plot = (tmp_path / name for name in ("kept.json", "priors.toml", "curves.csv"))
    measure = f"priors breakfast --robot curves --seeds 3 --attempts 12 --workers 1 --out {kept}"
    first = run(f"{measure} --skills StartToaster;OpenMicrowave --format json").data
    assert json.loads(kept.read_text()) == first
    assert run(f"{measure} --skills CloseMicrowave").status == 0
    again = run(f"priors breakfast --measured {kept} --out {out} --plot {plot} --format json").data
    assert [c["policy"] for c in again["curves"]] == [
        "StartToaster",
        "OpenMicrowave",
        "CloseMicrowave",
    ]
    assert again["curves"][:2] == first["curves"]
    written = tomllib.loads(out.read_text())["cma-es"]
    assert written["OpenMicrowave"]["rate"] == pytest.approx(first["curves"][1]["rate"], abs=1e-4)
    assert "OpenMicrowave" in plot.read_text()
    for words, message in (
        ("--learner cma-es-paper", "--learner: cma-es-paper differs from cma-es"),
        ("--robot regions", "--robot: regions differs from curves"),
        ("--skills Pick", "policy: 'Pick' is not one of"),
    ):
        refused = run(f"priors breakfast --measured {kept} {words}")
        assert (refused.status, refused.out) == (2, "")
        assert message in refused.err
    elsewhere = run(f"priors counterexample --measured {kept}")
    assert "of the skills of counterexample nothing was measured there" in elsewhere.err


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
