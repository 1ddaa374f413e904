"""The file that maps the skills of a task to ROS 2 actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from deliberate_practice.foundation import checks
from deliberate_practice.foundation.errors import TaskError, choose_from, shown
from deliberate_practice.foundation.text_file import parse_toml, read_text
from deliberate_practice.task.model import Task

TIMEOUT = 60.0
"""Seconds of a goal or of a reset, unless the file says otherwise."""
LONGEST = 86_400.0

Failed = Literal["failure", "aborted"]
FAILED: tuple[Failed, Failed] = ("failure", "aborted")


@dataclass(frozen=True)
class Action:
    """The action of a skill.

    Attributes:
        name: Its name, e.g. ``/open_drawer``.
        kind: Its type, e.g. ``lab_interfaces/action/OpenDrawer``.
        goal: The fields of its goal; each text is the name of a parameter.
        constants: Further fields, with their values.
        timeout: Seconds after which the goal is canceled.
        success: A field of the result that must be true; None if the status says everything.
        score: The field of the result that ranks attempts.
        measurements: Fields of the result to keep, by name.
        aborted: The outcome if the server aborts the goal.
        timed_out: The outcome if the goal was canceled after its time.
    """

    name: str
    kind: str
    goal: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = TIMEOUT
    success: str | None = None
    score: str | None = None
    measurements: Mapping[str, str] = field(default_factory=dict)
    aborted: Failed = "failure"
    timed_out: Failed = "aborted"


@dataclass(frozen=True)
class Reset:
    """Who sets the scene before each trial: a service, a topic or a person.

    Attributes:
        service, topic: The name of the service to call, or of the topic to publish on.
        kind: Its type.
        message: The request or the message.
        timeout: The longest time of the service [s].
        settle: Time to wait after publishing [s].
        person: ``ready``: the session hands out trials after Ready alone. ``enter``: a person
            presses Enter at this terminal.
    """

    service: str | None = None
    topic: str | None = None
    kind: str = ""
    message: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = TIMEOUT
    settle: float = 0.0
    person: str | None = None


@dataclass(frozen=True)
class RosFile:
    """Where rosbridge is, the action of each skill, and how the scene is set."""

    host: str
    port: int
    secure: bool
    actions: Mapping[str, Action]
    reset: Reset


def read_ros_file(path: str | Path, task: Task) -> RosFile:
    """Read the file that maps the skills of a task to actions.

    Raises:
        TaskError: Something in it is wrong; the message names file, place, value and fix.
    """
    text = read_text(path)
    try:
        return _file(parse_toml(text), task)
    except TaskError as error:
        raise error.within(str(path)) from None


def filled(action: Action, parameters: Mapping[str, float]) -> dict[str, Any]:
    """The goal of an action for the values of a skill's parameters."""
    return _merged(_filled(action.goal, parameters), action.constants)


def result_field(values: Mapping[str, Any], path: str) -> Any:
    """A field of a result, e.g. ``wrench.force.z``.

    Raises:
        TaskError: There is no such field.
    """
    value: Any = values
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            valid = value if isinstance(value, Mapping) else []
            raise TaskError(f"result field '{path}'", choose_from(name, valid))
        value = value[name]
    return value


def _file(document: Mapping[str, Any], task: Task) -> RosFile:
    checks.keys("", document, ["skills", "reset"], ["rosbridge"])
    bridge = checks.table("rosbridge", document.get("rosbridge", {}), 'host = "127.0.0.1"')
    checks.keys("rosbridge", bridge, [], ["host", "port", "secure"])
    skills = checks.table("skills", document["skills"])
    for name in skills:
        checks.one_of("skills", name, [skill.name for skill in task.skills])
    for skill in task.skills:
        if skill.name not in skills:
            raise TaskError("skills", f"the skill '{skill.name}' of the task has no action here.")
    return RosFile(
        checks.word("rosbridge: host", bridge.get("host", "127.0.0.1")),
        checks.whole_number("rosbridge: port", bridge.get("port", 9090), 1, 65_535, TaskError),
        _flag("rosbridge: secure", bridge.get("secure", False)),
        {
            skill.name: _action(skill.name, skills[skill.name], [p.name for p in skill.parameters])
            for skill in task.skills
        },
        _reset(document["reset"]),
    )


def _action(skill: str, stated: object, parameters: list[str]) -> Action:
    with checks.inside(f"skills.{skill}"):
        given = checks.table("", stated, 'action = "/open_drawer"')
        optional = ["goal", "constants", "timeout", "success", "score", "measurements"]
        checks.keys("", given, ["action", "type"], [*optional, "aborted", "timed_out"])
        goal = checks.table("goal", given.get("goal", {}), 'pose.position.x = "x"')
        used = dict(_names("goal", goal))
        for place, name in used.items():
            checks.one_of(place, name, parameters)
        for name in parameters:
            if name not in used.values():
                raise TaskError("goal", f"the parameter '{name}' of the skill goes into no field.")
        constants = checks.table("constants", given.get("constants", {}))
        _check_apart("constants", goal, constants)
        measured = checks.table("measurements", given.get("measurements", {}), 'force = "peak"')
        return Action(
            checks.word("action", given["action"]),
            checks.word("type", given["type"]),
            goal,
            constants,
            _seconds("timeout", given.get("timeout", TIMEOUT)),
            _optional_word("success", given),
            _optional_word("score", given),
            {name: checks.word(f"measurements.{name}", path) for name, path in measured.items()},
            checks.one_of("aborted", given.get("aborted", "failure"), FAILED),
            checks.one_of("timed_out", given.get("timed_out", "aborted"), FAILED),
        )


def _reset(stated: object) -> Reset:
    given = checks.table("reset", stated, 'service = "/reset_scene"')
    kinds = [kind for kind in ("service", "topic", "person") if kind in given]
    if len(kinds) != 1:
        raise TaskError("reset", "name one of: service, topic, person.")
    if "person" in kinds:
        checks.keys("reset", given, ["person"], [])
        return Reset(person=checks.one_of("reset: person", given["person"], ["ready", "enter"]))
    is_service = "service" in given
    checks.keys(
        "reset", given, [*kinds, "type"], ["message", "timeout" if is_service else "settle"]
    )
    return Reset(
        _optional_word("service", given),
        _optional_word("topic", given),
        checks.word("reset: type", given["type"]),
        checks.table("reset: message", given.get("message", {})),
        _seconds("reset: timeout", given.get("timeout", TIMEOUT)),
        checks.number("reset: settle", given.get("settle", 0.0), 0.0, LONGEST),
    )


def _names(place: str, value: object) -> Iterator[tuple[str, str]]:
    """The place and the text of every leaf of a goal."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _names(f"{place}.{name}", part)
    elif isinstance(value, list):
        for number, part in enumerate(value, 1):
            yield from _names(f"{place}[{number}]", part)
    else:
        raise TaskError(
            place, f"{shown(value)} is not the name of a parameter; fixed values go to 'constants'."
        )


def _filled(value: Any, parameters: Mapping[str, float]) -> Any:
    if isinstance(value, str):
        return parameters[value]
    if isinstance(value, Mapping):
        return {name: _filled(part, parameters) for name, part in value.items()}
    return [_filled(part, parameters) for part in value]


def _check_apart(place: str, goal: Mapping[str, Any], constants: Mapping[str, Any]) -> None:
    """Refuse constants that would take the place of a parameter."""
    for name, value in constants.items():
        here = f"{place}.{name}"
        if name not in goal:
            continue
        if not (isinstance(value, Mapping) and isinstance(goal[name], Mapping)):
            raise TaskError(here, "'goal' fills this field already; leave out one of the two.")
        _check_apart(here, goal[name], value)


def _merged(goal: Mapping[str, Any], constants: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(goal)
    for name, value in constants.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(name), Mapping)
        merged[name] = _merged(merged[name], value) if both else value
    return merged


def _seconds(place: str, value: object) -> float:
    return checks.number(place, value, 0.0, LONGEST, open_low=True)


def _flag(place: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise TaskError(place, f"{shown(value)} is not valid; write true or false.")
    return value


def _optional_word(key: str, given: Mapping[str, object]) -> str | None:
    return checks.word(key, given[key]) if key in given else None
