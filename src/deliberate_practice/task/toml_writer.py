"""Task files: from a task to TOML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from deliberate_practice.foundation.text_file import write_text
from deliberate_practice.task.experience import Experience
from deliberate_practice.task.model import ServedTask, Task
from deliberate_practice.task.rounds import EXAMPLES
from deliberate_practice.task.skill import Effect, PossibleEffect, Skill

SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def task_to_toml(task: Task) -> str:
    """The task as the text of a task file; reading it gives the same task."""
    blocks = [
        _lines(
            {
                "name": task.name,
                "domain": task.domain or None,
                "discount": task.discount,
                "priors": None if task.priors == "unknown" else task.priors,
            }
        ),
        ["[variables]", *_lines({name: list(values) for name, values in task.variables.items()})],
        *_aims(task),
        *(block for served in task.tasks for block in _served(served)),
        *(block for skill in task.skills for block in _skill(skill)),
        *_experience(task.experience),
        *(["[[gaps]]", *_lines(vars(gap))] for gap in task.gaps),
    ]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def write_experience(experience: Experience, path: str | Path) -> None:
    """Write an experience as a file; its text may also stand at the end of a task file.

    Raises:
        TaskError: The file cannot be written.
    """
    blocks = ["\n".join(block) for block in _experience(experience)]
    write_text(path, "\n\n".join(blocks) + "\n")


def write_task(task: Task, path: str | Path) -> None:
    """Write the task as a task file.

    Raises:
        TaskError: The file cannot be written.
    """
    write_text(path, task_to_toml(task))


def _experience(experience: Experience | None) -> Iterator[list[str]]:
    """The blocks of an experience; none if there is none."""
    if experience is None:
        return
    entry = experience.entry()
    models = {key: entry.pop(key) for key in experience.models}
    yield ["[experience]", *_lines(entry)]
    for model, qualities in models.items():
        for quality, kinds in qualities.items():
            for kind, seen in kinds.items():
                yield [f"[experience.{model}.{quality}.{_key(kind)}]", *_lines(seen)]


def _served(task: ServedTask) -> Iterator[list[str]]:
    """The block of one of several tasks, then its starts and goals."""
    yield ["[[tasks]]", *_lines({"name": task.name, "weight": task.weight})]
    yield from _aims(task, "tasks.")


def _aims(task: Task | ServedTask, parent: str = "") -> Iterator[list[str]]:
    """A block for each start, then one for each goal."""
    for start in task.starts:
        stated = {"probability": start.probability, "state": start.state}
        yield [f"[[{parent}starts]]", *_lines(stated)]
    for goal in task.goals:
        yield [f"[[{parent}goals]]", *_lines(vars(goal))]


def _skill(skill: Skill) -> Iterator[list[str]]:
    """The block of a skill, then one for each parameter."""
    stated = {
        "name": skill.name,
        "precondition": skill.precondition,
        "effect": _effect(skill.effect),
        "failure": None if skill.failure == "end" else _effect(skill.failure),
        "competence": skill.competence,
        "curve": skill.curve and skill.curve.entry(),
        "truth": _truth(skill),
        "policy": None if skill.policy == skill.name else skill.policy,
        "kind": skill.kind or None,
        "cost": skill.cost,
        "learner": skill.learner or None,
        **{key: getattr(skill, key) or None for key in EXAMPLES},
        "switch": skill.switch,
        "seconds": skill.seconds or None,
        "step_reward": skill.step_reward or None,
        "termination": skill.termination or None,
    }
    yield ["[[skills]]", *_lines(stated)]
    for parameter in skill.parameters:
        figures = {key: getattr(parameter, key) for key in ("mean", "sd", "low", "high")}
        stated = {"name": parameter.name, "unit": parameter.unit or None, **figures}
        yield ["[[skills.parameters]]", *_lines(stated)]


def _truth(skill: Skill) -> dict[str, object] | None:
    noise = {"training_noise": skill.training_noise} if skill.training_noise else {}
    return {**skill.truth.entry(), **noise} if skill.truth else None


def _effect(effect: Effect | Sequence[PossibleEffect]) -> object:
    if isinstance(effect, str | Mapping):
        return effect
    return [{"probability": option.probability, "effect": option.effect} for option in effect]


def _lines(table: Mapping[str, object]) -> list[str]:
    """A line for each key; keys with None have their default and are left out."""
    return [f"{_key(key)} = {_value(value)}" for key, value in table.items() if value is not None]


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else quoted(key)


def _value(value: object) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return repr(float(value))  # a numpy number would show its type
    if isinstance(value, Mapping):
        return f"{{ {', '.join(_lines(value))} }}" if value else "{}"
    assert isinstance(value, Sequence), value  # tasks hold nothing else
    items = [_value(item) for item in value]
    if any(isinstance(item, Mapping) for item in value):  # possible effects: one per line
        return "[\n" + "".join(f"  {item},\n" for item in items) + "]"
    return f"[{', '.join(items)}]"


def quoted(text: str) -> str:
    """A text as TOML writes it."""
    return '"' + "".join(map(_character, text)) + '"'


def _character(character: str) -> str:
    if character in SHORT_ESCAPES:
        return SHORT_ESCAPES[character]
    if character < " " or character == "\x7f":
        return f"\\u{ord(character):04x}"
    return character
