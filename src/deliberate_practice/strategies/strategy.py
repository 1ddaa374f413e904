"""What a strategy is: it looks at a situation and names the policy to practise next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from deliberate_practice.beliefs.belief import Belief
from deliberate_practice.mdp.approach import Approach
from deliberate_practice.mdp.ground_task import GroundTask

GENERATION = 6
"""Attempts between two decisions: one generation of the learner."""


@dataclass(frozen=True)
class Decision:
    """A policy to practise.

    Attributes:
        policy: Which one.
        share: Episodes it is meant to get before the next decision, at least 1; the session takes
            at most a generation of them at a time.
        why: What spoke for it, as plain data for the journal.
    """

    policy: str
    share: int
    why: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Past:
    """A decision that was carried out, with the attempts its policy had behind it then."""

    decision: Decision
    attempts_before: int


@dataclass(frozen=True)
class Situation:
    """All a strategy may look at.

    Attributes:
        ground: The task.
        belief: What is believed about every policy.
        budget: Budget units left.
        attempts: Attempts of each policy so far.
        approaches: How to reach each practisable policy that can be reached, by policy.
        free: Whether the robot is put at the precondition at no cost.
        past: Decisions so far.
        rng: For random choices; the same situation always gets the same one.
        outcomes: Whether each attempt so far succeeded, by policy, oldest first.
    """

    ground: GroundTask
    belief: Belief
    budget: int
    attempts: Mapping[str, int]
    approaches: Mapping[str, Approach]
    free: bool
    past: Sequence[Past]
    rng: np.random.Generator
    outcomes: Mapping[str, Sequence[bool]] = field(default_factory=dict)


Strategy = Callable[[Situation], Decision | None]
"""Names the next policy among those in ``approaches``, or None if no practice is worth anything."""
