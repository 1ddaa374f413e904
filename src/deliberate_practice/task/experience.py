"""Experience: how skills turned out in earlier sessions, as priors for the next ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.foundation.text_file import parse_toml, read_text

ANY = "*"
"""Stands for every kind of skill of which there is no experience."""

QUALITIES = ("accurate", "noisy", "optimistic", "pessimistic", "vague")
"""How good the stated figures of a task may be."""

MODELS = ("curve", "search", "training")
"""The ways in which policies improve; each has its own experience."""

CEILINGS, SHAPES = 5, 3
"""How many ceilings and shapes of curves beliefs tell apart."""

LARGEST = 50.0
"""Largest logarithm in an experience."""


@dataclass(frozen=True)
class Kind:
    """What was seen of one kind of skill.

    Attributes:
        skills: How many policies of this kind were practised.
        start: Mean and standard deviation of logit(competence) before practice.
        rate: The same of the logarithm of the rate, or of the chance of a first success.
        ceilings: Probability of each ceiling, from the lowest.
        shapes: Probability of each shape of the curve.
        impossible: Probability that practice has no effect.
    """

    skills: int
    start: Sequence[float]
    rate: Sequence[float]
    ceilings: Sequence[float]
    shapes: Sequence[float]
    impossible: float

    def __post_init__(self) -> None:
        checks.whole_number("skills", self.skills, 0, 10**9, TaskError)
        for key in ("start", "rate"):
            mean, sd = _numbers(key, getattr(self, key), 2)
            _set(self, key, (mean, checks.number(key, sd, 0, LARGEST)))
        for key, count in (("ceilings", CEILINGS), ("shapes", SHAPES)):
            shares = _numbers(key, getattr(self, key), count)
            checks.probabilities(key, shares)
            _set(self, key, shares)
        _set(self, "impossible", checks.number("impossible", self.impossible, 0, 1))


@dataclass(frozen=True)
class Learned:
    """What was seen of the policies that improve in one way.

    Attributes:
        kinds: By quality of the stated figures, because they are evidence: the kinds of skills.
            The kind ``*`` stands for any other.
    """

    kinds: Mapping[str, Mapping[str, Kind]]

    def __post_init__(self) -> None:
        checks.keys("", checks.table("kinds", self.kinds), QUALITIES, [])
        for quality, kinds in self.kinds.items():
            if ANY not in checks.table(quality, kinds):
                raise TaskError(quality, f"'{ANY}' is missing; it stands for all other kinds.")

    def kind(self, quality: str, name: str) -> Kind:
        """What was seen of a kind of skill, or of all of them."""
        kinds = self.kinds[quality]
        return kinds.get(name, kinds[ANY])


@dataclass(frozen=True)
class Experience:
    """Priors learned from earlier sessions.

    Attributes:
        sessions: How many sessions it was learned from.
        qualities: Probability of each quality of the stated figures.
        models: What was seen of policies, by the way in which they improve.
    """

    sessions: int
    qualities: Mapping[str, float]
    models: Mapping[str, Learned]

    def __post_init__(self) -> None:
        checks.whole_number("sessions", self.sessions, 1, 10**9, TaskError)
        given = checks.table("qualities", self.qualities)
        checks.keys("qualities", given, QUALITIES, [])
        shares = [checks.number("qualities", s, 0, 1, open_low=True) for s in given.values()]
        checks.probabilities("qualities", shares)
        for model in checks.table("models", self.models):
            checks.one_of("model", model, MODELS)

    def entry(self) -> dict[str, Any]:
        """The experience as a table of a TOML file."""
        models = {name: _entry(learned) for name, learned in self.models.items()}
        return {"sessions": self.sessions, "qualities": dict(self.qualities), **models}


def load_experience(path: str | Path) -> Experience:
    """The experience in a file.

    Raises:
        TaskError: The file or its content is not valid.
    """
    try:
        document = parse_toml(read_text(path))
        if "experience" not in document:
            raise TaskError(
                "",
                "it holds no experience; make a file that does with "
                "'deliberate learn-priors JOURNAL --out experience.toml'.",
            )
        checks.keys("", document, ["experience"], [])
        return read_experience(document["experience"])
    except TaskError as error:
        raise (error if error.file else error.within(str(path))) from None


def read_experience(entry: object, place: str = "experience") -> Experience:
    """An experience from a table of a TOML file.

    Raises:
        TaskError: Something is missing or wrong; the message names the place.
    """
    given: Mapping[str, Any] = checks.table(place, entry)
    checks.keys(place, given, ["sessions", "qualities"], MODELS)
    models = {m: _learned(f"{place}.{m}", given[m]) for m in MODELS if m in given}
    with checks.inside(place):
        return Experience(given["sessions"], given["qualities"], models)


def _learned(place: str, entry: object) -> Learned:
    given: Mapping[str, Any] = checks.table(place, entry)
    found = {
        quality: {
            name: _part(f"{place}.{quality}.{name}", Kind, one)
            for name, one in checks.table(f"{place}.{quality}", kinds).items()
        }
        for quality, kinds in given.items()
    }
    with checks.inside(place):
        return Learned(found)


def _part(place: str, make: type[Any], entry: object) -> Any:
    given = checks.table(place, entry)
    checks.keys(place, given, list(make.__dataclass_fields__), [])
    with checks.inside(place):
        return make(**given)


def _entry(learned: Learned) -> dict[str, Any]:
    return {
        quality: {name: dict(vars(kind)) for name, kind in kinds.items()}
        for quality, kinds in learned.kinds.items()
    }


def _numbers(place: str, values: object, count: int) -> tuple[float, ...]:
    listed = checks.listing(place, values)
    if len(listed) != count:
        raise TaskError(place, f"there are {len(listed)} numbers; give {count}.")
    return tuple(checks.number(place, value, -LARGEST, LARGEST) for value in listed)


def _set(instance: object, name: str, value: object) -> None:
    object.__setattr__(instance, name, value)
