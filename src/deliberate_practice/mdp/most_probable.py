"""The most probable ways through an abstract MDP, by one best-first search."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from deliberate_practice.foundation.arrays import FloatArray, IntArray
from deliberate_practice.mdp.ground_task import GroundTask

Edges = dict[int, list[tuple[tuple[int, bool], int, float]]]
"""(step, target, probability) of every possible outcome in each state."""


@dataclass(frozen=True)
class Way:
    """A way to a state.

    Attributes:
        state: Index of the state.
        probability: Probability that every step of the way happens.
        steps: Index of each skill to execute, and whether it succeeds.
        states: Index of every state on the way: where it begins, then where each step leads.
    """

    state: int
    probability: float
    steps: tuple[tuple[int, bool], ...]
    states: tuple[int, ...]

    @property
    def start(self) -> int:
        """Index of the state where the way begins."""
        return self.states[0]


def most_probable_ways(
    ground: GroundTask,
    competence: FloatArray,
    starts: Mapping[int, float],
    *,
    rule: IntArray | None = None,
    failures: bool = False,
) -> Iterator[Way]:
    """The most probable way to each reachable state, most probable first.

    Among equally probable ways the shorter is taken, then the one whose skills come first in the
    file, then the one that fails earlier.

    Args:
        ground: The abstract MDP.
        competence: Competence of each policy, shape (policies,).
        starts: Probability of each start state.
        rule: The only action to take in each state, -1 for none, shape (N,); all by default.
        failures: Whether ways may rely on failures too.
    """
    return ways_along(step_edges(ground, competence, rule, failures), starts)


def ways_along(edges: Edges, starts: Mapping[int, float]) -> Iterator[Way]:
    """The same for steps that are already listed."""
    queue: list[tuple[float, int, tuple[tuple[int, bool], ...], int, tuple[int, ...]]] = [
        (-probability, 0, (), state, (state,)) for state, probability in starts.items()
    ]
    heapq.heapify(queue)
    done: set[int] = set()
    while queue:
        negative, length, steps, state, states = heapq.heappop(queue)
        if state in done:
            continue
        done.add(state)
        yield Way(state, -negative, steps, states)
        for step, target, probability in edges.get(state, ()):
            if target not in done:
                through = (*states, target)
                ahead = (negative * probability, length + 1, (*steps, step), target, through)
                heapq.heappush(queue, ahead)


def step_edges(
    ground: GroundTask, competence: FloatArray, rule: IntArray | None, failures: bool
) -> Edges:
    """List the steps that ways may take; the arguments are those of :func:`most_probable_ways`."""
    probability = ground.probabilities(competence)
    chosen = (ground.outcome_success | failures) & (probability > 0)
    if rule is not None:
        chosen &= rule[ground.action_state[ground.outcome_action]] == ground.outcome_action
    action = ground.outcome_action[chosen]
    edges: Edges = {}
    for state, skill, success, target, p in zip(
        ground.action_state[action].tolist(),
        ground.action_skill[action].tolist(),
        ground.outcome_success[chosen].tolist(),
        ground.outcome_target[chosen].tolist(),
        probability[chosen].tolist(),
        strict=True,
    ):
        edges.setdefault(state, []).append(((skill, success), target, p))
    return edges
