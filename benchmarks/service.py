"""How long robots wait for the service: many ask and tell at once.

    python benchmarks/service.py [--robots 50] [--seconds 60] [--episode 1.0]

Everything stays on this computer. Prints the 50th and 99th percentile of ask and tell, and how many
asks were answered ``wait`` although something useful could have been practised: none should be.
"""

from __future__ import annotations

import argparse
import http.client
import json
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from idle_asks import idle_asks

from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.service.store import ServiceStore
from deliberate_practice.service.tokens import make_token

EPISODE = 1.0
"""Mean duration of an episode [s], within a half more or less; a robot's takes far longer."""


@dataclass
class Load:
    """What robots met.

    Attributes:
        asks, tells: How long each request took, without the time that an ask may wait [s].
        later: The asks but for the first one of each robot, which all come at once.
        faults: Answers that were no success.
        ran: The trials of each robot.
        waits: The journal's last event at each answer ``wait``, and the robot.
    """

    asks: list[float] = field(default_factory=list)
    later: list[float] = field(default_factory=list)
    tells: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    ran: list[list[int]] = field(default_factory=list)
    waits: list[tuple[int, str]] = field(default_factory=list)


def measure(
    folder: Path, task: str, robots: int, seconds: float, budget: int, episode: float = EPISODE
) -> Load:
    """Let robots ask and tell at once for a time.

    Args:
        folder: Where the journal is made.
        task: The task.
        robots: How many.
        seconds: How long [s].
        budget: Budget units.
        episode: Duration of an episode [s].
    """
    db = folder / "lab.db"
    start_session(db, "load", load_task(task), budget, approach="free").close()
    with closing(ServiceStore(db)) as store:
        tokens = [make_token(store, "robot", f"robot {i}", "load") for i in range(robots)]
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = "from deliberate_practice.cli import main; main()"
    words = ["serve", "--db", str(db), "--port", str(port)]
    service = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, text=True
    )
    try:
        assert service.stdout is not None
        service.stdout.readline()
        return _practised(port, tokens, seconds, episode)
    finally:
        service.terminate()
        service.communicate()


def _practised(port: int, tokens: Sequence[str], seconds: float, episode: float) -> Load:
    load = Load()
    end = time.monotonic() + seconds
    threads = [
        threading.Thread(target=_robot, args=[port, token, i, end, episode, load])
        for i, token in enumerate(tokens)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return load


def _robot(port: int, token: str, number: int, end: float, episode: float, load: Load) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    header = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    ran: list[int] = []
    rng = np.random.default_rng(number)

    def post(path: str, body: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        begun = time.monotonic()
        connection.request("POST", f"/api/sessions/load{path}", json.dumps(body), header)
        answer = connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            load.faults.append(f"{answer.status} {text}")
        return time.monotonic() - begun, json.loads(text)

    robot = f"robot {number}"
    while time.monotonic() < end:
        took, trial = post("/ask", {"robot": robot})
        load.asks.append(took)
        load.later += [took] if ran else []
        if trial.get("id") is None:
            if trial.get("state") != "wait":
                break
            load.waits.append((trial["events"], robot))
            _, trial = post("/ask", {"robot": robot, "wait": 1})
        if trial.get("id") is None:
            continue
        ran.append(trial["id"])
        time.sleep(episode * (0.5 + rng.random()))
        outcome = "success" if trial["seed"] % 3 else "failure"
        took, _ = post(f"/trials/{trial['id']}/tell", {"outcome": outcome})
        load.tells.append(took)
    load.ran.append(ran)
    connection.close()


def check(folder: Path, load: Load, budget: int) -> int:
    """The trials that were told, if nothing went wrong.

    Raises:
        AssertionError: A request failed, a trial had two robots, the budget was exceeded, or a
            robot waited for nothing.
    """
    assert not load.faults, load.faults[:3]
    with open_session(folder / "lab.db", "load") as session:
        state = session.state
        assert state.spent <= budget
        assert sum(record.cost for record in state.records.values()) == state.spent
        told = [record for record in state.records.values() if record.result]
        assert sorted({number for ran in load.ran for number in ran}) >= sorted(
            record.trial.id for record in told
        )
        for i, ran in enumerate(load.ran):
            assert len(set(ran)) >= len(ran) - 1, f"robot {i} ran a trial twice"
        once = [number for ran in load.ran for number in set(ran)]
        assert len(once) == len(set(once)), "a trial had two robots"
        assert not any(record.passed for record in told)
        idle = idle_asks(session, load.waits)
        assert not idle, f"{idle} robots waited although something useful could be practised"
    return len(told)


def percentiles(times: Sequence[float]) -> str:
    """The 50th and the 99th percentile, and the largest, in milliseconds."""
    middle, high = np.percentile(times, [50, 99]) * 1000
    return f"{middle:.0f} / {high:.0f} / {max(times) * 1000:.0f} ms"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--episode", type=float, default=EPISODE)
    parser.add_argument("--task", default="cleanup-multi")
    parser.add_argument("--budget", type=int, default=10_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        load = measure(folder, given.task, given.robots, given.seconds, given.budget, given.episode)
        told = check(folder, load, given.budget)
    print(f"{given.robots} robots for {given.seconds:g} s, episodes of {given.episode:g} s")
    print(f"{told} trials of {given.task} were told")
    print(f"ask   {percentiles(load.asks)} (50 %, 99 %, largest; {len(load.asks)} requests)")
    print(f"      {percentiles(load.later)} without the first one of each robot")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    each = 1000 * (used.ru_utime + used.ru_stime) / (len(load.asks) + len(load.tells))
    print(f"tell  {percentiles(load.tells)} ({len(load.tells)} requests)")
    print(f"{each:.1f} ms of CPU for a request, with the start of the service")
    print(f"{len(load.waits)} asks were answered wait, none of them while something was useful")


if __name__ == "__main__":
    main()
