"""Chains of actions that a decision rule is forced to repeat together.

A failure that falls back makes an action lead to several states. Let c be such an action in x, and
let x be entered only through one action a of one state y. A decision rule that uses c in x uses a
in y, so whenever c falls back to y, the rule comes again through a. So (a, c) is one action of y,
and c can be removed from x. This is repeated until nothing changes; chains may then be longer.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from deliberate_practice.foundation.deadline import check
from deliberate_practice.mdp.ground_task import GroundTask

LONGEST = 5
"""The most actions in a chain: the expansion of its factor has up to 2^LONGEST terms."""

MOST = 1_000_000
"""The most chains that are made."""

OFTEN = 1024
"""Actions between two looks at the clock."""

Chain = tuple[int, ...]
"""Actions of the grounded task, each in another state; the first state is where it begins."""


def chains(ground: GroundTask, deadline: float | None = None) -> list[tuple[Chain, int]] | str:
    """Every chain that leads to one state, with that state; or why there are others.

    States that no start leads to through chains are left out.

    Raises:
        Late: The deadline passed before that was known.
    """
    work = _Elimination(ground, deadline)
    reason = work.run()
    return reason if reason else work.result()


class _Elimination:
    """The chains of each state, and those through which each state is entered."""

    def __init__(self, ground: GroundTask, deadline: float | None) -> None:
        self._ground = ground
        self._deadline = deadline
        self._targets: list[set[int]] = [set() for _ in ground.action_state]
        stays = ground.outcome_target == ground.action_state[ground.outcome_action]
        possible = (ground.outcome_weight > 0) & ~stays
        for action, target in zip(
            ground.outcome_action[possible].tolist(),
            ground.outcome_target[possible].tolist(),
            strict=True,
        ):
            self._targets[action].add(target)
        self._state = ground.action_state.tolist()
        self._begin = np.flatnonzero(ground.start).tolist()
        self._fixed = set(self._begin) | set(np.flatnonzero(ground.goal >= 0).tolist())
        self._next: dict[Chain, frozenset[int]] = {}
        self._of: defaultdict[int, list[Chain]] = defaultdict(list)
        self._into: defaultdict[int, set[Chain]] = defaultdict(set)
        for action in range(len(self._state)):
            if action % OFTEN == 0:
                check(deadline)
            self._add((action,))

    def run(self) -> str:
        """Join chains until every one leads to one state; the reason if that is impossible."""
        changed = True
        while changed:
            changed = False
            for x in self._deepest_first():
                check(self._deadline)
                entering = self._into.get(x, set())
                if x in self._fixed or len(entering) != 1:
                    continue
                (a,) = entering
                y = self._state[a[0]]
                falling = [
                    c for c in self._of.get(x, []) if len(self._next[c]) > 1 or y in self._next[c]
                ]
                for c in falling:
                    if len(a) + len(c) > LONGEST:
                        return f"the failure of skill '{self._name(c)}' falls back too far"
                    self._remove(c)
                    self._add(a + c)
                    changed = True
                if not self._of.get(x):
                    self._remove(a)
                    changed = True
                if len(self._next) > MOST:
                    return f"more than {MOST:,} chains of skills are possible"
        return self._several()

    def result(self) -> list[tuple[Chain, int]]:
        """The chains of all states that can be reached, by state."""
        return [
            (chain, next(iter(self._next[chain])))
            for state in sorted(self._depths())
            for chain in self._of.get(state, [])
        ]

    def _several(self) -> str:
        """The reason why some chain still leads to several states."""
        for state in sorted(self._depths()):
            for chain in self._of.get(state, []):
                if len(self._next[chain]) > 1:
                    return (
                        f"skill '{self._name(chain)}' may lead to several states, and the way "
                        "on from them is not forced"
                    )
        return ""

    def _deepest_first(self) -> list[int]:
        depths = self._depths()
        return sorted(depths, key=lambda state: (-depths[state], state))

    def _depths(self) -> dict[int, int]:
        """Number of chains from a start to each state that can be reached."""
        depths = dict.fromkeys(self._begin, 0)
        layer = list(self._begin)
        while layer:
            ahead: list[int] = []
            for state in layer:
                for chain in self._of.get(state, []):
                    for target in sorted(self._next[chain]):
                        if target not in depths:
                            depths[target] = depths[state] + 1
                            ahead.append(target)
            layer = ahead
        return depths

    def _add(self, chain: Chain) -> None:
        if len(chain) == 1:
            reached = frozenset(self._targets[chain[0]])
        else:
            inside = {self._state[action] for action in chain}
            reached = frozenset().union(*[self._targets[action] for action in chain]) - inside
        if not reached:
            return  # it leads nowhere
        self._next[chain] = reached
        self._of[self._state[chain[0]]].append(chain)
        for target in reached:
            self._into[target].add(chain)

    def _remove(self, chain: Chain) -> None:
        self._of[self._state[chain[0]]].remove(chain)
        for target in self._next.pop(chain):
            self._into[target].discard(chain)

    def _name(self, chain: Chain) -> str:
        return self._ground.task.skills[int(self._ground.action_skill[chain[-1]])].name
