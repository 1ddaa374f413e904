"""Tasks whose budget units are seconds."""

from __future__ import annotations

from command import DOOR

from deliberate_practice.task.seconds import in_seconds, in_units_of, is_in_seconds
from deliberate_practice.task.toml_reader import parse_task


def test_a_task_in_seconds_is_known_by_its_costs() -> None:
    stated = parse_task(f"{DOOR}seconds = {{ episode = 60, reset = 30 }}")
    assert not is_in_seconds(stated)
    assert not is_in_seconds(parse_task(DOOR))
    assert is_in_seconds(in_seconds(stated))
    assert in_units_of(in_seconds(stated), stated) == in_seconds(stated)
    assert in_units_of(stated, stated) == stated


def test_what_needs_no_other_units_stays_as_it_is() -> None:
    timed = in_seconds(parse_task(f"{DOOR}seconds = {{ episode = 60 }}"))
    quick = parse_task(f"{DOOR}seconds = {{ episode = 1 }}")  # an episode costs 1 by default
    silent = parse_task(DOOR)
    assert in_units_of(timed, quick) == quick
    assert in_units_of(timed, silent) == silent
