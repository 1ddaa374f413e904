from statistics import NormalDist

import numpy as np
import pytest

from deliberate_practice.learners.deviates import EvenDeviates


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_a_region_gets_its_share_more_evenly_than_by_chance(dimension: int) -> None:
    """Of 60 random points, 6 are in a corner of probability 0.1, give or take 2.3."""
    edge = NormalDist().inv_cdf(1 - 0.1 ** (1 / dimension))
    found = []
    for seed in range(200):
        even = EvenDeviates([seed], dimension, 0, 60)
        points = np.array([even.draw() for _ in range(60)])
        found.append(np.sum((points > edge).all(axis=1)))
    assert np.mean(found) == pytest.approx(6.0, abs=0.3)
    assert np.std(found) < {1: 0.8, 2: 1.2, 3: 1.6}[dimension]


def test_a_later_stretch_goes_on_where_the_first_ended() -> None:
    whole, first = EvenDeviates([7], 2, 0, 12), EvenDeviates([7], 2, 0, 6)
    second = EvenDeviates([7], 2, 6, 6)
    parts = [first.draw() for _ in range(6)] + [second.draw() for _ in range(6)]
    assert [whole.draw().tolist() for _ in range(12)] == [part.tolist() for part in parts]


def test_what_comes_after_the_stretch_is_random_and_reproducible() -> None:
    some, same = EvenDeviates([7], 2, 6, 1), EvenDeviates([7], 2, 6, 1)
    drawn = [some.draw().tolist() for _ in range(200)]
    assert drawn == [same.draw().tolist() for _ in range(200)]
    assert abs(np.mean(drawn)) < 0.2
    assert np.std(drawn) == pytest.approx(1.0, abs=0.15)
