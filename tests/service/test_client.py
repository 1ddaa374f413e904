"""The client of one file, on the oldest Python there is, without any package."""

from __future__ import annotations

import ast
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counts import FULL
from faulty_service import events
from old_python import oldest_python
from served import Served

from deliberate_practice.service import deliberate_client
from deliberate_practice.service.deliberate_client import (
    ProgramError,
    ServiceError,
    Spool,
    practise,
)
from deliberate_practice.service.settings import Limits

FILE = Path(deliberate_client.__file__)
KILLS = 50 if FULL else 5

ROBOT = """
import sys, time
sys.path.insert(0, {folder!r})
import deliberate_client

def run(trial):
    with open({log!r}, "a") as log:
        log.write("%d\\n" % trial["id"])
    time.sleep(0.02)
    score = trial["seed"] % 7 / 7.0
    if trial["seed"] % 11 == 0:
        return {{"outcome": "refused"}}
    outcome = "success" if trial["seed"] % 3 else "failure"
    return {{"outcome": outcome, "score": score, "measurements": {{"force": 1.5}}}}

deliberate_client.practise({url!r}, {session!r}, run, robot="arm", token={token!r},
                           folder={folder!r}, wait=5)
"""


class Robot:
    """A program that uses the client in a process of its own."""

    def __init__(self, served: Served, session: str, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        shutil.copy(FILE, folder)
        self.log = folder / "log"
        code = ROBOT.format(
            folder=str(folder),
            log=str(self.log),
            url=served.url,
            session=session,
            token=served.token("robot", session),
        )
        self._file = folder / "robot.py"
        self._file.write_text(code)

    def start(self) -> subprocess.Popen[str]:
        command = [oldest_python(), "-I", "-S", str(self._file)]
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)

    def run(self) -> str:
        process = self.start()
        _, said = process.communicate(timeout=100)
        assert process.returncode == 0, said
        return said


def test_the_file_needs_python_3_8_alone() -> None:
    tree = ast.parse(FILE.read_text(encoding="utf-8"), feature_version=(3, 8))
    names = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert names <= set(sys.stdlib_module_names)
    assert "sqlite3" not in names


def test_a_killed_client_loses_no_result_and_tells_none_twice(
    served: Served, name: str, tmp_path: Path
) -> None:
    budget = 400 if FULL else 25
    served.start(f"{name} whole", "cleanup", budget, gate="never", seed=2, strategy="random")
    served.start(f"{name} parts", "cleanup", budget, gate="never", seed=2, strategy="random")
    said = Robot(served, f"{name} whole", tmp_path / "whole").run()
    assert said.splitlines()[-1] == "deliberate: done: the budget is spent"
    robot = Robot(served, f"{name} parts", tmp_path / "parts")
    rng, kills = np.random.default_rng(0), 0
    while kills < KILLS:
        process = robot.start()
        time.sleep(rng.uniform(0.1, 0.6))
        process.kill()
        process.communicate()
        kills += process.returncode == -signal.SIGKILL
        if process.returncode == 0:
            break
    robot.run()
    assert events(served.db, f"{name} parts") == events(served.db, f"{name} whole")
    told = [data for kind, data in events(served.db, f"{name} parts") if kind == "tell"]
    ran = [int(line) for line in robot.log.read_text().split()]
    assert sorted(set(ran)) == [json.loads(data)["trial"] for data in told]
    assert not list((tmp_path / "parts").glob("result-*"))


def test_an_exception_is_an_abort_and_the_robot_waits_for_ready(
    served: Served, name: str, tmp_path: Path
) -> None:
    base = served.start(name, budget=3)
    lines: list[str] = []
    ran: list[int] = []

    def run(trial: dict[str, Any]) -> str:
        ran.append(trial["id"])
        if trial["id"] == 1:
            raise RuntimeError("motor fault")
        return "success"

    def say(line: str) -> None:
        lines.append(line)
        if "waits for Ready" in line:
            assert ran == [1]
            served.admin.post(f"{base}/ready")

    done = practise(
        served.url, name, run, "arm", served.token("robot", name), folder=str(tmp_path), say=say
    )
    assert (done["state"], done["spent"]) == ("done", 3)
    assert ran == [1, 2, 3]
    ready = f"deliberate ready '{name}' --db {served.db}"
    assert lines[:3] == [
        "trial 1: StartToaster: aborted: RuntimeError: motor fault",
        f"wait: trial 2 waits for Ready: say it with {ready}, or on the page",
        "trial 2: StartToaster: success",
    ]
    first = served.admin.get(base).json()["trials"][0]
    assert (first["outcome"], first["notes"]) == ("aborted", ["RuntimeError: motor fault"])


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        ("sucess", "the robot's program answered 'sucess'; none of: success, failure"),
        (None, "the robot's program answered None"),
        ({"outcome": "success", "force": 3}, "answered 'force'; none of: outcome, at"),
        ({"outcome": "success", "score": float("nan")}, "Out of range float"),
        ({"outcome": "success", "executed": [1]}, "the robot's program answered"),
        ({"outcome": "unreached", "at": "Jump"}, "the service refused unreached: trial 1"),
        ({"outcome": "success", "score": "high"}, "the service refused success: score"),
    ],
)
def test_an_answer_that_makes_no_sense_is_an_abort(
    served: Served, tmp_path: Path, answer: Any, note: str
) -> None:
    name = f"nonsense {abs(hash(str(answer)))}"
    base = served.start(name, budget=1)
    practise(
        served.url, name, lambda trial: answer, "arm", served.token("robot"),
        folder=str(tmp_path), say=lambda line: None,
    )  # fmt: skip
    (trial,) = served.admin.get(base).json()["trials"]
    assert trial["outcome"] == "aborted"
    assert note in trial["notes"][0]


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("succes", "the robot's program answered 'succes'; none of: success, failure, refused"),
        ({"outcome": "unreached", "at": "{}"}, "the service refused unreached: trial 3"),
        (KeyError("force"), "KeyError: 'force'"),
    ],
)
def test_three_faults_in_a_row_stop_the_client(
    served: Served, tmp_path: Path, answer: Any, fault: str
) -> None:
    name = f"faults {abs(hash(str(answer)))}"
    base = served.start(name, budget=20, gate="never")

    def run(trial: dict[str, Any]) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(ProgramError) as caught:
        practise(
            served.url, name, run, "arm", served.token("robot"), folder=str(tmp_path),
            say=lambda line: None,
        )  # fmt: skip
    assert str(caught.value).startswith(f"trial 3: StartToaster: aborted: {fault}")
    assert f"start it again; it goes on. Refund: deliberate refund '{name}' 3" in str(caught.value)
    if isinstance(answer, Exception):
        assert caught.value.__cause__ is answer
    trials = served.admin.get(base).json()["trials"]
    assert [trial["outcome"] for trial in trials] == ["aborted"] * 3
    assert not list(tmp_path.glob("result-*"))


def test_a_fault_now_and_then_and_stops_of_the_robot_itself_go_on(
    served: Served, name: str, tmp_path: Path
) -> None:
    base = served.start(name, budget=9, gate="never")
    answers = iter(["succes", "succes", "failure", *["aborted"] * 4, "succes", "succes"])
    practise(
        served.url, name, lambda trial: next(answers), "arm", served.token("robot"),
        folder=str(tmp_path), say=lambda line: None,
    )  # fmt: skip
    assert len(served.admin.get(base).json()["trials"]) == 9


def test_a_long_note_is_cut_and_what_is_far_too_long_is_an_abort(
    served: Served, name: str, tmp_path: Path
) -> None:
    base = served.start(name, budget=2, gate="never")
    forces = {f"force {number}": 1.0 for number in range(100_000)}
    answers: Iterator[Any] = iter(
        [
            {"outcome": "success", "note": "x" * 12_000},
            {"outcome": "success", "measurements": forces},
        ]
    )
    lines: list[str] = []
    practise(
        served.url, name, lambda trial: next(answers), "arm", served.token("robot"),
        folder=str(tmp_path), say=lines.append,
    )  # fmt: skip
    first, second = served.admin.get(base).json()["trials"]
    assert (first["outcome"], first["notes"]) == ("success", ["x" * 10_000])
    assert second["outcome"] == "aborted"
    assert "the service refused success" in second["notes"][0]
    assert any(line.startswith("trial 2: StartToaster: aborted") for line in lines)


def test_every_outcome_can_be_told(served: Served, name: str, tmp_path: Path) -> None:
    base = served.start(name, budget=4, gate="never")
    answers: Iterator[Any] = iter(
        [
            {"outcome": "unreached", "at": "PickBread"},
            {"outcome": "success", "executed": [("PickBread", True), ["PlaceBread", True]]},
            {"outcome": "failure", "score": 0.5, "measurements": {"force": 3}, "by": "ada"},
            "assisted",
        ]
    )
    practise(
        served.url, name, lambda trial: next(answers), "arm", served.token("robot"),
        folder=str(tmp_path), say=lambda line: None,
    )  # fmt: skip
    trials = served.admin.get(base).json()["trials"]
    assert [trial["outcome"] for trial in trials] == ["unreached", "success", "failure", "assisted"]
    assert trials[1]["executed"][1] == {"skill": "PlaceBread", "success": True}
    assert (trials[2]["score"], trials[2]["by"]) == (0.5, "ada")


def test_a_kept_result_is_sent_first(served: Served, name: str, tmp_path: Path) -> None:
    base = served.start(name, budget=2)
    token, folder = served.token("robot"), str(tmp_path)
    trial = served.admin.post(f"{base}/ask", json={"robot": "arm"}).json()
    spool = Spool(folder, served.url, name, "arm")
    spool.keep(trial, {"outcome": "failure", "score": 0.125})
    ran: list[int] = []

    def run(trial: dict[str, Any]) -> str:
        ran.append(trial["id"])
        return "success"

    practise(served.url, name, run, "arm", token, folder=folder, say=lambda line: None)
    assert ran == [2]
    trials = served.admin.get(base).json()["trials"]
    assert [(row["outcome"], row["score"]) for row in trials] == [
        ("failure", 0.125),
        ("success", None),
    ]
    assert spool.waiting() is None
    spool.keep(trial, {"outcome": "success"})  # something else: it is kept for people
    lines: list[str] = []
    practise(served.url, name, run, "arm", token, folder=folder, say=lines.append)
    assert "it was told as 'failure', with score 0.125 before" in lines[0]
    (aside,) = tmp_path.glob("*.refused-*")
    assert str(aside) in lines[0]
    assert Spool(folder, served.url, name, "other").waiting() is None


def test_a_result_of_another_session_of_that_name_does_not_count(
    served: Served, name: str, tmp_path: Path
) -> None:
    base = served.start(name, budget=2)
    token, folder = served.token("robot"), str(tmp_path)
    trial = served.admin.post(f"{base}/ask", json={"robot": "arm"}).json()
    Spool(folder, served.url, name, "arm").keep(trial, {"outcome": "failure"})
    served.admin.delete(base)
    served.start(name, budget=2, seed=9)
    served.admin.post(f"{base}/ask", json={"robot": "arm"})
    done = practise(
        served.url, name, lambda trial: "success", "arm", token, folder=folder,
        say=lambda line: None,
    )  # fmt: skip
    assert done["spent"] == 2
    outcomes = [row["outcome"] for row in served.admin.get(base).json()["trials"]]
    assert outcomes == ["success", "success"]


def test_a_bad_token_or_address_is_said_at_once(served: Served, tmp_path: Path) -> None:
    with pytest.raises(
        ServiceError, match=r"a valid token is needed.* deliberate tokens --new robot"
    ):
        practise(served.url, "s", lambda trial: "success", token="dp_no", folder=str(tmp_path))
    with pytest.raises(ServiceError, match="there is no session 'none'"):
        practise(
            served.url, "none", lambda trial: "success", token=served.token("robot"),
            folder=str(tmp_path),
        )  # fmt: skip
    with pytest.raises(ValueError, match="'lab-pc' is no address; write"):
        practise("lab-pc", "s", lambda trial: "success", folder=str(tmp_path))


def test_a_robot_that_is_too_fast_slows_down(tmp_path: Path) -> None:
    served = Served(tmp_path / "lab.db", Limits(rate=2.0, burst=4))
    try:
        time.sleep(0.5)
        base = served.start("s", budget=3)
        lines: list[str] = []
        done = practise(
            served.url, "s", lambda trial: "success", "arm", served.token("robot"),
            folder=str(tmp_path), say=lines.append,
        )  # fmt: skip
        assert done["spent"] == 3
        assert any("too many requests; wait 1 s" in line for line in lines)
        assert base
    finally:
        served.close()
