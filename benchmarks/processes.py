"""The pieces of a benchmark, in processes of their own and with progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from deliberate_practice.cli.progress import watched
from deliberate_practice.study.parallel import Done, LocalEngine, Piece


def worked_off(
    work: Callable[[Piece], Done], pieces: Sequence[Piece], unit: str, count: int, workers: int
) -> Iterator[Done]:
    """The results of all pieces, as they come.

    Args:
        work: A picklable function.
        pieces: What is left to do.
        unit: What a piece is called, in the plural.
        count: All pieces, those done before included.
        workers: Processes.
    """
    done = count - len(pieces)
    with (
        watched("practising", unit, count, done=done) as shown,
        closing(LocalEngine(workers).run(work, pieces)) as results,
    ):
        for number, (_, result) in enumerate(results, 1):
            yield result
            shown.update(done + number, count, number / len(pieces))
