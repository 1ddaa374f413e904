"""Run the commands and programs of pages, and write what they print into the pages.

In these pages a block of ``console`` begins with a command. Its output follows, and this program
writes it. A block of ``toml`` or ``python`` whose first line is a comment with a file's name, such
as ``# my_robot.py: ...``, is saved under that name. Other blocks of ``python`` are executed.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from deliberate_practice.cli.app import main

HERE = Path(__file__).parent
PAGES = {"demonstrations.md": ["so101.toml"], "tutorial.md": []}
"""The pages, each with the examples that must be in its folder."""
BLOCK = re.compile(r"^```(console|python|toml)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"# (\w+\.\w+): ")
TIMES = re.compile(r"[0-9.]+ ms")


def page(name: str) -> str:
    """A page with the present output behind every command."""
    text = (HERE / name).read_text(encoding="utf-8")
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for example in PAGES[name]:
            shutil.copy(HERE.parent / "examples" / example, folder)
        os.chdir(folder)
        try:
            return BLOCK.sub(_ran, text)
        finally:
            os.chdir(before)


def _ran(block: re.Match[str]) -> str:
    """A block after it was executed: a command with its output, or a file as it was."""
    language, code = block.groups()
    named = NAMED.match(code)
    if language == "console":
        command = code.splitlines()[0]
        return f"```console\n{command}\n{_printed(command.removeprefix('$ '))}```\n"
    if named:
        Path(named[1]).write_text(code, encoding="utf-8")
    elif language == "python":
        exec(compile(code, "example", "exec"), {})
    return block.group()


def _printed(command: str) -> str:
    """What a command prints, without its times, which differ from run to run."""
    program, *arguments = shlex.split(command)
    output = _of_python(arguments) if program == "python" else _of_ours(program, arguments)
    lines = (line.rstrip() for line in output.splitlines())
    return "".join(f"{TIMES.sub('3 ms', line)}\n" for line in lines)


def _of_python(arguments: list[str]) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _of_ours(program: str, arguments: list[str]) -> str:
    written, before, width = io.BytesIO(), sys.argv, os.environ.get("COLUMNS")
    output = io.TextIOWrapper(written, encoding="utf-8")  # as a terminal of today
    sys.argv, os.environ["COLUMNS"] = [program, *arguments], "80"
    try:
        with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
            main()
    finally:
        sys.argv = before
        os.environ.pop("COLUMNS")
        if width is not None:
            os.environ["COLUMNS"] = width
    output.flush()
    return written.getvalue().decode()


if __name__ == "__main__":
    for name in PAGES:
        (HERE / name).write_text(page(name), encoding="utf-8")
