"""What holds for all tests: the scene is ours, unless a test names LIBERO's cabinet itself."""

import os
import sys

from counts import QUICK

os.environ.pop("LIBERO_ASSETS", None)
if QUICK:  # nothing that makes quick slow can be imported by mistake
    for name in ("pyscipopt", "gurobipy", "mujoco", "ray"):
        sys.modules[name] = None  # type: ignore[assignment]
