"""Read and write the text of files, and read TOML, with faults that say what to do."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from deliberate_practice.errors import TaskError


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file; a byte order mark is dropped.

    Raises:
        TaskError: It is missing, a folder, not readable, or not UTF-8.
    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        fix = f"there is no such file (looked from {Path.cwd()}); check the path."
        raise TaskError("", fix, str(path)) from None
    except IsADirectoryError:
        raise TaskError("", "this is a folder; name a file in it.", str(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        reason = getattr(error, "strerror", None) or str(error)
        fix = f"the file cannot be read ({reason}); check its permissions and its path."
        raise TaskError("", fix, str(path)) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        fix = f"byte {data[error.start]:#04x} is not UTF-8; save the file with UTF-8 encoding."
        raise TaskError(f"line {line}", fix, str(path)) from None


def parse_toml(text: str) -> dict[str, Any]:
    """The document that a text in TOML is.

    Raises:
        TaskError: It is not TOML.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: bad TOML, or an endless number
        raise TaskError("", f"this is not valid TOML: {error}; mend it there.") from None


def write_text(path: str | Path, text: str) -> None:
    """Write a UTF-8 file with plain line ends.

    Raises:
        TaskError: The file cannot be written.
    """
    try:
        Path(path).write_bytes(text.encode("utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        fix = f"the file cannot be written ({reason}); choose another path."
        raise TaskError("", fix, str(path)) from None
