"""``python -m deliberate_practice`` is the command ``deliberate``."""

from __future__ import annotations

from deliberate_practice.cli import main

main()
