"""What holds for all tests: the scene is ours, unless a test names LIBERO's cabinet itself."""

import os

os.environ.pop("LIBERO_ASSETS", None)
