"""A lab's night: three arms on one session, one of which dies with its trial."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from old_python import oldest_python

from deliberate_practice.practice.sessions import open_session

BUDGET = 24
BOTH = "until [ -e ../left/up ] && [ -e ../right/up ]; do sleep 0.05; done"
SUCCEED = f"read trial; touch up; {BOTH}; echo success"
"""Neither arm ends its first trial before the other one is up."""
HANG = "read trial; sleep 600"


class Lab:
    """A folder with a journal, its service, and arms that run the client.

    Args:
        folder: The folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[subprocess.Popen[str]] = []

    def deliberate(self, *words: str) -> str:
        """Run a command to its end; what it prints."""
        done = subprocess.run(self._words(*words), capture_output=True, text=True, check=True)
        return done.stdout

    def serve(self) -> str:
        """Start the service; its address."""
        words = self._words("serve", "--port", "0")
        service = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self._running.append(service)
        assert service.stdout
        return service.stdout.readline().split()[-1]

    def arm(self, url: str, name: str, script: str) -> subprocess.Popen[str]:
        """Start an arm, with a token and a program of its own."""
        token = self.deliberate(*f"tokens --new robot --name {name} --session night".split())
        folder = self._folder / name
        folder.mkdir()
        program = folder / "arm.sh"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        client = folder / "deliberate_client.py"
        client.write_text(self.deliberate("client").replace("\r", ""))
        words = f"{client} {url} night --robot {name} --exec {program}".split()
        arm = subprocess.Popen(
            [oldest_python(), *words],
            cwd=folder,
            env={**os.environ, "DELIBERATE_TOKEN": token.split()[-1]},
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._running.append(arm)
        return arm

    def close(self) -> None:
        """Stop everything that still runs."""
        for process in self._running:
            process.kill()
            process.communicate()

    def _words(self, command: str, *words: str) -> list[str]:
        code = "from deliberate_practice.cli import main; main()"
        db = [] if command == "client" else ["--db", str(self._folder / "lab.db")]
        return [sys.executable, "-c", code, command, *words, *db]


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    lab = Lab(tmp_path)
    yield lab
    lab.close()


def test_a_trial_that_is_never_told_does_not_keep_budget_from_the_others(
    lab: Lab, tmp_path: Path
) -> None:
    started = f"start breakfast --budget {BUDGET} --name night --approach free --trial-seconds 2"
    lab.deliberate(*started.split())
    url = lab.serve()
    lost = lab.arm(url, "lost", HANG)
    with open_session(tmp_path / "lab.db", "night") as session:
        until = time.monotonic() + 60
        while not session.holders():
            assert time.monotonic() < until
            time.sleep(0.05)
        os.killpg(lost.pid, signal.SIGKILL)
        arms = [lab.arm(url, name, SUCCEED) for name in ("left", "right")]
        for arm in arms:
            _, said = arm.communicate(timeout=120)
            assert arm.returncode == 0, said
        state = session.state
        assert state.spent == state.settled == state.ledger.budget == BUDGET
        assert not state.open_trials
        first = state.records[1]
        assert first.passed
        assert first.robot in ("left", "right")
        assert {record.robot for record in state.records.values()} == {"left", "right"}
        rows = {row["name"]: row["trials"] for row in session.robots()}
        assert sum(rows.values()) == BUDGET


def test_tokens_that_are_made_beside_a_running_service_are_valid_at_once(lab: Lab) -> None:
    lab.deliberate(*["start", "breakfast", "--budget", "2", "--name", "night"])
    url = lab.serve()
    for name in ("ada", "grace", "mary"):
        text = lab.deliberate(*f"tokens --new read-only --name {name}".split()).split()[-1]
        header = {"Authorization": f"Bearer {text}"}
        answer = httpx.get(f"{url}/api/sessions/night", headers=header, trust_env=False)
        assert answer.status_code == 200, name
