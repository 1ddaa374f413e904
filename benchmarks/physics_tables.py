"""Tables of the pages on the simulated robot and on Kitchen, from files in studies/measured."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from failures import Failures, by_policy, by_verb, rows as failure_rows
from good_parameters import SCENES, USUAL, Outcome, rows as outcome_rows
from kept import kept

from deliberate_practice.robots.mujoco.limits import LIMITS
from deliberate_practice.study.learning_curves import LearningCurve
from deliberate_practice.study.prior_files import read_measurements
from deliberate_practice.task.skill import verb

MEASURED = Path(__file__).parent.parent / "studies" / "measured"
POINTS = {"cma-es": (12, 24, 48, 90), "paper": (12, 24, 48, 96)}
"""Attempts at which Cleanup's table shows a curve, by learner."""
KITCHEN_POINTS = (12, 24, 36, 48, 60, 72)
OTHERS = {
    USUAL: "as it is",
    "mujoco:friction=0.5": "half the friction",
    "mujoco:noise=0.006": "double noise",
    "mujoco:aside=0.08": "cabinet 8 cm aside",
    "mujoco:timestep=0.002": "a step of 2 ms instead of 4",
}
"""Scenes in words, by the options of the robot."""
TASKS = {"cleanup": "Cleanup", "cleanup-multi": "Cleanup-Multi", "breakfast": "Breakfast"}
SAMPLED = (
    "| skill | executed | touched | succeeded | met the reflex | largest force | largest speed |"
)
GOOD = "| good parameters | executions | succeeded | met the reflex | largest force |"
ENDS = "everything as before | object on the table | met the reflex | the task states"

Tables = dict[str, Iterator[str]]
"""Rows by the heading of their table."""


def of_cleanup() -> Tables:
    """The tables of simulation.md."""
    shown = (", ".join(map(str, points)) for points in POINTS.values())
    ours, theirs = shown
    return {
        f"| skill | failures | {ENDS} |": _failures("cleanup"),
        SAMPLED: _samples("cleanup"),
        f"| skill | `cma-es` after {ours} | .8 after, .9 after | `cma-es-paper` after {theirs} "
        "| .8 after | standard errors, at most |": _curves(),
        GOOD: _good("cleanup"),
        "| learner, task | top, toast | middle, oatmeal | bottom | has a window | budgets "
        "| best there |": _budgets(TASKS),
        f"| scene | {' | '.join(_kinds('cleanup'))} |": _scenes("cleanup"),
    }


def of_kitchen() -> Tables:
    """The tables of kitchen.md on its physics."""
    points = " | ".join(map(str, KITCHEN_POINTS[1:]))
    return {
        GOOD.replace("| met", "| by FrankaKitchen's rule | met"): _good("kitchen"),
        f"| policy | failures | {ENDS} |".replace("object on the table | ", ""): (
            _failures("kitchen")
        ),
        SAMPLED: _samples("kitchen"),
        f"| policy | after {KITCHEN_POINTS[0]} | {points} attempts | standard error, at most |": (
            _kitchen_curves()
        ),
        "| learner | light | tea | feast | has a window | budgets | best there |": (
            _budgets({"kitchen": ""})
        ),
        f"| scene | {' | '.join(_kinds('kitchen'))} |": _scenes("kitchen"),
    }


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |".replace("%", " %")


def _failures(domain: str) -> Iterator[str]:
    """What failures left behind, and the share after which the task goes on."""
    found = [one for one in kept(Failures, MEASURED / "failures.jsonl") if one.domain == domain]
    for cells in failure_rows(found, by_verb if domain == "cleanup" else by_policy):
        if domain == "kitchen":
            del cells[3]  # it has no object on the table
        yield _line(*cells)


def _samples(domain: str) -> Iterator[str]:
    """What became of draws from the search priors."""
    sampled = json.loads((MEASURED / f"{domain}-samples.json").read_text(encoding="utf-8"))
    others = [one for one in kept(Failures, MEASURED / "failures.jsonl") if one.domain == domain]
    for one in sampled["skills"]:
        first, *more = [other for other in others if other.policy == one["skill"]]
        yield _sample(first.skill, one, one["force"], one["speed"])
        for other in more:  # the command samples a policy with its first skill
            yield _sample(other.skill, vars(other), other.force / LIMITS["force"], other.speed)


def _sample(name: str, counts: Mapping[str, Any], force: float, speed: float) -> str:
    shown = (str(counts[key]) for key in ("executed", "touched", "succeeded", "stopped"))
    return _line(name, *shown, f"{force:.2f}", f"{speed:.2f}")


def _curves() -> Iterator[str]:
    """The curves of two learners."""
    files = [read_measurements(MEASURED / f"cleanup-{learner}.json") for learner in POINTS]
    for ours, theirs in zip(*(file.curves for file in files), strict=True):
        errors = ", ".join(f"{max(curve.error):.2f}" for curve in (ours, theirs))
        yield _line(
            ours.policy,
            " ".join(_at(ours, POINTS["cma-es"])),
            f"{_reached(ours, 0.8)}, {_reached(ours, 0.9)}",
            " ".join(_at(theirs, POINTS["paper"])),
            _reached(theirs, 0.8),
            errors,
        )


def _kitchen_curves() -> Iterator[str]:
    for curve in read_measurements(MEASURED / "kitchen-cma-es.json").curves:
        yield _line(curve.policy, *_at(curve, KITCHEN_POINTS), f"{max(curve.error):.2f}")


def _at(curve: LearningCurve, points: Sequence[int]) -> list[str]:
    """The competence after some attempts."""
    found = dict(zip(curve.attempts, curve.competence, strict=True))
    return [f"{found[point]:.2f}" for point in points]


def _reached(curve: LearningCurve, wanted: float) -> str:
    """The attempts after which a curve first is that high, on straight lines between points."""
    points = list(zip(curve.attempts, curve.competence, strict=True))
    for (before, low), (after, high) in itertools.pairwise(points):
        if high >= wanted - 1e-9:
            return f"{before + (after - before) * (wanted - low) / (high - low):.0f}"
    return "–"


def _budgets(tasks: Mapping[str, str]) -> Iterator[str]:
    """The windows of all goals, and the budgets that follow from them.

    Args:
        tasks: What each task is called, in the order of the table.
    """
    lines = (MEASURED / "budgets.jsonl").read_text(encoding="utf-8").splitlines()
    found = {(one["task"], one["learner"]): one["budgets"] for one in map(json.loads, lines)}
    most = max(len(found[task, "cma-es"]["windows"]) for task in tasks)
    for task, name in tasks.items():
        for learner in ("cma-es", "cma-es-paper"):
            one = found[task, learner]
            windows = one["windows"]
            yield _line(
                f"`{learner}`" + f", {name}" * bool(name),
                *map(_window, windows),
                *[""] * (most - len(windows)),
                _percents(window["share"] for window in windows),
                ", ".join(map(str, one["budgets"])),
                _percents(window["budget_share"] for window in windows),
            )


def _window(window: Mapping[str, Any]) -> str:
    low, high = window["first_ci95"]
    return f"from {window['first']} ({low:.0f} to {high:.0f})"


def _percents(shares: Iterator[float]) -> str:
    return ", ".join(f"{100 * share:.0f}" for share in shares) + "%"


def _good(domain: str) -> Iterator[str]:
    """Executions of good parameters in the usual scene."""
    for cells in outcome_rows(_outcomes(domain, USUAL)):
        if domain == "cleanup":
            del cells[3]  # it has no published rule
        yield _line(*cells)


def _scenes(domain: str) -> Iterator[str]:
    """Successes of good parameters in every scene, by kind of skill."""
    for robot in SCENES[domain]:
        found = _outcomes(domain, robot)
        cells = []
        for kind in _kinds(domain):
            mine = [one for one in found if _kind(one) == kind]
            counts = (sum(getattr(one, key) for one in mine) for key in ("succeeded", "executions"))
            cells.append(" of ".join(map(str, counts)))
        yield _line(OTHERS[robot], *cells)


def _kinds(domain: str) -> list[str]:
    """The kinds of skills of a domain."""
    found = (_kind(one) for one in _outcomes(domain, SCENES[domain][-1]))
    return list(dict.fromkeys(found))


def _kind(one: Outcome) -> str:
    """The verb of a skill; in Kitchen only knobs are alike."""
    return verb(one.what) if one.domain == "cleanup" or "Turn" in one.what else one.what


def _outcomes(domain: str, robot: str) -> list[Outcome]:
    found = kept(Outcome, MEASURED / "good-parameters.jsonl")
    return [one for one in found if (one.domain, one.robot) == (domain, robot)]
