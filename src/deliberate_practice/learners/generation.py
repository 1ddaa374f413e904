"""One generation of a learner: its places, the candidates that hold them, and their outcomes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deliberate_practice.foundation.errors import ArgumentError


@dataclass(frozen=True)
class Told:
    """The outcome of one candidate."""

    success: bool
    score: float | None


class Generation:
    """Hands out candidates, one for each place, and collects their outcomes in any order.

    Args:
        first: Number of the first candidate.
        size: Number of places.
    """

    def __init__(self, first: int, size: int) -> None:
        self._first = first
        self._size = size
        self._places = list(range(size))  # of the candidates, in the order of their numbers
        self._asked = 0
        self._out: dict[int, int] = {}  # the place of each candidate that is out
        self._told: dict[int, Told] = {}  # by place

    @property
    def untold(self) -> int:
        """Places whose candidate was not told yet."""
        return self._size - len(self._told)

    @property
    def end(self) -> int:
        """Number of the next generation's first candidate."""
        return self._first + len(self._places)

    def ask(self) -> tuple[int, int] | None:
        """Number and place of the next candidate; None if all are out."""
        if self._asked == len(self._places):
            return None
        number, place = self._first + self._asked, self._places[self._asked]
        self._asked += 1
        self._out[number] = place
        return number, place

    def tell(self, number: int, told: Told) -> None:
        """Record the outcome of a candidate.

        Raises:
            ArgumentError: It is not out.
        """
        self._told[self._returned(number)] = told

    def refuse(self, number: int) -> tuple[int, int]:
        """Record that a candidate was not tried; another one will hold its place.

        Returns:
            The place, and how many of its candidates were refused by now.

        Raises:
            ArgumentError: It is not out.
        """
        place = self._returned(number)
        self._places.append(place)
        return place, self._places.count(place) - 1

    def succeeded(self, place: int) -> bool | None:
        """Whether the candidate at a place succeeded; None if not told yet."""
        told = self._told.get(place)
        return told.success if told else None

    @property
    def all_equal(self) -> bool:
        """Whether no candidate did better than another."""
        return len(set(self._told.values())) == 1

    def ranking(self, rng: np.random.Generator) -> list[int]:
        """Places from the best candidate to the worst; equals in random order."""
        tie = rng.permutation(self._size)

        def badness(place: int) -> tuple[bool, bool, float, int]:
            told = self._told[place]
            return (not told.success, told.score is None, -(told.score or 0.0), int(tie[place]))

        return sorted(range(self._size), key=badness)

    def place(self, number: int) -> int:
        """The place of a candidate that is out.

        Raises:
            ArgumentError: It is not out.
        """
        if number not in self._out:
            raise ArgumentError(
                f"id: {number!r} is not the number of a candidate that is out; those are: "
                f"{', '.join(map(str, self._out)) or 'none'}."
            )
        return self._out[number]

    def _returned(self, number: int) -> int:
        """The place of a candidate, which is no longer out."""
        place = self.place(number)
        del self._out[number]
        return place
