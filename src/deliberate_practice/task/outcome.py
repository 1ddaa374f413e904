"""The outcomes of trials."""

from __future__ import annotations

from typing import Literal

Outcome = Literal["success", "failure", "unreached", "aborted"]
"""The attempt succeeded or failed; the approach failed; or a fault or safety stop ended it."""

OUTCOMES: tuple[Outcome, ...] = ("success", "failure", "unreached", "aborted")
