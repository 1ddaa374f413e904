"""Parts by name, options and all, from whichever package they come."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.foundation.options import limited
from deliberate_practice.foundation.registry import (
    BUILT_IN,
    REGISTERED,
    Offer,
    Registry,
    choices,
    recorded,
)


def greet(name: str, *, loud: bool = False, times: int = 1, end: str = ".") -> str:
    return (name.upper() if loud else name) * times + end


@pytest.fixture
def greetings() -> Registry[object]:
    registry: Registry[object] = Registry("greeting", {"text": "builtins:str"}, given=1)
    registry.register("greet", greet)
    return registry


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that offers a greeting that works and two that do not."""
    described = tmp_path / "polite-2.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: polite\nVersion: 2.0\n")
    points = "bow = polite_greetings:bow\nlost = polite_nowhere:bow\ngone = polite_greetings:gone\n"
    points += "text = polite_greetings:bow\n"
    (described / "entry_points.txt").write_text(f"[deliberate_practice.greetings]\n{points}")
    code = tmp_path / "polite_greetings.py"
    code.write_text("def bow(name):\n    return name + ' bows'\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "polite_greetings", raising=False)
    return code


def test_parts_are_found_by_name(greetings: Registry[object]) -> None:
    assert list(greetings) == ["text", "greet"]
    assert len(greetings) == 2
    assert greetings["text"] is str
    assert greetings["greet"] is greet
    assert greetings.resolve("greet") is greet
    assert greetings.resolve(repr) is repr
    assert greetings.offers() == [
        Offer("text", BUILT_IN, "builtins:str"),
        Offer("greet", REGISTERED),
    ]


def test_options_are_numbers_truths_and_words(greetings: Registry[object]) -> None:
    text = "greet:loud=true, times=2, end=!"
    assert greetings.parse(text) == ("greet", {"loud": True, "times": 2, "end": "!"})
    bound = greetings.bound(text)
    assert callable(bound)
    assert bound("ho") == "HOHO!"
    assert getattr(bound, "__name__", "") == "greet"  # messages name it
    assert greetings[text] is greet
    assert greetings.bound("greet") is greet
    assert greetings.parse("greet:end=1e-3")[1] == {"end": 0.001}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gret", "greeting: 'gret' is not one of: text, greet. Did you mean 'greet'"),
        ("greet:lod=true", "'greet': option 'lod' is not one of: loud, times, end. .* 'loud'"),
        ("greet:name=you", "'greet': option 'name' is not one of: loud, times, end"),
        ("greet:loud", "'loud' is not an option; write greet:key=value,key=value"),
        ("greet:", "'' is not an option"),
        ("greet:=1", "'=1' is not an option"),
        ("mine()", r"was started with mine, which has no name; give it again: greeting=mine"),
    ],
)
def test_bad_choices_are_refused(greetings: Registry[object], text: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        greetings.resolve(text)


def test_a_choice_that_is_no_text_is_refused(greetings: Registry[object]) -> None:
    with pytest.raises(ArgumentError, match="greeting: 7 is not a name; write it in quotes"):
        greetings.parse(7)


def test_names_are_taken_once(greetings: Registry[object]) -> None:
    for name in ("text", "greet"):
        with pytest.raises(ArgumentError, match=f"greeting: '{name}' is taken; choose another"):
            greetings.register(name, greet)
    for name in ("", "a:b", "a,b", "a b", "a=b"):
        with pytest.raises(ArgumentError, match="is not a name; use letters"):
            greetings.register(name, greet)
    greetings.unregister("text")  # ours stays
    greetings.unregister("greet")
    assert list(greetings) == ["text"]


def test_other_packages_offer_parts(greetings: Registry[object], package: Path) -> None:
    assert "bow" in greetings
    bow = greetings["bow"]
    assert callable(bow)
    assert bow("she") == "she bows"
    assert greetings["text"] is str  # ours keep their names
    origins = {offer.name: offer.origin for offer in greetings.offers()}
    assert origins["bow"] == "polite 2.0"
    with pytest.raises(ArgumentError, match="taken"):
        greetings.register("bow", greet)


@pytest.mark.parametrize(
    ("name", "target", "reason"),
    [
        ("lost", "polite_nowhere:bow", "ModuleNotFoundError"),
        ("gone", "polite_greetings:gone", "AttributeError"),
    ],
)
def test_a_part_that_is_offered_but_not_there_is_named(
    greetings: Registry[object], package: Path, name: str, target: str, reason: str
) -> None:
    message = f"greeting: polite 2.0 offers '{name}' as {target}, which cannot be loaded: {reason}"
    with pytest.raises(ArgumentError, match=message):
        greetings.bound(name)


def test_a_package_without_a_name_is_unknown(
    greetings: Registry[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    point = metadata.EntryPoint("mine", "math:nothing", "deliberate_practice.greetings")
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point])
    with pytest.raises(ArgumentError, match="an unknown package offers 'mine' as math:nothing"):
        greetings.bound("mine")


def test_code_changes_with_the_source_of_parts_that_are_not_ours(
    greetings: Registry[object], package: Path
) -> None:
    assert greetings.code("text") == ""
    assert greetings.code("greet:times=2") == greetings.code("greet")
    assert greetings.code("greet").startswith(f"{REGISTERED} ")
    before = greetings.code("bow")
    assert before.startswith("polite 2.0 ")
    package.write_text("def bow(name):\n    return name + ' bows deeply'\n")
    assert greetings.code("bow") != before


def test_a_list_of_choices_keeps_options_together() -> None:
    assert choices("a,b:x=1,y=2, c,,d:z=3") == ["a", "b:x=1,y=2", "c", "d:z=3"]
    assert choices("a:x=1,b:y=2") == ["a:x=1", "b:y=2"]
    assert choices(" ") == []


def test_a_part_without_a_name_is_recorded_as_such() -> None:
    assert recorded("greet:times=2") == "greet:times=2"
    assert recorded(greet) == "greet()"
    assert recorded(Offer("a", "b")) == "Offer()"


def test_limits_hold_when_a_part_is_chosen_and_when_it_is_called() -> None:
    @limited(depth=(1, 9), speed=(0.5, 2.0), colour=("red", "blue"))
    def dig(place: str, *, depth: int = 1, speed: float = 1.0, colour: str = "red") -> str:
        return f"{place} {depth} {speed} {colour}"

    registry: Registry[object] = Registry("digger", {}, given=1)
    registry.register("dig", dig)
    for option, message in (
        ("depth=0", "dig: option 'depth': 0 is not valid; give a whole number of at least 1"),
        ("depth=10", "dig: option 'depth': 10 is too large; give at most 9"),
        ("depth=true", "dig: option 'depth': True is not valid"),
        ("speed=3", "dig: option 'speed': 3 is not valid; give a number from 0.5 to 2"),
        ("speed=nan", "dig: option 'speed': nan is not valid"),
        ("colour=bleu", "dig: option 'colour': 'bleu' is not one of: red, blue. Did you mean"),
    ):
        with pytest.raises(ArgumentError, match=message):
            registry.bound(f"dig:{option}")
    with pytest.raises(ArgumentError, match="'speed': 0 is not valid"):
        dig("here", speed=0)
    bound = registry.bound("dig:depth=9,speed=2,colour=blue")
    assert callable(bound)
    assert bound("here") == "here 9 2 blue"
    assert dig("here") == "here 1 1.0 red"
