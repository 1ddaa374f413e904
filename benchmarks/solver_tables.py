"""The tables of certified allocation on general tasks, from what ``make general`` measured."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from solved import Solved

MEASURED = Path(__file__).parents[1] / "studies" / "measured"
ALONE, AGAINST_SCIP = "general-tasks.json", "general-scip.json"
"""All tasks solved by ``auto``, and some of them by ``auto`` and SCIP."""
VARIANTS = ("a", "b", "c")
NAMES = {
    "start": "one start",
    "tasks": "three tasks with conflicting goals",
    "costs": "step cost 0.01, one start",
    "starts": "eight starts",
    "starts-costs": "eight starts, step cost 0.01",
}
"""Families of Cleanup-Multi."""
ROUNDING = 1e-6
"""A relative gap that is none."""
LARGE = {"repairs": "repairs, {} objects", "wide": "random graph, {} places"}
RANDOM = {
    "setbacks": "setbacks: failures fall back by two or three layers",
    "successors": "successors: a success leads to one of several places",
    "both": "both",
    "repair": "repair: objects are lost and found, broken and repaired",
}


def plan_form() -> Iterator[str]:
    """Cleanup-Multi by family; where the variants differ much, one row for each of them."""
    families = _families(ALONE)
    for family, name in NAMES.items():
        split = (("a, c", "ac"), ("b", "b")) if family.startswith("starts") else (("", "abc"),)
        for words, letters in split:
            mine = [row for row in families[family] if row.group in letters]
            cells = [_percent(mine[0].target), _closed(mine), _worst(mine), *_times(mine)]
            yield _line(", ".join(part for part in (name, words) if part), *cells)


def plan_form_against_scip() -> Iterator[str]:
    """One task of each family of Cleanup-Multi, by variant."""
    families = _families(AGAINST_SCIP)
    for letter in VARIANTS:
        mine = [row for name in NAMES for row in families[name] if row.group == letter]
        yield _line(letter, *_both(mine))


def sharing() -> Iterator[str]:
    """Graphs with shared policies, and the answer of SCIP to the first of each size."""
    scip = {row.group: row for row in _by_scip(_families(AGAINST_SCIP)["sharing"])}
    for group, mine in _groups(_families(ALONE)["sharing"]):
        other = scip.get(group)
        if other is None:
            words = "not tried"
        elif other.closed:
            words = f"proven in {_seconds(other.seconds)}"
        else:
            words = "no bound" if other.gap is None else f"gap {_percent(other.gap)}"
        yield _line(group, _closed(mine), *_times(mine), words)


def supersolution() -> Iterator[str]:
    """Random tasks that are not in plan form."""
    for group, mine in _groups(_families(ALONE)["random"]):
        yield _line(RANDOM[group], _closed(mine), _worst(mine), *_times(mine))


def supersolution_against_scip() -> Iterator[str]:
    """Every fifth of them, with SCIP."""
    rows = _families(AGAINST_SCIP)["random"]
    for name, mine in (("`auto`", _by_auto(rows)), ("SCIP", _by_scip(rows))):
        yield _line(name, _closed(mine), _worst(mine), *_times(mine))


def growth() -> Iterator[str]:
    """Larger and larger general tasks."""
    for row in map(_solved, _data(ALONE)["general_growth"]):
        assert row.grounding is not None
        assert row.peak is not None
        size, kind = row.task.split()[0], row.task.split()[-1]
        name = LARGE.get(kind, row.task.replace("cleanup", "Cleanup-Multi")).format(size)
        sizes = [f"{row.skills:,}", f"{row.kept:,}"]
        times = [_seconds(row.grounding), _seconds(row.seconds), _seconds(row.wall)]
        memory = f"{row.peak:.0f} MB" if row.peak < 1000 else f"{row.peak / 1000:.1f} GB"
        yield _line(name, *sizes, *times, memory, _percent(row.gap))


def limits() -> Mapping[str, float]:
    """Time limits in seconds, by solver and file."""
    alone, against = _data(ALONE), _data(AGAINST_SCIP)
    return {"alone": alone["seconds"], "auto": against["seconds"], "scip": against["time_limit"]}


def _both(rows: Sequence[Solved]) -> Iterator[str]:
    """How many each solver closed, the longest of ``auto``, and the gaps that SCIP left."""
    ours, scip = _by_auto(rows), _by_scip(rows)
    yield _closed(ours)
    yield _times(ours)[1]
    yield _closed(scip)
    left = [row.gap for row in scip if not row.closed and row.gap is not None]
    yield f"{_percent(min(left))} to {_percent(max(left))}" if left else "–"


def _times(rows: Sequence[Solved]) -> tuple[str, str]:
    """Median and longest CPU time."""
    times = [row.seconds for row in rows if row.seconds is not None]
    return _seconds(median(times)), _seconds(max(times))


def _closed(rows: Sequence[Solved]) -> str:
    return f"{sum(row.closed for row in rows)} of {len(rows)}"


def _worst(rows: Sequence[Solved]) -> str:
    """The largest gap among those that were not closed."""
    left = [row.gap for row in rows if not row.closed]
    if any(gap is None for gap in left):
        return "no bound"
    return _percent(max(gap for gap in left if gap is not None)) if left else "–"


def _by_auto(rows: Iterable[Solved]) -> list[Solved]:
    return [row for row in rows if row.solver != "scip"]


def _by_scip(rows: Iterable[Solved]) -> list[Solved]:
    return [row for row in rows if row.solver == "scip"]


def _groups(rows: Sequence[Solved]) -> Iterator[tuple[str, list[Solved]]]:
    for group in dict.fromkeys(row.group for row in rows):
        yield group, [row for row in rows if row.group == group]


def _families(file: str) -> dict[str, list[Solved]]:
    return {name: [_solved(row) for row in rows] for name, rows in _data(file)["general"].items()}


def _data(file: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((MEASURED / file).read_text(encoding="utf-8"))
    return found


def _solved(row: Mapping[str, Any]) -> Solved:
    return Solved(**row)


def _percent(part: float | None) -> str:
    if part is None:
        return "no bound"
    if part < ROUNDING:
        return "0"
    return f"{100 * part:.2g} %" if part < 1 else f"{100 * part:,.0f} %"


def _seconds(seconds: float | None) -> str:
    assert seconds is not None
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"
