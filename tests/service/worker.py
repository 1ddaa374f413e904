"""Services and robots in processes that are quick to start: imports everything once, then forks.

Reads commands as lines of JSON. ``{"serve": [...]}`` and ``{"robot": [...]}`` fork a process that
runs the command ``deliberate`` with those words, and answer with its number; ``{"wait": pid}``
waits for it to end and answers with its exit status.
"""

from __future__ import annotations

import json
import os
import sys

import deliberate_practice.beliefs.bayes
import deliberate_practice.cli.client
import deliberate_practice.cli.serve
import deliberate_practice.domains.cleanup
import deliberate_practice.learners.cma_es
import deliberate_practice.robots.curves
import deliberate_practice.robots.regions
import deliberate_practice.service.remote_practice
import deliberate_practice.service.serving
import deliberate_practice.strategies.deliberate  # noqa: F401  # imported before forking
from deliberate_practice.cli.app import main


def run(words: list[str]) -> None:
    """Run a command in this process, whose output nobody reads."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    if words[0] == "robot":
        os.dup2(quiet, 2)  # it says when the service does not answer
    sys.argv = ["deliberate", *words]
    try:
        main()
    except SystemExit as stop:
        os._exit(int(stop.code or 0))
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        os._exit(1)


def answers() -> None:
    """Answer the commands on stdin."""
    for line in sys.stdin:
        command = json.loads(line)
        if "wait" in command:
            _, status = os.waitpid(command["wait"], 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        pid = os.fork()
        if not pid:
            run(command["run"])
            os._exit(0)
        print(pid, flush=True)


if __name__ == "__main__":
    answers()
