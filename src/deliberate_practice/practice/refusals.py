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
    """The refused trials of each policy since its last episode that was not refused."""

    in_a_row: dict[str, list[Trial]] = field(default_factory=dict)

    def told(self, policy: str, trial: Trial, outcome: Outcome) -> None:
        """Count a refusal; an attempt, or an approach to one, ends the row."""
        if outcome == "refused":
            self.in_a_row.setdefault(policy, []).append(trial)
        elif outcome not in ("aborted", "assisted"):
            self.in_a_row.pop(policy, None)

    def check(self) -> None:
        """Stop a session in which drawing again does not help.

        Raises:
            PartFailed: Too many candidates of one policy were refused in a row.
        """
        for policy, refused in self.in_a_row.items():
            if len(refused) >= MOST_REFUSED:
                last = refused[-1]
                raise PartFailed(
                    f"{refused_too_often(policy, len(refused), last)} If the robot can execute "
                    f"'{last.skill}' by now, evaluate that skill (ask --evaluate): the session "
                    "goes on after an evaluation that is not refused."
                )


def refused_too_often(policy: str, count: int, last: Trial) -> str:
    """The message for a policy with so many refusals in a row, and what to do."""
    values = ", ".join(f"{name} = {value:g}" for name, value in last.parameters.items())
    tried = f"the last one with {values}" if values else "and it has no parameters to draw anew"
    narrower = ", or start anew with narrower bounds for its parameters" if values else ""
    return (
        f"policy '{policy}': the robot refused {count} candidates in a row, {tried}. Let the robot "
        f"reach more{narrower}."
    )
