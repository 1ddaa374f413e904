"""The Ray engine on a real cluster of two node processes, one of them killed during the run."""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from traced_work import Traced

from deliberate_practice.foundation.errors import ArgumentError, EngineError
from deliberate_practice.foundation.installing import install_command
from deliberate_practice.study.engines import make_engine
from deliberate_practice.study.experiment import Experiment, Study
from deliberate_practice.study.parallel import LocalEngine
from deliberate_practice.study.ray_engine import RayEngine
from deliberate_practice.study.results import Results
from deliberate_practice.study.run_study import Status, prepare, run_prepared, run_study

pytestmark = pytest.mark.slow

TESTS = str(Path(__file__).parents[1])
STUDY = Study(
    "two",
    [
        Experiment("breakfast", "breakfast", [30, 45], strategies=["deliberate", "ees"], seeds=3),
        Experiment("again", "breakfast", [30], strategies=["ees", "random"], seeds=3),
    ],
)


@pytest.fixture(scope="module")
def head() -> Iterator[Any]:
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", TESTS, prepend=os.pathsep)  # nodes run code of the tests
        made: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        yield made
    finally:
        made.shutdown()


@pytest.fixture
def cluster(head: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A cluster of two nodes."""
    monkeypatch.setenv("PYTHONPATH", TESTS, prepend=os.pathsep)
    if not head.worker_nodes:
        head.add_node(num_cpus=1)
    return head


def test_a_node_is_killed_and_nothing_is_lost_or_counted_twice(
    cluster: Any, tmp_path: Path
) -> None:
    engine = RayEngine(cluster.address)
    work, numbers = Traced(tmp_path, 1.0), list(range(8))
    (other,) = cluster.worker_nodes
    node = other.all_processes["raylet"][0].process.pid
    found: dict[int, int] = {}
    lost: list[int] = []
    for index, square in engine.run(work, numbers):
        assert index not in found
        found[index] = square
        there = [n for n in numbers if n not in found and node in work.begun(n)]
        if there and not lost:
            lost = there
            cluster.remove_node(other, allow_graceful=False)  # in the middle of a piece
    assert found == {n: n * n for n in numbers}
    assert lost
    begun = [len(work.begun(n)) for n in lost]  # once, if it ended just before its node
    assert 2 in begun
    assert set(begun) <= {1, 2}

    with pytest.raises(ArgumentError, match="13 is not valid"):
        list(engine.run(work, [13]))
    with pytest.raises(EngineError, match="largest node of the cluster has 1"):
        list(RayEngine(cluster.address, cpus=64).run(work, [1]))


def test_a_study_is_the_same_local_on_ray_and_with_a_node_killed(
    cluster: Any, tmp_path: Path
) -> None:
    here = run_study(STUDY, engine=LocalEngine(1))

    def kill(status: Status) -> None:
        if status.done == 4:
            (other,) = cluster.worker_nodes
            cluster.remove_node(other, allow_graceful=False)

    kept = Results(tmp_path / "results.sqlite")
    there = run_prepared(prepare(STUDY, kept), RayEngine(cluster.address), kill)
    assert there == here
    assert [len(kept.known(one.loaded)) for one in here] == [12, 6]  # three are in both
    kept.close()
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM results").fetchone() == (15,)


@pytest.mark.parametrize("cpus", [0.0, 1e-5, float("inf")])
def test_processors_that_cannot_be_reserved_are_refused(cpus: float) -> None:
    with pytest.raises(ArgumentError, match=r"cpus: .* is not valid; give a number of at least"):
        RayEngine(None, cpus)


def test_a_cluster_that_does_not_answer_is_named() -> None:
    pytest.importorskip("ray")
    with pytest.raises(EngineError, match=r"no Ray cluster could be reached at '127\.0\.0\.1:1'"):
        list(RayEngine("127.0.0.1:1").run(str, [1]))


def test_without_ray_the_command_to_install_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(EngineError, match=re.escape(install_command("ray"))):
        make_engine("ray")
