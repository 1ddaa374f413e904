"""A live bar in a terminal, for work whose items are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


class Bar:
    """Show how far some work is; the same methods as :class:`Heartbeat`.

    Args:
        screen: The terminal.
        work: Words for the work.
        items: Plural of the items that are counted.
        count: Items in all; None until they are known, and where nothing is counted.
        done: Items that are finished beforehand, and took no time.
    """

    def __init__(
        self,
        screen: Console,
        work: str,
        items: str = "",
        count: int | None = None,
        *,
        done: int = 0,
    ) -> None:
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn as TimeLeft,
        )

        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            TimeLeft(),
            console=screen,
            transient=True,
            speed_estimate_period=float("inf"),  # an item may take minutes
        )
        self._job = self._bar.add_task("")
        self.stage(work, items, count, done=done)

    def update(
        self,
        done: int,
        count: int,
        part: float | None = None,
        detail: Callable[[], str] | None = None,
    ) -> None:
        """Tell what is finished; ``part`` is the finished part of the work, from 0 to 1."""
        finished = part if part is not None else done / max(count, 1)
        words = self._status(done, count)
        self._bar.update(self._job, total=1.0, completed=finished, description=words, left="left")

    def stage(self, work: str, items: str = "", count: int | None = None, *, done: int = 0) -> None:
        """Go on with other work; its time begins now."""
        self._work, self._items = work, items
        total, left = (None, "") if count is None else (1.0, "left")  # None: a bar that only moves
        words = self._status(done, count)
        self._bar.reset(self._job, total=total, description=words, left=left)

    def __enter__(self) -> Bar:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def _status(self, done: int, count: int | None) -> str:
        return self._work if count is None else f"{done} of {count} {self._items}"
