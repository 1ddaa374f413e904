"""Ask the strategy which policy to practise next."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import numpy as np

from deliberate_practice.foundation.blame import blamed
from deliberate_practice.foundation.checks import whole_number
from deliberate_practice.foundation.errors import ArgumentError, choose_from, refuse
from deliberate_practice.mdp.routes import Route
from deliberate_practice.practice.curriculum import Curriculum, rule_of
from deliberate_practice.practice.journal.events import Decided
from deliberate_practice.practice.probes import probe_limit, spare_for_probes
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.testing import payable, payable_round, practice_budget
from deliberate_practice.practice.training import is_in_round
from deliberate_practice.strategies.strategy import (
    Decision,
    Past,
    Situation,
    Strategy,
    probe_price,
)


def decide(
    state: State, curriculum: Curriculum, strategy: Strategy, robot: str | None = None
) -> Decided | None:
    """Ask the strategy, and grant a round of episodes to the policy it chooses.

    The strategy chooses among policies that can be reached and paid for and whose learner has a
    candidate; it plans with those, too, that other robots keep busy. The grant is limited by the
    strategy's share, by the learner and by the budget, which also pays for the tests of the round
    if the belief has them charged.
    Everything random comes from the session's seed and the number of the decision.

    Returns:
        The decision; None if no policy can be practised or none is worth practising.
    """
    situation = situation_of(state, curriculum, robot)
    if situation is None:
        return None
    possible = situation.routes
    place = f"strategy {state.settings.strategy}"
    with blamed(place):
        decision = strategy(situation)
    if decision is None:
        return None
    if isinstance(decision, Decision) and decision.probe:
        return _probe(place, state, decision)
    _check(place, decision, possible)
    granted, evaluations = _grant(place, state, decision, robot)
    way = possible[decision.policy]
    rule, limit = rule_of(way)
    with blamed("the belief"):
        curve = state.belief.curve(decision.policy, min(int(decision.share), situation.budget))
    return Decided(
        number=len(state.decisions) + 1,
        policy=decision.policy,
        skill=way.skill,
        approach=way.skills,
        share=int(decision.share),
        granted=granted,
        attempts_before=state.attempts[decision.policy],
        plan=tuple(decision.plan),
        continues=decision.continues,
        why=_plain(place, decision.why),
        start=way.start,
        failing=way.failing,
        rule=rule,
        limit=limit,
        left=state.left,
        now=float(curve[0]),
        after=float(curve[-1]),
        evaluations=evaluations,
    )


def _probe(place: str, state: State, decision: Decision) -> Decided:
    """A decision to execute a whole plan once.

    Raises:
        ArgumentError: The plan has no two skills, a skill of it is blocked or unknown, or the
            budget does not pay for it.
    """
    skills = tuple(decision.plan)
    for skill in skills:
        state.task.skill(skill)  # names those that there are
    faults = {
        f"it probes a plan of {len(skills)} skills; a probe needs at least 2.": len(skills) < 2,
        f"it probes the blocked skill '{next(iter(state.operation.blocked), '')}'.": (
            not state.operation.blocked.keys().isdisjoint(skills)
        ),
    }
    refuse(ArgumentError, place, faults)
    if probe_price(state.task, skills) > spare_for_probes(state):
        raise ArgumentError(f"{place}: it probes a plan that the budget does not pay for.")
    policy = state.task.skill(skills[-1]).policy
    return Decided(
        number=len(state.decisions) + 1,
        policy=policy,
        skill=skills[-1],
        approach=skills[:-1],
        share=1,
        granted=0,
        attempts_before=state.attempts[policy],
        plan=skills,
        continues=False,
        why=_plain(place, decision.why),
        limit=probe_limit(skills),
        left=state.left,
        probe=True,
    )


def _grant(place: str, state: State, decision: Decision, robot: str | None) -> tuple[int, int]:
    """Episodes and evaluations before the next decision: a whole round of demonstrations, or less.

    Raises:
        ArgumentError: The strategy asks for a number of evaluations that makes no sense.
    """
    name, rounds = decision.policy, state.task.policies[decision.policy].rounds
    if rounds is None:
        return payable(state, name, min(int(decision.share), state.available(name)), robot), 0
    wanted = rounds.evaluations if decision.evaluations is None else decision.evaluations
    whole_number(f"{place}: evaluations", wanted, 0, rounds.evaluations)
    return payable_round(state, name, robot, wanted)


def situation_of(
    state: State, curriculum: Curriculum, robot: str | None = None, *, later: bool = False
) -> Situation | None:
    """What a strategy may use for the next decision; None if no policy can be practised.

    Args:
        state: The state of the session.
        curriculum: Its routes.
        robot: The robot that asks, if it has a name.
        later: Count busy policies, too, as if they could be practised now.
    """
    practised = _practised(state, robot)
    busy = set() if later else {name for name in practised if is_busy(state, name)}
    if practised <= busy:  # looking for ways takes longer
        return None
    ways = curriculum.by_policy(state.competences, state.operation.blocked)
    possible = {name: way for name, way in ways.items() if name in practised - busy}
    if not possible:
        return None
    return Situation(
        ground=curriculum.ground,
        belief=state.belief,
        budget=max(practice_budget(state), min(_least(state, name) for name in possible)),
        attempts=dict(state.attempts),
        routes=possible,
        free=curriculum.free,
        past=[
            Past(Decision(d.policy, d.share, d.plan, d.continues, d.why), d.attempts_before)
            for d in state.decisions
        ],
        rng=np.random.default_rng([state.settings.seed, len(state.decisions) + 1]),
        outcomes={name: tuple(seen) for name, seen in state.outcomes.items()},
        present=state.present.get(robot),
        busy={name: way for name, way in ways.items() if name in busy},
        batches=state.batches,
        gaps=state.gaps,
        probed=sum(record.cost for record in state.records.values() if record.kind == "probe"),
        spent=state.spent,
        spare=spare_for_probes(state),
        blocked=tuple(state.operation.blocked),
    )


def is_busy(state: State, policy: str) -> bool:
    """Whether a policy has to wait for others: for a candidate of its learner, or for its tests.

    One that is trained elsewhere waits until its round is over.
    """
    if state.task.policies[policy].rounds:
        return is_in_round(state, policy)
    tested = any(r.kind == "test" and r.policy == policy for r in state.open_trials)
    return tested or not state.available(policy)


def _least(state: State, policy: str) -> int:
    """Budget units of the least practice of a policy."""
    return state.task.policies[policy].cost + state.task.policies[policy].training_cost


def _practised(state: State, robot: str | None) -> set[str]:
    """The policies that a robot can pay for and whose learners have candidates, now or later."""
    return {
        name
        for name, policy in state.task.policies.items()
        if policy.practisable
        and (state.available(name) or state.out(name))
        and payable(state, name, 1, robot)
    }


def _check(place: str, decision: object, possible: Mapping[str, Route]) -> None:
    """Report the mistake of a strategy as such."""
    if not isinstance(decision, Decision):
        raise ArgumentError(
            f"{place}: it returned {decision!r}; a strategy returns a Decision, or None."
        )
    if decision.policy not in possible:
        raise ArgumentError(
            f"{place}: it chose a policy that cannot be practised now: "
            + choose_from(decision.policy, possible)
        )
    share = decision.share
    if not isinstance(share, int | float | np.number) or not 1 <= share < math.inf:
        raise ArgumentError(f"{place}: its share {share!r} must be a number of at least 1.")


def _plain(place: str, why: Mapping[str, object]) -> Mapping[str, object]:
    """The reasons as the journal will return them, so that a resumed session is the same."""
    try:
        text = json.dumps(dict(why), default=_as_number, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{place}: its reasons {why!r} are not plain data ({error}).") from None
    return dict(json.loads(text))


def _as_number(value: object) -> object:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{value!r} is neither text nor a number")
