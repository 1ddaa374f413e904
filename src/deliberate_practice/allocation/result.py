"""The answer to an allocation problem: a plan, a split, their value, and a bound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from deliberate_practice.allocation.plan import Plan
from deliberate_practice.allocation.tolerances import GAP, TIE
from deliberate_practice.foundation.arrays import IntArray
from deliberate_practice.foundation.plain_data import finite
from deliberate_practice.mdp.ground_task import GroundTask, StateCounts
from deliberate_practice.mdp.rule import Path, StartPath, start_paths, used_skills


@dataclass(frozen=True)
class Prospect:
    """A plan and a split of a budget for it.

    Attributes:
        plan: The plan; in general tasks the most likely path to a goal.
        split: Episodes by policy, without policies that get none; fractions if continuous.
        value: Value of the task after this practice; in a strategy, that of the plan.
        bound: Upper bound on the value of every plan and split; infinite if none is known.
    """

    plan: Plan | Path
    split: Mapping[str, float]
    value: float
    bound: float = math.inf

    @property
    def skills(self) -> tuple[str, ...]:
        """The skills of the plan; if there are several tasks, those of each task's plan."""
        return self.plan.used if isinstance(self.plan, Path) else self.plan.skills

    def by_start(self, ground: GroundTask) -> tuple[StartPath, ...]:
        """The plan from each start, if there are several starts or tasks."""
        plan = self.plan
        if isinstance(plan, Path):
            return plan.starts
        return start_paths(ground, lambda _: Path(plan.skills, goal=plan.goal))

    @property
    def gap(self) -> float:
        """Relative gap; infinite if only the value is 0."""
        gap = relative_gap(self.value, self.bound)
        return math.inf if gap is None else gap


@dataclass(frozen=True)
class Allocation:
    """A split of a budget with its certificate.

    Attributes:
        task: Name of the task.
        budget: Budget units that were available.
        value: Optimal value of the task after this practice, for the predicted curves.
        bound: Upper bound on the value of every split of the budget.
        status: ``"optimal"`` if the gap is within the tolerance, else ``"feasible"``.
        solver: The method that found it.
        plan: The skills to execute afterwards. For general tasks the most likely path of
            successes to a goal; if there is none, the most likely path through failures.
        failing: Positions in the plan of skills whose failure leads on; usually none.
        goal: The goal that the plan reaches; None for an empty plan without one. If there are
            several tasks, the goals of all tasks in one text.
        allocation: Episodes by policy, without policies that get none; fractions if continuous.
        competence: Predicted competence after practice of the policies that the plan or the
            allocation uses.
        spent: Budget units used.
        states: Sizes of the state space.
        seconds: CPU time of the solver, without grounding.
        grounding_seconds: CPU time of grounding (0 if the task was already grounded).
        rule: For general tasks the whole decision rule, as pairs of a state and a skill.
        continuous: Whether fractions of episodes were allowed.
        notes: Remarks for the user on how the answer was found.
        tolerance: The requested relative gap.
        plans: If there are several starts or tasks, the plan from each start.
    """

    task: str
    budget: int
    value: float
    bound: float
    status: str
    solver: str
    plan: tuple[str, ...]
    goal: str | None
    allocation: Mapping[str, float]
    competence: Mapping[str, float]
    spent: float
    states: StateCounts
    seconds: float
    grounding_seconds: float = 0.0
    rule: tuple[tuple[Mapping[str, str], str], ...] = ()
    failing: tuple[int, ...] = ()
    continuous: bool = False
    notes: tuple[str, ...] = ()
    tolerance: float = GAP
    plans: tuple[StartPath, ...] = ()

    @property
    def skills(self) -> tuple[str, ...]:
        """The skills of the plan; if there are several tasks, those of each task's plan."""
        return used_skills(self.plan, self.plans)

    @property
    def gap(self) -> float | None:
        """(bound - value) / value; 0 if they are equal, None if only the value is 0."""
        return relative_gap(self.value, self.bound)

    def as_data(self) -> dict[str, object]:
        """The allocation as plain data, as ``--format json`` prints it."""
        states = self.states
        data: dict[str, object] = {
            "task": self.task,
            "budget": self.budget,
            "value": self.value,
            "bound": finite(self.bound),
            "gap": finite(self.gap),
            "status": self.status,
            "solver": self.solver,
            "plan": list(self.plan),
            "failing": list(self.failing),
            "goal": self.goal,
            "allocation": dict(self.allocation),
            "competence": dict(self.competence),
            "spent": self.spent,
            "states": {"total": states.total, "reachable": states.reachable, "kept": states.kept},
            "seconds": self.seconds,
            "grounding_seconds": self.grounding_seconds,
            "notes": list(self.notes),
        }
        if self.plans:
            data["plans"] = [path.as_data() for path in self.plans]
        if self.rule:
            data["rule"] = [{"state": dict(state), "skill": skill} for state, skill in self.rule]
        return data


class Certificate(NamedTuple):
    """A split and an upper bound.

    Attributes:
        episodes: Episodes of each policy in file order, shape (policies,).
        bound: Upper bound on the value of every split within the budget; infinite if there is none.
        finished: Whether the bound is within the gap.
        note: The reason why another method should bound the task; empty if this one did.
    """

    episodes: IntArray
    bound: float
    finished: bool
    note: str = ""


def relative_gap(value: float, bound: float) -> float | None:
    """(bound - value) / value; 0 if equal, None if only the value is 0."""
    if bound == value:
        return 0.0
    return (bound - value) / value if value else None


def is_optimal(value: float, bound: float, tolerance: float) -> bool:
    """Whether the gap is within a tolerance, or the two values are tied."""
    gap = relative_gap(value, bound)
    return gap is not None and gap <= max(tolerance, TIE)
