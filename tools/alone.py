"""Run a command that must not run twice at a time in this folder; wait while another does.

Two ``make run`` in one folder would otherwise install into the same .venv at once. Only the
standard library is used, as nothing else is installed yet.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import IO

LOCKED = Path(__file__)
"""The file that is locked; the system gives it free when the command ends, however it ends."""
EVERY_SECONDS = 15.0
LOOK_SECONDS = 0.5


def main() -> int:
    """Wait for the lock, run the command, and give its exit status back."""
    with LOCKED.open("rb") as file:
        _lock(file)
        return subprocess.run(sys.argv[1:], check=False).returncode


def _lock(file: IO[bytes]) -> None:
    """Lock the file, with a line now and then; where files cannot be locked, go on without."""
    try:
        import fcntl
    except ImportError:
        return
    begun = told = time.monotonic()
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            now = time.monotonic()
            if told == begun or now - told >= EVERY_SECONDS:
                print(f"waiting for another installation: {now - begun:.0f} s so far", flush=True)
                told = now
            time.sleep(LOOK_SECONDS)
        except OSError:  # e.g. a network's file system without locks
            return


if __name__ == "__main__":
    sys.exit(main())
