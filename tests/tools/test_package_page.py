"""The package as a release builds it, and what the package index shows."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from package_page import absolute_links, urls

from deliberate_practice.foundation.version import __version__

ROOT = Path(__file__).parents[2]


def test_files_become_addresses_and_addresses_stay() -> None:
    text = "![a](docs/a.png) [b](docs/b.md#c) [d](https://e.org/f) [g](#h)"
    assert absolute_links(text, "https://lab.org/dp") == (
        "![a](https://lab.org/dp/raw/main/docs/a.png) [b](https://lab.org/dp/blob/main/docs/b.md#c)"
        " [d](https://e.org/f) [g](#h)"
    )
    assert all(
        address.startswith("https://lab.org/dp") for address in urls("https://lab.org/dp").values()
    )


@pytest.mark.slow
def test_the_package_is_built_and_its_page_is_valid(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run([*build, "--wheel"], check=True, capture_output=True, text=True)
    (wheel,) = tmp_path.glob("*.whl")
    checked = [sys.executable, "-m", "twine", "check", "--strict", str(wheel)]
    subprocess.run(checked, check=True, capture_output=True, text=True)
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        (metadata,) = (name for name in names if name.endswith("dist-info/METADATA"))
        stated = Parser().parsestr(files.read(metadata).decode())
    assert stated["Version"] == __version__
    assert "What should your robot practise tonight?" in str(stated.get_payload())
    assert "deliberate_practice/py.typed" in names
    assert "deliberate_practice/service/deliberate_client.py" in names
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]
