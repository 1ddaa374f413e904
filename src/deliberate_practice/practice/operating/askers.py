"""Askers: names that last as long as the asking process lives.

A trial belongs to the asker that got it until it is told. It is offered again to the same asker,
or to anyone once that asker's process is gone, so a robot that crashed and came back goes on with
its trial, while no trial is ever with two living processes at once. An asker with a name of its own
(a robot behind a network) counts as living: only it, or a takeover, gets its trial again.
"""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

from deliberate_practice.foundation.checks import check_name

NAME = re.compile(r"process:(?P<host>.*)/(?P<process>\d+)/(?P<thread>\d+)/(?P<begun>\d*)")


def this_asker() -> str:
    """The asking thread of this process."""
    return _name(os.getpid(), threading.get_native_id())


def checked_asker(name: object) -> str:
    """An asker by the name that it gives itself; without one, this process.

    Raises:
        ArgumentError: It cannot be a name.
    """
    return this_asker() if name is None else check_name("asker", name, "left-arm")


def parent_asker() -> str:
    """The process that started this one: a shell or script whose commands ask one after another."""
    return _name(os.getppid(), os.getppid())


def is_process(asker: str) -> bool:
    """Whether an asker is a process, and not a robot with a name of its own."""
    return NAME.fullmatch(asker) is not None


def robot_name(asker: str | None) -> str | None:
    """The name of a robot; None if the asker is a process, or nobody."""
    return None if asker is None or is_process(asker) else asker


def is_gone(asker: str) -> bool:
    """Whether an asker is a process of this machine that no longer runs."""
    process = NAME.fullmatch(asker)
    if process is None or process["host"] != _host():
        return False
    if process["begun"]:
        return _begun(int(process["process"]), int(process["thread"])) != process["begun"]
    return not _exists(int(process["process"]))


def _name(process: int, thread: int) -> str:
    return f"process:{_host()}/{process}/{thread}/{_begun(process, thread) or ''}"


def _host() -> str:
    import socket  # not needed to tell

    return socket.gethostname()


def _begun(process: int, thread: int) -> str | None:
    """When a thread began, in the kernel's ticks; None if it is over or cannot be looked up."""
    try:
        text = Path(f"/proc/{process}/task/{thread}/stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the program's name before it may hold anything
    state, begun = fields[0], fields[19]
    return None if state in "ZX" else begun


def _exists(process: int) -> bool:
    """Whether a process exists, where there is no /proc."""
    try:
        os.kill(process, 0)
    except OSError as error:  # a process of somebody else may refuse
        return not isinstance(error, ProcessLookupError)
    return True
