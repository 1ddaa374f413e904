"""A skill: its precondition, effect, competence and learning curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskError, choose_from
from deliberate_practice.task.curves import Curve
from deliberate_practice.task.rounds import EXAMPLES, EXTERNAL, check_rounds

SECONDS = ("episode", "reset", "switch", "training")
"""The times that a skill may state."""

Condition: TypeAlias = Mapping[str, str | Sequence[str]]
"""Variable -> value, or several values, any of which meets the condition."""

Effect: TypeAlias = Mapping[str, str] | Literal["end", "stay"]
"""Variable -> new value; ``"end"`` ends the episode with value 0; ``"stay"`` changes nothing."""


@dataclass(frozen=True)
class PossibleEffect:
    """One of several effects that a success or a failure of a skill may have."""

    probability: float
    effect: Effect


@dataclass(frozen=True)
class Parameter:
    """A number that a learner may change; the robot never gets a value outside [low, high]."""

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
        precondition: Condition under which it may start; variables that it does not name are free.
        effect: Effect of success, or a list of :class:`PossibleEffect`.
        competence: Probability of success now; of skills that share a policy, one may state it.
        failure: Effect of failure: ``"end"`` (absorbing), ``"stay"``, an effect, or a list.
        curve: How practice raises the competence. None: it is used as it is and not practised.
        truth: The true curve, read only by the synthetic robot; the stated curve by default.
        policy: Skills that name the same policy share competence, curve, cost and practice.
        kind: Skills of the same kind learn alike, which experience makes use of; by default the
            policy's name without what it acts on, e.g. Close for ``Close(top)``.
        cost: Budget units per practice episode.
        switch: Budget units for turning to this skill from another one, once; none by default.
        seconds: What it takes in time, for budgets in time: ``episode`` (one episode), ``reset``
            (of the scene, before each), ``switch`` (turning to it from another skill),
            ``training`` (a training run, if its learner is external).
        step_reward: Reward for executing the skill once (a cost if negative).
        termination: Limits that end an execution, e.g. ``{"seconds": 4, "force": 40}``.
        parameters: Numbers that the learner may change.
        learner: ``"external"`` if the policy is trained elsewhere, from demonstrations; its rounds
            are demonstrations, a training run and evaluations. Empty: it is practised by attempts.
        demonstration: ``cost`` of one (1), and how many a round has (``per_round``, 10).
        training: ``cost`` of a training run (0).
        evaluation: ``cost`` of an evaluation (1), and the most of a round (``per_round``, 5).
        training_noise: Standard deviation of a trained version's true competence around the true
            curve, for the synthetic robot alone; in files it stands in ``truth``.
    """

    name: str
    precondition: Condition
    effect: Effect | Sequence[PossibleEffect]
    competence: float | None = None
    failure: Effect | Sequence[PossibleEffect] = "end"
    curve: Curve | None = None
    truth: Curve | None = None
    policy: str = ""
    kind: str = ""
    cost: int | None = None
    switch: int | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    step_reward: float = 0.0
    termination: Mapping[str, float] = field(default_factory=dict)
    parameters: Sequence[Parameter] = ()
    learner: str = ""
    demonstration: Mapping[str, int] = field(default_factory=dict)
    training: Mapping[str, int] = field(default_factory=dict)
    evaluation: Mapping[str, int] = field(default_factory=dict)
    training_noise: float = 0.0

    def __post_init__(self) -> None:
        checks.word("name of a skill", self.name)
        where = f"skill '{self.name}'"
        _set(
            self,
            "policy",
            checks.word(f"{where}: policy", self.name if self.policy == "" else self.policy),
        )
        if self.kind != "":
            checks.word(f"{where}: kind", self.kind)
        if self.competence is not None:
            _set(self, "competence", checks.number(f"{where}: competence", self.competence, 0, 1))
        for key, least in (("cost", 1), ("switch", 0)):
            units = getattr(self, key)
            if units is not None:
                place = f"{where}: {key}"
                _set(self, key, checks.whole_number(place, units, least, 10**9, TaskError))
        for key, span in checks.table(
            f"{where}: seconds", self.seconds, "{ episode = 45, reset = 20, switch = 120 }"
        ).items():
            checks.one_of(f"{where}: seconds", key, SECONDS)
            checks.number(f"{where}: seconds.{key}", span, 0, 10**6, open_low=key == "episode")
        most, place = checks.LARGEST_REWARD, f"{where}: step_reward"
        _set(self, "step_reward", checks.number(place, self.step_reward, -most, most))
        for key, limit in checks.table(f"{where}: termination", self.termination).items():
            checks.one_of(f"{where}: termination", key, ("seconds", "force"))
            checks.number(f"{where}: termination.{key}", limit, 0, open_low=True)
        for key, curve in (("curve", self.curve), ("truth", self.truth)):
            if curve is not None:
                checks.instance(
                    f"{where}: {key}",
                    curve,
                    Curve,  # type: ignore[type-abstract] # any kind
                    "PiecewiseLinear(rate=0.03)",
                )
        example = 'Parameter("depth", mean=0.04, sd=0.03, low=0.0, high=0.12)'
        made = checks.instances(f"{where}: parameters", self.parameters, Parameter, example)
        _set(self, "parameters", made)
        checks.unique(f"{where}: parameters", [parameter.name for parameter in self.parameters])
        self._check_learner(where)
        _set(self, "effect", _simplest(f"{where}: effect", self.effect))
        _set(self, "failure", _simplest(f"{where}: failure", self.failure))

    def _check_learner(self, where: str) -> None:
        """Refuse what contradicts the learner: an external one states its own costs."""
        check_rounds(where, self.learner, {key: getattr(self, key) for key in EXAMPLES})
        noise = checks.number(f"{where}: truth.training_noise", self.training_noise, 0, 1)
        _set(self, "training_noise", noise)
        if noise and (self.learner != EXTERNAL or self.truth is None):
            raise TaskError(
                f"{where}: truth.training_noise",
                f'training runs vary around a truth; state it, and learner = "{EXTERNAL}".',
            )
        if self.learner != EXTERNAL:
            return
        for key, instead in (
            ("cost", f"write demonstration = {EXAMPLES['demonstration']}"),
            ("parameters", "they are learned elsewhere: leave them out"),
        ):
            if getattr(self, key):
                raise TaskError(f"{where}: {key}", f"the learner is {EXTERNAL}; {instead}.")

    @property
    def success_effects(self) -> tuple[PossibleEffect, ...]:
        """Possible effects of success; their probabilities sum to 1."""
        return _possible(self.effect)

    @property
    def failure_effects(self) -> tuple[PossibleEffect, ...]:
        """Possible effects of failure; their probabilities sum to 1."""
        return _possible(self.failure)


def _possible(effect: Effect | Sequence[PossibleEffect]) -> tuple[PossibleEffect, ...]:
    if isinstance(effect, str | Mapping):
        return (PossibleEffect(1.0, effect),)
    return tuple(effect)


def verb(name: str) -> str:
    """The name of a skill or policy without what it acts on: of ``Close(top)`` it is Close."""
    return name.partition("(")[0]


def _simplest(place: str, effect: object) -> object:
    """Check an effect or a list of possible effects; a list with one certain effect becomes it."""
    if isinstance(effect, str):
        return _word(place, effect)
    if isinstance(effect, Mapping):
        return effect  # the task checks variables and values
    possible: list[PossibleEffect] = []
    for number, given in enumerate(checks.listing(place, effect), 1):
        here = f"{place}: effect {number}"
        option = checks.instance(here, given, PossibleEffect, 'PossibleEffect(0.5, "stay")')
        share = checks.number(f"{here}: probability", option.probability, 0, 1)
        if isinstance(option.effect, str):
            _word(f"{here}: effect", option.effect)
        else:
            checks.table(f"{here}: effect", option.effect)
        possible.append(PossibleEffect(share, option.effect))
    if not possible:
        raise TaskError(place, "the list is empty; give at least one effect.")
    checks.probabilities(place, [option.probability for option in possible])
    return possible[0].effect if len(possible) == 1 else tuple(possible)


def _word(place: str, effect: str) -> str:
    if effect not in ("end", "stay"):
        values = 'Or write the values that it sets, e.g. { variable = "value" }.'
        raise TaskError(place, f"{choose_from(effect, ('end', 'stay'))} {values}")
    return effect


def _set(instance: object, name: str, value: object) -> None:
    """Store a checked, normalised value in a frozen dataclass while it is being built."""
    object.__setattr__(instance, name, value)
