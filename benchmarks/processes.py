"""The jobs of a benchmark, in processes of their own and with progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any, TypeVar

from deliberate_practice.cli.progress import watched

T = TypeVar("T")


def worked_off(
    work: Callable[..., T], jobs: Sequence[tuple[Any, ...]], unit: str, count: int, workers: int
) -> Iterator[T]:
    """The results of all jobs, as they end; an error or Ctrl-C cancels those that did not begin.

    Args:
        work: A function of a module, called with each job's arguments.
        jobs: What is left to do.
        unit: What a job is called, in the plural.
        count: All jobs, those done before included.
        workers: Processes.
    """
    done = count - len(jobs)
    with (
        watched("practising", unit, count, done=done) as shown,
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
    ):
        try:
            running = [pool.submit(work, *job) for job in jobs]
            for number, finished in enumerate(as_completed(running), 1):
                yield finished.result()
                shown.update(done + number, count, number / len(jobs))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
