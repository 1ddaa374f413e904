"""Files of measured learning curves: all that was measured (JSON), and the priors of it (TOML).

A file of measurements holds what ``deliberate priors --format json`` prints. A file of priors has a
table for each learner, and in it one for each skill.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from deliberate_practice.foundation.errors import ArgumentError, TaskError, shown
from deliberate_practice.foundation.text_file import parse_toml, read_text
from deliberate_practice.study.learning_curves import LearningCurve

Priors = Mapping[str, Mapping[str, Mapping[str, object]]]
"""What a file of priors says: by learner, by skill, by key."""


@dataclass(frozen=True)
class Measurements:
    """Measured learning curves, and what they were measured with.

    Attributes:
        task, robot, learner: Their names; robot and learner may carry options.
        curves: One for each policy.
    """

    task: str
    robot: str
    learner: str
    curves: tuple[LearningCurve, ...]

    def as_data(self) -> dict[str, object]:
        """For JSON."""
        return {**vars(self), "curves": [curve.as_data() for curve in self.curves]}

    def with_curves(self, curves: Sequence[LearningCurve]) -> Measurements:
        """Further curves; those of a policy that is there already replace it."""
        known = {curve.policy: curve for curve in (*self.curves, *curves)}
        return replace(self, curves=tuple(known.values()))


def read_measurements(path: str | Path) -> Measurements:
    """Read what ``deliberate priors --format json`` printed.

    Raises:
        ArgumentError: The file cannot be read, or holds something else.
    """
    try:
        data = json.loads(read_text(path))
        curves = tuple(_curve(entry) for entry in data["curves"])
        found = Measurements(str(data["task"]), str(data["robot"]), str(data["learner"]), curves)
    except TaskError as error:
        raise ArgumentError(f"{path}: {error.message}") from None
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise ArgumentError(
            f"{path} is not a file of measurements ({why}); make one with: "
            "deliberate priors TASK --out FILE.json."
        ) from None
    if not curves:
        raise ArgumentError(f"{path}: it holds no curves; measure some skills.")
    return found


def joined(files: Sequence[Measurements]) -> Measurements:
    """All curves of several files; of a policy in two files the later one counts.

    Raises:
        ArgumentError: They were measured with different robots or learners.
    """
    first, *others = files
    for other in others:
        for key in ("robot", "learner"):
            one, two = getattr(first, key), getattr(other, key)
            if one != two:
                raise ArgumentError(
                    f"--measured: one file was measured with {key} {shown(one)}, another with "
                    f"{shown(two)}; take files of one {key}."
                )
        first = first.with_curves(other.curves)
    return first


def write_measurements(path: str | Path, measured: Measurements) -> None:
    """Write a file of measurements."""
    _write(Path(path), json.dumps(measured.as_data(), allow_nan=False) + "\n")


def read_priors(path: str | Path) -> Priors:
    """The priors that a file has; a missing file has none.

    Raises:
        ArgumentError: It is not a file of priors.
    """
    if not Path(path).exists():
        return {}
    try:
        found = parse_toml(read_text(path))
    except TaskError as error:
        raise ArgumentError(f"{path} is not a file of priors: {error.message}") from None
    for learner, skills in found.items():
        if not isinstance(skills, dict) or not all(isinstance(s, dict) for s in skills.values()):
            raise ArgumentError(
                f"{path} is not a file of priors: {shown(learner)} is not the table of a learner "
                'with a table for each skill, such as ["cma-es"."Close(top)"].'
            )
    return found


def write_priors(
    path: str | Path, learner: str, curves: Sequence[LearningCurve], known: Priors
) -> None:
    """Write curves into the table of their learner.

    Args:
        path: The file.
        learner: Its name; options after it are not written.
        curves: The curves to write.
        known: What the file has; other learners, and other skills of this one, keep theirs.
    """
    name = learner.partition(":")[0]
    tables = {**known, name: {**known.get(name, {}), **{c.policy: _table(c) for c in curves}}}
    lines = ["# Learning curves measured by `deliberate priors`, and what fits them best."]
    for learned, skills in tables.items():
        for skill, values in skills.items():
            lines += ["", f"[{_text(learned)}.{_text(skill)}]"]
            lines += [f"{key} = {_text(value)}" for key, value in values.items()]
    _write(Path(path), "\n".join(lines) + "\n")


def _table(curve: LearningCurve) -> dict[str, object]:
    return {
        **curve.prior,
        **({"pooled": True} if curve.pooled else {}),
        "attempts": list(curve.attempts),
        "measured": [round(value, 3) for value in curve.competence],
        "error": [round(value, 3) for value in curve.error],
        "explored": [round(value, 3) for value in curve.explored],
    }


def _text(value: object) -> str:
    """A value as TOML writes it; of names, numbers and lists of these JSON is the same."""
    return json.dumps(value, ensure_ascii=False)


def _curve(entry: Mapping[str, Any]) -> LearningCurve:
    attempts = tuple(int(n) for n in entry["attempts"])
    rates = tuple(tuple(float(rate) for rate in row) for row in entry["rates"])
    if not rates or any(len(row) != len(attempts) for row in rates):
        raise ValueError(f"the rates of {entry['policy']} are not one for each point and seed")
    return LearningCurve(
        policy=str(entry["policy"]),
        attempts=attempts,
        rates=rates,
        explored=tuple(float(rate) for rate in entry["explored"]),
        start=float(entry["start"]),
        rate=float(entry["rate"]),
        ceiling=float(entry["ceiling"]),
        pooled=bool(entry["pooled"]),
    )


def _write(path: Path, text: str) -> None:
    """Write a file in one piece: a stop in between leaves it as it was."""
    whole = path.resolve()  # where a link leads
    part = whole.with_name(whole.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(whole)
