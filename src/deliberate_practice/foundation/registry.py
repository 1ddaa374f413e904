"""Parts by name: built in, offered by other packages, or registered in Python.

A package offers a part through an entry point of the group ``deliberate_practice.<kind>s``. A name
may carry options: ``running-average:eps=0.8,form=exponential``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial, update_wrapper
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from deliberate_practice.foundation.blame import told
from deliberate_practice.foundation.errors import ArgumentError, choose_from, shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Part = TypeVar("Part")

BUILT_IN = "built in"
REGISTERED = "registered in Python"


@dataclass(frozen=True)
class Offer:
    """A part that can be chosen.

    Attributes:
        name: Its name.
        origin: Its origin: ``built in``, ``registered in Python``, or a package.
        target: The module and attribute that hold it; empty if it was registered as an object.
    """

    name: str
    origin: str
    target: str = ""


class Registry(Mapping[str, Part], Generic[Part]):
    """The parts of one kind, by name.

    >>> colours = Registry[object]("colour", {"red": "builtins:str"}, given=1)
    >>> colours.register("blue", lambda text, *, deep=False: f"{text} {deep}")
    >>> colours.bound("blue:deep=true")("sky")
    'sky True'
    >>> colours["rod"]
    Traceback (most recent call last):
    ...
    deliberate_practice.foundation.errors.ArgumentError: colour: 'rod' is not one of: red, blue. \
Did you mean 'red'?

    Args:
        kind: The kind of part, in the singular.
        built_in: The built-in parts, each as ``module:attribute``, imported when first used.
        given: The number of arguments that the caller of a part supplies; the others are options.
    """

    def __init__(self, kind: str, built_in: Mapping[str, str], *, given: int = 0) -> None:
        self.kind = kind
        self.group = f"deliberate_practice.{kind.replace('strategy', 'strategie')}s"
        self._given = given
        self._offers = {name: Offer(name, BUILT_IN, target) for name, target in built_in.items()}
        self._registered: dict[str, Part] = {}

    def register(self, name: str, part: Part) -> None:
        """Register a part under a name, in this process.

        Raises:
            ArgumentError: The name is taken or not valid.
        """
        if not isinstance(name, str) or not name or set(name) & set(":,= \n\t"):
            raise ArgumentError(
                f"{self.kind}: {shown(name)} is not a name; use letters, digits and '-'."
            )
        if name in self:
            raise ArgumentError(f"{self.kind}: '{name}' is taken; choose another name.")
        self._offers[name] = Offer(name, REGISTERED)
        self._registered[name] = part

    def unregister(self, name: str) -> None:
        """Remove a part that was registered in this process."""
        if self._offer(name).origin == REGISTERED:
            del self._offers[name], self._registered[name]

    def __getitem__(self, text: str) -> Part:
        """The part itself, without the options that the name carries."""
        offer = self._offer(self.parse(text)[0])
        return self._registered[offer.name] if not offer.target else self._load(offer)

    def __iter__(self) -> Iterator[str]:
        return iter({**self._offers, **self._installed})

    def __len__(self) -> int:
        return len({**self._offers, **self._installed})

    def __contains__(self, name: object) -> bool:
        return name in self._offers or name in self._installed

    def offers(self) -> list[Offer]:
        """All parts with their origins, built-in ones first."""
        return [self._offer(name) for name in self]

    def parse(self, text: object) -> tuple[str, dict[str, Any]]:
        """Name and options of a choice such as ``bayes:quality=noisy``.

        Raises:
            ArgumentError: There is no such part, or the options cannot be read.
        """
        if not isinstance(text, str):
            raise ArgumentError(
                f"{self.kind}: {shown(text)} is not a name; write it in quotes, as one of: "
                f"{', '.join(self)}."
            )
        name, colon, rest = text.partition(":")
        self._offer(name)
        options: dict[str, Any] = {}
        for piece in rest.split(",") if colon else ():
            key, equals, value = piece.partition("=")
            if not equals or not key.strip() or not value.strip():
                raise ArgumentError(
                    f"{self.kind}: {shown(text)}: {shown(piece)} is not an option; write "
                    f"{name}:key=value,key=value."
                )
            options[key.strip()] = _value(value.strip())
        return name, options

    def bound(self, text: str) -> Part:
        """The part with the options that its name carries.

        Raises:
            ArgumentError: There is no such part or option, or an option is outside its limits.
        """
        name, options = self.parse(text)
        part = self[name]
        if not options:
            return part
        import inspect  # slow to import

        parameters = list(inspect.signature(cast(Any, part)).parameters.values())[self._given :]
        open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
        valid = [p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
        for key in options:
            if key not in valid and not open_ended:
                raise ArgumentError(f"{self.kind} '{name}': option {choose_from(key, valid)}")
        if hasattr(part, "check_options"):  # its options have limits: see options.py
            part.check_options(options)
        return cast(Part, update_wrapper(partial(cast(Any, part), **options), cast(Any, part)))

    def resolve(self, chosen: object) -> Part:
        """The part for a choice, which is a name or the part itself.

        Raises:
            ArgumentError: The name is unknown, or it records a part that has no name.
        """
        if not isinstance(chosen, str):
            return cast(Part, chosen)
        if chosen.endswith("()"):
            raise ArgumentError(
                f"{self.kind}: the session was started with {chosen[:-2]}, which has no name; give "
                f"it again: {self.kind}={chosen[:-2]}."
            )
        return self.bound(chosen)

    def code(self, text: str) -> str:
        """A fingerprint of a part's code; empty for built-in parts.

        It contains the version of the package that offers the part, and a hash of the source.
        """
        offer = self._offer(self.parse(text)[0])
        own = offer.origin == BUILT_IN
        return "" if own else f"{offer.origin} {source_hash(self[offer.name])}"

    def _offer(self, name: str) -> Offer:
        offer = self._offers.get(name) or self._installed.get(name)
        if offer is None:
            message = f"{self.kind}: " + choose_from(name, self)
            if not message.endswith("?"):  # nothing similar: perhaps a part of the user's own
                message += (
                    f" A {self.kind} of your own has to be registered in this process, or offered "
                    "by an installed package (docs/extending.md)."
                )
            raise ArgumentError(message)
        return offer

    @property
    def _installed(self) -> dict[str, Offer]:
        """The parts that other packages offer; built-in parts keep their names."""
        from importlib.metadata import entry_points  # slow to import

        found: dict[str, Offer] = {}
        for point in sorted(entry_points(group=self.group), key=_origin):
            if point.name not in self._offers:
                found.setdefault(point.name, Offer(point.name, _origin(point), point.value))
        return found

    def _load(self, offer: Offer) -> Part:
        module, _, attribute = offer.target.partition(":")
        try:
            loaded: object = import_module(module)
            return cast(Part, attrgetter(attribute)(loaded) if attribute else loaded)
        except Exception as error:
            if offer.origin == BUILT_IN:
                raise
            raise ArgumentError(
                f"{self.kind}: {offer.origin} offers '{offer.name}' as {offer.target}, which "
                f"cannot be loaded: {told(error)}"
            ) from error


def recorded(chosen: object) -> str:
    """The text that records a choice; a part without a registered name ends in ``()``."""
    if isinstance(chosen, str):
        return chosen
    return str(getattr(chosen, "__name__", type(chosen).__name__)) + "()"


def choices(text: str) -> list[str]:
    """The choices in a comma-separated list; options belong to the name before them.

    >>> choices("bayes, running-average:eps=0.8,form=exponential, mine")
    ['bayes', 'running-average:eps=0.8,form=exponential', 'mine']
    """
    found: list[str] = []
    for word in (word.strip() for word in text.split(",")):
        if found and ":" in found[-1] and "=" in word and ":" not in word:
            found[-1] += f",{word}"
        elif word:
            found.append(word)
    return found


def _value(text: str) -> int | float | bool | str:
    """An option's value: a number, true, false, or a word."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _origin(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown package"


def source_hash(part: object) -> str:
    """A hash of the file that defines a part and of the arguments that are bound to it.

    A part without source code is identified by its name.
    """
    import inspect

    bound = ""
    while isinstance(part, partial):
        bound += repr([_known(value) for value in (*part.args, *part.keywords.items())])
        part = part.func
    thing = part if inspect.isroutine(part) or inspect.isclass(part) else type(part)
    try:
        text = Path(inspect.getsourcefile(inspect.unwrap(cast(Any, thing))) or "").read_text()
    except (OSError, TypeError):
        text = repr(thing)
    return hashlib.sha256((bound + text).encode()).hexdigest()[:12]


def _known(value: object) -> str:
    """A bound argument as a text that is the same in every process: no addresses in memory."""
    return getattr(value, "__qualname__", None) or repr(value)
