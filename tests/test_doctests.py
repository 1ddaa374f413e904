"""Every example in a docstring of the package does what it says."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import deliberate_practice

ROOT = Path(deliberate_practice.__path__[0])
EXTRAS = frozenset({"mujoco", "cv2", "ompl", "pyscipopt", "gurobipy", "ray", "plotly"})
"""Packages that only an extra installs."""


def _modules() -> list[str]:
    """The modules with an example; no file of the package is left out."""
    files = [file for file in ROOT.rglob("*.py") if ">>> " in file.read_text(encoding="utf-8")]
    paths = [file.relative_to(ROOT.parent).with_suffix("") for file in files]
    return sorted(".".join(path.parts).removesuffix(".__init__") for path in paths)


@pytest.mark.parametrize("name", _modules())
def test_examples_in_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # examples may leave files
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        pytest.skip(f"needs the package {error.name}")
    results = doctest.testmod(module)
    assert results.attempted > 0
    assert results.failed == 0
