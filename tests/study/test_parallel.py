"""Work in several processes of this machine."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from traced_work import Traced

from deliberate_practice.foundation.errors import ArgumentError, EngineError
from deliberate_practice.study.engines import make_engine
from deliberate_practice.study.parallel import LocalEngine, in_processes

PROGRAM = """
import os, sys, time
from pathlib import Path
from deliberate_practice.study.parallel import in_processes

def work(folder):
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(600)

if __name__ == "__main__":
    in_processes(work, [sys.argv[1]] * 2, 2)
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_order(workers: int) -> None:
    seen: list[int] = []
    done = in_processes(math.factorial, [3, 1, 2], workers, seen.append)
    assert done == [6, 1, 2]
    assert sorted(seen) == [1, 2, 6]


def test_a_single_piece_is_run_where_it_can_be_killed(tmp_path: Path) -> None:
    work = Traced(tmp_path, 0.0)
    assert list(LocalEngine(2).run(work, [3])) == [(0, 9)]
    assert work.begun(3) == [os.getpid()]  # by a child of this process
    assert list(LocalEngine(2).run(work, [])) == []


def test_no_workers_are_refused() -> None:
    with pytest.raises(ArgumentError, match="at least 1"):
        in_processes(math.factorial, [1], 0)


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    program, folder = tmp_path / "program.py", tmp_path / "pids"
    program.write_text(PROGRAM)
    folder.mkdir()
    parent = subprocess.Popen([sys.executable, str(program), str(folder)])
    try:
        _wait(lambda: len(list(folder.iterdir())) == 2)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    workers = [int(path.name) for path in folder.iterdir()]
    _wait(lambda: not any(_runs(pid) for pid in workers))


def test_whoever_stops_does_not_wait(tmp_path: Path) -> None:
    running = LocalEngine(2).run(Traced(tmp_path, 1.0), [1, 2, 3, 4, *range(20, 40)])
    next(running)
    begun = time.monotonic()
    running.close()
    assert time.monotonic() - begun < 10
    assert len(list(tmp_path.iterdir())) < 20  # what had not begun never does


def test_errors_come_from_workers_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="13 is not valid"):
        list(LocalEngine(2).run(Traced(tmp_path, 0.0), [13, 14]))


def test_a_worker_that_is_killed_is_reported() -> None:
    with pytest.raises(EngineError, match="a worker process ended in the middle of a session"):
        list(LocalEngine(2).run(os._exit, [1, 1]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "magic"}, "engine: 'magic' is not one of: local, ray"),
        ({"name": "local", "workers": 0}, "workers: 0 is not valid"),
        ({"name": "local", "workers": 1.5}, r"workers: 1\.5 is not valid; give a whole number"),
        ({"name": "local", "address": "here:1"}, "only the engine ray has one"),
        ({"name": "ray", "workers": 2}, "leave it out"),
        ({"name": "ray", "cpus": 0.0}, r"cpus: 0\.0 is not valid"),
    ],
)
def test_engines_that_make_no_sense_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        make_engine(**arguments)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        try:
            os.kill(pid, 0)  # no /proc on this system
        except ProcessLookupError:
            return False
        return not Path("/proc/self").exists()
    return state != "Z"


def _wait(condition: object) -> None:
    assert callable(condition)
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)
