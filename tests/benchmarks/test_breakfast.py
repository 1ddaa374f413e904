"""The benchmarks of Breakfast: what they keep does not depend on the order, and fills the page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import breakfast
import perception
import planning
import pytest
from breakfast import PLANS, SKILLS, Outcome, outcome
from breakfast_tables import tables
from click import Command
from click.testing import CliRunner
from graphics import needs_gl
from kept import Result, kept
from perception import EACH, Look, look
from planning import Scene, Way, scene

LOOK = Look(0, 0, 0.02, 80.0, 105.0, "", True, 0.5, 1.0, 0.2, 0.3, 10.0, 9.0)
START = Outcome("", 0, True, True, 20.0, "", "", 3.0, 10.0, 30.0, 300)


def ran(command: Command, *words: str) -> str:
    done = CliRunner().invoke(command, [*words, "--workers", "1"])
    assert done.exit_code == 0, done.output
    return done.output


def rows(folder: Path, word: str) -> list[str]:
    """Those of the table that has a word in its heading."""
    (found,) = (found for heading, found in tables(folder).items() if word in heading)
    return list(found)


def write(path: Path, found: Sequence[Result]) -> None:
    path.write_text("".join(f"{json.dumps(asdict(one))}\n" for one in found))


@needs_gl
@pytest.mark.slow
def test_a_look_does_not_depend_on_those_before_and_its_file_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "looks.jsonl"
    assert "1 lights" in ran(perception.main, "--looks", "3", "--out", str(out))
    found = kept(Look, out)
    assert len({one.angle for one in found}) == 3
    other = look(replace(found[2], number=2 + EACH).key)
    again = look(found[2].key)  # after another light
    assert replace(again, imaging=0, perceiving=0) == replace(found[2], imaging=0, perceiving=0)
    assert other.angle != again.angle
    assert look(replace(found[0], low=0.0, high=1.0).key).reason
    out.write_text("".join(out.read_text().splitlines(keepends=True)[:2]) + '{"number"')
    ran(perception.main, "--looks", "3", "--out", str(out))
    assert kept(Look, out)[:2] == found[:2]
    assert kept(Look, out)[2].angle == found[2].angle


@pytest.mark.slow
def test_a_scene_does_not_depend_on_those_before(tmp_path: Path) -> None:
    def untimed(one: Scene) -> list[Way]:
        return [replace(way, ms=0) for way in one.ways]

    out = tmp_path / "scenes.jsonl"
    printed = ran(planning.main, "--scenes", "1", "--out", str(out))
    assert "told by the simulator" in printed
    found = kept(Scene, out)
    assert [one.skill for one in found] == SKILLS
    assert all(way.ms > 0 for one in found for way in one.ways)
    for one in reversed(found):
        again = scene(one.key)
        assert (again.force, untimed(again)) == (one.force, untimed(one))
    assert ran(planning.main, "--scenes", "1", "--out", str(out)) == printed  # nothing was timed


def test_what_was_touched_is_kept_however_little() -> None:
    way = Way(ms=1.26, depth=1e-7, where="bowl and door", left=0.00071)
    found = Scene("PlaceBowl 0 told any", 3.0, [planning._short(way), planning._short(Way())])
    assert found.ways == [Way(ms=1.3, where="bowl and door", left=0.00071), Way()]


@pytest.mark.slow
def test_a_start_does_not_depend_on_those_before(tmp_path: Path) -> None:
    def untimed(one: Outcome) -> Outcome:
        return replace(one, planning=None, interaction=None, whole=0)

    out = tmp_path / "starts.jsonl"
    ran(breakfast.main, "--episodes", "1", "--out", str(out))
    found = kept(Outcome, out)
    assert [one.name for one in found] == [*SKILLS, *PLANS]
    assert all(one.success and one.force > 0 for one in found)
    for one in reversed(found):
        again = outcome(one.key)
        assert untimed(again) == untimed(one)
        assert (again.planning is None) == (one.name in PLANS)


def test_the_page_tells_of_what_failed(tmp_path: Path) -> None:
    unseen = replace(LOOK, number=EACH, reason="too dark", angle=None, imaging=21.0)
    write(tmp_path / "breakfast-perception.jsonl", [LOOK, replace(LOOK, number=1), unseen])
    assert rows(tmp_path, "lights") == ["| 3 | 2 | 2 | 19 ms |"]
    assert rows(tmp_path, "error")[0] == "| angle | 0.50 degrees | 0.50 degrees |"

    ways: list[dict[str, Any]] = [{"ms": 2.0}, {"ms": 2.0, "where": "bowl and door"}]
    lost = [{"ms": 2.0, "reason": "the arm does not reach it"}]
    write(
        tmp_path / "breakfast-planning.jsonl",
        [
            *(Scene(f"{skill} 0 camera any", 5.0, ways) for skill in SKILLS),
            Scene("CloseMicrowave 1 camera any", 0.0, lost),
            Scene("PlaceBowl 1 camera any", unseen="too dark"),
            Scene("PlaceBread 1 camera any", 104.0, ways[:1]),
        ],
    )
    cells = dict(row.strip("| ").split(" | ") for row in rows(tmp_path, "measured"))
    assert cells["door not perceived"] == "1"
    assert cells["paths found"] == "15 of 16"
    assert cells["paths not found"] == "1 of CloseMicrowave"
    assert cells["paths that touched anything in physics, the true door included"] == "7"
    assert cells["largest force of a hand in the learned skills"] == "5 N"
    assert cells["largest force of a hand in PlaceBread, with the lever up or down"] == "104 N"

    starts = [replace(START, name=name) for name in (*SKILLS, *PLANS)]
    starts += [replace(START, name=PLANS[1], start=1, success=False, force=33.6)]
    write(tmp_path / "breakfast-skills.jsonl", starts)
    assert rows(tmp_path, "PickBread")[0] == f"| successes | {' | '.join(['1 of 1'] * 7)} |"
    assert rows(tmp_path, "whole plan")[1] == f"| {PLANS[1]} | 1 of 2 | 33.6 N | 30 ms |"
