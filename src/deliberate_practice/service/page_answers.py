"""The answers that the page needs: who reads, what can be chosen, and a session at a glance."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from deliberate_practice.service.answers import Activity, Course, Kind, RobotRow, Trial
from deliberate_practice.service.tokens import Role
from deliberate_practice.task.outcome import Outcome


class Me(BaseModel):
    """The token of a request, without its secret."""

    name: str
    role: Role
    session: str | None = Field(description="The only session that it is for.")


class Parts(BaseModel):
    """The names that a new session may choose from."""

    domains: list[str]
    strategies: list[str]
    beliefs: list[str]
    learners: list[str]
    robots: list[str]


class Setting(BaseModel):
    """The scene of a trial before anything moves."""

    holds: dict[str, list[str]] = Field(description="The values that each variable may have.")
    text: str = Field(description="The same in words, and the next step of the robot.")


class OpenTrial(Trial):
    """A trial that was asked and not told."""

    robot: str | None = Field(description="The robot that has it, if it has a name.")
    ready: bool
    waits_for_ready: bool
    asked: str
    setting: Setting


class Mark(BaseModel):
    """A trial in the timeline."""

    id: int
    skill: str
    kind: Kind
    approach: list[str] = Field(description="The skills on the way, at which it may have failed.")
    outcome: Outcome | None
    at: str | None
    corrected_from: Outcome | None
    refunded: bool
    by: str | None
    robot: str | None
    told: str | None
    notes: int


class Remark(BaseModel):
    """A note on the session or on one of its trials."""

    text: str
    trial: int | None
    by: str | None


class SkillRow(BaseModel):
    """A skill of the task, with its policy."""

    skill: str
    policy: str
    practisable: bool


class Paid(BaseModel):
    """Trials that were paid for."""

    trials: int
    units: int = Field(description="The budget units that they took.")


Brought = Literal["reached", "unreached", "other", "test", "training", "probe"]


class Overview(Course):
    """A session at a glance: everything in it belongs to the same moment, event ``events``."""

    left: int
    activity: Activity
    gate: Literal["never", "abort", "always"]
    until: str | None = Field(description="When the budget ends, if it is time.")
    spending: dict[str, dict[Brought, Paid]] = Field(
        description="Where the budget went: by policy, and by what its trials brought."
    )
    skills: list[SkillRow]
    bands: dict[str, tuple[float, float]] = Field(
        description="The band of each present competence; it holds 80 % of what is believed."
    )
    seconds_per_unit: float | None = Field(description="The present pace; None if not known yet.")
    open_trials: list[OpenTrial]
    marks: list[Mark] = Field(description="The last trials, in the order they were asked.")
    earlier: int = Field(description="Trials before these.")
    remarks: list[Remark]
    robots: list[RobotRow]
