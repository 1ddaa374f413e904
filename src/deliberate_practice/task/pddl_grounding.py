"""Instances of action schemas that may be applicable.

In the relaxed problem facts only accumulate: an atom that was once true or false stays available as
such. Preconditions are joined with the facts until nothing is new, which gives all applicable
instances. Static predicates, types and equality need no special case, because they never change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from deliberate_practice.foundation.errors import TaskTooLarge
from deliberate_practice.task.pddl_syntax import Atom, Domain, Literal, Problem, Schema

MAX_INSTANCES = 100_000
"""The largest number of instances of action schemas."""

STEPS_PER_INSTANCE = 20
"""The most partly bound instances tried, per allowed instance."""

Arguments = tuple[str, ...]


@dataclass(frozen=True)
class Instance:
    """A schema with objects for its parameters; effects map atoms to their new truth values."""

    schema: Schema
    arguments: Arguments
    precondition: Mapping[Atom, bool]
    effect: Mapping[Atom, bool]
    failure: Mapping[Atom, bool]

    @property
    def name(self) -> str:
        """E.g. ``place(cup,top)``."""
        return instance_name(self.schema, self.arguments)


def reachable_instances(
    domain: Domain,
    problem: Problem,
    failure: Callable[[Schema, Arguments], Sequence[Literal]],
    limit: int = MAX_INSTANCES,
) -> list[Instance]:
    """All instances applicable in the relaxed problem, by schema and then by objects in file order.

    Args:
        domain: Action schemas and types.
        problem: Objects and initial facts.
        failure: Literals that hold after an instance fails, with its schema's parameters.
        limit: The largest number of instances.

    Raises:
        TaskTooLarge: There are more instances, or too many combinations to try.
    """
    facts = _Facts(problem.init)
    members = {
        kind: [name for name, own in problem.objects.items() if domain.is_a(own, kind)]
        for kind in domain.parents
    }
    found: dict[tuple[str, Arguments], Instance] = {}
    changed = set(domain.predicates)  # predicates with new facts
    first = True
    while changed or first:
        news, changed = changed, set[str]()
        for schema in domain.schemas.values():
            if not first and not any(literal.atom[0] in news for literal in schema.precondition):
                continue
            for arguments in _Binder(schema, members, facts, limit).bindings():
                if (schema.name, arguments) in found:
                    continue
                instance = _instance(schema, arguments, failure(schema, arguments))
                if instance is None:
                    continue
                found[schema.name, arguments] = instance
                if len(found) > limit:
                    raise _too_large(schema, f"more than {limit:,} instances of actions")
                for effect in (instance.effect, instance.failure):
                    changed |= {atom[0] for atom, true in effect.items() if facts.add(atom, true)}
        first = False
    position = {name: i for i, name in enumerate(problem.objects)}
    schemas = list(domain.schemas)

    def in_file_order(instance: Instance) -> tuple[int, list[int]]:
        return schemas.index(instance.schema.name), [position[name] for name in instance.arguments]

    return sorted(found.values(), key=in_file_order)


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
        bound = [(i, binding.get(term, term)) for i, term in enumerate(atom)]
        candidates = [
            self._with.get((atom[0], i, name), []) for i, name in bound if not name.startswith("?")
        ]
        return min(candidates, key=len)


class _Binder:
    """Finds the objects for the parameters of one schema."""

    def __init__(
        self, schema: Schema, members: Mapping[str, list[str]], facts: _Facts, limit: int
    ) -> None:
        self.schema = schema
        self.facts = facts
        self.members = {name: members[kind] for name, kind in schema.parameters.items()}
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
            raise _too_large(self.schema, "too many combinations of objects")
        if not all(self._may_hold(test, binding) for test in self.tests):
            return
        if joins:
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
        yield tuple(binding[parameter] for parameter in self.schema.parameters)

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


def ground_atom(atom: Atom, binding: Mapping[str, str]) -> Atom:
    """The atom with objects for its parameters."""
    return tuple(binding.get(term, term) for term in atom)


def _instance(schema: Schema, arguments: Arguments, failure: Sequence[Literal]) -> Instance | None:
    """The instance, or None if its precondition contradicts itself."""
    binding = dict(zip(schema.parameters, arguments, strict=True))
    precondition: dict[Atom, bool] = {}
    for literal in schema.precondition:
        atom = ground_atom(literal.atom, binding)
        if atom[0] != "=" and precondition.setdefault(atom, literal.positive) != literal.positive:
            return None
    return Instance(
        schema, arguments, precondition, _effect(schema.effect, binding), _effect(failure, binding)
    )


def _effect(literals: Sequence[Literal], binding: Mapping[str, str]) -> dict[Atom, bool]:
    """The changes; an atom that is both deleted and added is added, as in PDDL."""
    deletes_first = sorted(literals, key=lambda literal: literal.positive)
    return {ground_atom(literal.atom, binding): literal.positive for literal in deletes_first}


def _too_large(schema: Schema, what: str) -> TaskTooLarge:
    return TaskTooLarge(
        f"action '{schema.name}'",
        f"{what}; leave out objects, give parameters narrower types, or add preconditions that "
        "name the combinations that make sense.",
    )
