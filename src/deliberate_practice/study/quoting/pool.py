"""Processes that rehearse; whoever stops does not wait for them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait


@contextmanager
def pool_of(workers: int) -> Iterator[Executor | None]:
    """Processes that rehearse; None if there is only this one."""
    if workers <= 1:
        yield None
        return
    context = get_context("spawn")
    ending, end = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(ending,))
    try:
        with _deaf():
            for _ in range(workers):
                pool.submit(_ready)  # starts one of them
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


def _begin(ending: Connection) -> None:
    """In a worker: leave Ctrl-C to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(ending,), daemon=True).start()


def _ready() -> None:
    """No work."""


def _watch(ending: Connection) -> None:
    """End when the parent closes its end of the pipe, or is killed."""
    wait([ending])
    os._exit(1)  # rehearsals leave nothing behind
