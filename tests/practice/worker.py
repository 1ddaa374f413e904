"""Practise in processes that are quick to start: imports everything once, then forks.

Reads commands as lines of JSON. ``{"run": {...}}`` forks a process that practises, starting the
session if it is not there, and answers with its number; ``{"wait": pid}`` waits for it to end and
answers with its exit status and the trials it ran.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

import deliberate_practice.beliefs.bayes
import deliberate_practice.learners.cma_es
import deliberate_practice.strategies.deliberate  # noqa: F401  # imported before forking
from deliberate_practice.practice.domain import make_robot
from deliberate_practice.practice.journal.journal import NameTaken
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.sessions import open_session, start_session
from deliberate_practice.task.toml_reader import read_task


def run(log: Path, db: str, task: str, budget: int, strategy: str, seed: int, pause: float) -> None:
    described = read_task(task)
    try:
        session = start_session(db, "s", described, budget, strategy, "bayes", seed)
    except NameTaken:
        session = open_session(db, "s")
    file = log.open("w")

    def report(session: Session, trial: Trial, result: Result) -> None:
        print(trial.id, file=file, flush=True)
        time.sleep(pause)

    practise(session, make_robot("regions", described, seed), report, patience=60)


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    for line in sys.stdin:
        command = json.loads(line)
        if "run" in command:
            pid = os.fork()
            if not pid:
                try:
                    run(folder / str(os.getpid()), **command["run"])
                    os._exit(0)
                except BaseException as error:
                    print(repr(error), file=sys.stderr, flush=True)
                    os._exit(1)
            print(pid, flush=True)
        else:
            pid, status = os.waitpid(command["wait"], 0)
            log = folder / str(pid)
            ran = [int(text) for text in log.read_text().split()] if log.exists() else []
            print(json.dumps({"status": os.waitstatus_to_exitcode(status), "ran": ran}), flush=True)


if __name__ == "__main__":
    main()
