"""How many tasks the Ray engine sends, on a cluster that is not a real one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

from deliberate_practice.study.ray_engine import _stream


class ShrinkingCluster:
    """64 processors, of which 4 are left after the first result."""

    def __init__(self) -> None:
        self.cpus = 64.0

    def remote(self, **_: object) -> Callable[[object], object]:
        return lambda _: SimpleNamespace(
            remote=lambda version, shared, work, piece: ("task", piece)
        )

    def put(self, work: object) -> object:
        return work

    def cluster_resources(self) -> Mapping[str, float]:
        return {"CPU": self.cpus}

    def wait(self, tasks: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        self.cpus = 4.0
        return tasks[:num_returns], tasks[num_returns:]

    def get(self, task: tuple[str, int]) -> int:
        return task[1]

    def cancel(self, task: object, force: bool) -> None:
        """Nothing is running."""


def test_a_cluster_may_shrink() -> None:
    cluster: Any = ShrinkingCluster()
    done = list(_stream(cluster, str, range(500), 1.0))
    assert done == [(number, number) for number in range(500)]
