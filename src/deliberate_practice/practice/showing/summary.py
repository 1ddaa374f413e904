"""The summary of a session: settings, spending, plan and rewards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deliberate_practice.mdp.rule import StartPath
from deliberate_practice.practice.approaches.losses import seen_losses
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.journal.events import Executed
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.showing.reasons import in_seconds, reason_of


@dataclass(frozen=True)
class Summary:
    """A session, up to now.

    Attributes:
        name: Name of the session.
        task: Name of the task.
        robot, strategy, belief, learner, approach, seed: Its settings.
        budget, spent: Budget units.
        in_seconds: Whether they are seconds.
        goal: The goal that the robot would aim for now; None if it would do nothing. If there are
            several tasks, the goals of all tasks in one text.
        plan: The skills that it would execute.
        plans: If there are several starts or tasks, its plan from each start.
        allocation: Episodes of practice by policy that were paid for.
        tests: Tests by policy.
        practice_episodes, test_episodes: The same for all policies together.
        skill_executions: Skills that the robot executed in all trials, approaches included.
        attempts: Attempts by policy that reached the precondition.
        competence: Believed competence of every policy.
        deployed: Deployed parameters of every policy that has some.
        units: The unit of each of these parameters that has one.
        probes: Probes of a whole plan.
        losses: What each skill is expected to keep of its competence right after another one, as
            plain data; all, before a plan was probed.
        expected_reward: The reward of the plan under the present belief.
        why: The reasons for the last decision.
        reason: The same in one sentence.
        unreached: Episodes of practice by policy that did not reach the precondition.
        reward_before, reward_after: The reward of the robot's own plan before practice and now,
            discounted as the task says; None if it was not measured.
        measured: Every measurement: exact, or by executions with an interval, also undiscounted.
        largest: The largest value of every measurement in trials, such as a force.
        warnings: Sentences about what goes wrong, such as episodes that are lost on the way.
        open: Trials that were asked and not told.
        state: ``active``, ``paused``, ``ended`` or ``archived``.
        blocked: Skills that no trial may use, each with the reason.
        notes: Notes on the session.
        seconds: From the start to the last event.
    """

    name: str
    task: str
    robot: str | None
    strategy: str
    belief: str
    learner: str
    approach: str
    seed: int
    budget: int
    spent: int
    in_seconds: bool
    goal: str | None
    plan: tuple[str, ...]
    plans: tuple[StartPath, ...]
    allocation: Mapping[str, int]
    tests: Mapping[str, int]
    practice_episodes: int
    test_episodes: int
    skill_executions: int
    attempts: Mapping[str, int]
    competence: Mapping[str, float]
    deployed: Mapping[str, Mapping[str, float]]
    units: Mapping[str, Mapping[str, str]]
    probes: int
    losses: Mapping[str, Any]
    expected_reward: float
    why: Mapping[str, object] | None
    reason: str | None
    unreached: Mapping[str, int]
    reward_before: float | None
    reward_after: float | None
    measured: tuple[Executed, ...]
    largest: Mapping[str, float]
    warnings: tuple[str, ...]
    open: int
    state: str
    blocked: Mapping[str, str]
    notes: tuple[str, ...]
    seconds: float

    def as_data(self) -> dict[str, Any]:
        """The summary as plain data, as ``--format json`` prints it."""
        data = {
            **vars(self),
            "plan": list(self.plan),
            "plans": [path.as_data() for path in self.plans],
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "measured": [
                {
                    "spent": executed.spent,
                    "goal": executed.goal,
                    "reward": executed.earnings.reward,
                    "undiscounted": executed.earnings.undiscounted,
                    "ci95": executed.earnings.interval and list(executed.earnings.interval),
                    "executions": len(executed.earnings.successes) or None,
                }
                for executed in self.measured
            ],
        }
        if not self.plans:
            del data["plans"]
        return data


def summary(session: Session) -> Summary:
    """The summary of a session up to now."""
    state, settings = session.state, session.settings
    now = intention(session.ground, state)
    before = next((e.earnings.reward for e in state.executions if not e.spent), None)
    tests = state.episodes("test")
    rewards = {executed.spent: executed.earnings.reward for executed in state.executions}
    decided = state.decisions[-1] if state.decisions else None
    return Summary(
        name=session.name,
        task=session.task.name,
        robot=settings.robot,
        strategy=settings.strategy,
        belief=settings.belief,
        learner=settings.learner,
        approach=settings.approach,
        seed=settings.seed,
        budget=state.ledger.budget,
        spent=state.spent,
        in_seconds=in_seconds(state),
        goal=now.goal,
        plan=now.skills,
        plans=now.starts,
        allocation=state.allocation,
        tests=tests,
        practice_episodes=sum(state.allocation.values()),
        test_episodes=sum(tests.values()),
        skill_executions=sum(record.executed for record in state.records.values()),
        attempts=dict(state.attempts),
        competence=state.competences,
        deployed={name: values for name, values in state.deployed.items() if values},
        units={name: one.units for name, one in session.task.policies.items() if one.parameters},
        probes=sum(state.episodes("probe").values()),
        losses=state.losses.as_data(),
        expected_reward=now.value,
        why={"policy": decided.policy, **decided.why} if decided else None,
        reason=reason_of(state, decided) if decided else None,
        unreached=state.unreached,
        reward_before=before,
        reward_after=rewards.get(state.settled),
        measured=tuple(state.executions),
        largest=_largest(session),
        warnings=tuple(seen_losses(state)),
        open=len(state.open_trials),
        state=state.operation.word,
        blocked=dict(state.operation.blocked),
        notes=tuple(note.text for note in state.operation.notes if note.trial is None),
        seconds=state.elapsed.total_seconds(),
    )


def _largest(session: Session) -> dict[str, float]:
    records = session.state.records.values()
    measured = [record.result.measurements for record in records if record.result]
    names = dict.fromkeys(name for values in measured for name in values)
    return {name: max(values[name] for values in measured if name in values) for name in names}
