"""A task: variables, goals with rewards, and the skills that lead to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import TaskError, choose_from
from deliberate_practice.task.curves import Curve
from deliberate_practice.task.skill import Condition, Effect, Parameter, Skill

T = TypeVar("T")


PRIORS = ("unknown", "accurate", "noisy", "optimistic", "pessimistic", "vague")


@dataclass(frozen=True)
class Goal:
    """Reaching a state in which ``when`` holds ends the episode and earns ``reward``."""

    name: str
    reward: float
    when: Condition

    def __post_init__(self) -> None:
        checks.word("name of a goal", self.name)
        reward = checks.number(f"goal '{self.name}': reward", self.reward, 0, checks.LARGEST_REWARD)
        object.__setattr__(self, "reward", reward)


@dataclass(frozen=True)
class Start:
    """A possible start state; variables that it does not name have their first value."""

    probability: float
    state: Mapping[str, str]


@dataclass(frozen=True)
class Policy:
    """A competence and a curve that practice improves, used by one skill or several."""

    name: str
    competence: float
    curve: Curve | None
    truth: Curve | None
    cost: int
    parameters: tuple[Parameter, ...]
    skills: tuple[str, ...]

    @property
    def practisable(self) -> bool:
        """Whether practice may change its competence."""
        return self.curve is not None

    def predict(self, b: FloatArray, speed: float = 1.0) -> FloatArray:
        """Competence after b more attempts, from the stated curve: :meth:`.Curve.predict`."""
        if self.curve is None:
            return np.full(np.shape(b), self.competence)
        return self.curve.predict(self.competence, b, speed)

    def slope(self, b: FloatArray) -> FloatArray:
        """Right derivative of :meth:`predict` [1/attempt]."""
        if self.curve is None:
            return np.zeros(np.shape(b))
        return self.curve.slope(self.competence, b)

    def table(self, attempts: int, speed: float = 1.0) -> FloatArray:
        """Predicted competence after 0, 1, ..., ``attempts`` attempts, shape (attempts + 1,)."""
        return self.predict(np.arange(attempts + 1.0), speed)


_PARTS = (
    ("goals", Goal, 'Goal("toast", 1.0, {"bread": "toaster"})'),
    ("skills", Skill, 'Skill("Put", {"bread": "counter"}, {"bread": "toaster"}, 0.2)'),
    ("starts", Start, 'Start(1.0, {"bread": "counter"})'),
)
"""The lists in a task: the key, the type of its entries, and an example."""


@dataclass(frozen=True)
class Task:
    """A robot's job: everything that the allocation needs to know.

    >>> from deliberate_practice.task.curves import PiecewiseLinear
    >>> task = Task(
    ...     name="toast",
    ...     variables={"bread": ["counter", "toaster"]},
    ...     goals=[Goal("toast", 1.0, {"bread": "toaster"})],
    ...     skills=[Skill("Put", {"bread": "counter"}, {"bread": "toaster"}, competence=0.2,
    ...                   curve=PiecewiseLinear(rate=0.05))],
    ... )
    >>> task.policies["Put"].competence
    0.2

    Args:
        name: Name of the task.
        variables: Possible values of each variable; each starts at its first value.
        goals: Conditions with rewards; if several are met at once, the largest reward counts.
        skills: The skill library; its order breaks ties.
        discount: Factor on the reward per executed skill, in (0, 1].
        starts: Distribution over start states; by default every variable's first value.
        priors: Quality of the stated competences and curves, one of :data:`PRIORS`, for beliefs
            that use it; unknown by default.
        domain: The domain to which it belongs, in which robots have scenes for it; none by default.
    """

    name: str
    variables: Mapping[str, Sequence[str]]
    goals: Sequence[Goal]
    skills: Sequence[Skill]
    discount: float = 0.99
    starts: Sequence[Start] = field(default=())
    priors: str = "unknown"
    domain: str = ""

    def __post_init__(self) -> None:
        checks.word("name", self.name)
        checks.instance("domain", self.domain, str, '"cleanup"')
        checks.one_of("priors", self.priors, PRIORS)
        discount = checks.number("discount", self.discount, 0, 1, open_low=True)
        object.__setattr__(self, "discount", discount)
        _check_variables(self.variables)
        for key, kind, example in _PARTS:
            object.__setattr__(self, key, checks.instances(key, getattr(self, key), kind, example))
        if not self.goals:
            raise TaskError("goals", "there is no goal; add at least one with name, reward, when.")
        if not self.skills:
            raise TaskError("skills", "there is no skill; add at least one.")
        checks.unique("goals", [goal.name for goal in self.goals])
        checks.unique("skills", [skill.name for skill in self.skills])
        for goal in self.goals:
            self._check_condition(f"goal '{goal.name}': when", goal.when)
        for skill in self.skills:
            where = f"skill '{skill.name}'"
            self._check_condition(f"{where}: precondition", skill.precondition)
            results = {"effect": skill.success_effects, "failure": skill.failure_effects}
            for key, options in results.items():
                for option in options:
                    self._check_effect(f"{where}: {key}", option.effect)
        for number, start in enumerate(self.starts, 1):
            checks.number(f"start {number}: probability", start.probability, 0, 1)
            checks.table(f"start {number}: state", start.state)
            self._check_effect(f"start {number}: state", start.state)
        if self.starts:
            checks.probabilities("starts", [start.probability for start in self.starts])
        _ = self.policies  # checks that skills agree on shared policies

    @cached_property
    def policies(self) -> dict[str, Policy]:
        """All policies by name, in file order, practisable or not."""
        groups: dict[str, list[Skill]] = {}
        for skill in self.skills:
            groups.setdefault(skill.policy, []).append(skill)
        return {name: _policy(name, skills) for name, skills in groups.items()}

    @property
    def start_states(self) -> tuple[Start, ...]:
        """The start distribution, with a value for every variable."""
        first = {variable: values[0] for variable, values in self.variables.items()}
        starts = self.starts or (Start(1.0, {}),)
        return tuple(Start(start.probability, {**first, **start.state}) for start in starts)

    @property
    def state_count(self) -> int:
        """Number of abstract states before any pruning: all combinations, and the failure state."""
        return math.prod(len(values) for values in self.variables.values()) + self.can_end

    @property
    def can_end(self) -> bool:
        """Whether a success or failure of some skill may end the episode without reward."""
        return any(
            option.effect == "end"
            for skill in self.skills
            for option in (*skill.success_effects, *skill.failure_effects)
        )

    def skill(self, name: str) -> Skill:
        """The skill of that name."""
        for skill in self.skills:
            if skill.name == name:
                return skill
        raise TaskError("skill", choose_from(name, [skill.name for skill in self.skills]))

    def with_priors(self, competence: float | None = None, rate: float | None = None) -> Task:
        """The same task with another initial competence or rate for every practisable skill."""

        if competence is None and rate is None:
            return self

        def changed(skill: Skill) -> Skill:
            policy = self.policies[skill.policy]
            if policy.curve is None:
                return skill
            with checks.inside(f"skill '{skill.name}'"):
                curve = policy.curve.with_rate(rate)
            start = policy.competence if competence is None else competence
            return replace(skill, competence=start, curve=curve)

        return replace(self, skills=[changed(skill) for skill in self.skills])

    def _check_condition(self, place: str, condition: Condition) -> None:
        for variable, values in checks.table(place, condition).items():
            allowed = [values] if isinstance(values, str) else checks.listing(place, values)
            if not allowed:
                raise TaskError(f"{place}.{variable}", "the list of values is empty.")
            for value in allowed:
                self._check_value(place, variable, value)

    def _check_effect(self, place: str, effect: Effect) -> None:
        if isinstance(effect, str):
            return
        for variable, value in checks.table(place, effect).items():
            self._check_value(place, variable, value)

    def _check_value(self, place: str, variable: str, value: object) -> None:
        if variable not in self.variables:
            raise TaskError(place, "unknown variable " + choose_from(variable, self.variables))
        if value not in self.variables[variable]:
            raise TaskError(
                f"{place}.{variable}",
                "unknown value " + choose_from(value, self.variables[variable]),
            )


def allowed_values(values: str | Sequence[str]) -> tuple[str, ...]:
    """The values that a condition allows for one variable, as a tuple."""
    return (values,) if isinstance(values, str) else tuple(values)


def holds(condition: Condition, state: Mapping[str, str]) -> bool:
    """Whether a condition is met in a state."""
    return all(state[name] in allowed_values(values) for name, values in condition.items())


def _check_variables(variables: Mapping[str, Sequence[str]]) -> None:
    if not checks.table("variables", variables):
        raise TaskError("variables", "there is no variable; add at least one with its values.")
    for variable, values in variables.items():
        place = f"variables.{variable}"
        names = [checks.word(place, value) for value in checks.listing(place, values)]
        if not names:
            raise TaskError(place, "it has no values; the first one is where it starts.")
        checks.unique(place, names)


def _policy(name: str, skills: Sequence[Skill]) -> Policy:
    """The policy that its skills state together."""
    place = f"policy '{name}'" if len(skills) > 1 else f"skill '{skills[0].name}'"
    curve = _agreed(f"{place}: curve", {skill.name: skill.curve for skill in skills})
    truth = _agreed(f"{place}: truth", {skill.name: skill.truth for skill in skills})
    cost = _agreed(f"{place}: cost", {skill.name: skill.cost for skill in skills})
    competence = _agreed(f"{place}: competence", {s.name: s.competence for s in skills})
    parameters = _agreed(
        f"{place}: parameters", {s.name: tuple(s.parameters) or None for s in skills}
    )
    if curve is not None:
        with checks.inside(place):
            competence = curve.agreed(competence)
    if competence is None:
        raise TaskError(place, "the key 'competence' is missing; give a probability, e.g. 0.1.")
    for key, stated in (("curve", curve), ("truth", truth)):
        if stated is not None and stated.ceiling < (start := stated.start(competence)):
            raise TaskError(
                f"{place}: {key}.ceiling",
                f"{stated.ceiling:g} is below the competence {start:g} it starts from.",
            )
    return Policy(
        name=name,
        competence=competence,
        curve=curve,
        truth=truth,
        cost=cost or 1,
        parameters=parameters or (),
        skills=tuple(skill.name for skill in skills),
    )


def _agreed(place: str, stated: Mapping[str, T | None]) -> T | None:
    """The value that the skills of one policy state; those that state one must agree."""
    said = [(skill, value) for skill, value in stated.items() if value is not None]
    for skill, value in said[1:]:
        if value != said[0][1]:
            raise TaskError(
                place,
                f"skill '{said[0][0]}' says {said[0][1]!r}, skill '{skill}' says {value!r}; "
                "skills that share a policy must agree, or only one of them states it.",
            )
    return said[0][1] if said else None
