"""Words in a picture: what is filmed, the skill, how much it was practised, and its outcome."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from deliberate_practice.robots.mujoco.canvas import Picture

DARK, LIGHT, GREY = (18, 22, 28), (255, 255, 255), (205, 212, 220)
GREEN, RED = (27, 120, 70), (178, 42, 38)
OPACITY = 0.78
"""Of the strips behind the words."""

ABOVE, BELOW, MARGIN = 48, 100, 28
"""Heights of the strips above and below, and the space beside the words, in 720 lines."""

OUTCOMES = {True: ("success", GREEN), False: ("failure", RED)}


@dataclass(frozen=True)
class Caption:
    """The words in a picture.

    Attributes:
        headline: What is filmed.
        speed: How fast it is shown.
        skill: What the robot is doing.
        detail: How much it has practised that.
        success: The outcome of the skill; None until it is known.
    """

    headline: str
    speed: str
    skill: str
    detail: str
    success: bool | None = None


def captioned(image: Picture, caption: Caption) -> Picture:
    """A picture with a strip of words above and one below; what happens is seen between them."""
    height, width = image.shape[:2]
    scale = _scale(height)
    above, below, margin = (round(scale * size) for size in (ABOVE, BELOW, MARGIN))
    shown = image.copy()
    for strip in (shown[:above], shown[height - below :]):
        strip[:] = (1 - OPACITY) * strip + OPACITY * np.array(DARK)
    picture = Image.fromarray(shown)
    draw = ImageDraw.Draw(picture)
    speed = _font(scale * 24, bold=True)
    right = width - margin
    draw.text((right, above / 2), caption.speed, LIGHT, speed, anchor="rm")
    room = right - 2 * margin - speed.getlength(caption.speed)
    _write(draw, (margin, above / 2), caption.headline, LIGHT, scale * 24, room)
    if caption.success is not None:
        right = _badge(draw, (right, height - below / 2), caption.success, scale) - margin
    line = height - below
    _write(draw, (margin, line + 0.35 * below), caption.skill, LIGHT, scale * 34, right, bold=True)
    _write(draw, (margin, line + 0.74 * below), caption.detail, GREY, scale * 24, right)
    return np.asarray(picture)


def card(size: tuple[int, int], lines: Sequence[str]) -> Picture:
    """Words on a dark ground, where there is no picture."""
    picture = Image.new("RGB", size, DARK)
    draw = ImageDraw.Draw(picture)
    scale = _scale(size[1])
    margin, step = round(2 * scale * MARGIN), scale * 44
    top = (size[1] - step * (len(lines) - 1)) / 2
    for number, line in enumerate(lines):
        colour, bold = (LIGHT, True) if number == 0 else (GREY, False)
        at = (margin, top + number * step)
        _write(draw, at, line, colour, scale * 26, size[0] - 2 * margin, bold=bold)
    return np.asarray(picture)


def _scale(height: int) -> float:
    """Words shrink less than the picture, so that they can be read in a small one."""
    return 0.3 + 0.7 * height / 720


def _badge(
    draw: ImageDraw.ImageDraw, right: tuple[float, float], success: bool, scale: float
) -> float:
    """The outcome on a coloured ground that ends at a point; returns its left side."""
    word, colour = OUTCOMES[success]
    font, (x, y) = _font(scale * 28, bold=True), right
    left = x - font.getlength(word) - scale * 40
    box = (left, y - scale * 26, x, y + scale * 26)
    draw.rounded_rectangle(box, scale * 10, colour)
    draw.text(((left + x) / 2, y), word, LIGHT, font, anchor="mm")
    return left


def _write(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    colour: tuple[int, int, int],
    size: float,
    room: float,
    *,
    bold: bool = False,
) -> None:
    """A line that begins at a point, smaller if it is too long for the room, and cut at last."""
    font = _font(size, bold=bold)
    if font.getlength(text) > room:
        font = _font(0.75 * size, bold=bold)
    while len(text) > 1 and font.getlength(text) > room:
        text = text.rstrip("…")[:-1] + "…"
    draw.text(at, text, colour, font, anchor="lm")


@functools.cache
def _font(size: float, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """DejaVu Sans, which comes with matplotlib."""
    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return ImageFont.truetype(fonts / f"DejaVuSans{'-Bold' * bold}.ttf", round(size))
