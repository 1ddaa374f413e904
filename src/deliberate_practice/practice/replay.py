"""The state of a session: the replay of its journal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from deliberate_practice.beliefs.belief import Belief
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.learners.learner import Learner
from deliberate_practice.learners.registry import make_learner
from deliberate_practice.practice.events import Asked, Decided, Executed, Extended, Refunded, Told
from deliberate_practice.practice.evidence import Evidence
from deliberate_practice.practice.journal_rows import Entry, Settings
from deliberate_practice.practice.ledger import Ledger
from deliberate_practice.practice.trial import Result, Trial
from deliberate_practice.task.model import Task


@dataclass(frozen=True)
class TrialRecord:
    """A trial and what is known about it.

    Attributes:
        trial: What was asked.
        cost: Budget units it took.
        decision: Number of the decision it belongs to; None for an evaluation.
        candidate: Index of the learner's candidate; None for an evaluation.
        why: What spoke for practising it.
        asked: When it was asked.
        result: What was told; None while it is open.
        told: When it was told.
        refunded: Whether it was given back to the budget.
    """

    trial: Trial
    cost: int
    decision: int | None
    candidate: int | None
    why: Mapping[str, object]
    asked: datetime
    result: Result | None = None
    told: datetime | None = None
    refunded: bool = False


class State:
    """Everything that follows from a journal: budget, trials, attempts, learners, belief.

    Args:
        task: What is practised for.
        settings: What the session was started with.
        prior: Makes the belief before any attempt.
        created: When the session was started.
    """

    def __init__(
        self, task: Task, settings: Settings, prior: Callable[[], Belief], created: datetime
    ) -> None:
        self.task = task
        self.settings = settings
        self.prior = prior
        self.ledger = Ledger(settings.budget)
        self.records: dict[int, TrialRecord] = {}
        self.decisions: list[Decided] = []
        self.executions: list[Executed] = []
        self.attempts = dict.fromkeys(task.policies, 0)
        self.outcomes: dict[str, list[bool]] = {name: [] for name in task.policies}
        self.learners: dict[str, Learner] = {
            name: make_learner(settings.learner, policy, settings.seed)
            for name, policy in task.policies.items()
        }
        self.length = 0
        self.elapsed = timedelta(0)
        """From the start to the last event, without the times in which the clock was set back."""
        self._last_time = created
        self._evidence = Evidence(prior)
        self._policy_of = {skill.name: skill.policy for skill in task.skills}
        self._open: dict[int, None] = {}  # in the order they were asked
        self._issued = 0

    @property
    def spent(self) -> int:
        """Budget units spent, trials under way included."""
        return self.ledger.spent

    @property
    def settled(self) -> int:
        """Budget units spent on what has been told."""
        return self.ledger.spent - sum(record.cost for record in self.open_trials)

    @property
    def left(self) -> int:
        """Budget units left."""
        return self.ledger.left

    @property
    def belief(self) -> Belief:
        """What is believed about every policy now."""
        return self._evidence.belief

    @property
    def competences(self) -> dict[str, float]:
        """Believed competence of every policy; those that are not practised keep the stated one."""
        return {
            name: self.belief.competence(name) if policy.practisable else policy.competence
            for name, policy in self.task.policies.items()
        }

    @property
    def allocation(self) -> dict[str, int]:
        """Episodes by policy that were paid for, those with none left out."""
        paid = [r for r in self.records.values() if r.trial.counted and not r.refunded]
        episodes = {name: sum(r.trial.policy == name for r in paid) for name in self.task.policies}
        return {name: count for name, count in episodes.items() if count}

    @property
    def open_trials(self) -> list[TrialRecord]:
        """Trials that were asked and not told, oldest first."""
        return [self.records[number] for number in self._open]

    @property
    def granted(self) -> int:
        """Episodes that the last decision granted and nobody has asked for yet."""
        return self.decisions[-1].granted - self._issued if self.decisions else 0

    def free_candidates(self, policy: str) -> list[int]:
        """Candidates of the policy's generation that are neither told nor under way."""
        out = {r.candidate for r in self.open_trials if r.trial.policy == policy}
        return [index for index in self.learners[policy].untold() if index not in out]

    def parameters(self, policy: str, values: FloatArray) -> dict[str, float]:
        """A learner's vector by name."""
        names = [parameter.name for parameter in self.task.policies[policy].parameters]
        return dict(zip(names, values.tolist(), strict=True))

    def deployed(self, policy: str) -> dict[str, float]:
        """The parameters a policy would be deployed with."""
        return self.parameters(policy, self.learners[policy].best)

    @property
    def all_deployed(self) -> dict[str, dict[str, float]]:
        """The parameters that every policy would be deployed with."""
        return {name: self.deployed(name) for name in self.task.policies}

    def apply(self, entry: Entry) -> None:
        """Take in the next event of the journal."""
        match entry.event:
            case Decided() as decided:
                self._evidence.close_deployed()
                self.decisions.append(decided)
                self._issued = 0
            case Asked() as asked:
                self._ask(asked, entry.time)
            case Told(trial, result):
                self._tell(trial, result, entry.time)
            case Refunded(trial):
                record = self.records[trial]
                self.records[trial] = replace(record, refunded=True)
                self.ledger = self.ledger.refund(record.cost)
            case Extended(units):
                self.ledger = self.ledger.extend(units)
            case Executed() as executed:
                self.executions.append(executed)
        self.length = entry.number
        self.elapsed += max(entry.time - self._last_time, timedelta(0))
        self._last_time = entry.time

    def _ask(self, asked: Asked, time: datetime) -> None:
        why: Mapping[str, object] = {"evaluation": True}
        if asked.decision is not None:
            decided = self.decisions[asked.decision - 1]
            why = {"decision": decided.number, "share": decided.share, **decided.why}
            self._issued += 1
        self.ledger = self.ledger.pay(asked.cost)
        self._open[asked.trial.id] = None
        self.records[asked.trial.id] = TrialRecord(
            asked.trial, asked.cost, asked.decision, asked.candidate, why, time
        )

    def _tell(self, number: int, result: Result, time: datetime) -> None:
        record = replace(self.records[number], result=result, told=time)
        self.records[number] = record
        del self._open[number]
        trial = record.trial
        self._tell_approach(trial, result)
        if result.outcome not in ("success", "failure"):
            return  # the candidate was not tried: it stays in its generation
        success = result.outcome == "success"
        if record.candidate is None:
            self._saw_deployed(trial.policy, success)
            return
        learner = self.learners[trial.policy]
        last = learner.untold() == [record.candidate]
        if learner.explores(record.candidate):
            self._evidence.explored(trial.policy, self.attempts[trial.policy], success)
        else:
            self._saw_deployed(trial.policy, success)
        learner.tell(record.candidate, success, result.score)
        self.attempts[trial.policy] += 1
        self.outcomes[trial.policy].append(success)
        if last:
            self._evidence.close_generation(trial.policy)

    def _tell_approach(self, trial: Trial, result: Result) -> None:
        """Skills on the approach were executed as deployed: all worked, up to where it failed."""
        if result.outcome == "aborted":
            return
        for skill in trial.approach:
            self._saw_deployed(self._policy_of[skill], skill != result.at)
            if skill == result.at:
                return

    def _saw_deployed(self, policy: str, success: bool) -> None:
        if self.task.policies[policy].practisable:
            self._evidence.deployed(policy, self.attempts[policy], success)
