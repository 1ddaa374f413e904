"""The learners of a session, and the candidates that they proposed.

A candidate belongs to a trial from the time it is asked until it is told. If it was not tried, it
is tried next. After a label is corrected, the learner of that policy is told everything anew, with
the right label. It would then have proposed other candidates than those that were tried since. So
each of its candidates is told with the values that were tried in its place.
"""

from __future__ import annotations

from deliberate_practice.beliefs.belief import EvidenceModel
from deliberate_practice.foundation.blame import blamed
from deliberate_practice.foundation.checks import LARGEST_BUDGET, whole_number
from deliberate_practice.foundation.errors import ArgumentError, PartFailed
from deliberate_practice.learners.contract import checked_candidate, checked_values
from deliberate_practice.learners.learner import Adaptive, Candidate, Learner
from deliberate_practice.learners.registry import MakeLearner, make_learner
from deliberate_practice.practice.robot import Result, Trial
from deliberate_practice.task.model import Task


class Proposals:
    """The candidates of every policy.

    Args:
        task: The task.
        learner: The learner, by name or as what makes it.
        name: Its name, for messages.
        seed: Seed of the session.
    """

    def __init__(self, task: Task, learner: str | MakeLearner, name: str, seed: int) -> None:
        self._task = task
        self._place = f"learner {name}"
        with blamed(self._place):
            self.learners: dict[str, Learner] = {
                policy: make_learner(learner, description, seed)
                for policy, description in task.policies.items()
            }
        self._altered: set[str] = set()
        # Candidates by policy that the learner proposed and that are with no trial.
        self._waiting: dict[str, dict[int, Candidate]] = {policy: {} for policy in task.policies}
        self._tried: dict[int, Candidate] = {}  # by open trial
        self._proposed: dict[str, set[int]] = {policy: set() for policy in task.policies}

    @property
    def evidence(self) -> dict[str, EvidenceModel]:
        """The evidence model of each policy's learner."""
        with blamed(self._place):
            return {policy: learner.evidence for policy, learner in self.learners.items()}

    def parallel(self, policy: str) -> int:
        """Candidates of a policy that may be out at once now."""
        with blamed(self._place):
            parallel = self.learners[policy].parallel
        return whole_number(f"{self._place}: parallel", parallel, 0, LARGEST_BUDGET)

    def deployed(self, policy: str) -> dict[str, float]:
        """The deployed parameters of a policy."""
        with blamed(self._place):
            deployed = self.learners[policy].deployed
        return checked_values(self._place, deployed, self._task.policies[policy])

    def next(self, policy: str) -> Candidate:
        """The candidate to try next: one that was never tried, or a new one.

        Raises:
            ArgumentError: The learner has none, though more may be out, or the one that it has
                makes no sense.
        """
        candidate = self._next(policy)
        if candidate is None:
            raise ArgumentError(
                f"{self._place}: {self.parallel(policy)} candidates may be out, but it proposes "
                f"none for '{policy}'; lower its `parallel`."
            )
        return candidate

    def alter(self, policy: str) -> None:
        """From now on the values of trials may differ from those that the learner proposes."""
        self._altered.add(policy)

    def ask(self, policy: str, trial: Trial, number: int) -> None:
        """A trial tries the candidate of that number.

        Raises:
            PartFailed: The learner does not propose it.
        """
        if policy in self._altered:
            self._ask_altered(policy, trial)
            return
        self.next(policy)  # asks the learner, where nobody did yet
        if number not in self._waiting[policy]:
            raise PartFailed(
                f"{self._place}: it does not propose candidate {number} of '{policy}' again, which "
                f"trial {trial.id} tries. It has changed since, or it is not deterministic."
            )
        self._tried[trial.id] = self._waiting[policy].pop(number)

    def untried(self, policy: str, trial: int) -> None:
        """A trial ended without an attempt: its candidate is tried next."""
        candidate = self._tried.pop(trial, None)
        if candidate:
            self._waiting[policy][candidate.id] = candidate

    def tell(self, policy: str, trial: int, result: Result) -> None:
        """Tell the learner what became of the candidate of a trial."""
        candidate = self._tried.pop(trial, None)
        if candidate is None:  # a label was corrected, and the learner had no candidate left
            return
        with blamed(self._place):
            self.learners[policy].tell(candidate.id, result.outcome, result.score)

    def _ask_altered(self, policy: str, trial: Trial) -> None:
        """Give a trial the next candidate, with the values that the trial tries.

        A learner that has no candidate to spare, or that cannot be told other values than its own,
        learns nothing from this trial.
        """
        first, learner = self._next(policy), self.learners[policy]
        if first is None:
            return
        values, waiting = dict(trial.parameters), self._waiting[policy].values()
        candidate = next((one for one in waiting if one.values == values), first)
        tried = Candidate(candidate.id, values, trial.mode == "explore")
        if tried != candidate:
            if not isinstance(learner, Adaptive):
                return
            with blamed(self._place):
                learner.substitute(tried)
        self._tried[trial.id] = self._waiting[policy].pop(candidate.id)

    def _next(self, policy: str) -> Candidate | None:
        waiting = self._waiting[policy]
        if not waiting:
            with blamed(self._place):
                proposed = self.learners[policy].ask()
            if proposed is None:
                return None
            known = self._proposed[policy]
            new = checked_candidate(self._place, proposed, self._task.policies[policy], known)
            known.add(new.id)
            waiting[new.id] = new
        return waiting[min(waiting)]
