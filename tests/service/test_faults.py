"""Whatever is killed or lost, the journal is the same: no trial lost, none counted twice."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from counts import FULL
from faulty_service import BadNetwork, Lab, Workers, events

from deliberate_practice.practice.sessions import open_session

SERVER_KILLS = 100 if FULL else 8
ROBOT_KILLS = 50 if FULL else 5
NETWORK_FAULTS = 400 if FULL else 20
BUDGET = 60 if FULL else 36


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    server = Workers()
    yield server
    server.close()


@pytest.fixture
def lab(workers: Workers, tmp_path: Path) -> Iterator[Lab]:
    service = Lab(workers, tmp_path / "lab.db")
    yield service
    service.close()


def robot(lab: Lab, name: str, seed: int, url: str | None = None) -> int:
    return lab.workers.start(
        "robot", url or lab.url, "--session", name, "--token", lab.token, "--as", "arm",
        "--robot", "regions", "--start", "cleanup", "--budget", str(BUDGET), "--seed", str(seed),
    )  # fmt: skip


def reference(lab: Lab, seed: int) -> list[tuple[str, str]]:
    """The journal if nothing goes wrong."""
    lab.wait()
    assert lab.workers.wait(robot(lab, f"whole {seed}", seed)) == 0
    return events(lab.db, f"whole {seed}")


def check(lab: Lab, name: str, whole: list[tuple[str, str]]) -> None:
    with open_session(lab.db, name) as session:
        state = session.state
        assert sorted(state.records) == list(range(1, len(state.records) + 1))
        assert not state.open_trials
        assert sum(record.cost for record in state.records.values()) == state.spent == BUDGET
        told = [kind for kind, _ in events(lab.db, name) if kind == "tell"]
        assert len(told) == len(state.records)
    assert events(lab.db, name) == whole


def test_a_killed_service_loses_nothing(lab: Lab) -> None:
    rng = np.random.default_rng(0)
    kills = seed = 0
    while kills < SERVER_KILLS:
        whole = reference(lab, seed)
        process = robot(lab, f"parts {seed}", seed)
        while kills < SERVER_KILLS and _runs(lab, f"parts {seed}"):
            lab.wait()
            time.sleep(rng.uniform(0, 0.3))
            assert lab.workers.kill(lab.process)
            kills += 1
            lab.start()
        assert lab.workers.wait(process) == 0
        check(lab, f"parts {seed}", whole)
        seed += 1


def _runs(lab: Lab, name: str) -> bool:
    return sum(kind == "tell" for kind, _ in events(lab.db, name)) < BUDGET


def test_a_killed_robot_loses_nothing(lab: Lab) -> None:
    rng = np.random.default_rng(1)
    kills = seed = 0
    while kills < ROBOT_KILLS:
        whole = reference(lab, seed)
        while kills < ROBOT_KILLS and _runs(lab, f"parts {seed}"):
            process = robot(lab, f"parts {seed}", seed)
            time.sleep(rng.uniform(0, 0.5))
            kills += lab.workers.kill(process)
        assert lab.workers.wait(robot(lab, f"parts {seed}", seed)) == 0
        check(lab, f"parts {seed}", whole)
        seed += 1


def test_a_network_that_loses_and_doubles_changes_nothing(lab: Lab) -> None:
    faults = seed = 0
    while faults < NETWORK_FAULTS:
        whole = reference(lab, seed)
        network = BadNetwork(lab.port, seed)
        try:
            assert lab.workers.wait(robot(lab, f"parts {seed}", seed, network.url)) == 0
        finally:
            network.close()
        time.sleep(0.3)  # until the last doubled request has come
        assert min(network.faults.values()) > 0
        faults += sum(network.faults.values())
        check(lab, f"parts {seed}", whole)
        seed += 1
