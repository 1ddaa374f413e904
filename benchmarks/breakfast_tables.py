"""The tables of docs/breakfast.md on perception, planning, reliability and the paper's sessions."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from breakfast import PLANS, SKILLS, Outcome, median
from kept import kept
from packed import unpacked
from perception import Look
from planning import Scene

from deliberate_practice.domains.breakfast.parameters import search_prior

SESSIONS = """SELECT seed, reward, test_episodes, result FROM sessions
WHERE experiment = 'breakfast-paper' AND strategy = 'deliberate-paper' AND budget = 70
AND goal = 'oatmeal' ORDER BY reward"""
OATMEAL = ("OpenMicrowave", "CloseMicrowave")
"""The learned skills of oatmeal."""


def tables(measured: Path) -> dict[str, Iterator[str]]:
    """The rows below each heading.

    Args:
        measured: The folder with the results of the benchmarks and the studies.
    """
    looks = kept(Look, measured / "breakfast-perception.jsonl")
    scenes = kept(Scene, measured / "breakfast-planning.jsonl")
    starts = kept(Outcome, measured / "breakfast-skills.jsonl")
    found = {
        "| looks | lights | door perceived | CPU of a look, median |": _looks(looks),
        "| error | median | largest |": _errors(looks),
        "| measured | result |": _planning(scenes),
        f"| | {' | '.join(SKILLS)} |": _skills(starts),
        "| whole plan | successes | largest force | CPU |": _plans(starts),
        f"| seed | tests | attempts of {' | of '.join(OATMEAL)} | reward |": _sessions(
            measured / "paper-sessions.sqlite.gz"
        ),
    }
    return {heading: (f"| {' | '.join(row)} |" for row in rows) for heading, rows in found.items()}


def _looks(looks: Sequence[Look]) -> Iterator[list[str]]:
    lights = len({look.light for look in looks})
    seen = sum(not look.reason for look in looks)
    spent = np.median([look.imaging + look.perceiving for look in looks])
    yield [str(len(looks)), str(lights), str(seen), f"{spent:.0f} ms"]


def _errors(looks: Sequence[Look]) -> Iterator[list[str]]:
    for name, field, unit, places in (
        ("angle", "angle", "degrees", 2),
        ("place", "position", "mm", 1),
        ("width", "width", "mm", 1),
        ("height", "height", "mm", 1),
    ):
        errors = [getattr(look, field) for look in looks if not look.reason]
        yield [name, *(f"{x:.{places}f} {unit}" for x in (np.median(errors), max(errors)))]


def _planning(scenes: Sequence[Scene]) -> Iterator[list[str]]:
    ways = [way for scene in scenes for way in scene.ways]
    spent = [way.ms for way in ways]
    bowl = [scene.ways[0].ms for scene in scenes if scene.skill == "PlaceBowl" and scene.ways]
    missing = Counter(scene.skill for scene in scenes for way in scene.ways if way.reason)
    skills = ", ".join(f"{times} of {skill}" for skill, times in missing.most_common())
    yield ["scenes", f"{len(scenes):,}"]
    yield ["door not perceived", str(sum(bool(scene.unseen) for scene in scenes))]
    yield ["paths found", f"{len(ways) - missing.total():,} of {len(ways):,}"]
    yield ["paths not found", skills or "0"]
    for name, part in (("median", 0.5), ("95 %", 0.95)):
        every, there = (np.quantile(times, part) for times in (spent, bowl))
        yield [f"CPU, {name}", f"{every:.1f} ms (PlaceBowl to the microwave {there:.0f} ms)"]
    touched = sum(bool(way.where) for way in ways)
    yield ["paths that touched anything in physics, the true door included", str(touched)]
    left = 1e3 * max(way.left for way in ways)
    yield ["contact left from pressing before it separated", f"at most {left:.1f} mm deep"]
    learned = {skill for skill in SKILLS if search_prior(skill)}
    for name, group in (
        ("the learned skills", learned),
        ("PlaceBread, with the lever up or down", {"PlaceBread"}),
        ("the other skills", {*SKILLS} - learned - {"PlaceBread"}),
    ):
        force = max(scene.force for scene in scenes if scene.skill in group)
        yield [f"largest force of a hand in {name}", f"{force:.0f} N"]


def _skills(starts: Sequence[Outcome]) -> Iterator[list[str]]:
    """A column for each skill."""
    every = [[one for one in starts if one.name == skill] for skill in SKILLS]
    yield ["successes", *map(_successes, every)]
    yield ["largest force, N", *(f"{max(one.force for one in mine):.1f}" for mine in every)]
    for name, field in (("the interaction", "interaction"), ("the whole skill", "whole")):
        spent = [median([getattr(one, field) for one in mine]) for mine in every]
        yield [f"CPU of {name}, ms", *(f"{x:.0f}" for x in spent)]


def _plans(starts: Sequence[Outcome]) -> Iterator[list[str]]:
    for plan in PLANS:
        mine = [one for one in starts if one.name == plan]
        force = max(one.force for one in mine)
        spent = median([one.whole for one in mine])
        yield [plan, _successes(mine), f"{force:.1f} N", f"{spent:.0f} ms"]


def _successes(starts: Sequence[Outcome]) -> str:
    return f"{sum(one.success for one in starts)} of {len(starts)}"


def _sessions(packed: Path) -> Iterator[list[str]]:
    """The sessions of the paper's strategy that chose oatmeal with the larger budget."""
    with unpacked(packed) as file, closing(sqlite3.connect(file)) as database:
        rows = database.execute(SESSIONS).fetchall()
    for seed, reward, tests, text in rows:
        attempts = [str(json.loads(text)["attempts"][skill]) for skill in OATMEAL]
        yield [str(seed), str(tests), *attempts, f"{reward:.2f}"]
