"""The engine ``ray``: pieces of work as tasks of a Ray cluster, for those who outgrow a machine."""

from __future__ import annotations

import itertools
import os
import socket
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from deliberate_practice.foundation.errors import (
    ArgumentError,
    DeliberatePracticeError,
    EngineError,
)
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.study.parallel import Done, Piece

RETRIES = 5
"""How often a piece of work is begun anew after its worker or node was lost."""

FINEST = 0.001
"""The smallest part of a processor that can be reserved; Ray counts in ten-thousandths."""

CONNECT_SECONDS = 10.0
"""How long a cluster may take to answer."""

SHARED = ("LIBERO_ASSETS",)
"""Environment variables that decide results; workers get them from here."""


@dataclass(frozen=True)
class RayEngine:
    """Tasks on a Ray cluster.

    A piece whose worker or node is lost is run again elsewhere; each result comes once.

    Args:
        address: The cluster's address, e.g. ``head-node:6379`` or ``auto``; without one the
            cluster that Ray itself finds, or a new one on this machine.
        cpus: Processors that each piece keeps busy.

    Raises:
        EngineError: Ray is not installed.
    """

    address: str | None = None
    cpus: float = 1.0

    def __post_init__(self) -> None:
        if not FINEST <= self.cpus < float("inf"):
            raise ArgumentError(
                f"cpus: {self.cpus} is not valid; give a number of at least {FINEST:g}."
            )
        _ray()

    def run(
        self, work: Callable[[Piece], Done], pieces: Sequence[Piece]
    ) -> Generator[tuple[int, Done], None, None]:
        """The number and result of each piece, as they come."""
        ray = _ray()
        ours = not ray.is_initialized()  # somebody may be connected in this process already
        if ours:
            _connect(ray, self.address)
        try:
            _check_room(ray, self.cpus)
            yield from _stream(ray, work, pieces, self.cpus, cancels=not ours)
        finally:
            if ours:
                ray.shutdown()


def _ray() -> ModuleType:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    try:
        import ray
    except ModuleNotFoundError:
        raise EngineError(
            "engine: ray needs the package ray; leave out --engine to run on this machine, or run: "
            + install_command("ray")
        ) from None
    module: ModuleType = ray
    return module


def _connect(ray: ModuleType, address: str | None) -> None:
    host, _, port = (address or "").rpartition(":")
    try:
        if host and "/" not in host and port.isdigit():
            # Ray itself tries for minutes where nobody answers.
            socket.create_connection((host, int(port)), CONNECT_SECONDS).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (OSError, ValueError, RuntimeError) as error:
        where = f"at '{address}'" if address else "on this machine"
        reason = str(error).strip().splitlines()[0] if str(error).strip() else "no answer"
        raise EngineError(
            f"engine: no Ray cluster could be reached {where} ({reason}); start one with "
            "'ray start --head', or give its address with --address HOST:PORT."
        ) from None


def _check_room(ray: ModuleType, cpus: float) -> None:
    """Refuse to wait for ever for a node that is large enough."""
    largest = max((n["Resources"].get("CPU", 0.0) for n in ray.nodes() if n["Alive"]), default=0.0)
    if 0 < largest < cpus:
        raise EngineError(
            f"engine: {cpus:g} processors are wanted for a session, but the largest node of the "
            f"cluster has {largest:g}; give --cpus-per-cell {largest:g} or less."
        )


def _stream(
    ray: ModuleType,
    work: Callable[[Any], Any],
    pieces: Sequence[Any],
    cpus: float,
    *,
    cancels: bool = True,
) -> Generator[tuple[int, Any], None, None]:
    """Keep the cluster busy with a bounded number of tasks, and hand on results as they come.

    Args:
        ray: The package.
        work, pieces, cpus: As in :class:`RayEngine`.
        cancels: Whether to cancel what still runs if somebody stops or a piece fails. Ray ends it
            with the connection, and crashes if a task that is canceled has just ended: so cancel
            only where the connection stays.
    """
    from deliberate_practice.foundation.version import __version__

    shared = {name: os.environ[name] for name in SHARED if name in os.environ}
    task = ray.remote(num_cpus=cpus, max_retries=RETRIES)(_remotely)
    sent = ray.put(work)
    waiting = iter(enumerate(pieces))
    running: dict[Any, int] = {}
    try:
        while True:
            more = max(0, _room(ray, cpus) - len(running))  # a cluster may shrink
            for index, piece in itertools.islice(waiting, more):
                running[task.remote(__version__, shared, sent, piece)] = index
            if not running:
                return
            ready, _ = ray.wait(list(running), num_returns=1)
            for reference in ready:
                index = running.pop(reference)
                yield index, _result(ray, reference)
    finally:
        if cancels:
            for reference in running:
                ray.cancel(reference, force=True)


def _remotely(
    version: str, shared: Mapping[str, str], work: Callable[[Any], Any], piece: Any
) -> Any:
    from deliberate_practice.foundation.version import __version__

    if version != __version__:
        raise EngineError(
            f"engine: a node has version {__version__} of deliberate-practice, this machine "
            f"{version}; install the same one everywhere."
        )
    os.environ.update(shared)
    return work(piece)


def _room(ray: ModuleType, cpus: float) -> int:
    """How many tasks may be under way: enough that no node of the cluster ever waits for one."""
    return max(16, int(4 * ray.cluster_resources().get("CPU", 0.0) / cpus))


def _result(ray: ModuleType, reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, DeliberatePracticeError):
            raise error.cause from None
        raise
    except ray.exceptions.RayError as error:
        raise EngineError(
            f"engine: a session was lost {RETRIES + 1} times with its worker "
            f"({type(error).__name__}); look at the nodes' memory and logs. What was finished and "
            "kept is not run again."
        ) from None
