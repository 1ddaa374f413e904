"""Processes that end with the block that uses them.

They never hear Ctrl-C: whoever started them does, and leaves the block. Then they end at once, as
they do when the parent is killed.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait


def nothing() -> None:
    """Nothing to do."""


@contextmanager
def worker_pool(
    workers: int, begin: Callable[[], None] = nothing, leave: Callable[[], None] = nothing
) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes; an exception inside the block ends what is still at work.

    Args:
        workers: How many.
        begin: Called in each process before its first work.
        leave: Called in each process before it is ended, in a thread of its own.
    """
    context = get_context("spawn")  # a fork would copy locks that other threads hold
    ending, end = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(
        workers, context, initializer=_begin, initargs=(ending, begin, leave)
    )
    try:
        with _deaf():
            for _ in range(workers):
                pool.submit(nothing)  # starts one of them
        yield pool
    except BaseException:
        end.close()  # what is still at work ends now
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        end.close()
        ending.close()


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes that start inside never hear Ctrl-C; this one hears it at the end."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(ending: Connection, begin: Callable[[], None], leave: Callable[[], None]) -> None:
    """In a worker: leave Ctrl-C to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    begin()
    threading.Thread(target=_watch, args=(ending, leave), daemon=True).start()


def _watch(ending: Connection, leave: Callable[[], None]) -> None:
    """End when the parent closes its end of the pipe, or is killed."""
    wait([ending])
    leave()
    os._exit(1)  # nobody is left to tell
