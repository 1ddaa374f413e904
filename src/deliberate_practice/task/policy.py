"""A policy: what practice improves, as one skill or several state it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.task.curves import Curve
from deliberate_practice.task.rounds import EXAMPLES, Rounds, agreed_rounds
from deliberate_practice.task.skill import Parameter, Skill, verb

T = TypeVar("T")


@dataclass(frozen=True)
class Policy:
    """A competence and a curve that practice improves, used by one skill or several.

    Attributes:
        cost: Budget units of an episode; of a demonstration, if it is trained elsewhere.
        rounds: What its rounds take if it is trained elsewhere; None if it is practised by
            attempts. Its attempts are then demonstrations that a training run has used.
        training_noise: Spread of its trained versions around the true curve.
        kind: Policies of the same kind learn alike.
    """

    name: str
    competence: float
    curve: Curve | None
    truth: Curve | None
    cost: int
    parameters: tuple[Parameter, ...]
    skills: tuple[str, ...]
    switch: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    rounds: Rounds | None = None
    training_noise: float = 0.0
    kind: str = ""

    @property
    def stride(self) -> int:
        """Episodes by which an allocation advances it: 1, or the demonstrations of a round."""
        return self.rounds.demonstrations if self.rounds else 1

    @property
    def price(self) -> int:
        """Budget units of a stride: of an episode, or of a round without its evaluations."""
        return self.rounds.cost if self.rounds else self.cost

    @property
    def training_cost(self) -> int:
        """Budget units that a round needs besides its episodes: those of a training run, or 0."""
        return self.rounds.training_cost if self.rounds else 0

    @property
    def lead(self) -> int:
        """Strides that could be practised in the time of turning to it, rounded up.

        The allocation charges a switch as so many strides of the policy.
        """
        return -(-self.switch // self.price)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each parameter that has one."""
        return {parameter.name: parameter.unit for parameter in self.parameters if parameter.unit}

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


def agreed_policy(name: str, skills: Sequence[Skill]) -> Policy:
    """The policy that its skills state together."""
    place = f"policy '{name}'" if len(skills) > 1 else f"skill '{skills[0].name}'"
    curve = _agreed(f"{place}: curve", {skill.name: skill.curve for skill in skills})
    truth = _agreed(f"{place}: truth", {skill.name: skill.truth for skill in skills})
    cost = _agreed(f"{place}: cost", {skill.name: skill.cost for skill in skills})
    switch = _agreed(f"{place}: switch", {skill.name: skill.switch for skill in skills})
    seconds = _agreed(f"{place}: seconds", {s.name: dict(s.seconds) or None for s in skills})
    competence = _agreed(f"{place}: competence", {s.name: s.competence for s in skills})
    parameters = _agreed(
        f"{place}: parameters", {s.name: tuple(s.parameters) or None for s in skills}
    )
    external = _agreed(f"{place}: learner", {s.name: s.learner or None for s in skills})
    tables = {
        key: _agreed(f"{place}: {key}", {s.name: dict(getattr(s, key)) or None for s in skills})
        for key in EXAMPLES
    }
    noise = _agreed(
        f"{place}: truth.training_noise", {s.name: s.training_noise or None for s in skills}
    )
    kind = _agreed(f"{place}: kind", {s.name: s.kind or None for s in skills})
    rounds = agreed_rounds(**tables) if external else None
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
        cost=rounds.demonstration_cost if rounds else cost or 1,
        switch=switch or 0,
        seconds=seconds or {},
        parameters=parameters or (),
        skills=tuple(skill.name for skill in skills),
        rounds=rounds,
        training_noise=noise or 0.0,
        kind=kind or verb(name),
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
