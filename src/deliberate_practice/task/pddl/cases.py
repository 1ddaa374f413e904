"""The cases of an action: a conjunction of atoms each, in which the same outcomes follow.

A skill of a task has one conjunction as its precondition and the same outcomes wherever it holds.
So an action with a disjunction is a case for each alternative, and one with conditional effects a
case for each combination of conditions. Quantifiers range over the objects of the problem.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, product
from typing import NamedTuple

from deliberate_practice.foundation.errors import TaskError, TaskTooLarge
from deliberate_practice.task.pddl.conditions import (
    Atom,
    Condition,
    Junction,
    Literal,
    Quantified,
    negation,
)
from deliberate_practice.task.pddl.effects import Chance, Each, Earn, Effect, Together, When
from deliberate_practice.task.pddl.vocabulary import COST

MAX_CASES = 4_096
"""The most cases of one action, and the most outcomes of one case."""

MAX_STEPS = 10_000_000
"""The most parts of conditions and effects that are looked at."""

ZERO, ONE = Fraction(0), Fraction(1)

Binding = Mapping[str, str]
Truths = Mapping[Atom, bool]
"""Atoms with their truth values, all of which hold."""


class Branch(NamedTuple):  # made for every instance, and faster to make than a dataclass
    """One possible outcome of an action.

    Attributes:
        probability: Its probability.
        change: Atoms with their new truth values.
        cost: Its probability times its cost.
        reward: Its probability times its reward.
    """

    probability: Fraction
    change: Truths
    cost: Fraction = ZERO
    reward: Fraction = ZERO


Branches = tuple[Branch, ...]
NOTHING: Branches = (Branch(ONE, {}),)


@dataclass(frozen=True)
class Case:
    """The atoms that must hold, and the outcomes that follow then."""

    given: Truths
    branches: Branches


class Cases:
    """Finds the cases of ground actions.

    Args:
        members: The objects of a type.
        may_be: Whether an atom may ever be true, or be false.
        numbers: The values of functions.
        counted: The sums that count: total-cost, reward, or both.
    """

    def __init__(
        self,
        members: Callable[[str], Sequence[str]],
        may_be: Callable[[Atom, bool], bool],
        numbers: Mapping[Atom, Fraction],
        counted: Collection[str],
    ) -> None:
        self._members, self._may_be = members, may_be
        self._numbers, self._counted = numbers, counted
        self._steps = 0

    def may_hold(self, condition: Condition, binding: Binding) -> bool:
        """Whether a condition may ever hold, atom by atom."""
        self._step()
        if isinstance(condition, Literal):
            atom = ground_atom(condition.atom, binding)
            if atom[0] == "=":
                return (atom[1] == atom[2]) == condition.positive
            return self._may_be(atom, condition.positive)
        if isinstance(condition, Junction):
            tests = (self.may_hold(part, binding) for part in condition.parts)
        else:
            inner = self._bindings(condition.parameters, binding)
            tests = (self.may_hold(condition.body, wider) for wider in inner)
        return all(tests) if condition.every else any(tests)

    def may_follow(self, effect: Effect, binding: Binding) -> Iterator[tuple[Atom, bool]]:
        """Atoms with the truth values that the effect may ever give them."""
        self._step()
        if isinstance(effect, Literal):
            yield ground_atom(effect.atom, binding), effect.positive
        elif isinstance(effect, Together):
            for part in effect.parts:
                yield from self.may_follow(part, binding)
        elif isinstance(effect, Each):
            for wider in self._bindings(effect.parameters, binding):
                yield from self.may_follow(effect.effect, wider)
        elif isinstance(effect, When):
            if self.may_hold(effect.condition, binding):
                yield from self.may_follow(effect.effect, binding)
        elif isinstance(effect, Chance):
            for probability, option in effect.options:
                if probability:
                    yield from self.may_follow(option, binding)

    def of(
        self, given: Truths, conditions: Sequence[Condition], effect: Effect, binding: Binding
    ) -> list[Case]:
        """The cases of an action with these preconditions and this effect."""
        cases = [
            case
            for truths in self.alternatives(Junction(True, tuple(conditions)), binding, given)
            for case in self._cases(effect, binding, truths)
        ]
        same: dict[Hashable, list[Case]] = {}
        for case in cases:
            key = tuple(
                (one.probability, frozenset(one.change.items()), one.cost, one.reward)
                for one in case.branches
            )
            same.setdefault(key, []).append(case)
        return [
            Case(truths, group[0].branches)
            for group in same.values()
            for truths in _least(case.given for case in group)
        ]

    def alternatives(
        self, condition: Condition, binding: Binding, given: Truths | None = None
    ) -> list[Truths]:
        """Conjunctions that extend the given one; one of them holds wherever the condition does.

        Atoms that can never change are left out; there is none if the condition can never hold.
        """
        self._step()
        given = given or {}
        if isinstance(condition, Literal):
            return self._literal(condition, binding, given)
        if isinstance(condition, Quantified):
            inner = self._bindings(condition.parameters, binding)
            parts = [(condition.body, wider) for wider in inner]
        else:
            parts = [(part, binding) for part in condition.parts]
        if condition.every:
            found = [given]
            for part, wider in parts:
                found = _least(
                    extended
                    for truths in found
                    for extended in self.alternatives(part, wider, truths)
                )
            return found
        return _least(
            truths for part, wider in parts for truths in self.alternatives(part, wider, given)
        )

    def _literal(self, literal: Literal, binding: Binding, given: Truths) -> list[Truths]:
        atom, positive = ground_atom(literal.atom, binding), literal.positive
        if atom[0] == "=":
            return [given] if (atom[1] == atom[2]) == positive else []
        if atom in given:
            return [given] if given[atom] == positive else []
        if not self._may_be(atom, positive):
            return []
        return [{**given, atom: positive}] if self._may_be(atom, not positive) else [given]

    def _cases(self, effect: Effect, binding: Binding, given: Truths) -> list[Case]:
        """The outcomes of an effect, in each case of its conditions."""
        self._step()
        if isinstance(effect, Literal):
            change = {ground_atom(effect.atom, binding): effect.positive}
            return [Case(given, (Branch(ONE, change),))]
        if isinstance(effect, Earn):
            counts = effect.sum in self._counted
            return [Case(given, (self._earned(effect, binding),) if counts else NOTHING)]
        if isinstance(effect, When):
            negative = negation(effect.condition)
            return [
                case
                for truths in self.alternatives(effect.condition, binding, given)
                for case in self._cases(effect.effect, binding, truths)
            ] + [Case(truths, NOTHING) for truths in self.alternatives(negative, binding, given)]
        if isinstance(effect, Chance):
            return self._drawn(effect, binding, given)
        if isinstance(effect, Each):
            inner = self._bindings(effect.parameters, binding)
            parts = [(effect.effect, wider) for wider in inner]
        else:
            parts = [(part, binding) for part in effect.parts]
        cases = [Case(given, NOTHING)]
        for part, wider in parts:
            cases = [
                Case(more.given, _both(case.branches, more.branches))
                for case in cases
                for more in self._cases(part, wider, case.given)
            ]
            _check_size(len(cases), "cases")
        return cases

    def _drawn(self, effect: Chance, binding: Binding, given: Truths) -> list[Case]:
        rest = ONE - sum(probability for probability, _ in effect.options)
        cases = [Case(given, (Branch(rest, {}),))]
        for probability, option in effect.options:
            cases = [
                Case(more.given, _merged([*case.branches, *_scaled(more.branches, probability)]))
                for case in cases
                for more in self._cases(option, binding, case.given)
            ]
            _check_size(len(cases), "cases")
        return cases

    def _earned(self, effect: Earn, binding: Binding) -> Branch:
        amount = effect.amount
        if isinstance(amount, tuple):
            function = ground_atom(amount, binding)
            if function not in self._numbers:
                shown = f"({' '.join(function)})"
                raise TaskError(":init", f"{shown} has no value; add (= {shown} NUMBER) to :init.")
            amount = self._numbers[function]
        earned = effect.sign * amount
        if effect.sum == COST:
            return Branch(ONE, {}, cost=earned)
        return Branch(ONE, {}, reward=earned)

    def _bindings(self, parameters: Mapping[str, str], binding: Binding) -> Iterator[Binding]:
        for names in product(*(self._members(kind) for kind in parameters.values())):
            yield {**binding, **dict(zip(parameters, names, strict=True))}

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise _too_large("too many combinations of objects in conditions and effects")


def outcomes(effect: Effect) -> Branches:
    """The outcomes of a ground effect without conditions and quantifiers."""
    (case,) = Cases(lambda kind: (), lambda atom, true: True, {}, ()).of({}, (), effect, {})
    return case.branches


def ground_atom(atom: Atom, binding: Binding) -> Atom:
    """The atom with objects for its parameters."""
    return tuple([binding.get(term, term) for term in atom])  # a list is faster to make


def _least(alternatives: Iterable[Truths]) -> list[Truths]:
    """The alternatives without those that another one includes; shorter ones come first."""
    found: dict[frozenset[tuple[Atom, bool]], Truths] = {}
    for truths in alternatives:
        found.setdefault(frozenset(truths.items()), truths)
        _check_size(len(found), "alternatives of a condition")
    least: list[Truths] = []
    for _, equally_long in groupby(sorted(found.values(), key=len), key=len):
        least += [
            truths
            for truths in list(equally_long)
            if not any(other.items() <= truths.items() for other in least)
        ]
    return least


def _both(first: Branches, second: Branches) -> Branches:
    """The outcomes of two independent effects."""
    if second is NOTHING:
        return first
    return _merged(
        Branch(
            a.probability * b.probability,
            _joined(a.change, b.change),
            a.cost * b.probability + b.cost * a.probability,
            a.reward * b.probability + b.reward * a.probability,
        )
        for a in first
        for b in second
    )


def _joined(first: Truths, second: Truths) -> Truths:
    """Both changes; an atom that is both deleted and added is added, as in PDDL."""
    added = {atom: True for atom, true in first.items() if true}
    return {**first, **second, **added}


def _scaled(branches: Branches, share: Fraction) -> Iterator[Branch]:
    for one in branches:
        yield Branch(one.probability * share, one.change, one.cost * share, one.reward * share)


def _merged(branches: Iterable[Branch]) -> Branches:
    """The outcomes, with equal changes together and without impossible ones."""
    merged: dict[Hashable, Branch] = {}
    for one in branches:
        key = frozenset(one.change.items())
        other = merged.get(key)
        if other is not None:
            one = Branch(
                one.probability + other.probability,
                one.change,
                one.cost + other.cost,
                one.reward + other.reward,
            )
        if one.probability:
            merged[key] = one
        _check_size(len(merged), "outcomes")
    return tuple(merged.values())


def _check_size(count: int, what: str) -> None:
    if count > MAX_CASES:
        raise _too_large(f"more than {MAX_CASES:,} {what}")


def _too_large(what: str) -> TaskTooLarge:
    return TaskTooLarge(
        "", f"{what}; leave out objects, or split the action so that each has fewer conditions."
    )
