"""Numbers without their last bits."""

from __future__ import annotations

import math

import numpy as np

from deliberate_practice.foundation.rounding import rounded


def test_numbers_are_rounded_relative_to_their_size() -> None:
    assert rounded(1e-200 * (1 + 1e-13)) == rounded(1e-200)
    assert rounded(1e-200 * (1 + 1e-8)) > rounded(1e-200)
    assert rounded(-0.1 - 0.2) == rounded(-0.3)
    assert (rounded(0.0), rounded(1.0), rounded(math.inf)) == (0.0, 1.0, math.inf)
    assert rounded(5e-324) == 5e-324


def test_differences_are_rounded_relative_to_what_they_are_made_of() -> None:
    assert (0.3 - 0.2) != (0.2 - 0.1)
    assert rounded(0.3 - 0.2, 1) == rounded(0.2 - 0.1, 1)
    assert rounded(1 + 2e-16 - 1, 1) == rounded(0.0, 1) == 0


def test_arrays_are_rounded_number_by_number() -> None:
    values = np.random.default_rng(0).lognormal(sigma=20, size=(3, 50))
    found = rounded(values)
    assert found.tolist() == [[rounded(value) for value in row] for row in values.tolist()]
    np.testing.assert_allclose(found, values, rtol=1e-9)
