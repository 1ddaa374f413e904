"""Work for engines that leaves a trace of every time it is begun."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from deliberate_practice.foundation.errors import ArgumentError


@dataclass(frozen=True)
class Traced:
    """Square a number, slowly; 13 is refused.

    Args:
        folder: Where a file is made whenever a number is begun.
        seconds: How long each takes.
    """

    folder: Path
    seconds: float

    def __call__(self, number: int) -> int:
        begun = self.begun(number)
        (self.folder / f"{number}-{len(begun)}").write_text(str(os.getppid()))
        if number == 13:
            raise ArgumentError("number: 13 is not valid; take another.")
        time.sleep(self.seconds)
        return number * number

    def begun(self, number: int) -> list[int]:
        """The parents of the processes that began a number: one for each time."""
        return [int(trace.read_text() or 0) for trace in self.folder.glob(f"{number}-*")]
