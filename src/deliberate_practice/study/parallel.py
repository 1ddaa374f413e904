"""The engine ``local``: independent pieces of work in several processes of this machine."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from typing import Any, TypeVar

from deliberate_practice.errors import ArgumentError, EngineError

Piece = TypeVar("Piece")
Done = TypeVar("Done")
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class LocalEngine:
    """Processes on this machine.

    Args:
        workers: How many; with 1 everything is done here.
    """

    workers: int

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ArgumentError(f"workers: {self.workers} is not valid; give at least 1.")

    def run(
        self, work: Callable[[Piece], Done], pieces: Sequence[Piece]
    ) -> Generator[tuple[int, Done], None, None]:
        """The number and result of each piece, as they come."""
        if self.workers == 1 or len(pieces) <= 1:
            yield from ((index, work(piece)) for index, piece in enumerate(pieces))
            return
        # Fresh processes: a fork would copy locks that other threads hold.
        with ProcessPoolExecutor(
            min(self.workers, len(pieces)),
            mp_context=get_context("spawn"),
            initializer=_begin,
            initargs=(work,),
        ) as pool:
            futures = {pool.submit(_work, piece): index for index, piece in enumerate(pieces)}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            except BrokenProcessPool:
                raise EngineError(
                    "engine: a worker process was killed, perhaps for want of memory; take fewer "
                    "workers. What was finished and kept is not run again."
                ) from None
            finally:  # if somebody stops, what has not begun never does
                pool.shutdown(wait=False, cancel_futures=True)


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
    results: dict[int, Done] = {}
    with closing(LocalEngine(workers).run(work, pieces)) as done:
        for index, result in done:
            results[index] = result
            if progress:
                progress(len(results), len(pieces))
    return [results[index] for index in range(len(pieces))]


_WORK: Callable[[Any], Any]


def _begin(work: Callable[[Any], Any]) -> None:
    """Take the work along once, not with every piece."""
    global _WORK
    _WORK = work
    _end_with_parent()


def _work(piece: Any) -> Any:
    return _WORK(piece)


def _end_with_parent() -> None:
    """If the process that wants the results is killed, its workers end too."""
    parent = parent_process()
    assert parent is not None  # it was spawned

    def watch() -> None:
        parent.join()
        os._exit(1)  # nobody is left to tell

    threading.Thread(target=watch, daemon=True).start()
