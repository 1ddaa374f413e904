"""A skill: what it needs, what it does, how well it works, and how practice would improve it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskError, shown

Condition: TypeAlias = Mapping[str, str | Sequence[str]]
"""Variable -> value, or several values of which any will do."""

Effect: TypeAlias = Mapping[str, str] | Literal["end", "stay"]
"""Variable -> new value; ``"end"`` ends the episode, worth 0; ``"stay"`` changes nothing."""

LONGEST_TABLE = 100_000
"""Entries of a curve of kind ``table``."""

CURVE_KINDS = ("piecewise-linear", "linear", "exponential", "table")


@dataclass(frozen=True)
class Outcome:
    """One of several things that may happen when a skill succeeds, or fails."""

    probability: float
    effect: Effect


@dataclass(frozen=True)
class Curve:
    """Competence after b more attempts, as stated in a task file; ``curves.predict`` evaluates it.

    ========================  ===========================================================
    ``piecewise-linear``      min(ceiling, competence + rate b); ``linear`` is an alias
    ``exponential``           competence + (ceiling - competence)(1 - exp(-rate b))
    ``table``                 values[b], constant after the end
    ========================  ===========================================================

    Args:
        kind: One of the kinds above.
        rate: Improvement per attempt [1/attempt], for the first two kinds.
        ceiling: The competence that practice can reach at most.
        values: Competence after 0, 1, 2, ... attempts, nondecreasing, for ``table``.
        competence: Where the curve starts. Only a ``truth`` states it; elsewhere the skill does.
    """

    kind: str
    rate: float | None = None
    ceiling: float = 1.0
    values: Sequence[float] | None = None
    competence: float | None = None

    def __post_init__(self) -> None:
        kind = checks.one_of("kind", self.kind, CURVE_KINDS)
        _set(self, "kind", "piecewise-linear" if kind == "linear" else kind)
        _set(self, "ceiling", checks.number("ceiling", self.ceiling, 0, 1))
        if self.competence is not None:
            _set(self, "competence", checks.number("competence", self.competence, 0, 1))
        if self.kind == "table":
            if self.rate is not None or self.ceiling != 1.0:
                raise TaskError("", "a table has only values; leave out rate and ceiling.")
            _set(self, "values", _nondecreasing(self.values))
        else:
            if self.rate is None:
                raise TaskError("", f"the key 'rate' is missing; {self.kind} needs one, e.g. 0.03.")
            if self.values is not None:
                raise TaskError("values", 'only kind = "table" has values.')
            _set(self, "rate", checks.number("rate", self.rate, 0))


@dataclass(frozen=True)
class Parameter:
    """What the learner may change; the robot never gets a value outside [low, high]."""

    name: str
    mean: float
    sd: float
    low: float
    high: float
    unit: str = ""

    def __post_init__(self) -> None:
        checks.word("name", self.name)
        low, high = checks.number("low", self.low), checks.number("high", self.high)
        if low >= high:
            raise TaskError("low", f"{low:g} must be below high = {high:g}.")
        _set(self, "low", low)
        _set(self, "high", high)
        _set(self, "mean", checks.number("mean", self.mean, low, high))
        _set(self, "sd", checks.number("sd", self.sd, 0, open_low=True))
        checks.instance("unit", self.unit, str, '"m"')


@dataclass(frozen=True)
class Skill:
    """A skill of the robot's library: an option with a competence that practice may raise.

    Args:
        name: Unique name.
        precondition: When it may be started; variables it does not name are free.
        effect: What success changes, or a list of :class:`Outcome`.
        competence: Probability of success now; skills that share a policy may leave it to one.
        failure: What failure does: ``"end"`` (absorbing), ``"stay"``, an effect, or a list.
        curve: How practice raises the competence. None: it works as it is, and is not practised.
        truth: The true curve, read by the synthetic robot alone; the stated curve by default.
        policy: Skills naming the same policy share competence, curve, cost and practice.
        cost: Budget units per practice episode.
        step_reward: Reward for executing the skill once (a cost if negative).
        termination: Limits that end an execution, e.g. ``{"seconds": 4, "force": 40}``.
        parameters: What the learner may change.
    """

    name: str
    precondition: Condition
    effect: Effect | Sequence[Outcome]
    competence: float | None = None
    failure: Effect | Sequence[Outcome] = "end"
    curve: Curve | None = None
    truth: Curve | None = None
    policy: str = ""
    cost: int | None = None
    step_reward: float = 0.0
    termination: Mapping[str, float] = field(default_factory=dict)
    parameters: Sequence[Parameter] = ()

    def __post_init__(self) -> None:
        checks.word("name of a skill", self.name)
        where = f"skill '{self.name}'"
        _set(
            self,
            "policy",
            checks.word(f"{where}: policy", self.name if self.policy == "" else self.policy),
        )
        if self.competence is not None:
            _set(self, "competence", checks.number(f"{where}: competence", self.competence, 0, 1))
        if self.cost is not None:
            checks.whole(f"{where}: cost", self.cost, 1, 10**9)
        most, place = checks.LARGEST_REWARD, f"{where}: step_reward"
        _set(self, "step_reward", checks.number(place, self.step_reward, -most, most))
        for key, limit in checks.table(f"{where}: termination", self.termination).items():
            checks.one_of(f"{where}: termination", key, ("seconds", "force"))
            checks.number(f"{where}: termination.{key}", limit, 0, open_low=True)
        for key in ("curve", "truth"):
            if getattr(self, key) is not None:
                example = 'Curve("linear", rate=0.03)'
                checks.instance(f"{where}: {key}", getattr(self, key), Curve, example)
        example = 'Parameter("depth", mean=0.04, sd=0.03, low=0.0, high=0.12)'
        made = checks.instances(f"{where}: parameters", self.parameters, Parameter, example)
        _set(self, "parameters", made)
        checks.unique(f"{where}: parameters", [parameter.name for parameter in self.parameters])
        _set(self, "effect", _simplest(f"{where}: effect", self.effect))
        _set(self, "failure", _simplest(f"{where}: failure", self.failure))

    @property
    def success_outcomes(self) -> tuple[Outcome, ...]:
        """What success may do; probabilities sum to 1."""
        return _outcomes(self.effect)

    @property
    def failure_outcomes(self) -> tuple[Outcome, ...]:
        """What failure may do; probabilities sum to 1."""
        return _outcomes(self.failure)


def _outcomes(effect: Effect | Sequence[Outcome]) -> tuple[Outcome, ...]:
    if isinstance(effect, str | Mapping):
        return (Outcome(1.0, effect),)
    return tuple(effect)


def _simplest(place: str, effect: object) -> object:
    """Check an effect or a list of outcomes; a list of one sure outcome becomes its effect."""
    if isinstance(effect, str):
        return checks.one_of(place, effect, ("end", "stay"))
    if isinstance(effect, Mapping):
        return effect  # variables and values are checked by the task that knows them
    outcomes: list[Outcome] = []
    for number, outcome in enumerate(checks.listing(place, effect), 1):
        here = f"{place}: outcome {number}"
        if not isinstance(outcome, Outcome):
            raise TaskError(here, f"{shown(outcome)} is not an outcome (probability and effect).")
        share = checks.number(f"{here}: probability", outcome.probability, 0, 1)
        if isinstance(outcome.effect, str):
            checks.one_of(f"{here}: effect", outcome.effect, ("end", "stay"))
        else:
            checks.table(f"{here}: effect", outcome.effect)
        outcomes.append(Outcome(share, outcome.effect))
    if not outcomes:
        raise TaskError(place, "the list is empty; give at least one outcome.")
    checks.probabilities(place, [outcome.probability for outcome in outcomes])
    return outcomes[0].effect if len(outcomes) == 1 else tuple(outcomes)


def _nondecreasing(values: Sequence[float] | None) -> tuple[float, ...]:
    if values is None:
        raise TaskError("", "the key 'values' is missing; a table needs it, e.g. [0.1, 0.3, 0.45].")
    listed = checks.listing("values", values)
    if len(listed) > LONGEST_TABLE:
        raise TaskError(
            "values",
            f"{len(listed):,} entries are too many; give at most {LONGEST_TABLE:,}, or take "
            "another kind of curve.",
        )
    checked = tuple(checks.number(f"values[{b}]", value, 0, 1) for b, value in enumerate(listed))
    if not checked:
        raise TaskError("values", "the table is empty; give at least the competence now.")
    for b in range(1, len(checked)):
        if checked[b] < checked[b - 1]:
            raise TaskError(
                f"values[{b}]",
                f"{checked[b]:g} is below the value before it, {checked[b - 1]:g}; "
                "competence must not decrease with practice. Sort or smooth the table.",
            )
    return checked


def _set(instance: object, name: str, value: object) -> None:
    """Store a checked, normalised value in a frozen dataclass while it is being built."""
    object.__setattr__(instance, name, value)
