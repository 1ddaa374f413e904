"""The programs of robots in the documentation practise."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from documented import ROOT, code_blocks, printed_by, run_in, serving_in

import deliberate_practice as dp
from deliberate_practice.robots.abstract_world import AbstractWorld
from deliberate_practice.task.toml_reader import parse_task


def test_a_robot_practises_as_the_page_says(tmp_path: Path) -> None:
    """The commands and programs of the page, one after the other."""
    pytest.importorskip("fastapi")
    blocks = code_blocks("docs/your-robot.md", "sh")
    installing, serving, token, client, script, program, while_it_runs, rehearsal = blocks
    assert "pip install '.[service]'" in installing
    start, serve = serving.splitlines()

    def run(line: str) -> str:
        return run_in(tmp_path, line)

    run(start.replace("--budget 60", "--budget 9"))
    with serving_in(tmp_path, serve) as (url, admin):
        secret = run(token).strip()
        run(client)
        whole, _, remote = code_blocks("docs/your-robot.md", "python")
        (tmp_path / "my_robot.py").write_text(
            whole.replace("http://127.0.0.1:8712", url).replace("dp_...", secret)
        )
        (tmp_path / "my_robot.sh").write_text(script)
        (tmp_path / "my_robot.sh").chmod(0o755)
        assert run(f"{sys.executable} my_robot.py").count("StartToaster") >= 1
        for line in while_it_runs.splitlines():
            run(line)
        run("deliberate unblock monday StartToaster --db lab.db")
        run("deliberate resume monday --db lab.db")
        run("deliberate extend monday --budget 3 --db lab.db")
        program = program.replace("http://127.0.0.1:8712", url).replace("dp_...", secret)
        run(program.replace("python3", sys.executable, 1))
        code = remote.replace("http://127.0.0.1:8712", url).replace("dp_...", admin)
        assert printed_by(code) == "12 of 12\n"
        run(rehearsal.replace("http://127.0.0.1:8712", url).replace("dp_...", admin))


def test_a_robot_recovers_as_the_page_says(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    from served import Served

    from deliberate_practice.service import deliberate_client

    _, recovering, _ = code_blocks("docs/your-robot.md", "python")
    text = (ROOT / "examples" / "coffee_station.toml").read_text(encoding="utf-8")
    task, rng = parse_task(text), np.random.default_rng(0)
    worlds = [AbstractWorld(task, rng)]

    def execute(skill: str, parameters: dict[str, float]) -> bool:
        works = 0.4 if skill == "Foam" else 0.9  # foam that fails is spilled, and refilled
        return worlds[-1].execute(dp.Step(skill, parameters), lambda _: bool(rng.random() < works))

    def run(trial: dict[str, Any]) -> Any:
        worlds.append(AbstractWorld(task, rng))
        return names["run"](trial)

    names: dict[str, Any] = {"execute": execute, "observe": lambda: worlds[-1].state or {}}
    exec(recovering, names)
    served = Served(tmp_path / "lab.db")
    try:
        served.start("monday", text, 60, strategy="random", gate="never")
        secret = served.token("robot")
        deliberate_client.practise(
            served.url, "monday", run, robot="arm", token=secret, folder=str(tmp_path)
        )
        shown = served.admin.get("/api/sessions/monday").json()
    finally:
        served.close()
    trials = shown["trials"]
    assert shown["spent"] == 60
    assert {row["outcome"] for row in trials} == {"success", "failure", "unreached"}
    recovered = [row for row in trials if row["outcome"] != "unreached" and row["executed"]]
    assert any(not step["success"] for row in recovered for step in row["executed"])
