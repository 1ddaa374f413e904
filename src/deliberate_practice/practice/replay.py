"""The state of a session: the replay of its journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from deliberate_practice.beliefs.belief import BELIEFS, Batch, Belief, MakeBelief, Tests
from deliberate_practice.beliefs.gaps import Gaps, Losses
from deliberate_practice.learners.learner import Candidate, Learner
from deliberate_practice.learners.registry import MakeLearner
from deliberate_practice.practice.evidence import Evidence
from deliberate_practice.practice.journal.events import (
    Asked,
    Clocked,
    Corrected,
    Decided,
    Executed,
    Extended,
    Handed,
    Noted,
    Readied,
    Refunded,
    Told,
)
from deliberate_practice.practice.journal.rows import Entry, Settings
from deliberate_practice.practice.ledger import Ledger
from deliberate_practice.practice.operating.askers import robot_name
from deliberate_practice.practice.operating.operation import Operation
from deliberate_practice.practice.pairs import Pairs
from deliberate_practice.practice.proposals import Proposals
from deliberate_practice.practice.records import TrialRecord, counts
from deliberate_practice.practice.refusals import Refusals
from deliberate_practice.practice.robot import Result, Step
from deliberate_practice.practice.rounds import Collected, Untested
from deliberate_practice.task.model import Task


class State:
    """Everything that follows from a journal: budget, trials, attempts, learners, belief.

    Args:
        task: What is practised for.
        settings: What the session was started with.
        belief: The belief, by name or as what makes it.
        learner: The learner, likewise.
        created: When the session was started.
        corrections: The right results of trials that were told wrongly; the state is as if they had
            been told right.
    """

    def __init__(
        self,
        task: Task,
        settings: Settings,
        belief: str | MakeBelief,
        learner: str | MakeLearner,
        created: datetime,
        corrections: Mapping[int, Result] | None = None,
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
        self.collected = Collected()
        self._pairs = Pairs(task)
        self.outcomes: dict[str, list[bool]] = {name: [] for name in task.policies}
        self.until = datetime.fromisoformat(settings.until) if settings.until else None
        """When the budget ends, if it is time."""
        self.each: int | None = None
        """Seconds until then, by the last reading of the clock."""
        self.present: dict[str | None, str] = {}
        """The policy that each robot practised or tested last; None is one without a name."""
        self.operation = Operation()
        self.alarmed: set[str | None] = set()
        """Robots that wait for Ready after an abort; None is one without a name."""
        self._corrections = dict(corrections or {})
        self._proposals = Proposals(task, learner, settings.learner, settings.seed)
        self.models = self._proposals.evidence
        """The evidence model of each policy."""
        self.length = 0
        self.elapsed = timedelta(0)
        """From the start to the last event, without the times in which the clock was set back."""
        self._last_time = created
        self._evidence = Evidence(lambda: BELIEFS.resolve(belief)(task, self.models))
        self._policy_of = {skill.name: skill.policy for skill in task.skills}
        self._open: dict[int, None] = {}  # in the order they were asked
        self.issued = 0
        """Episodes of the last decision that somebody has asked for."""
        self.refusals = Refusals()
        self._returned = 0  # episodes of the last decision that were refused

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
    def batches(self) -> dict[str, tuple[Batch, ...]]:
        """The evidence that the belief has seen, by policy, oldest first."""
        return self._evidence.batches

    @property
    def gaps(self) -> Gaps:
        """The present belief about composition gaps; none before a plan was probed."""
        return self._pairs.gaps(self._evidence.competence)

    @property
    def losses(self) -> Losses:
        """What skills are expected to keep of their competence right after others."""
        return self.gaps.losses

    @property
    def tests(self) -> Tests:
        """The tests that the belief asks for; none if it does not say."""
        return self._evidence.tests

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
        mine = (r for r in self.records.values() if r.kind == kind and not r.void)
        return counts(mine, self.task.policies)

    @property
    def unreached(self) -> dict[str, int]:
        """Episodes of practice by policy that did not reach the precondition, where there are."""
        practice = (r for r in self.records.values() if r.kind == "practice")
        lost = (r for r in practice if r.result and r.result.outcome == "unreached")
        return counts(lost, self.task.policies)

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
        if not self.operation.blocked.keys().isdisjoint(last.executed):
            return 0
        rest = last.granted + self._returned - self.issued  # less than none after a correction
        policy = self.task.policies[last.policy]
        paid = (self.left - policy.training_cost) // policy.cost
        return max(0, min(rest, paid, self.available(last.policy)))

    @property
    def _under_test(self) -> set[str]:
        """Policies with open tests."""
        return {record.policy for record in self.open_trials if record.kind == "test"}

    def affords(self, cost: int) -> bool:
        """Whether an episode of that cost still fits into the budget, and into the time."""
        return cost <= self.left and (self.each is None or cost <= self.each)

    def turning(self, policy: str, robot: str | None) -> int:
        """Budget units that a robot needs to turn to a policy from the one it practised last."""
        same = self.present.get(robot) == policy
        return 0 if same else self.task.policies[policy].switch

    def available(self, policy: str) -> int:
        """Candidates of the policy's learner that may be tried now."""
        return max(0, self._proposals.parallel(policy) - self.out(policy))

    def out(self, policy: str) -> int:
        """Open trials that practise a policy."""
        return sum(r.policy == policy and r.kind == "practice" for r in self.open_trials)

    def next_candidate(self, policy: str) -> Candidate:
        """The candidate to try next: one that was never tried, or a new one.

        Raises:
            ArgumentError: The learner has none, though it says that more may be out, or the one
                that it has makes no sense.
        """
        return self._proposals.next(policy)

    @property
    def learners(self) -> Mapping[str, Learner]:
        """The learner of each policy."""
        return self._proposals.learners

    def step(self, skill: str) -> Step:
        """A skill with its presently deployed parameters."""
        policy = self._policy_of[skill]
        return Step(skill, self._proposals.deployed(policy), self.attempts[policy])

    @property
    def deployed(self) -> dict[str, dict[str, float]]:
        """The deployed parameters of every policy."""
        return {name: self._proposals.deployed(name) for name in self.learners}

    def apply(self, entry: Entry) -> None:
        """Apply the next event of the journal."""
        match entry.event:
            case Decided() as decided:
                self._evidence.close_deployed(self._under_test)
                before = self.untested.items()
                self.untested = {u: one for u, one in before if not (one.complete or one.asked)}
                self.decisions.append(decided)
                self.issued = self._returned = 0
            case Asked() as asked:
                self._ask(asked, entry.time)
            case Told(trial, result, by, robot, version):
                self.records[trial] = replace(self.records[trial], version=version)
                self._tell(trial, self._corrections.get(trial, result), entry.time, by, robot)
                self.fresh = []
                if result.outcome == "aborted":
                    self.alarmed.add(self.records[trial].robot)
                if trial in self._corrections:
                    self.records[trial] = replace(self.records[trial], corrected=result)
                    self._proposals.alter(self.records[trial].policy)
            case Corrected(trial, _, by):  # the state is as if it had been told right
                self.records[trial] = replace(self.records[trial], by=by)
                self.fresh = []
            case Readied(trial, robot):
                self.records[trial] = replace(self.records[trial], ready=True)
                self.alarmed.discard(robot_name(robot))
            case Handed(trial):
                known = self.records[trial]  # its scene was set for the asker before
                self.records[trial] = replace(known, handed=entry.time, passed=True, ready=False)
            case Refunded(trial):
                self.records[trial] = replace(self.records[trial], refunded=True)
                self.ledger = replace(self.ledger, spent=self.spent - self.records[trial].cost)
            case Extended(units):
                if self.until:  # if the end has passed, from now on
                    self.until = max(self.until, entry.time) + timedelta(seconds=units)
                self.ledger = replace(self.ledger, budget=self.ledger.budget + units)
            case Clocked() as reading:
                self.clocked(reading)
            case Executed() as executed:
                self.executions.append(executed)
                self.fresh.append(executed)
            case operation:
                self.operation.apply(operation)
                if isinstance(operation, Noted) and operation.trial is not None:
                    noted = self.records[operation.trial].noted(operation.text)
                    self.records[operation.trial] = noted
        self.length = entry.number
        self.elapsed += max(entry.time - self._last_time, timedelta(0))
        self._last_time = entry.time

    def clocked(self, reading: Clocked) -> None:
        """Take what is left from a reading of the clock."""
        self.ledger = replace(self.ledger, budget=self.spent + reading.left)
        self.each = reading.each

    def _ask(self, asked: Asked, time: datetime) -> None:
        why: Mapping[str, object] = {"evaluation": True}
        policy, mode = self._policy_of[asked.trial.skill], asked.trial.mode
        if asked.probe:
            mine = self.decisions[asked.decision - 1].why if asked.decision else {}
            why = {"probe": True, "decision": asked.decision, **mine}
        elif asked.decision is not None and asked.candidate is not None:
            decided = self.decisions[asked.decision - 1]
            why = {"decision": decided.number, "share": decided.share, **decided.why}
            self.issued += 1
            self._proposals.ask(policy, asked.trial, asked.candidate)
            if mode == "demonstrate":
                self.collected.asked(policy, asked.decision)
        elif asked.decision is not None and mode == "train":
            why = {"training": True, "decision": asked.decision}
        elif asked.decision is not None:
            why = {"test": True, "decision": asked.decision}
            tested = self.untested.get(policy, Untested())
            self.untested[policy] = replace(tested, asked=tested.asked + 1)
        if asked.decision is not None and mode != "train" and not asked.probe:
            self.present[asked.robot] = policy
        self.ledger = replace(self.ledger, spent=self.spent + asked.cost)
        self._open[asked.trial.id] = None
        who_and_what = (asked.trial, policy, asked.cost, asked.decision, asked.candidate)
        robot, probe = asked.robot, asked.probe
        record = TrialRecord(
            *who_and_what, why, time, time, robot=robot, probe=probe, price=asked.cost
        )
        self.records[asked.trial.id] = record

    def _tell(
        self, number: int, result: Result, time: datetime, by: str | None, robot: str | None
    ) -> None:
        robot = robot or self.records[number].robot
        record = replace(self.records[number], result=result, told=time, by=by, robot=robot)
        self.records[number] = record
        del self._open[number]
        trial, policy = record.trial, record.policy
        if trial.mode == "train":
            self._train(record, success=result.outcome == "success")
            return
        if result.outcome == "refused":
            self._refuse(record)
            return
        self.refusals.told(policy, trial, result.outcome)
        self._tell_executions(record, result)
        if result.outcome not in ("success", "failure") or record.kind == "probe":
            self._proposals.untried(policy, number)
            return
        success = result.outcome == "success"
        if trial.mode == "demonstrate":
            self._proposals.tell(policy, number, result)
            self.collected.told(policy, usable=success)
            return
        if record.kind == "practice" and trial.mode == "explore":
            self._evidence.explored(policy, self.attempts[policy], success)
        else:
            self._saw_attempt(record, success)
        if record.kind != "practice":
            return
        parallel = self._proposals.parallel(policy)
        self._proposals.tell(policy, number, result)
        self.attempts[policy] += 1
        self.outcomes[policy].append(success)
        self._evidence.close_round(policy, last=parallel == 1)
        self._count_untested(record, self._proposals.parallel(policy) - parallel)

    def _train(self, record: TrialRecord, *, success: bool) -> None:
        """A finished training run has used all demonstrations, and what it made is tested."""
        policy = record.policy
        used = self.collected.trained(policy, finished=success)
        if used:
            self.attempts[policy] += used
            self._evidence.trained(policy, self.attempts[policy])
            self.untested[policy] = Untested(used, True, record.decision or 0)

    def _count_untested(self, record: TrialRecord, more: int) -> None:
        """Count an attempt, after which ``more`` candidates than before may be out."""
        known = self.untested.get(record.policy, Untested())
        self.untested[record.policy] = known.with_attempt(record.decision or 0, more)

    def _refuse(self, record: TrialRecord) -> None:
        """As if it had never been asked; but what is deployed and cannot be executed has failed."""
        if record.kind != "practice":
            self._saw_attempt(record, success=False)
            return
        self.refusals.told(record.policy, record.trial, "refused")
        self.records[record.trial.id] = replace(record, cost=0)
        if record.cost > self.task.policies[record.policy].cost:
            self.present.pop(record.robot, None)  # it has not turned to it yet
        self.ledger = replace(self.ledger, spent=self.spent - record.cost)
        self._returned += record.decision == self.decisions[-1].number
        self._proposals.tell(record.policy, record.trial.id, Result("refused"))

    def _tell_executions(self, record: TrialRecord, result: Result) -> None:
        """Skills on the approach, or of a probe, were executed as deployed: that is evidence."""
        if result.outcome not in ("aborted", "assisted"):
            believed = self._evidence.competence
            for one in self._pairs.told(record, result, self.attempts, believed):
                self._saw_deployed(one.policy, one.success)

    def _saw_attempt(self, record: TrialRecord, success: bool) -> None:
        """An attempt with the deployed parameters is evidence: of a test, or of any execution."""
        policy, before = record.policy, record.trial.attempt.practised
        if record.kind == "test" and self.task.policies[policy].rounds:
            before = self.attempts[policy]  # a label of its demonstrations may be corrected since
            self.outcomes[policy].append(success)
        if record.kind == "test":
            self._evidence.tested(policy, before, success)
        else:
            self._saw_deployed(policy, success)

    def _saw_deployed(self, policy: str, success: bool) -> None:
        if self.task.policies[policy].practisable:
            self._evidence.deployed(policy, self.attempts[policy], success)
