"""Steps of the Makefile say what they do, go on saying it, and hide nothing that fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

STEP = Path(__file__).parents[2] / "tools" / "step.py"


def _step(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(STEP), *options, "installing", "about 1 minute"]
    command += [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_a_long_step_is_never_silent(tmp_path: Path) -> None:
    log = tmp_path / "log"
    # The step ends only when its lines are there: no clock decides.
    code = (
        "import pathlib, sys, time\n"
        f"while pathlib.Path({str(log)!r}).read_text().count('so far') < 3: time.sleep(0.01)"
    )
    with log.open("w") as file:
        command = [sys.executable, str(STEP), "--every", "0.05", "installing", "about 1 minute"]
        done = subprocess.run(
            [*command, sys.executable, "-c", code], stdout=file, check=False, timeout=120
        )
    assert done.returncode == 0
    first, *lines = log.read_text().splitlines()
    assert first == "installing (about 1 minute)"
    assert len(lines) >= 3
    assert all(line.startswith("  installing: ") and line.endswith(" so far") for line in lines)


def test_the_output_is_shown_if_the_step_fails_or_if_wanted() -> None:
    assert _step("print('noise')").stdout == "installing (about 1 minute)\n"
    assert "signal" in _step("print('signal')", "--show").stdout
    failed = _step("import sys; print('the reason', file=sys.stderr); sys.exit(3)")
    assert failed.returncode == 3
    assert "the reason\ninstalling: failed with status 3\n" in failed.stdout
