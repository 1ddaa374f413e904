"""Two installations in one folder take turns."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ALONE = Path(__file__).parents[2] / "tools" / "alone.py"


@pytest.mark.skipif(os.name != "posix", reason="files are locked by fcntl")
def test_the_second_waits_for_the_first_and_says_so(tmp_path: Path) -> None:
    own = tmp_path / "alone.py"  # a lock of its own, apart from an installation under way
    own.write_text(ALONE.read_text())
    order = tmp_path / "order"
    first = f"print('in', flush=True); input(); open({str(order)!r}, 'a').write('first ')"
    second = f"open({str(order)!r}, 'a').write('second')"
    alone = [sys.executable, str(own), sys.executable, "-c"]
    with subprocess.Popen(
        [*alone, first], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as before:
        assert before.stdout is not None
        assert before.stdout.readline() == "in\n"
        with subprocess.Popen([*alone, second], stdout=subprocess.PIPE, text=True) as after:
            assert after.stdout is not None
            assert after.stdout.readline().startswith("waiting for another installation: ")
            before.communicate("\n", timeout=60)
            after.wait(60)
    assert order.read_text() == "first second"
    assert (before.returncode, after.returncode) == (0, 0)


def test_the_exit_status_is_that_of_the_command(tmp_path: Path) -> None:
    own = tmp_path / "alone.py"
    own.write_text(ALONE.read_text())
    command = [sys.executable, str(own), sys.executable, "-c", "import sys; sys.exit(7)"]
    assert subprocess.run(command, check=False, timeout=60).returncode == 7
