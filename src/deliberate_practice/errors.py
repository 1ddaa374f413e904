"""What can go wrong, as one family of exceptions whose messages say what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class DeliberatePracticeError(Exception):
    """Base of every error this package raises on purpose; the command line exits with status 2."""


class TaskError(DeliberatePracticeError):
    """A task (file or object) that cannot be used as it stands.

    Args:
        place: Where the fault is, e.g. ``skill 'Pick': precondition``.
        message: What is wrong, which values are valid, and the fix.
        file: The file the task came from, if any.
    """

    def __init__(self, place: str, message: str, file: str | None = None) -> None:
        super().__init__(": ".join(part for part in (file, place, message) if part))
        self.place = place
        self.message = message
        self.file = file

    def __reduce__(self) -> tuple[type[TaskError], tuple[str, str, str | None]]:
        """How it comes out of another process: by its own arguments, not by the message alone."""
        return type(self), (self.place, self.message, self.file)

    def within(self, file: str) -> TaskError:
        """The same fault, naming the file it was found in."""
        return type(self)(self.place, self.message, file)


class TaskTooLarge(TaskError):
    """The task has more states than the limit allows."""


class ArgumentError(DeliberatePracticeError):
    """An argument of a public function has a value that makes no sense."""


class SolverUnavailable(DeliberatePracticeError):
    """A solver that was asked for is not installed, has no licence, or crashed."""


class EngineError(DeliberatePracticeError):
    """An engine that was asked for is not installed, cannot be reached, or lost its workers."""


def choose_from(value: object, valid: Iterable[str]) -> str:
    """The tail of a message about a name that is not one of the valid ones.

    >>> choose_from("bred", ["bread", "toaster"])
    "'bred' is not one of: bread, toaster. Did you mean 'bread'?"
    """
    names = list(valid)
    listed = ", ".join(names) if names else "(there are none)"
    close = difflib.get_close_matches(str(value), names, n=1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    return f"{value!r} is not one of: {listed}.{hint}"
