"""Pairs of skills that followed each other: the evidence of composition gaps in a session.

The competence of a policy is that of its practice. With free approaches a person sets its scene;
with executed approaches it is practised right after the policy that leads to it. An execution right
after any other policy is evidence of the gap of that pair. Probes execute whole plans, so they show
the pairs of the plan; skills of executed approaches show theirs.

The gap belief is active from the first probe on: a session without probes counts no gaps. Before
that, only pairs are kept whose second policy is not practised, because its competence is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from deliberate_practice.beliefs.gaps import NO_GAPS, Gaps, Pair, Seen
from deliberate_practice.practice.records import TrialRecord
from deliberate_practice.practice.robot import Result, on_approach
from deliberate_practice.task.model import Task

Believed = Callable[[str], tuple[float, float]]
"""Mean and standard deviation of the believed competence of a policy."""


class Execution(NamedTuple):
    """One execution in a trial: the policy, the one that led to it (None: none), the outcome."""

    before: str | None
    policy: str
    success: bool


class Pairs:
    """What a session has seen of skills right after others."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._policy_of = {skill.name: skill.policy for skill in task.skills}
        self._seen: dict[Pair, dict[int, Seen]] = {}
        self._practised: set[Pair] = set()
        self._active = False
        self._gaps: Gaps | None = None

    def gaps(self, believed: Believed) -> Gaps:
        """The belief about all gaps, for the present belief about competences."""
        if not self._active:
            return NO_GAPS
        seen = {pair: tuple(mine.values()) for pair, mine in self._seen.items()}
        now = {policy: self._competence(policy, believed) for _, policy in seen}
        if self._gaps is None or self._gaps.believed != now:
            self._gaps = Gaps(seen, now, frozenset(self._practised))
        return self._gaps

    def _competence(self, policy: str, believed: Believed) -> tuple[float, float]:
        stated = self._task.policies[policy]
        return believed(policy) if stated.practisable else (stated.competence, 0.0)

    def told(
        self, record: TrialRecord, result: Result, attempts: Mapping[str, int], believed: Believed
    ) -> list[Execution]:
        """Note the pairs of a trial that was told.

        Args:
            record: The trial.
            result: How it ended.
            attempts: Attempts of every policy so far.
            believed: The belief before this trial.

        Returns:
            The executions that are evidence of competence: all of an approach, and those of a probe
            that begin as practice begins.
        """
        trial, probe = record.trial, record.kind == "probe"
        self._active = self._active or probe
        approach = on_approach(trial, result)
        attempted = result.outcome in ("success", "failure")
        attempt = ((trial.skill, result.outcome == "success"),) if attempted else ()
        executions = self._chained((*approach, *attempt))
        deployed = executions if trial.mode == "deploy" else executions[: len(approach)]
        foreign = [one for one in deployed if self._is_foreign(one)]
        for one in foreign:
            if self._active or not self._task.policies[one.policy].practisable:
                self._see(one, attempts[one.policy], believed)
        if probe:
            return [one for one in executions if not self._is_foreign(one)]
        if record.kind == "practice" and attempted and executions[-1].before is not None:
            self._practised.add((executions[-1].before, executions[-1].policy))
            self._gaps = None
        return executions[: len(approach)]

    def _chained(self, steps: Sequence[tuple[str, bool]]) -> list[Execution]:
        """Executions with the policy whose success led to each of them."""
        found: list[Execution] = []
        before: str | None = None
        for skill, success in steps:
            policy = self._policy_of[skill]
            found.append(Execution(before, policy, success))
            before = policy if success else before
        return found

    def _is_foreign(self, execution: Execution) -> bool:
        """Whether a policy was executed right after one that its practice does not follow."""
        before, policy, _ = execution
        return before is not None and (before, policy) not in self._practised

    def _see(self, execution: Execution, attempts: int, believed: Believed) -> None:
        assert execution.before is not None
        policy = self._task.policies[execution.policy]
        mean, _ = self._competence(policy.name, believed)
        mine = self._seen.setdefault((execution.before, policy.name), {})
        known = mine.get(attempts, Seen(mean, 0, 0))
        mine[attempts] = Seen(mean, known.executions + 1, known.successes + execution.success)
        self._gaps = None
