"""From films to pictures: which states a video shows, from where, with which words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np

from deliberate_practice.robots.mujoco.canvas import Picture
from deliberate_practice.robots.mujoco.caption import Caption, captioned, card
from deliberate_practice.robots.mujoco.film import Film
from deliberate_practice.robots.mujoco.rendering import Camera, Studio

PAUSE = 0.8
"""How long a video stands still before the first skill and after each one [s]."""

MOVE = 0.8
"""How long the camera moves from one skill to the next [s]."""

SIZES = {1: (1280, 720), 2: (960, 540), 3: (960, 540), 4: (960, 540)}
"""Width and height of each of so many pictures side by side [pixels]."""


@dataclass(frozen=True)
class Quality:
    """How a video is drawn.

    Attributes:
        fps: Pictures per second.
        speed: How many times as fast as it was everything is shown, at least.
        most: The largest number of pictures; a longer video is shown faster. None: any number.
        oversampling, shadows, reflections: As in ``Camera``.
    """

    fps: float
    speed: float
    most: int | None
    oversampling: float
    shadows: int
    reflections: bool


QUALITIES: Mapping[str, Quality] = {
    "full": Quality(25.0, 1.0, None, 1.25, 4096, True),
    "fast": Quality(15.0, 2.0, 300, 1.0, 0, False),
}
"""The qualities of videos by name."""

STILL = replace(QUALITIES["full"], oversampling=2.0)
"""The quality of a single picture."""


@dataclass(frozen=True, eq=False)
class Shot:
    """A film with its words.

    Attributes:
        film: The film.
        headline: What is filmed.
        details: What is said of each skill of the plan, whether the film comes that far or not.
    """

    film: Film
    headline: str
    details: Sequence[str]


@dataclass(frozen=True)
class Frame:
    """One picture of a video.

    Attributes:
        shot: What it is taken from.
        row: The state that it shows.
        camera: Where that is seen from.
        caption: The words in it.
    """

    shot: Shot
    row: int
    camera: Camera
    caption: Caption


@dataclass(frozen=True)
class Pace:
    """How films become pictures in time.

    Attributes:
        fps: Pictures per second.
        speed: How many times as fast as it was everything is shown.
        pause: Pictures that stand still before the first skill and after each one.
    """

    fps: float
    speed: float
    pause: int

    @property
    def word(self) -> str:
        """The speed for people: ``2x``."""
        return f"{self.speed:g}x"


def pace(panes: Sequence[Sequence[Shot]], quality: Quality) -> Pace:
    """The slowest pace at which no pane has more pictures than the quality allows.

    Args:
        panes: What is shown side by side; in each of them, one after the other.
        quality: How it is drawn.
    """
    pause, speed = round(PAUSE * quality.fps), quality.speed
    if quality.most is not None:
        for shots in panes:
            takes = sum(len(shot.film.takes) for shot in shots)
            pauses = takes + 2 * len(shots)
            pause = min(pause, quality.most // (3 * pauses))
            left = quality.most - pause * pauses - takes
            needed = sum(shot.film.seconds for shot in shots) * quality.fps / max(left, 1)
            speed = max(speed, math.ceil(10 * needed) / 10)
    return Pace(quality.fps, speed, pause)


def storyboard(shots: Sequence[Shot], pace: Pace) -> list[Frame]:
    """The pictures of some shots, one after the other.

    Each shot begins with the whole scene. Then the camera goes to each skill in turn, and stands
    still for a moment after it, when its outcome is known; after the last one twice as long.
    """
    return [frame for shot in shots for frame in _frames(shot, pace)]


def decisive(shot: Shot, take: int) -> Frame:
    """The picture of the moment that decides a skill, with its outcome."""
    chosen = shot.film.takes[take]
    return Frame(shot, chosen.decisive, chosen.camera, _caption(shot, take, "", chosen.success))


def drawn(
    panes: Sequence[Sequence[Frame]], quality: Quality, lines: Sequence[str] = ()
) -> Iterator[Picture]:
    """Draw pictures side by side, as many as the longest pane has; others stand still at their end.

    Args:
        panes: The pictures of each pane, 1 to 4 panes.
        quality: How they are drawn.
        lines: What is written where three panes leave room for a fourth.

    Raises:
        RenderingUnavailable: No OpenGL library works here; the message says what to install.
    """
    size = width, height = SIZES[len(panes)]
    columns = min(len(panes), 2)
    rows = -(-len(panes) // columns)
    whole = np.zeros((rows * height, columns * width, 3), dtype=np.uint8)
    if len(panes) % columns:
        whole[-height:, -width:] = card(size, lines)
    with ExitStack() as stack:
        studios = dict[Film, Studio]()
        for film in dict.fromkeys(frame.shot.film for frames in panes for frame in frames):
            camera = replace(
                film.camera,
                width=width,
                height=height,
                oversampling=quality.oversampling,
                shadows=quality.shadows,
                reflections=quality.reflections,
            )
            studios[film] = stack.enter_context(Studio(film.model, camera))
        shown = dict[int, Frame]()
        for number in range(max(map(len, panes))):
            for place, frames in enumerate(panes):
                frame = frames[min(number, len(frames) - 1)]
                if shown.get(place) == frame:
                    continue
                film = frame.shot.film
                image = studios[film].picture(film.states[frame.row], frame.camera)
                top, left = place // columns * height, place % columns * width
                part = whole[top : top + height, left : left + width]
                part[:] = captioned(image, frame.caption)
                shown[place] = frame
            yield whole.copy()


def _frames(shot: Shot, pace: Pace) -> Iterator[Frame]:
    film = shot.film
    stride = pace.speed / (pace.fps * float(film.model.opt.timestep))
    before = film.camera
    opening = Frame(shot, 0, before, _caption(shot, 0, pace.word, None))
    yield from [opening] * pace.pause
    for number, (take, end) in enumerate(zip(film.takes, film.ends, strict=True)):
        caption = _caption(shot, number, pace.word, None)
        count = math.ceil((end - take.begin) / stride)
        moving = min(MOVE * pace.fps, count)  # it has arrived when the skill ends
        for step in range(count):
            camera = before.towards(take.camera, (1 + step) / moving)
            yield Frame(shot, min(take.begin + round(step * stride), end - 1), camera, caption)
        done = Frame(shot, end - 1, take.camera, _caption(shot, number, pace.word, take.success))
        yield from [done] * (pace.pause if number < len(film.takes) - 1 else 2 * pace.pause)
        before = take.camera


def _caption(shot: Shot, take: int, speed: str, success: bool | None) -> Caption:
    count = f", skill {take + 1} of {len(shot.details)}" if len(shot.details) > 1 else ""
    skill = shot.film.takes[take].step.skill
    return Caption(f"{shot.headline}{count}", speed, skill, shot.details[take], success)
