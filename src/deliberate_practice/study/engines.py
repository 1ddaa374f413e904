"""Where the sessions of a study run: on this machine, or on a Ray cluster.

An engine decides when and where a piece of work runs. Results do not depend on it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from typing import Protocol

from deliberate_practice.foundation.errors import ArgumentError, choose_from
from deliberate_practice.study.parallel import Done, LocalEngine, Piece

ENGINES = ("local", "ray")


class Engine(Protocol):
    """Runs independent pieces of work."""

    def run(
        self, work: Callable[[Piece], Done], pieces: Sequence[Piece]
    ) -> Generator[tuple[int, Done], None, None]:
        """Yield the number and result of each piece, in any order, as soon as it is finished.

        Closing the iterator stops all remaining work. ``work`` and the pieces are sent to other
        processes, so they must be picklable.
        """
        ...


def make_engine(
    name: str = "local",
    *,
    workers: int | None = None,
    address: str | None = None,
    cpus: float | None = None,
) -> Engine:
    """An engine by name.

    Args:
        name: ``local`` or ``ray``.
        workers: For ``local``: the number of processes; one for each core if it is None.
        address: For ``ray``: the cluster's address, e.g. ``head-node:6379`` or ``auto``; without
            one the cluster that Ray itself finds, or a new one on this machine.
        cpus: For ``ray``: processors that each piece of work keeps busy; 1 if it is None.

    Raises:
        ArgumentError: There is no such engine, or a value makes no sense.
        EngineError: Ray is not installed.
    """
    if name == "local":
        if address is not None:
            raise ArgumentError("address: only the engine ray has one; add --engine ray.")
        if cpus is not None:
            raise ArgumentError(
                "cpus: only the engine ray reserves processors for a session; add --engine ray, or "
                "say how many sessions run at once with --workers."
            )
        return LocalEngine(workers if workers is not None else os.cpu_count() or 1)
    if name == "ray":
        from deliberate_practice.study.ray_engine import RayEngine  # needs the extra

        if workers is not None:
            raise ArgumentError(
                "workers: the engine ray uses all processors of its cluster; leave it out."
            )
        return RayEngine(address) if cpus is None else RayEngine(address, cpus)
    raise ArgumentError("engine: " + choose_from(name, ENGINES))
