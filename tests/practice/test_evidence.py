"""Evidence: outcomes reach the belief as batches of a generation."""

from __future__ import annotations

from deliberate_practice.beliefs.belief import Batch, Belief
from deliberate_practice.practice.evidence import Evidence


def test_generations_become_batches() -> None:
    class Spy:
        """Notes what it is told; what it believes does not matter."""

        def __init__(self, past: tuple[Batch, ...] = ()) -> None:
            self.past = past

        def after(self, batch: Batch) -> Spy:
            return Spy((*self.past, batch))

    evidence = Evidence(lambda: Spy())  # type: ignore[arg-type,return-value]  # all that is used
    evidence.explored("Pick", 0, True)
    evidence.explored("Pick", 1, False)
    assert _past(evidence.belief) == (Batch("Pick", 0, 2, 1),)
    evidence.explored("Box", 0, False)
    evidence.deployed("Pick", 2, True)
    for before in range(2, 6):
        evidence.explored("Pick", before, True)
    evidence.close_generation("Pick")
    assert _past(evidence.belief) == (
        Batch("Pick", 0, 6, 5),
        Batch("Pick", 2, 1, 1, explore=False),
        Batch("Box", 0, 1, 0),
    )
    evidence.close_deployed()
    evidence.explored("Pick", 6, True)
    assert _past(evidence.belief)[1:] == (
        Batch("Pick", 2, 1, 1, explore=False),
        Batch("Box", 0, 1, 0),
        Batch("Pick", 6, 1, 1),
    )


def _past(belief: Belief) -> tuple[Batch, ...]:
    past: tuple[Batch, ...] = belief.past  # type: ignore[attr-defined]  # the spy above
    return past
