"""Read and write text files, and read TOML; errors name the fix."""

from __future__ import annotations

import stat
import tomllib
from pathlib import Path
from typing import Any

from deliberate_practice.foundation.errors import TaskError

LARGEST_FILE = 4 << 20
"""The largest file that is read [bytes]; TOML of that size takes some seconds."""


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file; a byte order mark is dropped.

    Raises:
        TaskError: The file is missing, not regular, too large, not readable, or not UTF-8.
    """
    try:
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # reading it may never end
            raise TaskError(
                "",
                "this is a device, a pipe or a socket; write it into a file and name that.",
                str(path),
            )
        with Path(path).open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise TaskError(
            "", f"there is no such file (looked from {Path.cwd()}); check the path.", str(path)
        ) from None
    except IsADirectoryError:
        raise TaskError("", "this is a folder; name a file in it.", str(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the path
        raise TaskError(
            "",
            f"the file cannot be read ({_reason(error)}); check its permissions and its path.",
            str(path),
        ) from None
    if len(data) > LARGEST_FILE:
        raise TaskError(
            "",
            f"this is larger than {LARGEST_FILE >> 20} MB, too large for a task; check the path.",
            str(path),
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise TaskError(
            f"line {line}",
            f"byte {data[error.start]:#04x} is not UTF-8; save the file with UTF-8 encoding.",
            str(path),
        ) from None


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text.

    Raises:
        TaskError: The text is not valid TOML.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: bad TOML, or too many digits
        raise TaskError("", f"this is not valid TOML: {error}; correct it there.") from None


def write_text(path: str | Path, text: str, *, new: bool = False) -> None:
    """Write a UTF-8 file with plain line ends.

    Args:
        path: The file.
        text: Its content.
        new: Refuse a file that exists.

    Raises:
        TaskError: The file cannot be written.
    """
    try:
        with Path(path).open("xb" if new else "wb") as file:
            file.write(text.encode("utf-8"))
    except FileExistsError:
        raise TaskError(
            "", "the file exists and is left as it is; choose another path.", str(path)
        ) from None
    except (OSError, ValueError) as error:
        raise TaskError(
            "", f"the file cannot be written ({_reason(error)}); choose another path.", str(path)
        ) from None


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)
