"""Candidates that a robot refuses one after the other: drawing again does not go on for ever."""

from __future__ import annotations

from dataclasses import dataclass, field

from deliberate_practice.foundation.errors import PartFailed
from deliberate_practice.practice.robot import Trial
from deliberate_practice.task.outcome import Outcome

MOST_REFUSED = 100
"""Candidates of one policy that may be refused in a row."""


@dataclass
class Refusals:
    """The refused trials of each policy since it was last executed, by the name of the policy."""

    in_a_row: dict[str, list[Trial]] = field(default_factory=dict)

    def told(self, policy: str, trial: Trial, outcome: Outcome) -> None:
        """Count a refusal; every outcome of an episode that went its way ends the row."""
        if outcome == "refused":
            self.in_a_row.setdefault(policy, []).append(trial)
        elif outcome != "aborted":
            self.in_a_row.pop(policy, None)

    def check(self) -> None:
        """Stop if drawing again does not help.

        Raises:
            PartFailed: So many candidates of one policy were refused in a row.
        """
        for policy, refused in self.in_a_row.items():
            if len(refused) < MOST_REFUSED:
                continue
            last = refused[-1]
            values = ", ".join(f"{name} = {value:g}" for name, value in last.parameters.items())
            tried = f"the last one with {values}" if values else "and it has no parameters to draw"
            raise PartFailed(
                f"policy '{policy}': the robot refused {len(refused)} candidates in a row, {tried}."
                " Let the robot reach more, or start a session on a task with narrower bounds. If "
                f"it can execute '{last.skill}' by now, evaluate that (ask --evaluate): the session"
                " goes on after an evaluation that is not refused."
            )
