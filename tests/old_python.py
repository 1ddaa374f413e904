"""The oldest Python from 3.8 on that this machine has; ours if there is no other."""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path


@cache
def oldest_python() -> str:
    """Its path."""
    versions = [f"3.{minor}" for minor in range(8, sys.version_info.minor)]
    found = [path for version in versions if (path := shutil.which(f"python{version}"))]
    pyenv = Path.home() / ".pyenv" / "versions"
    found += [
        str(path) for version in versions for path in sorted(pyenv.glob(f"{version}.*/bin/python"))
    ]
    return min(
        (python for python in found if _minor(python) is not None),
        key=lambda python: _minor(python) or 0,
        default=sys.executable,
    )


@cache
def _minor(python: str) -> int | None:
    """Its minor version; None if it does not run."""
    code = "import sys; print(sys.version_info[1])"
    done = subprocess.run([python, "-I", "-S", "-c", code], capture_output=True, text=True)
    return int(done.stdout) if done.returncode == 0 else None
