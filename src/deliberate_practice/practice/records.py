"""A trial and everything that is known about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from deliberate_practice.practice.robot import Result, Trial

Kind = Literal["practice", "training", "test", "evaluation", "probe"]


@dataclass(frozen=True)
class TrialRecord:
    """A trial and what is known about it.

    Attributes:
        trial: What was asked.
        policy: The policy that is practised.
        cost: Budget units it took; a refused one takes none.
        decision: Number of the decision it belongs to; None for an evaluation.
        candidate: The learner's number for the candidate; None for all but practice.
        why: What spoke for practising it.
        asked: When it was asked.
        handed: When it was handed to the asker that has it, or had it last.
        passed: Whether it passed to another asker.
        result: What was told, or what it was corrected to; None while it is open.
        told: When it was told.
        by: Who labelled it, if that is known.
        robot: The robot that ran it, if that is known.
        version: The name of what a training run made, if it has one.
        ready: Whether somebody has said that its scene is set.
        corrected: The label that was told first, if it was corrected.
        refunded: Whether it was given back to the budget.
        notes: Notes on it.
        probe: Whether it executes a whole plan.
        price: Budget units that it takes unless it is refused: turning to the skill included.
    """

    trial: Trial
    policy: str
    cost: int
    decision: int | None
    candidate: int | None
    why: Mapping[str, object]
    asked: datetime
    handed: datetime
    passed: bool = False
    result: Result | None = None
    told: datetime | None = None
    by: str | None = None
    robot: str | None = None
    ready: bool = False
    corrected: Result | None = None
    refunded: bool = False
    notes: tuple[str, ...] = ()
    version: str | None = None
    probe: bool = False
    price: int = 0

    @property
    def kind(self) -> Kind:
        """Whether it practises, trains, tests or evaluates a policy, or probes a plan."""
        if self.probe:
            return "probe"
        if self.decision is None:
            return "evaluation"
        if self.trial.mode == "train":
            return "training"
        return "test" if self.candidate is None else "practice"

    def noted(self, text: str) -> TrialRecord:
        """The same with one more note."""
        return replace(self, notes=(*self.notes, text))

    @property
    def executed(self) -> int:
        """Skills that the robot executed, as far as is known: none if it was aborted."""
        if self.result is None or self.result.outcome in ("aborted", "assisted", "refused"):
            return 0
        if self.kind == "training":
            return 0
        if self.result.executed is not None:
            return len(self.result.executed) + (self.result.outcome != "unreached")
        names, at = [step.skill for step in self.trial.steps], self.result.at
        return len(names) if at is None else names.index(at) + 1 if at in names else 1

    @property
    def counted(self) -> bool:
        """Whether it counts against the budget; evaluations and uncharged tests do not."""
        return self.cost > 0

    @property
    def void(self) -> bool:
        """Whether it counts as if it had never been asked: refunded, or a refused candidate."""
        refused = self.result is not None and self.result.outcome == "refused"
        return self.refunded or (refused and self.kind == "practice")


def counts(records: Iterable[TrialRecord], policies: Iterable[str]) -> dict[str, int]:
    """How many trials each policy has, in the order of the policies; those without are left out."""
    owners = [record.policy for record in records]
    return {name: owners.count(name) for name in policies if name in owners}
