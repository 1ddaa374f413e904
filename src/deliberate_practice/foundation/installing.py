"""The command that installs an extra of this package from its own origin."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

DISTRIBUTION = "deliberate-practice"


def install_command(extra: str) -> str:
    """A command for the shell that adds an extra to this installation.

    The command never uses the name on a package index, which may belong to somebody else.

    Args:
        extra: An extra of this package, e.g. ``"scip"``.
    """
    installed = next(iter(Distribution.discover(name=DISTRIBUTION)), None)
    return command_for(extra, installed, checkout())


def command_for(extra: str, installed: Distribution | None, sources: Path | None) -> str:
    """The same command for a given installation.

    Args:
        extra: An extra of this package.
        installed: Its metadata, if it is installed.
        sources: The folder of the source checkout it runs from, if there is one.
    """
    origin = _origin(installed) if installed else None
    arguments = _from_origin(extra, origin) if origin else None
    if arguments is None:
        own = ["--editable", f"{sources}[{extra}]"]
        arguments = own if sources else _requirements(extra, installed)
    return shlex.join([sys.executable or "python", "-m", "pip", "install", *arguments])


def checkout() -> Path | None:
    """The folder with ``pyproject.toml`` that this code runs from, if it runs from its sources."""
    folder = Path(__file__).resolve().parents[3]
    return folder if (folder / "pyproject.toml").is_file() else None


def _origin(installed: Distribution) -> Mapping[str, Any] | None:
    """The origin of the package that pip recorded (``direct_url.json``, PEP 610)."""
    text = installed.read_text("direct_url.json")
    try:
        noted = json.loads(text) if text else None
    except ValueError:
        return None
    return noted if isinstance(noted, dict) and isinstance(noted.get("url"), str) else None


def _from_origin(extra: str, origin: Mapping[str, Any]) -> list[str] | None:
    """Arguments of ``pip install``; None if the files are gone."""
    url = urlsplit(origin["url"])
    repository = origin.get("vcs_info")
    if isinstance(repository, dict):
        revision = repository.get("commit_id") or repository.get("requested_revision")
        pinned = f"@{revision}" if revision else ""
        return [f"{DISTRIBUTION}[{extra}] @ {repository.get('vcs')}+{origin['url']}{pinned}"]
    if url.scheme != "file":
        return [f"{DISTRIBUTION}[{extra}] @ {origin['url']}"]
    path = Path(url2pathname(url.path))
    if not path.exists():
        return None
    folder = origin.get("dir_info")
    editable = isinstance(folder, dict) and folder.get("editable") is True
    return [*(["--editable"] if editable else []), f"{path}[{extra}]"]


def _requirements(extra: str, installed: Distribution | None) -> list[str]:
    """The packages that the extra requires, for an installation without a known origin."""
    stated = (installed.requires or []) if installed else []
    pairs = [line.partition(";") for line in stated]
    return [
        needed.strip()
        for needed, _, marker in pairs
        if f"extra=='{extra}'" in marker.replace('"', "'").replace(" ", "")
    ] or [f"FOLDER-OF-ITS-SOURCES[{extra}]"]
