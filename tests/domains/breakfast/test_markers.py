"""Markers are made at run time and found again where they are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from deliberate_practice.domains.breakfast.markers import CELLS, DOOR_MARKERS, Marker, detect, image
from deliberate_practice.domains.breakfast.microwave import DOOR
from deliberate_practice.robots.mujoco.canvas import Picture


def _sheet(number: int, top: int, left: int) -> Picture:
    """A grey page with one marker, its white margin included."""
    page = np.full((400, 600), 128, dtype=np.uint8)
    marker = image(number)
    page[top : top + len(marker), left : left + len(marker)] = marker
    return np.repeat(page[:, :, None], 3, axis=2)


@pytest.mark.parametrize("marker", DOOR_MARKERS)
def test_a_marker_is_found_to_a_tenth_of_a_pixel(marker: Marker) -> None:
    number = marker.number
    corners = detect(_sheet(number, 60, 100))
    assert list(corners) == [number]
    margin = len(image(number)) // (CELLS + 2)
    low, high = margin - 0.5, margin * (CELLS + 1) - 0.5  # edges are between pixels
    square = np.array([(low, low), (high, low), (high, high), (low, high)])
    assert corners[number] == pytest.approx(square + np.array([100, 60]), abs=0.1)


def test_markers_at_the_border_of_the_image_do_no_harm() -> None:
    number = DOOR_MARKERS[0].number
    assert list(detect(_sheet(number, 0, 0))) == [number]
    assert detect(_sheet(number, 0, 0)[40:, 40:]) == {}


def test_other_markers_and_nothing_are_no_door() -> None:
    assert detect(_sheet(1, 60, 100)) == {}
    assert detect(np.zeros((100, 100, 3), dtype=np.uint8)) == {}


def test_a_mirrored_marker_is_none() -> None:
    sheet = _sheet(DOOR_MARKERS[0].number, 60, 100)
    assert detect(np.ascontiguousarray(sheet[:, ::-1])) == {}
    turned = np.asarray(cv2.rotate(sheet, cv2.ROTATE_90_CLOCKWISE), dtype=np.uint8)
    assert list(detect(turned)) == [DOOR_MARKERS[0].number]


def test_markers_fit_on_the_door_beside_each_other() -> None:
    half = max(marker.side for marker in DOOR_MARKERS) / 2 * (CELLS + 2) / CELLS
    places = np.array([marker.centre for marker in DOOR_MARKERS])
    assert (places[:, 1] - half > 0).all()
    assert (places[:, 1] + half < DOOR[1]).all()
    assert (np.abs(places[:, 2]) + half < DOOR[2] / 2).all()
    assert abs(places[0, 1] - places[1, 1]) > 2 * half
