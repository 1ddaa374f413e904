"""A package that offers parts through entry points, as one that is installed does."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from deliberate_practice.study.parts import REGISTRIES


@contextmanager
def installed(
    folder: Path, module: str, code: str, offered: Mapping[str, Sequence[str]]
) -> Iterator[Path]:
    """A package of one module for a while; processes that are started meanwhile find it too.

    Args:
        folder: Where to write it; it need not be there.
        module: Name of the package and of its module.
        code: The module's source.
        offered: Names of its parts by kind, e.g. ``{"strategies": ["mine"]}``; each is called as
            what it is in the module.
    """
    described = folder / f"{module}-1.0.dist-info"
    described.mkdir(parents=True, exist_ok=True)
    (folder / f"{module}.py").write_text(code)
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    points = [
        line
        for kind, names in offered.items()
        for line in (
            f"[deliberate_practice.{kind}]",
            *(f"{name} = {module}:{name}" for name in names),
        )
    ]
    (described / "entry_points.txt").write_text("\n".join(points) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.delitem(sys.modules, module, raising=False)
        for registry in REGISTRIES.values():
            patch.setattr(registry, "_loaded", dict(registry._loaded))
        _look_again()
        try:
            yield folder
        finally:
            sys.modules.pop(module, None)
            _look_again()


def _look_again() -> None:
    """Let the registries look for installed packages when they are asked next."""
    for registry in REGISTRIES.values():
        vars(registry).pop("_installed", None)
