"""Make the next trial: for practice, or for an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.chosen import the_strategy
from deliberate_practice.practice.curriculum import Curriculum
from deliberate_practice.practice.events import Asked, Event
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.trial import Trial

if TYPE_CHECKING:
    from deliberate_practice.strategies.strategy import Strategy


def practice(state: State, curriculum: Curriculum, strategy: str | Strategy) -> list[Event]:
    """The next practice trial, with a decision before it where one is due; or nothing.

    The parameters depend only on the session's seed, the policy, its generation and the index of
    the candidate, and on what was told.
    """
    events: list[Event] = []
    decided = state.decisions[-1] if state.granted else None
    if decided is None:
        from deliberate_practice.practice.deciding import decide  # most trials are granted already

        decided = decide(state, curriculum, the_strategy(strategy))
        if decided is None:
            return []
        events.append(decided)
    policy = state.task.policies[decided.policy]
    index = state.free_candidates(policy.name)[0]
    learner = state.learners[policy.name]
    parameters = state.parameters(policy.name, learner.candidate(index))
    trial = _trial(
        state,
        decided.skill,
        decided.approach,
        parameters,
        explore=learner.explores(index),
        counted=True,
    )
    return [*events, Asked(trial, policy.cost, decided.number, index)]


def evaluation(state: State, curriculum: Curriculum, skill: str) -> list[Event]:
    """A trial of a skill as deployed; it costs nothing.

    Raises:
        ArgumentError: The skill cannot be reached.
    """
    policy = state.task.skill(skill).policy
    found = curriculum.by_skill(state.competences)
    if skill not in found:
        raise ArgumentError(f"evaluate: skill '{skill}' cannot be reached from the start.")
    route, parameters = found[skill].skills, state.deployed(policy)
    trial = _trial(state, skill, route, parameters, explore=False, counted=False)
    return [Asked(trial, 0, None, None)]


def _trial(
    state: State,
    skill: str,
    approach: tuple[str, ...],
    parameters: dict[str, float],
    *,
    explore: bool,
    counted: bool,
) -> Trial:
    number = len(state.records) + 1
    on_the_way = dict.fromkeys(state.task.skill(name).policy for name in approach)
    seed = np.random.SeedSequence([state.settings.seed, number]).generate_state(1)[0]
    return Trial(
        id=number,
        skill=skill,
        policy=state.task.skill(skill).policy,
        mode="explore" if explore else "deploy",
        counted=counted,
        parameters=parameters,
        approach=approach,
        deployed={policy: state.deployed(policy) for policy in on_the_way},
        attempts=dict(state.attempts),
        seed=int(seed),
    )
