"""Independent pieces of work in several processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context, parent_process
from typing import TypeVar

from deliberate_practice.errors import ArgumentError

Piece = TypeVar("Piece")
Done = TypeVar("Done")
Progress = Callable[[int, int], None]


def in_processes(
    work: Callable[[Piece], Done],
    pieces: Sequence[Piece],
    workers: int,
    progress: Progress | None = None,
    finished: Callable[[Done], None] | None = None,
) -> list[Done]:
    """What the work makes of each piece, in the order of the pieces.

    Args:
        work: A function that can be sent to another process.
        pieces: What to do.
        workers: Processes to use; with 1 it is done here.
        progress: Called with (pieces done, pieces in all).
        finished: Called with every result as soon as it is there, in any order.
    """
    if workers < 1:
        raise ArgumentError(f"workers: {workers} is not valid; give at least 1.")
    results: dict[int, Done] = {}
    for index, result in _done(work, pieces, workers):
        results[index] = result
        if finished:
            finished(result)
        if progress:
            progress(len(results), len(pieces))
    return [results[index] for index in range(len(pieces))]


def _done(
    work: Callable[[Piece], Done], pieces: Sequence[Piece], workers: int
) -> Iterator[tuple[int, Done]]:
    """The number and result of each piece, as they come."""
    if workers == 1 or len(pieces) <= 1:
        yield from ((index, work(piece)) for index, piece in enumerate(pieces))
        return
    # Fresh processes: a fork would copy locks that other threads hold.
    with ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_end_with_parent
    ) as pool:
        futures = {pool.submit(work, piece): index for index, piece in enumerate(pieces)}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:  # if somebody stops, what has not begun never does
            pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """If the process that wants the results is killed, its workers end too."""
    parent = parent_process()
    assert parent is not None  # it was spawned

    def watch() -> None:
        parent.join()
        os._exit(1)  # nobody is left to tell

    threading.Thread(target=watch, daemon=True).start()
