"""Wrong priors: tasks whose stated or true curves are multiplied by factors.

A factor changes all practised policies alike. ``supposed`` changes the stated figures. ``secretly``
keeps the stated figures and changes the true ones, which the synthetic robot follows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace

from deliberate_practice.foundation.checks import number, one_of
from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.task.curves import Curve
from deliberate_practice.task.model import Policy, Task
from deliberate_practice.task.skill import Skill


@dataclass(frozen=True)
class Factors:
    """Factors on the stated figures; no competence rises above 1.

    Args:
        rate: Of learning: 0.5 takes twice as many attempts.
        start: Competence before practice; what practice can reach stays.
        competence: Competence before, during and after practice.
    """

    rate: float = 1.0
    start: float = 1.0
    competence: float = 1.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            number(name, value, 0, open_low=True, error=ArgumentError)


STATED = "as stated"
VARIANTS = {
    STATED: Factors(),
    "rates × 1/2": Factors(rate=0.5),
    "rates × 2": Factors(rate=2.0),
    "start −30 %": Factors(start=0.7),
    "start +30 %": Factors(start=1.3),
    "competence −30 %": Factors(competence=0.7),
    "competence +30 %": Factors(competence=1.3),
}
"""The variants of wrong priors that studies examine."""


def factors(stated: Mapping[str, float]) -> Factors:
    """Factors by name, as a study file states them."""
    names = [field.name for field in fields(Factors)]
    for name in stated:
        one_of("truth", name, names, ArgumentError)
    try:
        return Factors(**stated)
    except ArgumentError as error:
        raise ArgumentError(f"truth: {error}") from None


def said(stated: Mapping[str, float]) -> str:
    """Factors in words: those of :data:`VARIANTS` where they are among them."""
    wanted = factors(stated)
    listed = ", ".join(f"{name} × {value:g}" for name, value in stated.items())
    return next((name for name, known in VARIANTS.items() if known == wanted), listed)


def supposed(task: Task, factors: Factors) -> Task:
    """The task with other competences and curves stated."""

    def changed(skill: Skill, policy: Policy) -> Skill:
        assert policy.curve is not None  # it is practised
        start, curve = _times(policy, policy.curve, factors)
        return replace(skill, competence=start, curve=curve)

    return _each_practised(task, changed)


def secretly(task: Task, factors: Factors) -> Task:
    """The task with other true curves, which only the synthetic robot reads."""

    def changed(skill: Skill, policy: Policy) -> Skill:
        assert policy.curve is not None  # it is practised
        _, truth = _times(policy, policy.truth or policy.curve, factors, own_start=True)
        return replace(skill, truth=truth)

    return _each_practised(task, changed)


def without_truth(task: Task) -> Task:
    """What is stated alone."""
    skills = [replace(skill, truth=None, training_noise=0.0) for skill in task.skills]
    return replace(task, skills=skills)


def _each_practised(task: Task, changed: Callable[[Skill, Policy], Skill]) -> Task:
    pairs = [(skill, task.policies[skill.policy]) for skill in task.skills]
    skills = [changed(skill, policy) if policy.practisable else skill for skill, policy in pairs]
    return replace(task, skills=skills)


def _times(
    policy: Policy, curve: Curve, factors: Factors, *, own_start: bool = False
) -> tuple[float, Curve]:
    """Another start, and another curve."""
    start = min(1.0, curve.start(policy.competence) * factors.start * factors.competence)
    return start, curve.scaled(start, factors.rate, factors.competence, own_start=own_start)
