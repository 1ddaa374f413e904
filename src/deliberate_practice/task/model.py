"""A task: variables, goals with rewards, and the skills that lead to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskError, choose_from, shown
from deliberate_practice.task.experience import QUALITIES, Experience
from deliberate_practice.task.policy import Policy as Policy, agreed_policy
from deliberate_practice.task.skill import Condition, Effect, Skill

PRIORS = ("unknown", *QUALITIES)

LARGEST_WEIGHT = 1e9
"""Largest weight of a task."""

SEVERAL = "task"
"""The variable that tells several tasks apart in their states; no skill can change it."""


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
class Gap:
    """A loss between two policies that follow each other, which the synthetic robot alone knows.

    Attributes:
        before: The policy that is executed first.
        policy: The policy that is executed right after it.
        lost: The part of its successes that it loses there, from 0 to below 1.
    """

    before: str
    policy: str
    lost: float

    def __post_init__(self) -> None:
        for key in ("before", "policy"):
            checks.word(f"gap: {key}", getattr(self, key))
        place = f"gap of '{self.policy}' after '{self.before}': lost"
        lost = checks.number(place, self.lost, 0, 1)
        if lost == 1:
            raise TaskError(place, "1 is too large; give a part below 1, e.g. 0.3.")
        object.__setattr__(self, "lost", lost)


@dataclass(frozen=True)
class ServedTask:
    """One of several tasks that a robot serves with the same skills.

    Attributes:
        name: Name of this task.
        goals: Its own goals.
        starts: Its own start states; by default every variable's first value.
        weight: How often it occurs, relative to the other tasks.
    """

    name: str
    goals: Sequence[Goal]
    starts: Sequence[Start] = field(default=())
    weight: float = 1.0

    def __post_init__(self) -> None:
        checks.word("name of a task", self.name)
        with checks.inside(f"task '{self.name}'"):
            weight = checks.number("weight", self.weight, 0, LARGEST_WEIGHT, open_low=True)
            object.__setattr__(self, "weight", weight)
            _set_parts(self, "goals", "starts")


_PARTS: dict[str, tuple[type, str]] = {
    "goals": (Goal, 'Goal("toast", 1.0, {"bread": "toaster"})'),
    "skills": (Skill, 'Skill("Put", {"bread": "counter"}, {"bread": "toaster"}, 0.2)'),
    "starts": (Start, 'Start(1.0, {"bread": "counter"})'),
    "tasks": (ServedTask, 'ServedTask("breakfast", [Goal("toast", 1.0, {"bread": "toaster"})])'),
    "gaps": (Gap, 'Gap("Pick", "Place", 0.3)'),
}
"""The lists in a task by their keys: the type of their entries, and an example."""


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
            None if the robot serves several tasks, which have their own.
        skills: The skill library; its order breaks ties.
        discount: Factor on the reward per executed skill, in (0, 1].
        starts: Distribution over start states; by default every variable's first value.
        priors: Quality of the stated competences and curves, one of :data:`PRIORS`, for beliefs
            that use it; unknown by default.
        domain: The domain to which it belongs, in which robots have scenes for it; none by default.
        tasks: Several tasks over the same skills, each with its own goals and starts. The value of
            the whole is the mean of their values, weighted by ``weight``.
        experience: Priors learned from earlier sessions, for beliefs that use them.
        gaps: Losses between policies that follow each other, for the synthetic robot alone.
    """

    name: str
    variables: Mapping[str, Sequence[str]]
    goals: Sequence[Goal] = field(default=())
    skills: Sequence[Skill] = field(default=())
    discount: float = 0.99
    starts: Sequence[Start] = field(default=())
    priors: str = "unknown"
    domain: str = ""
    tasks: Sequence[ServedTask] = field(default=())
    experience: Experience | None = None
    gaps: Sequence[Gap] = field(default=())

    def __post_init__(self) -> None:
        checks.word("name", self.name)
        checks.instance("domain", self.domain, str, '"cleanup"')
        checks.one_of("priors", self.priors, PRIORS)
        if self.experience is not None:
            checks.instance("experience", self.experience, Experience, "what learn_priors returns")
        discount = checks.number("discount", self.discount, 0, 1, open_low=True)
        object.__setattr__(self, "discount", discount)
        _check_variables(self.variables)
        _set_parts(self, *_PARTS)
        if not self.skills:
            raise TaskError("skills", "there is no skill; add at least one.")
        checks.unique("skills", [skill.name for skill in self.skills])
        if self.tasks:
            self._check_tasks()
        else:
            self._check_goals(self.goals)
            self._check_starts(self.starts)
        for skill in self.skills:
            where = f"skill '{skill.name}'"
            self._check_condition(f"{where}: precondition", skill.precondition)
            results = {"effect": skill.success_effects, "failure": skill.failure_effects}
            for key, options in results.items():
                for option in options:
                    self._check_effect(f"{where}: {key}", option.effect)
        for gap in self.gaps:
            for policy in (gap.before, gap.policy):
                if policy not in self.policies:
                    raise TaskError("gaps", "unknown policy " + choose_from(policy, self.policies))
        checks.unique("gaps", [f"{gap.before}, {gap.policy}" for gap in self.gaps])
        _ = self.policies  # checks that skills agree on shared policies

    @cached_property
    def policies(self) -> dict[str, Policy]:
        """All policies by name, in file order, practisable or not."""
        groups: dict[str, list[Skill]] = {}
        for skill in self.skills:
            groups.setdefault(skill.policy, []).append(skill)
        return {name: agreed_policy(name, skills) for name, skills in groups.items()}

    @cached_property
    def _values(self) -> dict[str, frozenset[str]]:
        """The values of each variable, as sets."""
        return {variable: frozenset(values) for variable, values in self.variables.items()}

    @property
    def start_states(self) -> tuple[Start, ...]:
        """The start distribution, with a value for every variable; that of all tasks together."""
        first = {variable: values[0] for variable, values in self.variables.items()}
        total = math.fsum(task.weight for task in self.tasks)
        shares = [(task.starts, task.weight / total) for task in self.tasks]
        return tuple(
            Start(share * start.probability, {**first, **start.state})
            for starts, share in shares or [(self.starts, 1.0)]
            for start in starts or (Start(1.0, {}),)
        )

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

    def with_experience(self, experience: Experience | None) -> Task:
        """The same task with priors from earlier sessions, or without any."""
        return replace(self, experience=experience)

    def _check_tasks(self) -> None:
        for key in ("goals", "starts"):
            if getattr(self, key):
                raise TaskError(
                    key,
                    f"they stand beside [[tasks]]; give each task its own [[tasks.{key}]], or "
                    "leave [[tasks]] out.",
                )
        if SEVERAL in self.variables:
            raise TaskError(
                f"variables.{SEVERAL}",
                "the name stands for the task in files with [[tasks]]; choose another name.",
            )
        checks.unique("tasks", [task.name for task in self.tasks])
        for task in self.tasks:
            with checks.inside(f"task '{task.name}'"):
                self._check_goals(task.goals)
                self._check_starts(task.starts)

    def _check_goals(self, goals: Sequence[Goal]) -> None:
        if not goals:
            raise TaskError("goals", "there is no goal; add at least one with name, reward, when.")
        checks.unique("goals", [goal.name for goal in goals])
        for goal in goals:
            self._check_condition(f"goal '{goal.name}': when", goal.when)

    def _check_starts(self, starts: Sequence[Start]) -> None:
        for number, start in enumerate(starts, 1):
            checks.number(f"start {number}: probability", start.probability, 0, 1)
            checks.table(f"start {number}: state", start.state)
            self._check_effect(f"start {number}: state", start.state)
        if starts:
            checks.probabilities("starts", [start.probability for start in starts])

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
        if isinstance(value, list | tuple):
            raise TaskError(
                f"{place}.{variable}",
                f"{shown(value)} is a list; only preconditions and goals may have one. "
                f"Write one of: {', '.join(self.variables[variable])}.",
            )
        if not isinstance(value, str) or value not in self._values[variable]:
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


def _set_parts(owner: object, *keys: str) -> None:
    """Keep lists of an object as tuples, whose entries have the right type."""
    for key in keys:
        kind, example = _PARTS[key]
        object.__setattr__(owner, key, checks.instances(key, getattr(owner, key), kind, example))


def _check_variables(variables: Mapping[str, Sequence[str]]) -> None:
    if not checks.table("variables", variables):
        raise TaskError("variables", "there is no variable; add at least one with its values.")
    for variable, values in variables.items():
        place = f"variables.{variable}"
        names = [checks.word(place, value) for value in checks.listing(place, values)]
        if not names:
            raise TaskError(place, "it has no values; the first one is where it starts.")
        checks.unique(place, names)
