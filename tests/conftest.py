"""What holds for all tests: the scene is ours, unless a test names LIBERO's cabinet itself."""

import os
import sys

from counts import QUICK, examples
from hypothesis import settings

os.environ.pop("LIBERO_ASSETS", None)
if QUICK:
    settings.register_profile("quick", max_examples=examples(100))
    settings.load_profile("quick")
    for name in ("pyscipopt", "gurobipy", "mujoco", "ray"):  # slow, so not to be had by mistake
        sys.modules[name] = None  # type: ignore[assignment]
