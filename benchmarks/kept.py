"""Results of a benchmark that were kept in a file, one line each, so that a stopped run goes on."""

from __future__ import annotations

import os
from pathlib import Path


def kept_lines(out: Path | None) -> list[str]:
    """The finished lines of a file; a line that was not finished is removed."""
    if out is None or not out.exists():
        return []
    text = out.read_text()
    lines = text.split("\n")[:-1]
    if text and not text.endswith("\n"):
        temporary = out.with_name(f"{out.name}.new")
        temporary.write_text("".join(f"{line}\n" for line in lines))
        temporary.replace(out)
    return lines


def keep_line(out: Path, line: str) -> None:
    """Append a line, safely."""
    with out.open("a") as file:
        file.write(f"{line}\n")
        file.flush()
        os.fsync(file.fileno())
