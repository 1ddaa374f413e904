"""Run the commands and programs of docs/demonstrations.md, and write what they print into it."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from deliberate_practice.cli.app import main

HERE = Path(__file__).parent
PAGE = HERE / "demonstrations.md"
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def page() -> str:
    """The page with the present output behind every command."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(HERE.parent / "examples" / "so101.toml", folder)
        os.chdir(folder)
        try:
            return BLOCK.sub(_ran, PAGE.read_text(encoding="utf-8"))
        finally:
            os.chdir(before)


def _ran(block: re.Match[str]) -> str:
    """A block after it was executed: a command with its output, or a program as it was."""
    language, code = block.groups()
    if language == "python":
        exec(compile(code, "example", "exec"), {})
        return block.group()
    command = code.splitlines()[0]
    return f"```console\n{command}\n{_printed(command.removeprefix('$ '))}```\n"


def _printed(command: str) -> str:
    """What a command prints, without its times, which differ from run to run."""
    output, arguments, width = io.StringIO(), sys.argv, os.environ.get("COLUMNS")
    sys.argv, os.environ["COLUMNS"] = shlex.split(command), "80"
    try:
        with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
            main()
    finally:
        sys.argv = arguments
        os.environ.pop("COLUMNS")
        if width is not None:
            os.environ["COLUMNS"] = width
    lines = (line.rstrip() for line in output.getvalue().splitlines())
    return "".join(f"{re.sub(r'[0-9.]+ ms', '3 ms', line)}\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
