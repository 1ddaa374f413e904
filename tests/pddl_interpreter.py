"""A slow and simple interpreter of PDDL and PPDDL texts, which shares nothing with ours.

A state is the set of its true atoms. Actions are tried with all objects, formulas are evaluated as
they are written, and values come from value iteration over all reachable states.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Atom = tuple[str, ...]
State = frozenset[Atom]
Tree = Any
"""A word, or a list of trees."""

Drawn = dict[tuple[frozenset[Atom], frozenset[Atom]], tuple[Fraction, Fraction]]
"""Added and deleted atoms: their probability, and the part of the expected reward."""


@dataclass(frozen=True)
class Outcome:
    """The distribution over the next states, and the expected reward of the step."""

    states: Mapping[State, Fraction]
    reward: Fraction


class Interpreter:
    """The transitions and values of a problem.

    Args:
        domain: The text of the domain.
        problem: The text of the problem.
        costs: Whether action costs are negative rewards.
    """

    def __init__(self, domain: str, problem: str, *, costs: bool = True) -> None:
        self.costs = costs
        sections: dict[str, Tree] = {}
        self.actions: dict[str, dict[str, Tree]] = {}
        for section in [*_parse(domain)[2:], *_parse(problem)[2:]]:
            if section[0] == ":action":
                self.actions[section[1]] = dict(zip(section[2::2], section[3::2], strict=True))
            else:
                sections[section[0]] = section[1:]
        self.above = dict(_typed(sections.get(":types", [])))
        self.objects = dict(_typed(sections.get(":constants", [])))
        self.objects.update(_typed(sections.get(":objects", [])))
        facts = [fact for fact in sections.get(":init", []) if fact[0] != "not"]
        self.starts: dict[State, Fraction] = {}
        told = ["and", *(fact for fact in facts if fact[0] != "=")]
        for (added, _), (probability, _) in self._drawn(told, frozenset(), {}).items():
            self.starts[added] = self.starts.get(added, Fraction(0)) + probability
        self.numbers = {tuple(f[1]): Fraction(f[2]) for f in facts if f[0] == "="}
        (self.goal,) = sections[":goal"]

    def steps(self, state: State) -> Iterator[tuple[str, Outcome]]:
        """Every applicable action, and its outcome."""
        for name, parts in self.actions.items():
            for binding in self._bindings(parts.get(":parameters", []), {}):
                if self.holds(parts.get(":precondition", []), state, binding):
                    drawn = self._drawn(parts[":effect"], state, binding)
                    states: dict[State, Fraction] = {}
                    for (added, deleted), (probability, _) in drawn.items():
                        target = (state - deleted) | added
                        states[target] = states.get(target, Fraction(0)) + probability
                    states = {target: p for target, p in states.items() if p}
                    reward = sum((part for _, part in drawn.values()), Fraction(0))
                    words = ",".join(binding.values())
                    yield f"{name}({words})" if words else name, Outcome(states, reward)

    def reachable(self) -> dict[State, list[tuple[str, Outcome]]]:
        """Every state that can be reached without passing a goal, and its steps."""
        found: dict[State, list[tuple[str, Outcome]]] = {}
        waiting = [start for start, probability in self.starts.items() if probability]
        while waiting:
            state = waiting.pop()
            if state in found:
                continue
            found[state] = [] if self.holds(self.goal, state, {}) else list(self.steps(state))
            waiting += [target for _, outcome in found[state] for target in outcome.states]
        return found

    def value(self, reward: float = 1.0, discount: float = 0.99, sweeps: int = 2_000) -> float:
        """The best expected reward from the start; stopping is worth 0."""
        steps = self.reachable()
        arrival = {s: reward if self.holds(self.goal, s, {}) else 0.0 for s in steps}
        values = dict.fromkeys(steps, 0.0)

        def worth(outcome: Outcome) -> float:
            later = sum(float(p) * (arrival[t] + values[t]) for t, p in outcome.states.items())
            return float(outcome.reward) + discount * later

        for _ in range(sweeps):
            better = {
                state: max([0.0, *(worth(outcome) for _, outcome in possible)])
                for state, possible in steps.items()
            }
            change = max(abs(better[state] - values[state]) for state in steps)
            values = better
            if change < 1e-13:
                break
        return sum(float(p) * (arrival[s] or values[s]) for s, p in self.starts.items() if p)

    def holds(self, formula: Tree, state: State, binding: Mapping[str, str]) -> bool:
        """Whether a formula is true."""
        if not formula:
            return True
        head, *rest = formula
        if head == "and":
            return all(self.holds(part, state, binding) for part in rest)
        if head == "or":
            return any(self.holds(part, state, binding) for part in rest)
        if head == "not":
            return not self.holds(rest[0], state, binding)
        if head == "imply":
            return not self.holds(rest[0], state, binding) or self.holds(rest[1], state, binding)
        if head in ("forall", "exists"):
            tests = [self.holds(rest[1], state, b) for b in self._bindings(rest[0], binding)]
            return all(tests) if head == "forall" else any(tests)
        terms = [binding.get(term, term) for term in rest]
        return terms[0] == terms[1] if head == "=" else (head, *terms) in state

    def _drawn(self, effect: Tree, state: State, binding: Mapping[str, str]) -> Drawn:
        nothing: Drawn = {(frozenset(), frozenset()): (Fraction(1), Fraction(0))}
        if not effect:
            return nothing
        head, *rest = effect
        if head in ("and", "forall"):
            parts = [(part, binding) for part in rest]
            if head == "forall":
                parts = [(rest[1], wider) for wider in self._bindings(rest[0], binding)]
            drawn = nothing
            for part, wider in parts:
                drawn = _product(drawn, self._drawn(part, state, wider))
            return drawn
        if head == "when":
            met = self.holds(rest[0], state, binding)
            return self._drawn(rest[1], state, binding) if met else nothing
        if head == "probabilistic":
            mixed: Drawn = {}
            options = list(zip(map(Fraction, rest[::2]), rest[1::2], strict=True))
            for share, part in [*options, (1 - sum(p for p, _ in options), [])]:
                for change, (p, r) in self._drawn(part, state, binding).items():
                    before = mixed.get(change, (Fraction(0), Fraction(0)))
                    mixed[change] = (before[0] + share * p, before[1] + share * r)
            return mixed
        if head in ("increase", "decrease"):
            return {(frozenset(), frozenset()): (Fraction(1), self._earned(effect, binding))}
        atom = rest[0] if head == "not" else effect
        ground = frozenset([(atom[0], *(binding.get(term, term) for term in atom[1:]))])
        change = (frozenset(), ground) if head == "not" else (ground, frozenset())
        return {change: (Fraction(1), Fraction(0))}

    def _earned(self, effect: Tree, binding: Mapping[str, str]) -> Fraction:
        head, total, amount = effect
        if isinstance(amount, list):
            amount = self.numbers[amount[0], *(binding.get(term, term) for term in amount[1:])]
        sign = 1 if head == "increase" else -1
        if total == ["total-cost"]:
            return -Fraction(amount) if self.costs else Fraction(0)
        return sign * Fraction(amount)

    def _bindings(self, listed: Tree, binding: Mapping[str, str]) -> Iterator[dict[str, str]]:
        parameters = dict(_typed(listed))
        choices = [
            [name for name, own in self.objects.items() if self._is_a(own, kind)]
            for kind in parameters.values()
        ]
        for names in itertools.product(*choices):
            yield {**binding, **dict(zip(parameters, names, strict=True))}

    def _is_a(self, own: Tree, kind: Tree) -> bool:
        wanted = kind[1:] if isinstance(kind, list) else [kind]
        return own in wanted or (
            own != "object" and self._is_a(self.above.get(own, "object"), kind)
        )


def _product(first: Drawn, second: Drawn) -> Drawn:
    """Two independent effects; what one adds, the other does not delete."""
    drawn: Drawn = {}
    for (a, b), (p, r) in first.items():
        for (c, d), (q, s) in second.items():
            change = (a | c, b | d)
            before = drawn.get(change, (Fraction(0), Fraction(0)))
            drawn[change] = (before[0] + p * q, before[1] + r * q + s * p)
    return drawn


def _typed(items: Tree) -> Iterator[tuple[str, Tree]]:
    waiting: list[str] = []
    rest = iter(items)
    for item in rest:
        if item == "-":
            kind = next(rest)
            yield from ((name, kind) for name in waiting)
            waiting = []
        else:
            waiting.append(item)
    yield from ((name, "object") for name in waiting)


def _parse(text: str) -> Tree:
    stack: list[list[Tree]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text).lower()):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0][0]
