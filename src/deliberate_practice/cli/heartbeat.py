"""Plain lines on stderr while a command works where nobody sees a live display."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import click


@dataclass(frozen=True)
class Rhythm:
    """When lines are printed [s].

    Attributes:
        quiet: Nothing is printed before; shorter work prints nothing at all.
        least: Between two lines, however fast items are finished.
        most: Between two lines, even if nothing is finished.
    """

    quiet: float = 5.0
    least: float = 10.0
    most: float = 20.0


RHYTHM = Rhythm()


class Heartbeat:
    """Print how far some work is: done, in all, time so far, time left.

    A thread prints the last status again while a single item takes long. Use it in a ``with``
    statement; a last line closes what was begun, unless the work was stopped.

    Args:
        work: Words for the work, e.g. ``comparing``.
        items: Plural of the items that are counted, e.g. ``sessions``.
        count: Items in all; None until they are known, and where nothing is counted.
        done: Items that are finished beforehand, and took no time.
    """

    def __init__(
        self, work: str, items: str = "", count: int | None = None, *, done: int = 0
    ) -> None:
        self._rhythm = RHYTHM
        self._lines, self._printed = 0, time.monotonic()
        self._lock, self._end = threading.Lock(), threading.Event()
        self.stage(work, items, count, done=done)
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def stage(self, work: str, items: str = "", count: int | None = None, *, done: int = 0) -> None:
        """Go on with other work; its time begins now."""
        with self._lock:
            self._work, self._items = work, items
            self._done, self._count, self._part = done, count, 0.0
            self._begun = time.monotonic()

    def update(
        self,
        done: int,
        count: int,
        part: float | None = None,
        detail: Callable[[], str] | None = None,
    ) -> None:
        """Tell what is finished; prints a line if the last one is some time ago.

        Args:
            done: Items finished.
            count: Items in all.
            part: Finished part of the work, from 0 to 1, for the time left; ``done / count`` by
                default.
            detail: More words for the line, made only if it is printed.
        """
        with self._lock:
            self._done, self._count = done, count
            self._part = part if part is not None else done / max(count, 1)
            if self._wait(self._rhythm.least) <= 0 and done < count:
                self._print(detail() if detail else "")

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        self._end.set()
        self._thread.join()
        if self._lines and kind is None:
            self._print(closing=True)

    def _beat(self) -> None:
        """In a thread: print the last status whenever nothing was printed for long."""
        pause = self._wait(self._rhythm.most)
        while not self._end.wait(max(pause, 0.0)):
            with self._lock:
                if self._wait(self._rhythm.most) <= 0:
                    self._print()
                pause = self._wait(self._rhythm.most)

    def _wait(self, spacing: float) -> float:
        """Seconds until a line is due; the first one is due after the quiet time."""
        due = self._printed + (spacing if self._lines else self._rhythm.quiet)
        return due - time.monotonic()

    def _print(self, detail: str = "", *, closing: bool = False) -> None:
        self._printed = time.monotonic()
        self._lines += 1
        passed = self._printed - self._begun
        words = [self._status(), f"{duration(passed)} {'in all' if closing else 'so far'}"]
        if 0 < self._part < 1 and not closing:
            words.append(f"about {duration(passed * (1 / self._part - 1))} left")
        with suppress(OSError, ValueError):  # nobody reads it any more; the work goes on
            click.echo(f"deliberate: {', '.join(words)}{'; ' * bool(detail)}{detail}", err=True)

    def _status(self) -> str:
        if self._count is None:
            return self._work
        return f"{self._work}: {self._done} of {self._count} {self._items}"


def duration(seconds: float) -> str:
    """A time that people can read: 45 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
