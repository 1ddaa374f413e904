"""Commands that install an extra: right for every way in which the package may be installed."""

from __future__ import annotations

import ast
import json
import os
import shlex
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest

from deliberate_practice.foundation.installing import checkout, command_for

PIP = [sys.executable, "-m", "pip", "install"]
SOURCES = Path(__file__).parents[2]


def installed(folder: Path, origin: object = None) -> Distribution:
    """A distribution with an extra ``scip``, and perhaps a ``direct_url.json``."""
    metadata = folder / "deliberate_practice-0.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: deliberate-practice\nVersion: 0.0\n"
        "Requires-Dist: numpy>=2.0\n"
        "Requires-Dist: pyscipopt>=6.0; extra == 'scip'\n"
        "Requires-Dist: ray>=2.60 ; extra=='ray'\n"
    )
    if origin is not None:
        text = origin if isinstance(origin, str) else json.dumps(origin)
        (metadata / "direct_url.json").write_text(text)
    return PathDistribution(metadata)


def test_from_a_folder_editable_or_not(tmp_path: Path) -> None:
    folder = tmp_path / "my sources"
    folder.mkdir()
    url = folder.as_uri()
    assert "%20" in url
    editable = installed(tmp_path / "a", {"url": url, "dir_info": {"editable": True}})
    copied = installed(tmp_path / "b", {"url": url, "dir_info": {}})
    command = command_for("scip", editable, None)
    assert shlex.split(command) == [*PIP, "--editable", f"{folder}[scip]"]
    assert shlex.split(command_for("scip", copied, None)) == [*PIP, f"{folder}[scip]"]


def test_from_a_wheel(tmp_path: Path) -> None:
    wheel = tmp_path / "deliberate_practice-0.0-py3-none-any.whl"
    wheel.touch()
    origin = {"url": wheel.as_uri(), "archive_info": {"hash": "sha256=0"}}
    command = command_for("scip", installed(tmp_path / "a", origin), None)
    assert shlex.split(command) == [*PIP, f"{wheel}[scip]"]


@pytest.mark.parametrize(
    ("origin", "requirement"),
    [
        (
            {"url": "https://host/a.git", "vcs_info": {"vcs": "git", "commit_id": "12ab"}},
            "deliberate-practice[scip] @ git+https://host/a.git@12ab",
        ),
        (
            {"url": "https://host/a.whl", "archive_info": {}},
            "deliberate-practice[scip] @ https://host/a.whl",
        ),
    ],
)
def test_from_a_server(tmp_path: Path, origin: object, requirement: str) -> None:
    command = command_for("scip", installed(tmp_path, origin), None)
    assert shlex.split(command) == [*PIP, requirement]


@pytest.mark.parametrize(
    "origin",
    [None, "", "no json", "[]", {"url": 3}, {"url": "file:///gone/away", "dir_info": {}}],
)
def test_where_nothing_says_from_where(tmp_path: Path, origin: object) -> None:
    found = installed(tmp_path, origin)
    assert shlex.split(command_for("scip", found, None)) == [*PIP, "pyscipopt>=6.0"]
    assert shlex.split(command_for("ray", found, None)) == [*PIP, "ray>=2.60"]
    command = command_for("ray", found, tmp_path)
    assert shlex.split(command) == [*PIP, "--editable", f"{tmp_path}[ray]"]


def test_this_very_code_runs_from_its_sources() -> None:
    assert checkout() == SOURCES


def test_pip_accepts_the_command(tmp_path: Path) -> None:
    wheel = tmp_path / "a folder" / "deliberate_practice-0.0-py3-none-any.whl"
    wheel.parent.mkdir()
    described = "deliberate_practice-0.0.dist-info"
    files = {
        "METADATA": "Metadata-Version: 2.1\nName: deliberate-practice\nVersion: 0.0\n"
        "Provides-Extra: scip\nRequires-Dist: pyscipopt; extra == 'scip'\n",
        "WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{described}/{name}", text)
    origin = {"url": wheel.as_uri(), "archive_info": {}}
    words = shlex.split(command_for("scip", installed(tmp_path / "a", origin), None))
    options = ["--dry-run", "--no-deps", "--no-index", "--force-reinstall"]
    done = subprocess.run(
        [*words[:4], *options, *words[4:]],
        capture_output=True,
        text=True,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )
    assert "Would install deliberate-practice-0.0" in done.stdout, done.stderr


def test_no_message_names_the_package_index() -> None:
    for file in (SOURCES / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert "pip install '" not in node.value, file
