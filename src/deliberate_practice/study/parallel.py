"""The engine ``local``: independent pieces of work in several processes of this machine."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from typing import Any, TypeVar

from deliberate_practice.foundation.checks import whole_number
from deliberate_practice.foundation.errors import EngineError
from deliberate_practice.foundation.worker_pool import worker_pool
from deliberate_practice.study.watchdog import overdue

Piece = TypeVar("Piece")
Done = TypeVar("Done")

MOST_WORKERS = 1024
PATIENCE_SECONDS = 2.0
"""How long a piece of work that is stopped may take to clean up."""


@dataclass(frozen=True)
class LocalEngine:
    """Processes on this machine.

    Args:
        workers: How many; with 1 all work runs in this process, where nothing can be killed.
    """

    workers: int

    def __post_init__(self) -> None:
        whole_number("workers", self.workers, 1, MOST_WORKERS)

    def run(
        self, work: Callable[[Piece], Done], pieces: Sequence[Piece]
    ) -> Generator[tuple[int, Done], None, None]:
        """The number and result of each piece, as they come.

        A worker whose piece makes no progress (see :mod:`.watchdog`) is killed; ``work.ended``
        gives the result of the piece, and new workers run all others.
        """
        if self.workers == 1:
            yield from ((index, work(piece)) for index, piece in enumerate(pieces))
            return
        waiting = dict(enumerate(pieces))
        while waiting:
            lost: list[int] = []
            with closing(self._in_pool(work, dict(waiting), lost)) as done:
                for index, result in done:
                    del waiting[index]
                    yield index, result
            for index in lost:
                yield index, work.ended(waiting.pop(index))  # type: ignore[attr-defined] # it has one

    def _in_pool(
        self, work: Callable[[Piece], Done], pieces: Mapping[int, Piece], lost: list[int]
    ) -> Generator[tuple[int, Done], None, None]:
        """Results until all pieces are done, or until one of them had to be killed."""
        killed: SimpleQueue[int] = get_context("spawn").SimpleQueue()
        begin = partial(_begin, work, killed)
        try:
            with worker_pool(min(self.workers, len(pieces)), begin, _let_end) as pool:
                futures = {pool.submit(_work, i, piece): i for i, piece in pieces.items()}
                for future in as_completed(futures):
                    yield futures[future], future.result()
        except BrokenProcessPool:
            while not killed.empty():
                lost.append(killed.get())
            if lost:
                return
            raise EngineError(
                "engine: a worker process ended in the middle of a session: it ran out of memory, "
                "was killed, or a strategy called os._exit. Take fewer workers, or mend the "
                "strategy; a script of your own needs if __name__ == '__main__'. What was finished "
                "and kept is not run again."
            ) from None
        finally:
            killed.close()


def in_processes(
    work: Callable[[Piece], Done],
    pieces: Sequence[Piece],
    workers: int,
    finished: Callable[[Done], None] | None = None,
) -> list[Done]:
    """The result of each piece of work, in the order of the pieces.

    Args:
        work: A picklable function.
        pieces: Its arguments.
        workers: Processes to use; with 1, or a single piece, the work runs in this process.
        finished: Called with each result as it comes.
    """
    engine = LocalEngine(workers)
    if len(pieces) <= 1:  # nothing to share, and nothing that is killed
        engine = LocalEngine(1)
    results: dict[int, Done] = {}
    with closing(engine.run(work, pieces)) as done:
        for index, result in done:
            results[index] = result
            if finished:
                finished(result)
    return [results[index] for index in range(len(pieces))]


_WORK: Callable[[Any], Any]
_index = -1
"""The piece that this worker is working on."""
_busy, _idle = threading.Event(), threading.Event()


def _begin(work: Callable[[Any], Any], killed: SimpleQueue[int]) -> None:
    """In a worker: take the work along once, not with every piece."""
    global _WORK
    _WORK = work
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_guard, args=(killed,), daemon=True).start()


def _work(index: int, piece: Any) -> Any:
    global _index
    _index = index
    _idle.clear()
    _busy.set()
    try:
        return _WORK(piece)
    finally:
        _busy.clear()
        _idle.set()


def _let_end() -> None:
    """In a worker that is ended: let the piece clean up behind itself."""
    if _busy.is_set():
        os.kill(os.getpid(), signal.SIGTERM)
        _idle.wait(PATIENCE_SECONDS)


def _guard(killed: SimpleQueue[int]) -> None:
    """End with the piece if it makes no progress and does not end by itself."""
    while not overdue():
        time.sleep(1.0)
    killed.put(_index)
    os._exit(1)


def _leave(*_: object) -> None:
    raise SystemExit(1)
