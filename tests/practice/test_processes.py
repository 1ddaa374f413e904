"""Several processes at once, processes that are killed, and the same seed elsewhere."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from counts import count

from deliberate_practice.practice.operating import askers
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session
from deliberate_practice.task.model import Task
from deliberate_practice.task.toml_writer import write_task

Start = Callable[..., Session]

WORKER = Path(__file__).with_name("worker.py")
KILLED = -signal.SIGKILL


class Workers:
    """Processes that practise, quick to start."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )

    def start(self, **arguments: object) -> int:
        """Number of a process that practises now."""
        return int(self._answer({"run": {"pause": 0.0, **arguments}}))

    def wait(self, process: int) -> tuple[int, list[int]]:
        """Exit status of a process once it is over, and the trials it ran."""
        answer = json.loads(self._answer({"wait": process}))
        return answer["status"], answer["ran"]

    def close(self) -> None:
        self._server.communicate()

    def _answer(self, command: dict[str, object]) -> str:
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(command) + "\n")
        self._server.stdin.flush()
        return self._server.stdout.readline()


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    server = Workers()
    yield server
    server.close()


@pytest.fixture
def task_file(shelf: Task, tmp_path: Path) -> str:
    path = tmp_path / "task.toml"
    write_task(shelf, path)
    return str(path)


def events(db: Path) -> list[tuple[str, str]]:
    raw = sqlite3.connect(db)
    rows = raw.execute("SELECT kind, data FROM events ORDER BY number").fetchall()
    raw.close()
    return rows


@pytest.mark.parametrize("number", [2, 4])
def test_processes_share_a_budget_and_no_trial(
    workers: Workers, db: Path, task_file: str, number: int
) -> None:
    budget = 101
    chosen = {"db": str(db), "task": task_file, "budget": budget, "strategy": "random", "seed": 0}
    processes = [workers.start(**chosen, pause=0.02) for _ in range(number)]
    ended = [workers.wait(process) for process in processes]
    assert [status for status, _ in ended] == [0] * number
    with open_session(db, "s") as session:
        state = session.state
        ran = sorted(trial for _, trials in ended for trial in trials)
        assert ran == list(range(1, len(state.records) + 1))
        assert sum(record.cost for record in state.records.values()) == state.spent
        assert budget - 2 <= state.spent <= budget
        assert not state.open_trials
    assert sum(1 for _, trials in ended if trials) >= 2  # nobody had it alone


def test_the_same_seed_gives_the_same_journal_in_another_process(
    workers: Workers, tmp_path: Path, task_file: str
) -> None:
    chosen = {"task": task_file, "budget": 60, "strategy": "deliberate"}
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        process = workers.start(**chosen, db=str(tmp_path / name), seed=seed)
        assert workers.wait(process)[0] == 0
    assert events(tmp_path / "a") == events(tmp_path / "b")
    assert events(tmp_path / "a") != events(tmp_path / "c")


def test_a_killed_session_goes_on_as_if_it_had_not_been(
    workers: Workers, tmp_path: Path, task_file: str
) -> None:
    chosen = {"task": task_file, "budget": 120, "strategy": "deliberate"}
    rng = np.random.default_rng(0)
    kills = seed = 0
    while kills < count(200):
        whole, parts = tmp_path / f"whole{seed}", tmp_path / f"parts{seed}"
        assert workers.wait(workers.start(**chosen, db=str(whole), seed=seed))[0] == 0
        status = KILLED
        while status == KILLED:
            process = workers.start(**chosen, db=str(parts), seed=seed)
            if kills < count(200):
                time.sleep(rng.uniform(0, 0.2))
                os.kill(process, signal.SIGKILL)
            status, _ = workers.wait(process)
            kills += status == KILLED
        assert status == 0
        assert events(parts) == events(whole)
        seed += 1


def test_who_is_gone() -> None:
    assert not askers.is_gone(askers.this_asker())
    assert not askers.is_gone(askers.parent_asker())
    assert not askers.is_gone("left arm")
    room = "deliberate_practice.practice.operating.askers"
    code = f"from {room} import *; print(this_asker(), flush=True);"
    process = subprocess.Popen(
        [sys.executable, "-c", code + "input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    name = process.stdout.readline().strip()
    assert not askers.is_gone(name)
    os.kill(process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert askers.is_gone(name)  # also while nobody has waited for it
    process.communicate()
    assert askers.is_gone(name)
    assert not askers.is_gone(name.replace("process:", "process:elsewhere-"))


def test_where_there_is_no_proc_a_living_process_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(askers, "_begun", lambda process, thread: None)
    name = askers.this_asker()
    assert name.endswith("/")
    assert not askers.is_gone(name)
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert askers.is_gone(name.replace(f"/{os.getpid()}/", f"/{process.pid}/"))


def test_threads_are_askers_of_their_own(start: Start, db: Path) -> None:
    start(50).close()
    got: list[int] = []
    gate = threading.Barrier(4)

    def ask() -> None:
        with open_session(db, "s") as session:
            trial = session.ask()
            assert trial is not None
            got.append(trial.id)
            gate.wait()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [1, 2, 3, 4]
    while any(Path(f"/proc/self/task/{thread.native_id}").exists() for thread in threads):
        time.sleep(0.01)  # a joined thread may be with the kernel a little longer
    with open_session(db, "s") as session:
        trial = session.ask()
        assert trial is not None
        assert trial.id == 1  # they are gone
