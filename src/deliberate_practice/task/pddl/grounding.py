"""Instances of action schemas that may be applicable.

In the relaxed problem facts only accumulate: an atom that was once true or false stays available as
such. Preconditions are joined with the facts until nothing is new, which gives all applicable
instances. Static predicates, types and equality need no special case, because they never change.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter, itemgetter

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskTooLarge
from deliberate_practice.task.pddl.cases import (
    ONE,
    Branch,
    Branches,
    Cases,
    Truths,
    ground_atom,
)
from deliberate_practice.task.pddl.conditions import Atom, Literal
from deliberate_practice.task.pddl.domain import Domain, Schema
from deliberate_practice.task.pddl.effects import Together
from deliberate_practice.task.pddl.problem import Problem
from deliberate_practice.task.pddl.vocabulary import SUMS

MAX_INSTANCES = 100_000
"""The largest number of instances of action schemas."""

STEPS_PER_INSTANCE = 20
"""The most partly bound instances tried, per allowed instance."""

Arguments = tuple[str, ...]


@dataclass(frozen=True)
class Instance:
    """A schema with objects for its parameters, in one of its cases.

    Attributes:
        schema: The action schema.
        arguments: The objects.
        precondition: Atoms with the truth values under which it applies.
        branches: The outcomes of success.
        failure: Atoms with their truth values after a failure.
        case: The number of this case, from 1; 0 if there is only one.
    """

    schema: Schema
    arguments: Arguments
    precondition: Truths
    branches: Branches
    failure: Truths
    case: int = 0

    @property
    def binding(self) -> dict[str, str]:
        """The object of each parameter."""
        return dict(zip(self.schema.parameters, self.arguments, strict=True))

    @property
    def action(self) -> str:
        """The ground action, e.g. ``place(cup,top)``."""
        return instance_name(self.schema, self.arguments)

    @property
    def name(self) -> str:
        """The action, with the number of the case if there are several: ``place(cup,top)#2``."""
        return f"{self.action}#{self.case}" if self.case else self.action

    @property
    def changes(self) -> Iterator[tuple[Atom, bool]]:
        """All atoms that success or failure sets, with their new truth values."""
        for branch in self.branches:
            yield from branch.change.items()
        yield from self.failure.items()


@dataclass(frozen=True)
class Grounding:
    """The instances of a problem, by schema and then by objects in file order.

    Attributes:
        instances: The instances.
        cases: Finds the alternatives of conditions, for goals.
    """

    instances: Sequence[Instance]
    cases: Cases


def reachable_instances(
    domain: Domain,
    problem: Problem,
    failure: Callable[[Schema, Arguments], Sequence[Literal]],
    *,
    counted: Collection[str] = tuple(SUMS),
    limit: int = MAX_INSTANCES,
) -> Grounding:
    """Find all instances that are applicable in the relaxed problem.

    Args:
        domain: Action schemas and types.
        problem: Objects and initial facts.
        failure: Literals that hold after an instance fails, with its schema's parameters.
        counted: The sums that count: total-cost, reward, or both.
        limit: The largest number of instances.

    Raises:
        TaskTooLarge: There are more instances, or too many combinations to try.
        TaskError: A cost has no value.
    """
    facts = _Facts(problem.init)
    for _, drawn in problem.starts:
        for atom in sorted(drawn):
            facts.add(atom, true=True)

    @cache
    def members(kind: str) -> list[str]:
        is_a = domain.vocabulary.is_a
        return [name for name, own in problem.objects.items() if is_a(own, kind)]

    cases = Cases(members, facts.may_be, problem.numbers, counted)
    relaxed = _Relaxed(facts, cases, members, failure, limit)
    news: set[str] | None = None  # predicates with new facts
    while news is None or news:
        due = [s for s in domain.schemas.values() if news is None or s.watched & news]
        news = set().union(*map(relaxed.apply, due))
    position = {name: i for i, name in enumerate(problem.objects)}
    schemas = {name: i for i, name in enumerate(domain.schemas)}

    def in_file_order(instance: Instance) -> tuple[int, list[int]]:
        return schemas[instance.schema.name], [position[name] for name in instance.arguments]

    instances: list[Instance] = []
    for instance in sorted(relaxed.found.values(), key=in_file_order):
        with checks.inside(f"action '{instance.schema.name}'"):
            instances += [instance] if instance.schema.simple else _split(instance, cases)
            if len(instances) > limit:
                raise _too_large(f"more than {limit:,} cases of actions")
    return Grounding(instances, cases)


class _Relaxed:
    """The relaxed problem: the instances found so far.

    Args:
        facts: The facts that were once available.
        cases: Judges conditions by these facts.
        members: The objects of a type.
        failure: Literals that hold after an instance fails.
        limit: The largest number of instances.
    """

    def __init__(
        self,
        facts: _Facts,
        cases: Cases,
        members: Callable[[str], list[str]],
        failure: Callable[[Schema, Arguments], Sequence[Literal]],
        limit: int,
    ) -> None:
        self._facts, self._cases, self._members = facts, cases, members
        self._failure, self._limit = failure, limit
        self.found: dict[tuple[str, Arguments], Instance] = {}

    def apply(self, schema: Schema) -> set[str]:
        """Find the instances of a schema; returns the predicates with new facts."""
        changed: set[str] = set()
        template = _Template(schema)
        with checks.inside(f"action '{schema.name}'"):
            for arguments in _Binder(schema, self._members, self._facts, self._limit).bindings():
                key = schema.name, arguments
                if key not in self.found:
                    instance = template.instance(arguments, self._failure(schema, arguments))
                    if instance is None or not self._may_start(instance):
                        continue
                    self.found[key] = instance
                    if len(self.found) > self._limit:
                        raise _too_large(f"more than {self._limit:,} instances of actions")
                    changed.update(self._new(instance.changes))
                if schema.effects:  # of which more may follow than before
                    changed.update(self._new(self._following(self.found[key])))
        return changed

    def _may_start(self, instance: Instance) -> bool:
        conditions = instance.schema.conditions
        if not conditions:
            return True
        return all(self._cases.may_hold(part, instance.binding) for part in conditions)

    def _following(self, instance: Instance) -> list[tuple[Atom, bool]]:
        binding = instance.binding
        return [
            change
            for effect in instance.schema.effects
            for change in self._cases.may_follow(effect, binding)
        ]

    def _new(self, changes: Iterable[tuple[Atom, bool]]) -> Iterator[str]:
        """The predicates of changes that are new facts."""
        return (atom[0] for atom, true in changes if self._facts.add(atom, true))


def _split(instance: Instance, cases: Cases) -> list[Instance]:
    """An instance for each of its cases."""
    schema = instance.schema
    effect = Together((*schema.effect, *schema.effects))
    split = cases.of(instance.precondition, schema.conditions, effect, instance.binding)
    several = len(split) > 1
    return [
        replace(instance, precondition=case.given, branches=case.branches, case=several * number)
        for number, case in enumerate(split, 1)
    ]


def instance_name(schema: Schema, arguments: Arguments) -> str:
    """E.g. ``place(cup,top)``, or ``wait`` without parameters."""
    return f"{schema.name}({','.join(arguments)})" if arguments else schema.name


class _Facts:
    """Atoms that may be true, and atoms that may be false, in the relaxed problem."""

    def __init__(self, init: frozenset[Atom]) -> None:
        self.init = init
        self._true: set[Atom] = set()
        self._deleted: set[Atom] = set()
        self._with: dict[tuple[str, int, str], list[Atom]] = {}  # by predicate, place, object
        for atom in sorted(init):
            self.add(atom, true=True)

    def add(self, atom: Atom, true: bool) -> bool:
        """Add a fact and return whether it is new."""
        if self.may_be(atom, true):
            return False
        if not true:
            self._deleted.add(atom)
            return True
        self._true.add(atom)
        for i, name in enumerate(atom):  # place 0 is the predicate itself
            self._with.setdefault((atom[0], i, name), []).append(atom)
        return True

    def may_be(self, atom: Atom, true: bool) -> bool:
        if true:
            return atom in self._true
        return atom not in self.init or atom in self._deleted

    def matching(self, atom: Atom, binding: Mapping[str, str]) -> Sequence[Atom]:
        """True atoms that agree with the bound terms, and perhaps others."""
        fewest: Sequence[Atom] | None = None
        for i, term in enumerate(atom):  # the predicate itself is bound
            name = binding.get(term, term)
            if not name.startswith("?"):
                candidates = self._with.get((atom[0], i, name), ())
                if fewest is None or len(candidates) < len(fewest):
                    fewest = candidates
        return fewest or ()


class _Binder:
    """Finds the objects for the parameters of one schema."""

    def __init__(
        self, schema: Schema, members: Callable[[str], list[str]], facts: _Facts, limit: int
    ) -> None:
        self.schema = schema
        self.facts = facts
        self.members = {name: members(kind) for name, kind in schema.parameters.items()}
        self.allowed = {name: set(objects) for name, objects in self.members.items()}
        self.tests = [x for x in schema.precondition if not x.positive or x.atom[0] == "="]
        self.steps_left = STEPS_PER_INSTANCE * limit

    def bindings(self) -> Iterator[Arguments]:
        """All arguments for which every precondition may hold; some may occur twice."""
        joins = [x.atom for x in self.schema.precondition if x.positive and x.atom[0] != "="]
        yield from self._extend({}, joins)

    def _extend(self, binding: dict[str, str], joins: list[Atom]) -> Iterator[Arguments]:
        self.steps_left -= 1
        if self.steps_left < 0:
            raise _too_large("too many combinations of objects")
        if self.tests and not all(self._may_hold(test, binding) for test in self.tests):
            return
        if joins:
            atom, rest = joins[0], joins[1:]
            if rest:
                atom = max(joins, key=lambda atom: sum(self._known(term, binding) for term in atom))
                rest = [other for other in joins if other is not atom]
            for fact in list(self.facts.matching(atom, binding)):
                extended = self._unify(atom, fact, binding)
                if extended is not None:
                    yield from self._extend(extended, rest)
            return
        for parameter, objects in self.members.items():
            if parameter not in binding:
                for name in objects:
                    yield from self._extend({**binding, parameter: name}, [])
                return
        yield tuple([binding[parameter] for parameter in self.members])

    def _may_hold(self, test: Literal, binding: Mapping[str, str]) -> bool:
        """False only if no later binding can make the test hold."""
        if not all(self._known(term, binding) for term in test.atom):
            return True
        atom = ground_atom(test.atom, binding)
        if atom[0] == "=":
            return (atom[1] == atom[2]) == test.positive
        return self.facts.may_be(atom, test.positive)

    def _known(self, term: str, binding: Mapping[str, str]) -> bool:
        return term in binding or term not in self.members

    def _unify(self, atom: Atom, fact: Atom, binding: dict[str, str]) -> dict[str, str] | None:
        extended = dict(binding)
        for term, name in zip(atom, fact, strict=True):
            if name not in self.allowed.get(term, (term,)) or extended.get(term, name) != name:
                return None
            if term in self.allowed:
                extended[term] = name
        return extended


class _Template:
    """Makes the instances of one schema, of which there may be very many."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._precondition = [
            (_grounder(literal.atom, schema.parameters), literal.positive)
            for literal in schema.precondition
            if literal.atom[0] != "="
        ]
        self._effect = [  # deletions first: an atom that is both deleted and added is added
            (_grounder(literal.atom, schema.parameters), literal.positive)
            for literal in sorted(schema.effect, key=attrgetter("positive"))
        ]

    def instance(self, arguments: Arguments, failure: Sequence[Literal]) -> Instance | None:
        """The instance, or None if its precondition contradicts itself."""
        precondition: dict[Atom, bool] = {}
        for ground, positive in self._precondition:
            if precondition.setdefault(ground(arguments), positive) != positive:
                return None
        change = {ground(arguments): positive for ground, positive in self._effect}
        failed: Truths = {}
        if failure:
            binding = dict(zip(self.schema.parameters, arguments, strict=True))
            ordered = sorted(failure, key=attrgetter("positive"))
            failed = {ground_atom(one.atom, binding): one.positive for one in ordered}
        return Instance(self.schema, arguments, precondition, (Branch(ONE, change),), failed)


def _grounder(atom: Atom, parameters: Iterable[str]) -> Callable[[Arguments], Atom]:
    """A function from arguments to the ground atom."""
    if len(atom) == 1:
        return lambda arguments: atom
    positions = {name: i for i, name in enumerate(parameters)}
    chosen = itemgetter(*(positions.get(term, len(positions) + i) for i, term in enumerate(atom)))
    return lambda arguments: chosen(arguments + atom)


def _too_large(what: str) -> TaskTooLarge:
    return TaskTooLarge(
        "",
        f"{what}; leave out objects, give parameters narrower types, or add preconditions that "
        "name the combinations that make sense.",
    )
