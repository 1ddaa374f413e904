"""All exceptions of this package, with messages that name the fix."""

from __future__ import annotations

import difflib
import math
import reprlib
from collections.abc import Iterable, Mapping
from typing import Self

MOST_LISTED = 50
"""The most valid names that a message lists."""


class DeliberatePracticeError(Exception):
    """Base of every error this package raises on purpose; the command line exits with status 2."""

    @classmethod
    def at(cls, place: str, message: str) -> Self:
        """The error with its place before the message."""
        return cls(f"{place}: {message}")


class TaskError(DeliberatePracticeError):
    """A task (file or object) that cannot be used as it is.

    Args:
        place: Where the fault is, e.g. ``skill 'Pick': precondition``.
        message: The fault, the valid values, and the fix.
        file: The file of the task, if any.
    """

    def __init__(self, place: str, message: str, file: str | None = None) -> None:
        super().__init__(": ".join(part for part in (file, place, message) if part))
        self.place = place
        self.message = message
        self.file = file

    @classmethod
    def at(cls, place: str, message: str) -> Self:
        """The error with its place, before which an outer place may still be put."""
        return cls(place, message)

    def __reduce__(self) -> tuple[type[TaskError], tuple[str, str, str | None]]:
        """Pickle the error by its arguments, not by its message alone."""
        return type(self), (self.place, self.message, self.file)

    def within(self, file: str) -> TaskError:
        """The same error with the name of its file."""
        return type(self)(self.place, self.message, file)


class TaskTooLarge(TaskError):
    """The task has more states than the limit allows."""


class ArgumentError(DeliberatePracticeError):
    """An argument of a public function has an invalid value."""


class SolverUnavailable(DeliberatePracticeError):
    """A requested solver is not installed, has no licence, or crashed."""


class PartFailed(DeliberatePracticeError):
    """A user-defined part (robot, strategy, belief, learner) raised an exception."""


class EngineError(DeliberatePracticeError):
    """A requested engine is not installed, cannot be reached, or lost its workers."""


def refuse(error: type[DeliberatePracticeError], place: object, faults: Mapping[str, bool]) -> None:
    """Raise an error for the first fault that is present.

    Args:
        error: The class of the exception.
        place: Where the fault would be.
        faults: Whether each fault is present, by its message.
    """
    for fault, is_there in faults.items():
        if is_there:
            raise error.at(str(place), fault)


def shown(value: object, longest: int = 100) -> str:
    """A value in a message: as Python writes it, shortened if it is long.

    >>> shown("a" * 1000, longest=20), shown(10**5000)
    ("'aaaaaaa...aaaaaaaa'", 'a number of about 5001 digits')
    """
    if isinstance(value, int) and abs(value) >= 10**longest:
        digits = math.floor(math.log10(2) * abs(value).bit_length()) + 1
        return f"a number of about {digits} digits"
    limited = reprlib.Repr()
    limited.maxstring = limited.maxother = limited.maxlong = longest
    limited.maxlist = limited.maxdict = limited.maxtuple = limited.maxset = 8
    limited.maxlevel = 4
    return limited.repr(value)


def choose_from(value: object, valid: Iterable[str]) -> str:
    """The tail of a message about a name that is not one of the valid ones.

    >>> choose_from("bred", ["bread", "toaster"])
    "'bred' is not one of: bread, toaster. Did you mean 'bread'?"
    """
    names = list(valid)
    listed = ", ".join(names[:MOST_LISTED]) if names else "(there are none)"
    if len(names) > MOST_LISTED:
        listed += f", and {len(names) - MOST_LISTED} more"
    close = difflib.get_close_matches(value[:100], names, n=1) if isinstance(value, str) else []
    hint = f" Did you mean '{close[0]}'?" if close else ""
    return f"{shown(value)} is not one of: {listed}.{hint}"
