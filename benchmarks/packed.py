"""The files of results in studies/measured, which are packed."""

from __future__ import annotations

import gzip
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def unpacked(file: Path) -> Iterator[Path]:
    """The file without its packing, as long as it is needed."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "results.sqlite"
        with gzip.open(file) as source, target.open("wb") as copy:
            shutil.copyfileobj(source, copy)
        yield target
