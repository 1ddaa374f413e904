"""Run a step of the Makefile: say what it does and how long it takes, and never fall silent.

Only the standard library is used, as the first step installs everything else.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time


def main() -> int:
    """Run the command, and give its exit status back."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", help="what the step does")
    parser.add_argument("about", help="about how long it takes")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    parser.add_argument("--every", type=float, default=15.0, help="seconds between lines (15)")
    parser.add_argument("--show", action="store_true", help="show the output, failed or not")
    asked = parser.parse_args()
    print(f"{asked.what} ({asked.about})", flush=True)
    if asked.show:
        return _wait(subprocess.Popen(asked.command), asked.what, asked.every)
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(asked.command, stdout=output, stderr=subprocess.STDOUT)
        status = _wait(process, asked.what, asked.every)
        if status:
            output.seek(0)
            sys.stdout.buffer.write(output.read())
            print(f"{asked.what}: failed with status {status}", flush=True)
    return status


def _wait(process: subprocess.Popen[bytes], what: str, every: float) -> int:
    """Wait for a process, with a line now and then."""
    begun = time.monotonic()
    while True:
        try:
            return process.wait(every)
        except subprocess.TimeoutExpired:
            print(f"  {what}: {time.monotonic() - begun:.0f} s so far", flush=True)
        except KeyboardInterrupt:  # the command hears it too, and may have something to say
            return process.wait() or 130


if __name__ == "__main__":
    sys.exit(main())
