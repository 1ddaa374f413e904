"""The outcomes of trials."""

from __future__ import annotations

from typing import Literal, get_args

Outcome = Literal["success", "failure", "refused", "unreached", "aborted", "assisted"]
"""What became of a trial.

The attempt succeeded or failed. The robot refused it: its parameters cannot be executed, and
nothing moved. The approach failed. A fault or safety stop ended it. Or a person helped, so that it
is no evidence of competence.
"""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
