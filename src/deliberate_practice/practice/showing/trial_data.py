"""A trial as plain data: everything that a robot needs to run it, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from deliberate_practice.practice.robot import Approach, Choice, Step, Trial
from deliberate_practice.task.model import allowed_values

if TYPE_CHECKING:
    from deliberate_practice.practice.records import TrialRecord
    from deliberate_practice.practice.replay import State
    from deliberate_practice.task.model import Task


def trial_data(state: State, record: TrialRecord) -> dict[str, Any]:
    """Everything that a robot needs to run a trial, with the reasons for it."""
    from deliberate_practice.practice.showing.instructions import instruction
    from deliberate_practice.practice.showing.reasons import reason

    trial, task, said = record.trial, state.task, instruction(state, record)
    return {
        "id": trial.id,
        "skill": trial.skill,
        "policy": record.policy,
        "mode": trial.mode,
        "kind": record.kind,
        "counted": record.counted,
        "parameters": dict(trial.parameters),
        "approach": _approach_data(trial.approach),
        **({"start": dict(trial.approach.start)} if trial.approach.start else {}),
        "precondition": dict(trial.approach.until) or needed(task, trial.skill),
        "termination": limits(task, trial),
        "practised": trial.attempt.practised,
        "seed": trial.seed,
        **({"instruction": said} if said else {}),
        "reason": reason(state, record),
        "why": dict(record.why),
    }


def trial_from(data: Mapping[str, Any]) -> Trial:
    """The trial that :func:`trial_data` described."""
    approach = data["approach"]
    rule = tuple(Choice(row["when"], _step(row)) for row in approach["rule"])
    return Trial(
        data["id"],
        Approach(
            tuple(_step(step) for step in approach["route"]),
            data.get("start", {}),
            rule,
            approach["limit"],
            data["precondition"] if rule else {},
        ),
        _step(data),
        data["mode"],
        data["seed"],
    )


def needed(task: Task, skill: str) -> dict[str, list[str]]:
    """The values that each variable may have where a skill begins, that of the start first."""
    start = task.start_states[0].state
    allowed = {name: allowed_values(v) for name, v in task.skill(skill).precondition.items()}
    return {name: sorted(allowed[name], key=start[name].__ne__) for name in allowed}


def limits(task: Task, trial: Trial) -> dict[str, dict[str, float]]:
    """The stated limits of each skill in the trial."""
    skills = [task.skill(name) for name in (*trial.approach.every_skill, trial.skill)]
    return {skill.name: dict(skill.termination) for skill in skills if skill.termination}


def _approach_data(approach: Approach) -> dict[str, Any]:
    """The route as a list, the rule as a table, and the most executions on the way."""
    return {
        "route": [{**_step_data(step), "on_failure": step.on_failure} for step in approach.route],
        "rule": [{"when": dict(row.when), **_step_data(row.step)} for row in approach.rule],
        "limit": approach.limit,
    }


def _step_data(step: Step) -> dict[str, Any]:
    return {"skill": step.skill, "parameters": dict(step.parameters), "practised": step.practised}


def _step(data: Mapping[str, Any]) -> Step:
    return Step(data["skill"], data["parameters"], data["practised"], data.get("on_failure", "end"))
