"""Exceptions of user-defined parts as one message that names the part and the line."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deliberate_practice.foundation.errors import DeliberatePracticeError, PartFailed

PACKAGE = Path(__file__).parents[1]
LONGEST = 500
"""The most characters of a message that are shown."""


@contextmanager
def blamed(part: str) -> Iterator[None]:
    """Turn any exception of the code inside into one message.

    Args:
        part: The part that runs, e.g. ``strategy 'mine'``.

    Raises:
        PartFailed: The code raised an exception that is not from this package.
    """
    try:
        yield
    except DeliberatePracticeError:
        raise
    except (Exception, SystemExit) as error:
        raise PartFailed(f"{part} raised {told(error)}") from error


def told(error: BaseException) -> str:
    """An exception in one line, with the place where it was raised.

    The place is the last line outside this package, preferably in the user's own code.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not Path(frame.filename).is_relative_to(PACKAGE)]
    near = [frame for frame in own if "site-packages" not in Path(frame.filename).parts]
    message = " ".join(str(error).split())[:LONGEST]
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    for frame in (near or own or frames)[-1:]:
        text += f" ({frame.filename}, line {frame.lineno}, in {frame.name}: {frame.line})"
    return text
