"""Independent pieces of work in several processes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
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
) -> list[Done]:
    """What the work makes of each piece, in the order of the pieces.

    Args:
        work: A function that can be sent to another process.
        pieces: What to do.
        workers: Processes to use; with 1 it is done here.
        progress: Called with (pieces done, pieces in all).
    """
    if workers < 1:
        raise ArgumentError(f"workers: {workers} is not valid; give at least 1.")
    results = []
    for result in _mapped(work, pieces, workers):
        results.append(result)
        if progress:
            progress(len(results), len(pieces))
    return results


def _mapped(work: Callable[[Piece], Done], pieces: Sequence[Piece], workers: int) -> Iterator[Done]:
    if workers == 1 or len(pieces) == 1:
        yield from map(work, pieces)
        return
    # Fresh processes: a fork would copy locks that other threads hold.
    with ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_end_with_parent
    ) as pool:
        yield from pool.map(work, pieces)


def _end_with_parent() -> None:
    """If the process that wants the results is killed, its workers end too."""
    parent = parent_process()
    assert parent is not None  # it was spawned

    def watch() -> None:
        parent.join()
        os._exit(1)  # nobody is left to tell

    threading.Thread(target=watch, daemon=True).start()
