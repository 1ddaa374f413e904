"""Tests: executions of what is deployed after a round of practice, as the belief asks for them.

A policy that is trained elsewhere is tested by as many evaluations as its decision granted, once
the training run of the round is told. Their units, and those of the training run
(:mod:`.training`), are set aside from the first demonstration on.

A round is tested when its attempts are all told, before the next decision; the unfinished rounds
are tested when practice ends, with tests in proportion to their attempts. Charged tests are paid
from the budget. Their units are set aside when attempts are granted, so that no round is left
without a test because the budget is spent.
"""

from __future__ import annotations

from dataclasses import dataclass

from deliberate_practice.beliefs.belief import Tests
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.rounds import Untested
from deliberate_practice.strategies.strategy import ROUND


@dataclass(frozen=True)
class Due:
    """A test to run next.

    Attributes:
        decision: Number of the decision whose policy is tested.
        cost: Budget units.
        asked: Tests of the same round that were asked before.
    """

    decision: int
    cost: int
    asked: int


def due(state: State, robot: str | None = None, *, ended: bool = False) -> Due | None:
    """The test to run next, if one is due and can be paid for.

    Args:
        state: The state of the session.
        robot: The robot that would run it.
        ended: Whether practice has ended, so that unfinished rounds are due too.
    """
    found = [
        (policy, untested)
        for policy, untested in state.untested.items()
        if ended or untested.complete or untested.asked
    ]
    if not found:  # mostly, and then nobody needs the belief
        return None
    tests = state.tests
    for policy, untested in found:
        executed = state.decisions[untested.decision - 1].executed
        if not state.operation.blocked.keys().isdisjoint(executed):
            continue
        cost = _cost(state, tests, policy, robot)
        spare = spare_units(state, policy) - granted_units(state)
        possible = cost <= spare and _fits(state, policy, robot)
        if untested.asked < _wanted(state, tests, policy, untested) and possible:
            return Due(untested.decision, cost, untested.asked)
    return None


def is_under_way(state: State) -> bool:
    """Whether tests are due or not all told: competences are about to be estimated anew."""
    return any(r.kind == "test" for r in state.open_trials) or due(state) is not None


def payable(state: State, policy: str, most: int, robot: str | None = None) -> int:
    """How many attempts of a policy can be paid for together with their tests, at most so many.

    A new decision takes the place of the last one, so nothing is granted besides. A robot that
    practised another policy before pays for turning to this one.
    """
    if state.task.policies[policy].rounds:
        return payable_round(state, policy, robot)[0]
    tests, cost = state.tests, state.task.policies[policy].cost
    turning = state.turning(policy, robot)
    spare = spare_units(state, policy) - turning
    if not state.affords(cost + turning):
        return 0
    attempts = min(most, max(0, spare) // cost)
    while attempts and attempts * cost + _set_aside(state, tests, policy, attempts) > spare:
        attempts -= 1
    return attempts


def payable_round(
    state: State, policy: str, robot: str | None = None, evaluations: int = 0
) -> tuple[int, int]:
    """The demonstrations and evaluations of a round that can be paid for with its training run.

    The last round of a budget may have fewer demonstrations, or fewer evaluations.
    """
    rounds, turning = state.task.policies[policy].rounds, state.turning(policy, robot)
    assert rounds is not None
    cost = rounds.demonstration_cost
    spare = spare_units(state, policy) - turning - rounds.training_cost
    if not state.affords(cost + turning):
        return 0, 0
    demonstrations = max(0, min(rounds.demonstrations, spare // cost))
    spare -= demonstrations * cost
    evaluations = min(evaluations, rounds.evaluations)
    if rounds.evaluation_cost:
        evaluations = max(0, min(evaluations, spare // rounds.evaluation_cost))
    return demonstrations, evaluations


def practice_budget(state: State) -> int:
    """Budget units that are left for practice, once every round pays for the belief's tests.

    Evaluations of policies that are trained elsewhere are not counted: a strategy weighs them.
    """
    tests, spare = state.tests, spare_units(state)
    by_attempts = any(p.practisable and not p.rounds for p in state.task.policies.values())
    if not tests.charged or not by_attempts:
        return spare
    return spare * ROUND // (ROUND + tests.number)


def _wanted(state: State, tests: Tests, policy: str, untested: Untested) -> int:
    """Tests that a round calls for: in proportion to its attempts if it is unfinished."""
    if state.task.policies[policy].rounds:
        return state.decisions[untested.decision - 1].evaluations
    return _usual(tests, untested)


def _usual(tests: Tests, untested: Untested) -> int:
    if untested.complete:
        return tests.number
    return min(tests.number, -(-tests.number * untested.attempts // ROUND))


def _cost(state: State, tests: Tests, policy: str, robot: str | None) -> int:
    rounds = state.task.policies[policy].rounds
    if rounds:
        return rounds.evaluation_cost + state.turning(policy, robot)
    if not tests.charged:
        return 0
    return state.task.policies[policy].cost + state.turning(policy, robot)


def _fits(state: State, policy: str, robot: str | None) -> bool:
    """Whether a test ends before a budget in time does, also if it is not charged."""
    rounds = state.task.policies[policy].rounds
    episode = rounds.evaluation_cost if rounds else state.task.policies[policy].cost
    return state.each is None or episode + state.turning(policy, robot) <= state.each


def spare_units(state: State, policy: str | None = None) -> int:
    """Units that are neither spent nor set aside for tests and training of other policies."""
    tests, others = state.tests, (name for name in state.task.policies if name != policy)
    return state.left - sum(_set_aside(state, tests, name) for name in others)


def granted_units(state: State) -> int:
    """Units of attempts that the last decision granted and nobody has asked for."""
    granted = state.granted
    return granted * state.task.policies[state.decisions[-1].policy].cost if granted else 0


def _set_aside(state: State, tests: Tests, policy: str, more: int = 0) -> int:
    """Units for the tests of a policy's unfinished round, if it gets so many attempts more."""
    if state.task.policies[policy].rounds:
        return _set_aside_for_training(state, policy)
    if not tests.number or not tests.charged:
        return 0
    known = state.untested.get(policy, Untested())
    if known.complete or known.asked:  # tested as far as could be paid for: a new round begins
        known = Untested()
    attempts = known.attempts + state.out(policy) + more
    wanted = _usual(tests, Untested(attempts)) - known.asked
    return max(0, wanted) * state.task.policies[policy].cost


def _set_aside_for_training(state: State, policy: str) -> int:
    """Units for the training run and the evaluations of a round that has begun."""
    rounds, collected = state.task.policies[policy].rounds, state.collected.of(policy)
    assert rounds is not None
    training = any(r.policy == policy and r.kind == "training" for r in state.open_trials)
    begun = collected.waits or state.out(policy)
    decision = collected.decision
    if state.granted and state.decisions[-1].policy == policy:
        begun, decision = True, len(state.decisions)
    if not begun and not training:
        return 0
    evaluations = state.decisions[decision - 1].evaluations * rounds.evaluation_cost
    return evaluations + (0 if training else rounds.training_cost)
