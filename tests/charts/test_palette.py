"""Looks: no two alike, and the same wherever a strategy is shown."""

from __future__ import annotations

from deliberate_practice.charts.palette import (
    OTHERS,
    STRATEGIES,
    of_goals,
    of_lines,
    of_strategies,
    on_dark,
)
from deliberate_practice.strategies.strategy import STRATEGIES as REGISTERED


def test_every_strategy_has_a_look_of_its_own() -> None:
    assert set(REGISTERED) == set(STRATEGIES)
    looks = STRATEGIES.values()
    for one in ([look.colour for look in looks], [look.dash for look in looks]):
        assert len(set(one)) == len(STRATEGIES)
    goals = of_goals(["a", "b", "c", "d", "e", "f"])
    assert len(set(goals.values())) == 7  # and none


def test_user_defined_strategies_never_look_alike() -> None:
    """Also those whose names have the same letters, and those with options."""
    names = ["mine-ab", "ees", "mine-ba", "ees:ahead=1", "ees:ahead=2", "mine-ab"]
    looks = of_strategies(names)
    assert list(looks) == names[:-1]
    assert len(set(looks.values())) == len(looks)
    assert looks["ees"] == STRATEGIES["ees"]
    assert looks["mine-ab"] == OTHERS[0]
    many = of_strategies([*STRATEGIES, *(f"mine-{i}" for i in range(150))])
    assert len(set(many.values())) == len(many)


def test_lines_differ_in_dashes_where_colours_are_too_few() -> None:
    looks = of_lines(f"skill {i}" for i in range(100))
    assert len(set(looks.values())) == 100
    assert not any(look.dash for look in list(looks.values())[:10])


def test_colours_stay_apart_on_a_dark_page_and_bright_ones_stay_as_they_are() -> None:
    colours = [look.colour for look in STRATEGIES.values()]
    assert len({on_dark(colour) for colour in colours}) == len(colours)
    assert on_dark("#E69F00") == "#E69F00"
    assert on_dark("#000000") not in ("#000000", "#ffffff")
    assert on_dark(on_dark("#440154")) == on_dark("#440154")
