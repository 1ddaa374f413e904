"""A package that offers parts through entry points, as one that is installed does."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def installed(
    folder: Path, module: str, code: str, offered: Mapping[str, Sequence[str]]
) -> Iterator[Path]:
    """A package of one module for a while; processes that are started meanwhile find it too.

    Args:
        folder: Where to write it; it need not be there.
        module: Name of the package and of its module.
        code: The module's source.
        offered: Names of its parts by kind, e.g. ``{"strategies": ["mine"]}``, each the same as in
            the module.
    """
    described = folder / f"{module}-1.0.dist-info"
    described.mkdir(parents=True, exist_ok=True)
    (folder / f"{module}.py").write_text(code)
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    points = ""
    for kind, names in offered.items():
        points += f"[deliberate_practice.{kind}]\n"
        points += "".join(f"{name} = {module}:{name}\n" for name in names)
    (described / "entry_points.txt").write_text(points)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        sys.modules.pop(module, None)
        try:
            yield folder
        finally:
            sys.modules.pop(module, None)
