"""Evidence: outcomes reach the belief as batches of a round."""

from __future__ import annotations

from deliberate_practice.beliefs.belief import Batch, Belief
from deliberate_practice.practice.evidence import Evidence


class Spy:
    """Notes what it is told; what it believes does not matter."""

    def __init__(self, past: tuple[Batch, ...] = ()) -> None:
        self.past = past

    def after(self, batch: Batch) -> Spy:
        return Spy((*self.past, batch))


def test_rounds_become_batches() -> None:
    evidence = Evidence(lambda: Spy())  # type: ignore[arg-type,return-value]  # all that is used
    evidence.explored("Pick", 0, True)
    evidence.explored("Pick", 1, False)
    assert _past(evidence.belief) == (Batch("Pick", 0, 2, 1),)
    evidence.explored("Box", 0, False)
    evidence.deployed("Pick", 2, True)
    for before in range(2, 6):
        evidence.explored("Pick", before, True)
        evidence.close_round("Pick", last=False)  # complete by its number
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


def test_a_belief_does_not_depend_on_when_it_was_looked_at() -> None:
    """A session that was killed looks at its belief less often than one that was not."""
    pasts = []
    for looks in (False, True):
        evidence = Evidence(lambda: Spy())  # type: ignore[arg-type,return-value]
        evidence.tested("Pick", 6, True)
        evidence.explored("Pick", 6, False)
        if looks:
            assert _past(evidence.belief)[0].test  # it came before the attempt
        evidence.close_deployed()
        pasts.append(_past(evidence.belief))
    assert pasts[0] == pasts[1]


def test_a_round_is_complete_with_its_last_attempt_or_a_full_number() -> None:
    """Of a learner that says where its rounds end, and of one that goes on for ever."""
    for last, expected in (
        (lambda number: number % 3 == 2, [3, 3, 3, 3]),
        (lambda number: False, [6, 6]),
        (lambda number: True, [1] * 12),
    ):
        evidence = Evidence(lambda: Spy())  # type: ignore[arg-type,return-value]
        for number in range(12):
            evidence.explored("Pick", number, True)
            evidence.close_round("Pick", last=last(number))
        batches = _past(evidence.belief)
        assert [batch.attempts for batch in batches] == expected
        assert [batch.before for batch in batches] == [
            sum(expected[:index]) for index in range(len(expected))
        ]


def _past(belief: Belief) -> tuple[Batch, ...]:
    past: tuple[Batch, ...] = belief.past  # type: ignore[attr-defined]  # the spy above
    return past
