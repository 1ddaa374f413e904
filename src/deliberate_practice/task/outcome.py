"""The outcomes of trials."""

from __future__ import annotations

from typing import Literal

Outcome = Literal["success", "failure", "refused", "unreached", "aborted"]
"""What became of a trial.

The attempt succeeded or failed. The robot refused it: its parameters cannot be executed, and
nothing moved. The approach failed. Or a fault or safety stop ended it.
"""

OUTCOMES: tuple[Outcome, ...] = ("success", "failure", "refused", "unreached", "aborted")
