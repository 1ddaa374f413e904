"""Faults in user-defined parts, as one message that names the part and the line."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deliberate_practice.foundation.errors import DeliberatePracticeError, PartFailed

PACKAGE = Path(__file__).parents[1]
LONGEST = 500
"""Characters of a message that are shown."""


@contextmanager
def blamed(part: str) -> Iterator[None]:
    """Turn whatever the code inside raises into one message.

    Args:
        part: What is running, e.g. ``strategy 'mine'``.

    Raises:
        PartFailed: It raised something that is not ours.
    """
    try:
        yield
    except DeliberatePracticeError:
        raise
    except (Exception, SystemExit) as error:
        raise PartFailed(f"{part} raised {told(error)}") from error


def told(error: BaseException) -> str:
    """An exception in one line, with where it was raised.

    The place is the last line outside this package, which is the user's own where there is one.
    """
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not Path(frame.filename).is_relative_to(PACKAGE)]
    near = [frame for frame in own if "site-packages" not in Path(frame.filename).parts]
    message = " ".join(str(error).split())[:LONGEST]
    text = f"{type(error).__name__}: {message}" if message else type(error).__name__
    for frame in (near or own or frames)[-1:]:
        text += f" ({frame.filename}, line {frame.lineno}, in {frame.name}: {frame.line})"
    return text
