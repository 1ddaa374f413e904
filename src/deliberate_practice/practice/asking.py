"""Make the next trial: for practice, to train, to test a round, or for an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.approaches.approach import approach_of, approach_to
from deliberate_practice.practice.arguments import needed_part
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.journal.events import Asked, Decided, Event
from deliberate_practice.practice.probes import probe_approach, spare_for_probes
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.robot import Approach, Mode, Step, Trial
from deliberate_practice.practice.testing import Due, due, granted_units
from deliberate_practice.practice.training import Training, training_due
from deliberate_practice.strategies.strategy import probe_price

if TYPE_CHECKING:
    from deliberate_practice.strategies.strategy import Strategy


def practice(
    state: State, curriculum: Curriculum, strategy: str | Strategy, robot: str | None = None
) -> list[Event]:
    """The next practice trial, with a decision before it where one is due; or nothing.

    Training runs come first, then tests. A policy is not practised before its tests are told, but
    others are. The parameters depend only on the session's seed, the policy, the number of the
    candidate, and on what was told.

    Args:
        state: The state of the session.
        curriculum: Its routes.
        strategy: Its strategy.
        robot: The robot that asks, if it has a name.

    Raises:
        PartFailed: The robot refused too many candidates of one policy in a row.
    """
    state.refusals.check()
    training = training_due(state)
    if training:
        return [_training(state, training, robot)]
    test = due(state, robot)
    if test:
        return [_test(state, test, robot)]
    events: list[Event] = []
    decided = state.decisions[-1] if state.granted else None
    if decided and not state.affords(_cost(state, decided.policy, robot)):
        decided = None  # granted earlier, or to a robot that need not turn to it
    if decided is None:
        # Most trials are granted already.
        from deliberate_practice.practice.deciding import decide
        from deliberate_practice.strategies.strategy import STRATEGIES

        decided = decide(state, curriculum, needed_part(STRATEGIES, strategy), robot)
        if decided is None:
            last = None if state.open_trials else due(state, robot, ended=True)
            return [_test(state, last, robot)] if last else []
        events.append(decided)
        if decided.probe:
            return [*events, _probe(state, decided.plan, decided.number, robot)]
    policy = decided.policy
    candidate = state.next_candidate(policy)
    attempt = Step(decided.skill, dict(candidate.values), state.attempts[policy])
    mode: Mode = "explore" if candidate.explores else "deploy"
    if state.task.policies[policy].rounds:
        mode = "demonstrate"
    trial = _trial(state, _decided_approach(state, decided), attempt, mode)
    cost = _cost(state, policy, robot)
    return [*events, Asked(trial, cost, decided.number, candidate.id, robot)]


def goes_on(state: State, most: int) -> bool:
    """Whether the next trial belongs to a group of ``most`` that has begun."""
    if training_due(state):
        return False
    test = due(state)
    return bool(test.asked % most if test else state.granted and state.issued % most)


def evaluation(state: State, curriculum: Curriculum, skill: str) -> list[Event]:
    """A trial of a skill as deployed; it costs nothing.

    Raises:
        ArgumentError: The task has no such skill, or it cannot be reached.
    """
    state.task.skill(skill)  # names those that there are
    if skill in state.operation.blocked:
        raise ArgumentError(f"evaluate: skill '{skill}' is blocked; unblock it first.")
    found = curriculum.by_skill(state.competences, state.operation.blocked)
    if skill not in found:
        raise ArgumentError(f"evaluate: skill '{skill}' cannot be reached from the start.")
    way = found[skill]
    approach = approach_to(state.task, way, state.step)
    trial = _trial(state, approach, state.step(skill), "deploy")
    return [Asked(trial, 0, None, None)]


def probe(state: State, curriculum: Curriculum, robot: str | None = None) -> list[Event]:
    """A trial that executes the present plan from its start to its end.

    Raises:
        ArgumentError: There is no plan of at least two skills, a skill of it is blocked, decision
            rules of the task are more than plans, or the budget does not pay for it.
    """
    from deliberate_practice.allocation.plans import all_plans
    from deliberate_practice.practice.intention import intention

    if all_plans(curriculum.ground) is None:
        raise ArgumentError(
            "probe: decision rules of this task are more than plans, and only plans can be probed "
            "(deliberate check says why); evaluate its skills instead (--evaluate)."
        )
    skills = intention(curriculum.ground, state).skills
    if len(skills) < 2:
        raise ArgumentError(
            f"probe: the present plan has {len(skills)} skill{'s' * (len(skills) != 1)}, so "
            "nothing follows another; evaluate a skill instead (--evaluate)."
        )
    blocked = [skill for skill in skills if skill in state.operation.blocked]
    if blocked:
        raise ArgumentError(f"probe: skill '{blocked[0]}' is blocked; unblock it first.")
    price, spare = probe_price(state.task, skills), spare_for_probes(state) - granted_units(state)
    if price > spare:
        raise ArgumentError(
            f"probe: it costs {price}, and {max(0, spare)} of the budget are left that are not set "
            "aside for granted episodes and tests; extend the budget first."
        )
    return [_probe(state, skills, None, robot)]


def _probe(state: State, skills: Sequence[str], decision: int | None, robot: str | None) -> Asked:
    """A probe of a plan."""
    attempt = state.step(skills[-1])
    trial = _trial(state, probe_approach(state, skills), attempt, "deploy")
    price = probe_price(state.task, skills)
    return Asked(trial, price, decision, None, robot, probe=True)


def _cost(state: State, policy: str, robot: str | None) -> int:
    """Budget units of an episode of a policy, with the turn to it."""
    return state.task.policies[policy].cost + state.turning(policy, robot)


def _training(state: State, training: Training, robot: str | None) -> Asked:
    """A training run with all demonstrations; nothing is executed."""
    decided = state.decisions[training.decision - 1]
    attempt = Step(decided.skill, practised=training.demonstrations)
    trial = _trial(state, Approach(), attempt, "train")
    return Asked(trial, training.cost, decided.number, None, robot)


def _test(state: State, test: Due, robot: str | None) -> Asked:
    """A test of a round: its skill as it is now deployed, approached as in practice."""
    decided = state.decisions[test.decision - 1]
    approach = _decided_approach(state, decided)
    trial = _trial(state, approach, state.step(decided.skill), "deploy")
    return Asked(trial, test.cost, decided.number, None, robot)


def _decided_approach(state: State, decided: Decided) -> Approach:
    return approach_of(
        state.task,
        decided.skill,
        decided.approach,
        decided.start,
        decided.failing,
        decided.rule,
        decided.limit,
        state.step,
    )


def _trial(state: State, approach: Approach, attempt: Step, mode: Mode) -> Trial:
    number = len(state.records) + 1
    seed = np.random.SeedSequence([state.settings.seed, number]).generate_state(1)[0]
    return Trial(number, approach, attempt, mode, int(seed))
