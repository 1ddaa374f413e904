"""A belief that is derived from ours needs its policies, what it sees, and a curve."""

from __future__ import annotations

import numpy as np

import deliberate_practice as dp


class Steady(dp.Belief):
    """Believes the same whatever it sees."""

    @property
    def policies(self) -> list[str]:
        return ["Pick", "Place"]

    def after(self, batch: dp.Batch) -> Steady:
        return self

    def curve(self, policy: str, attempts: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.linspace(0.2 if policy == "Pick" else 0.4, 0.8, attempts + 1)


def test_the_rest_is_that_of_a_belief_without_uncertainty() -> None:
    belief = Steady()
    assert belief.competence("Place") == 0.4
    assert belief.band("Pick", 3).tolist() == [0, 0, 0, 0]
    mixture = belief.mixture(3)
    assert mixture.weights.tolist() == [1]
    assert {name: curve.shape for name, curve in mixture.curves.items()} == {
        "Pick": (1, 4),
        "Place": (1, 4),
    }
    assert np.array_equal(mixture.curves["Place"][0], belief.curve("Place", 3))
