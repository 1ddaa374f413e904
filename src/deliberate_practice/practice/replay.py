"""The state of a session: the replay of its journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from deliberate_practice.beliefs.belief import BELIEFS, Belief, MakeBelief, Tests
from deliberate_practice.foundation.blame import blamed
from deliberate_practice.foundation.checks import LARGEST_BUDGET, whole_number
from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.learners.contract import checked_candidate, checked_values
from deliberate_practice.learners.learner import Candidate, Learner
from deliberate_practice.learners.registry import MakeLearner, make_learner
from deliberate_practice.practice.events import Asked, Decided, Executed, Extended, Refunded, Told
from deliberate_practice.practice.evidence import Evidence
from deliberate_practice.practice.journal_rows import Entry, Settings
from deliberate_practice.practice.ledger import Ledger
from deliberate_practice.practice.refusals import Refusals
from deliberate_practice.practice.robot import Result, Step, Trial
from deliberate_practice.practice.rounds import Untested
from deliberate_practice.strategies.strategy import ROUND
from deliberate_practice.task.model import Task


@dataclass(frozen=True)
class TrialRecord:
    """A trial and what is known about it.

    Attributes:
        trial: What was asked.
        policy: The policy that is practised.
        cost: Budget units it took; a refused one takes none.
        decision: Number of the decision it belongs to; None for an evaluation.
        candidate: The learner's number for the candidate; None for a test and an evaluation.
        why: What spoke for practising it.
        asked: When it was asked.
        result: What was told; None while it is open.
        told: When it was told.
        refunded: Whether it was given back to the budget.
    """

    trial: Trial
    policy: str
    cost: int
    decision: int | None
    candidate: int | None
    why: Mapping[str, object]
    asked: datetime
    result: Result | None = None
    told: datetime | None = None
    refunded: bool = False

    @property
    def kind(self) -> Literal["practice", "test", "evaluation"]:
        """Whether it practises a policy, tests a round of practice, or is an evaluation."""
        if self.decision is None:
            return "evaluation"
        return "test" if self.candidate is None else "practice"

    @property
    def executed(self) -> int:
        """Skills that the robot executed, as far as is known: none if it was aborted."""
        if self.result is None or self.result.outcome in ("aborted", "refused"):
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


class State:
    """Everything that follows from a journal: budget, trials, attempts, learners, belief.

    Args:
        task: What is practised for.
        settings: What the session was started with.
        belief: The belief, by name or as what makes it.
        learner: The learner, likewise.
        created: When the session was started.
    """

    def __init__(
        self,
        task: Task,
        settings: Settings,
        belief: str | MakeBelief,
        learner: str | MakeLearner,
        created: datetime,
    ) -> None:
        self.task = task
        self.settings = settings
        self.ledger = Ledger(settings.budget)
        self.records: dict[int, TrialRecord] = {}
        self.decisions: list[Decided] = []
        self.executions: list[Executed] = []
        self.fresh: list[Executed] = []
        """Executions since the last trial was told: they measure what is believed now."""
        self.attempts = dict.fromkeys(task.policies, 0)
        self.untested: dict[str, Untested] = {}
        self.outcomes: dict[str, list[bool]] = {name: [] for name in task.policies}
        self._learner = f"learner {settings.learner}"  # in messages
        with blamed(self._learner):
            self.learners: dict[str, Learner] = {
                name: make_learner(learner, policy, settings.seed)
                for name, policy in task.policies.items()
            }
            evidence = {name: mine.evidence for name, mine in self.learners.items()}
        self.length = 0
        self.elapsed = timedelta(0)
        """From the start to the last event, without the times in which the clock was set back."""
        self._last_time = created
        self._evidence = Evidence(lambda: BELIEFS.resolve(belief)(task, evidence))
        self._policy_of = {skill.name: skill.policy for skill in task.skills}
        self._open: dict[int, None] = {}  # in the order they were asked
        self.issued = 0
        """Episodes of the last decision that somebody has asked for."""
        self.refusals = Refusals()
        self._returned = 0  # episodes of the last decision that were refused
        # Candidates by policy that the learner proposed and that are with no trial.
        self._waiting: dict[str, dict[int, Candidate]] = {name: {} for name in task.policies}
        self._tried: dict[int, Candidate] = {}  # by open trial
        self._proposed: dict[str, set[int]] = {name: set() for name in task.policies}

    @property
    def spent(self) -> int:
        """Budget units spent, including open trials."""
        return self.ledger.spent

    @property
    def settled(self) -> int:
        """Budget units spent on trials that have been told."""
        return self.ledger.spent - sum(record.cost for record in self.open_trials)

    @property
    def left(self) -> int:
        """Budget units left."""
        return self.ledger.left

    @property
    def belief(self) -> Belief:
        """The present belief about every policy."""
        return self._evidence.belief

    @property
    def tests(self) -> Tests:
        """The tests that the belief asks for; none if it does not say.

        Raises:
            ArgumentError: What it says makes no sense.
        """
        with blamed("the belief"):
            tests = getattr(self.belief, "tests", Tests())
        if not isinstance(tests, Tests):
            raise ArgumentError(
                f"the belief: its tests {tests!r} are not valid; give Tests(number, charged)."
            )
        return tests

    @property
    def competences(self) -> dict[str, float]:
        """Believed competence of every policy; those that are not practised keep the stated one."""
        return {
            name: self.belief.competence(name) if policy.practisable else policy.competence
            for name, policy in self.task.policies.items()
        }

    @property
    def allocation(self) -> dict[str, int]:
        """Episodes of practice of each policy; policies without episodes are left out."""
        return self.episodes("practice")

    def episodes(self, kind: str) -> dict[str, int]:
        """Episodes of one kind by policy that took place; policies without are left out."""
        mine = [r for r in self.records.values() if r.kind == kind and not r.void]
        episodes = {name: sum(r.policy == name for r in mine) for name in self.task.policies}
        return {name: count for name, count in episodes.items() if count}

    @property
    def open_trials(self) -> list[TrialRecord]:
        """Trials that were asked and not told, oldest first."""
        return [self.records[number] for number in self._open]

    @property
    def granted(self) -> int:
        """Episodes that the last decision granted and that may be asked for now."""
        if not self.decisions:
            return 0
        last = self.decisions[-1]
        return min(last.granted + self._returned - self.issued, self.available(last.policy))

    def available(self, policy: str) -> int:
        """Candidates of the policy's learner that may be tried now."""
        return max(0, self._parallel(policy) - self.out(policy))

    def out(self, policy: str) -> int:
        """Open trials that practise a policy."""
        return sum(r.policy == policy and r.kind == "practice" for r in self.open_trials)

    def next_candidate(self, policy: str) -> Candidate:
        """The candidate to try next: one that was never tried, or a new one.

        Raises:
            ArgumentError: The learner has none, though it says that more may be out, or the one
                that it has makes no sense.
        """
        waiting = self._waiting[policy]
        if not waiting:
            with blamed(self._learner):
                proposed = self.learners[policy].ask()
            if proposed is None:
                raise ArgumentError(
                    f"{self._learner}: {self._parallel(policy)} candidates may be out, but it "
                    f"proposes none for '{policy}'; lower its `parallel`."
                )
            known = self._proposed[policy]
            new = checked_candidate(self._learner, proposed, self.task.policies[policy], known)
            known.add(new.id)
            waiting[new.id] = new
        return waiting[min(waiting)]

    def step(self, skill: str) -> Step:
        """A skill with its presently deployed parameters."""
        policy = self._policy_of[skill]
        return Step(skill, self._deployed(policy), self.attempts[policy])

    @property
    def deployed(self) -> dict[str, dict[str, float]]:
        """The deployed parameters of every policy."""
        return {name: self._deployed(name) for name in self.learners}

    def apply(self, entry: Entry) -> None:
        """Apply the next event of the journal."""
        match entry.event:
            case Decided() as decided:
                self._evidence.close_deployed()
                self.untested = {
                    name: one
                    for name, one in self.untested.items()
                    if not one.complete and not one.asked
                }
                self.decisions.append(decided)
                self.issued = self._returned = 0
            case Asked() as asked:
                self._ask(asked, entry.time)
            case Told(trial, result):
                self._tell(trial, result, entry.time)
                self.fresh = []
            case Refunded(trial):
                record = self.records[trial]
                self.records[trial] = replace(record, refunded=True)
                self.ledger = replace(self.ledger, spent=self.spent - record.cost)
            case Extended(units):
                self.ledger = replace(self.ledger, budget=self.ledger.budget + units)
            case Executed() as executed:
                self.executions.append(executed)
                self.fresh.append(executed)
        self.length = entry.number
        self.elapsed += max(entry.time - self._last_time, timedelta(0))
        self._last_time = entry.time

    def _parallel(self, policy: str) -> int:
        with blamed(self._learner):
            parallel = self.learners[policy].parallel
        return whole_number(f"{self._learner}: parallel", parallel, 0, LARGEST_BUDGET)

    def _deployed(self, policy: str) -> dict[str, float]:
        with blamed(self._learner):
            deployed = self.learners[policy].deployed
        return checked_values(self._learner, deployed, self.task.policies[policy])

    def _ask(self, asked: Asked, time: datetime) -> None:
        why: Mapping[str, object] = {"evaluation": True}
        policy = self._policy_of[asked.trial.skill]
        if asked.decision is not None and asked.candidate is not None:
            decided = self.decisions[asked.decision - 1]
            why = {"decision": decided.number, "share": decided.share, **decided.why}
            self.issued += 1
            self.next_candidate(policy)  # asks the learner, where nobody did yet
            if asked.candidate not in self._waiting[policy]:
                raise PartFailed(
                    f"{self._learner}: it does not propose candidate {asked.candidate} of "
                    f"'{policy}' again, which trial {asked.trial.id} tries. It has changed since, "
                    "or it is not deterministic."
                )
            self._tried[asked.trial.id] = self._waiting[policy].pop(asked.candidate)
        elif asked.decision is not None:
            why = {"test": True, "decision": asked.decision}
            tested = self.untested.get(policy, Untested())
            self.untested[policy] = replace(tested, asked=tested.asked + 1)
        self.ledger = replace(self.ledger, spent=self.spent + asked.cost)
        self._open[asked.trial.id] = None
        self.records[asked.trial.id] = TrialRecord(
            asked.trial, policy, asked.cost, asked.decision, asked.candidate, why, time
        )

    def _tell(self, number: int, result: Result, time: datetime) -> None:
        record = replace(self.records[number], result=result, told=time)
        self.records[number] = record
        del self._open[number]
        trial, policy = record.trial, record.policy
        candidate = self._tried.pop(number, None)
        if result.outcome == "refused":
            self._refuse(record, candidate)
            return
        self.refusals.told(policy, trial, result.outcome)
        self._tell_approach(trial, result)
        if result.outcome not in ("success", "failure"):
            if candidate:  # it was not tried: it is tried next
                self._waiting[policy][candidate.id] = candidate
            return
        success = result.outcome == "success"
        if candidate and candidate.explores:
            self._evidence.explored(policy, self.attempts[policy], success)
        else:
            self._saw_attempt(record, success)
        if candidate is None:
            return
        parallel = self._parallel(policy)
        with blamed(self._learner):
            self.learners[policy].tell(candidate.id, result.outcome, result.score)
        self.attempts[policy] += 1
        self.outcomes[policy].append(success)
        self._evidence.close_round(policy, last=parallel == 1)
        self._count_untested(record, self._parallel(policy) - parallel)

    def _count_untested(self, record: TrialRecord, more: int) -> None:
        """Count an attempt, after which ``more`` candidates than before may be out.

        A round is complete if the learner begins another, or if it has no rounds, by its number.
        """
        before = self.untested.get(record.policy, Untested())
        attempts = before.attempts + 1
        complete = before.complete or more > 0 or (more == 0 and attempts >= ROUND)
        self.untested[record.policy] = Untested(
            attempts, complete, record.decision or 0, before.asked
        )

    def _refuse(self, record: TrialRecord, candidate: Candidate | None) -> None:
        """As if it had never been asked; but what is deployed and cannot be executed has failed."""
        if candidate is None:
            self._saw_attempt(record, success=False)
            return
        self.refusals.told(record.policy, record.trial, "refused")
        self.records[record.trial.id] = replace(record, cost=0)
        self.ledger = replace(self.ledger, spent=self.spent - record.cost)
        self._returned += record.decision == self.decisions[-1].number
        with blamed(self._learner):
            self.learners[record.policy].tell(candidate.id, "refused", None)

    def _tell_approach(self, trial: Trial, result: Result) -> None:
        """Skills on the approach were executed as deployed, and each execution is evidence.

        If the robot does not tell them, all skills of the route worked, up to where it failed.
        """
        if result.outcome == "aborted":
            return
        executed = result.executed
        if executed is None:
            route = trial.approach.skills
            at = result.at
            done = route if at is None else route[: route.index(at)] if at in route else ()
            executed = tuple((skill, True) for skill in done)
            executed += ((at, False),) if at is not None else ()
        for skill, success in executed:
            self._saw_deployed(self._policy_of[skill], success)

    def _saw_attempt(self, record: TrialRecord, success: bool) -> None:
        """An attempt with the deployed parameters is evidence: of a test, or of any execution."""
        if record.kind == "test":
            self._evidence.tested(record.policy, record.trial.attempt.practised, success)
        else:
            self._saw_deployed(record.policy, success)

    def _saw_deployed(self, policy: str, success: bool) -> None:
        if self.task.policies[policy].practisable:
            self._evidence.deployed(policy, self.attempts[policy], success)
