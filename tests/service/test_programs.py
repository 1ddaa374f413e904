"""A robot whose program is started for each trial: ``deliberate_client.py --exec``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from old_python import oldest_python
from served import Served

from deliberate_practice.practice.sessions import open_session
from deliberate_practice.service import deliberate_client

FILE = Path(deliberate_client.__file__)


def with_program(
    served: Served, session: str, folder: Path, program: str, url: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Practise to the end with a program for each trial."""
    words = [str(FILE), url or served.url, session, "--exec", program]
    command = [oldest_python(), "-I", "-S", *words]
    return subprocess.run(
        [*command, "--robot", "arm"],
        env={"DELIBERATE_TOKEN": served.token("robot", session), "PATH": os.environ["PATH"]},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_program_runs_the_trials(served: Served, name: str, tmp_path: Path) -> None:
    base = served.start(name, budget=4, gate="never")
    script = tmp_path / "my_robot.sh"
    script.write_text(
        "#!/bin/sh\n"
        'read -r trial; echo "$trial" >> trials\n'
        "n=$(wc -l < trials)\n"
        "case $n in 1) echo moving; echo success;;\n"
        '2) echo \'{"outcome": "failure", "score": 0.5}\';;\n'
        "3) exit 3;; *) echo assisted;; esac\n"
    )
    script.chmod(0o755)
    done = with_program(served, name, tmp_path, "./my_robot.sh")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    trials = served.admin.get(base).json()["trials"]
    assert [row["outcome"] for row in trials] == ["success", "failure", "aborted", "assisted"]
    assert trials[2]["notes"] == ["RuntimeError: ./my_robot.sh ended with status 3"]
    assert "aborted: RuntimeError: ./my_robot.sh ended with status 3" in done.stderr
    first = json.loads((tmp_path / "trials").read_text().splitlines()[0])
    assert (first["id"], first["skill"]) == (1, "StartToaster")


def test_a_program_with_a_mistake_spends_three_trials(
    served: Served, name: str, tmp_path: Path
) -> None:
    base = served.start(name, budget=20, gate="never")
    done = with_program(served, name, tmp_path, "echo succes")
    assert done.returncode == 2
    *others, last = done.stderr.splitlines()
    assert len(others) == 2
    assert last.startswith(
        "deliberate: trial 3: StartToaster: aborted: the robot's program answered"
    )
    assert last.endswith(f"it goes on. Refund: deliberate refund '{name}' 3")
    assert len(served.admin.get(base).json()["trials"]) == 3


def test_a_program_that_is_not_there_costs_no_trial(
    served: Served, name: str, tmp_path: Path
) -> None:
    base = served.start(name, budget=4, gate="never")
    for command in ("./nothing.sh", ""):
        done = with_program(served, name, tmp_path, command)
        assert done.returncode == 2
        assert done.stderr.startswith(f"deliberate: --exec {command}: no such program")
    assert served.admin.get(base).json()["trials"] == []


def test_https_for_an_http_service_ends_with_one_message(
    served: Served, name: str, tmp_path: Path
) -> None:
    served.start(name, budget=4, gate="never")
    done = with_program(served, name, tmp_path, "echo success", f"https://127.0.0.1:{served.port}")
    assert (done.returncode, done.stdout) == (2, "")
    words = f"deliberate: https://127.0.0.1:{served.port} does not answer; use {served.url}\n"
    assert done.stderr == words


def test_ctrl_c_keeps_everything(served: Served, name: str, tmp_path: Path) -> None:
    base = served.start(name, budget=4)
    command = [oldest_python(), "-I", "-S", str(FILE), served.url, name, "--exec", "sleep 60"]
    process = subprocess.Popen(
        [*command, "--token", served.token("robot", name)],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not served.admin.get(base).json()["open"]:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "stopped; everything is kept, and the same command goes on" in said
    assert "Traceback" not in said
    with open_session(served.db, name) as session:
        assert [record.result for record in session.trials()] == [None]


def test_ctrl_c_ends_a_program_that_is_just_being_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = []

    class Interrupted(subprocess.Popen[str]):
        def __init__(self, *words: Any, **options: Any) -> None:
            super().__init__(*words, **options)
            started.append(self)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)

    monkeypatch.setattr(deliberate_client, "Popen", Interrupted)
    run = deliberate_client.program("sleep 60")
    with pytest.raises(KeyboardInterrupt):
        run({"id": 1})
    (process,) = started
    assert process.wait(5) == -signal.SIGKILL
    process.communicate()
