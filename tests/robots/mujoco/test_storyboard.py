"""A video shows skills in time, says its true speed, and stays within the frames it may have."""

from __future__ import annotations

import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from graphics import needs_gl
from hypothesis import given, settings, strategies as st
from obstacle_course import course, start

from deliberate_practice.practice.robot import Step
from deliberate_practice.robots.mujoco.caption import Caption, captioned, card
from deliberate_practice.robots.mujoco.film import Film, Take
from deliberate_practice.robots.mujoco.rendering import Camera
from deliberate_practice.robots.mujoco.storyboard import (
    QUALITIES,
    Shot,
    decisive,
    drawn,
    pace,
    storyboard,
)
from deliberate_practice.robots.mujoco.world import World

MODEL = course()
FAST, FULL = QUALITIES["fast"], QUALITIES["full"]


def _shot(*lengths: int, success: bool = True) -> Shot:
    """Skills of so many states each."""
    data = mujoco.MjData(MODEL)
    data.qpos[:] = start(MODEL)
    state = World(MODEL).state(data)
    ends = np.cumsum([1, *lengths]).tolist()
    takes = [
        Take(Step(f"S{k}"), begin, begin + length // 2, success, Camera(azimuth=10.0 * k))
        for k, (begin, length) in enumerate(zip(ends[:-1], lengths, strict=True))
    ]
    film = Film(MODEL, np.repeat(state[None], ends[-1], axis=0), takes, Camera())
    return Shot(film, "course", [f"after {k} attempts" for k in range(len(lengths))])


def test_a_film_runs_at_the_speed_that_it_says() -> None:
    shot = _shot(1000, 500)  # 2 ms each
    slow = pace([[shot]], FULL)
    assert (slow.word, slow.fps) == ("1x", 25)
    frames = storyboard([shot], slow)
    rows = [frame.row for frame in frames if frame.caption.success is None][slow.pause :]
    assert rows == list(range(1, 1001, 20)) + list(range(1001, 1501, 20))
    assert frames[0].camera == shot.film.camera  # the whole scene first
    assert all(frame.caption.speed == "1x" for frame in frames)


def test_the_outcome_is_known_when_the_skill_has_ended() -> None:
    shot = _shot(300, 300, success=False)
    frames = storyboard([shot], pace([[shot]], FULL))
    ended = {frame.row for frame in frames if frame.caption.success is not None}
    assert ended == {300, 600}
    last = frames[-1]
    assert last.caption == Caption(
        "course, skill 2 of 2", "1x", "S1", "after 1 attempts", success=False
    )
    assert last.camera == shot.film.takes[1].camera
    still = decisive(shot, 0)
    assert (still.row, still.caption.speed, still.caption.success) == (151, "", False)


@given(
    st.lists(st.lists(st.integers(1, 20_000), min_size=1, max_size=12), min_size=1, max_size=3),
)
@settings(max_examples=40, deadline=None)
def test_a_fast_film_has_few_frames_and_shows_everything_evenly(lengths: list[list[int]]) -> None:
    shots = [_shot(*some) for some in lengths]
    quick = pace([shots], FAST)
    frames = storyboard(shots, quick)
    assert len(frames) <= 300
    assert quick.speed >= 2
    assert math.isclose(quick.speed * 10, round(quick.speed * 10))
    stride = quick.speed / (quick.fps * MODEL.opt.timestep)
    for shot in shots:
        rows = [frame.row for frame in frames if frame.shot is shot]
        assert rows == sorted(rows)
        assert max(np.diff(rows), default=0) <= stride + 1  # no jump is longer than another
        assert rows[-1] == len(shot.film.states) - 1


@needs_gl
@pytest.mark.parametrize(("panes", "size"), [(1, (720, 1280)), (2, (540, 1920)), (3, (1080, 1920))])
def test_panes_stand_side_by_side_and_the_shorter_one_waits(
    panes: int, size: tuple[int, int]
) -> None:
    shots = [_shot(40), *[_shot(20)] * (panes - 1)]
    quick = pace([[shot] for shot in shots], FAST)
    boards = [storyboard([shot], replace(quick, pause=1)) for shot in shots]
    images = list(drawn(boards, FAST, ["course", "three budgets"]))
    assert len(images) == max(map(len, boards))
    assert {image.shape for image in images} == {(*size, 3)}
    for top in range(0, size[0], 540 if panes > 1 else 720):
        assert len(np.unique(images[-1][top : top + 500].reshape(-1, 3), axis=0)) > 20


def test_a_caption_is_legible_and_leaves_the_middle_alone() -> None:
    grey = np.full((720, 1280, 3), 150, dtype=np.uint8)
    said = Caption("cleanup", "2x", "Close(top)", "after 96 attempts")
    shown = captioned(grey, said)
    assert shown.shape == grey.shape
    assert (shown[60:600] == grey[60:600]).all()
    assert (grey == 150).all()
    below = shown[620:].astype(int)
    assert below.max() == 255  # white words on a dark ground
    assert np.median(below) < 60
    good = captioned(grey, replace(said, success=True))[620:, 1000:].astype(int)
    bad = captioned(grey, replace(said, success=False))[620:, 1000:].astype(int)
    assert (good[..., 1] > good[..., 0] + 50).any()
    assert (bad[..., 0] > bad[..., 1] + 50).any()
    assert not (below[:, 1000:] != captioned(grey, said)[620:, 1000:]).any()


def test_words_that_are_too_long_are_cut_at_the_margin() -> None:
    grey = np.full((360, 640, 3), 150, dtype=np.uint8)
    long = captioned(grey, Caption("w" * 300, "2x", "w" * 300, "w" * 300, success=True))
    strip = long[-30:, -12:].astype(int)
    assert strip.max() < 70  # nothing is written in the margin
    assert card((640, 360), ["w" * 300, "x"])[:, -20:].max() < 70
