"""The tables of pages from what benchmarks keep."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import experience
import experience_physics
import greedy_ties
import kitchen_published
import learning
import repeated as practised_again
from kept import kept

MEASURED = Path(__file__).parents[1] / "studies" / "measured"
COMMANDS = {
    "`ask`": "ask {}",
    "`ask` that makes a decision": "ask {}, deciding",
    "`tell`": "tell {}",
    "`show`": "show {}",
}
"""What the benchmark of commands calls them, by their names on the page."""


def startup() -> Iterator[str]:
    """CPU time of the commands of a session, in imports of numpy."""
    ratios = json.loads((MEASURED / "startup.json").read_text())["ratios"]
    for words, command in COMMANDS.items():
        cells = [f"{ratios[command.format(task)]:.1f}" for task in ("cleanup", "coffee")]
        yield f"| {words} | {' | '.join(cells)} |"


def ties() -> Iterator[str]:
    """Least and largest reward over budgets of greedy rules with several tolerances and ties."""
    for cells in greedy_ties.spans(kept(greedy_ties.Session, MEASURED / "greedy-ties.jsonl")):
        yield f"| {' | '.join(cells)} |"


def learners() -> Iterator[str]:
    """Attempts until each learner is good, by box."""
    found = kept(learning.Learned, MEASURED / "learning.jsonl")
    for box in learning.BOXES:
        cells = [
            learning.needed([one for one in found if one.key[:2] == (box, name)])
            for name in learning.LEARNERS
        ]
        yield f"| {box[0]}, {box[1]} | {' | '.join(cells)} |"


def published() -> Iterator[str]:
    """The rewards of Kitchen's plans by our rule of success and by FrankaKitchen's."""
    found = kept(kitchen_published.Outcome, MEASURED / "kitchen-published.jsonl")
    for strategy, *cells in kitchen_published.rows(found):
        yield f"| `{strategy}` | {' | '.join(cells)} |"


def repeated() -> Iterator[str]:
    """Sessions of the studies that were practised once more, and how many are the same."""
    found = kept(practised_again.Repeated, MEASURED / "repeated.jsonl")
    for study in practised_again.STUDIES:
        mine = [one for one in found if one.study == study]
        experiments = {one.experiment for one in mine}
        rewards, all_ = (sum(same) for same in zip(*map(_same, mine), strict=True))
        yield f"| `{study}` | {len(experiments)} | {len(mine)} | {rewards} | {all_} |"


def _same(one: practised_again.Repeated) -> tuple[bool, bool]:
    return one.reward == one.was, one.same


def of_experience() -> dict[str, Iterator[str]]:
    """The tables of the page on experience."""
    return {
        "| stated figures | worlds | without | own lab's experience | another lab's |": _labs(),
        "| budget | without | with experience | difference | settled |": _in_physics(),
    }


def _labs() -> Iterator[str]:
    """Mean scores and paired gains of labs with experience, by the quality of stated figures."""
    found = kept(experience.Lab, MEASURED / "experience-labs.jsonl")
    for name, worlds, without, _, _, own, other in experience.summary(found):
        cells = [name, worlds, without, own, other]
        yield f"| {' | '.join(cells).replace('-', '−').replace(' ±', ' ± ')} |"


def _in_physics() -> Iterator[str]:
    """Rewards in Cleanup-Multi with experience from Cleanup and without."""
    found = kept(experience_physics.Outcome, MEASURED / "experience-physics.jsonl")
    for cells in experience_physics.rows(found):
        yield f"| {' | '.join(cells).replace('-', '−')} |"
