"""Code in the documentation."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]


def code_blocks(path: str, language: str) -> list[str]:
    """The blocks of a page in a language."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def printed_by(code: str) -> str:
    """The output of some code."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(code, "example", "exec"), {})
    return output.getvalue()


def run_in(folder: Path, line: str) -> str:
    """What a line of a shell prints in a folder; it must succeed."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(
        line, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{line}: {done.stderr}"
    return done.stdout


@contextlib.contextmanager
def serving_in(folder: Path, line: str) -> Iterator[tuple[str, str]]:
    """The address of a service and the token of its admin, while it runs on a free port."""
    program = str(Path(sys.executable).with_name(line.split()[0]))
    command = [program, *line.split()[1:], "--port", "0"]
    service = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert service.stdout is not None
        (url,) = re.findall(r"(http://\S+)", service.stdout.readline())
        (admin,) = re.findall(r"#token=(\S+)", service.stdout.readline())
        yield url, admin
    finally:
        service.terminate()
        service.communicate()
