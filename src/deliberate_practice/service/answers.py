"""The bodies of answers, for the description of the service."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from deliberate_practice.service.tokens import Role
from deliberate_practice.task.outcome import Outcome

Mode = Literal["explore", "deploy", "demonstrate", "train"]
Kind = Literal["practice", "training", "test", "evaluation", "probe"]


class Fault(BaseModel):
    """Why a request was refused."""

    error: str = Field(examples=["there is no session 'monday'."])


class Health(BaseModel):
    """The service runs."""

    status: Literal["ok"]
    version: str


class Budget(BaseModel):
    """The budget of a session."""

    name: str
    budget: int
    spent: int
    left: int


class Step(BaseModel):
    """A skill to execute."""

    skill: str
    parameters: dict[str, float]
    practised: int


class RouteStep(Step):
    """A step of a route, and what to do after its failure."""

    on_failure: Literal["end", "retry", "continue"]


class RuleStep(Step):
    """The step to execute in a state."""

    when: dict[str, str]


class Approach(BaseModel):
    """How the robot gets to where the skill begins."""

    route: list[RouteStep]
    rule: list[RuleStep]
    limit: int


class Trial(BaseModel):
    """A trial to run."""

    id: int
    skill: str
    policy: str
    mode: Mode
    kind: Kind
    counted: bool
    parameters: dict[str, float]
    approach: Approach
    start: dict[str, str] = {}
    precondition: dict[str, list[str]]
    termination: dict[str, dict[str, float]]
    practised: int
    seed: int
    instruction: str = Field("", description="What a person does, if it is trained elsewhere.")
    reason: str = Field(description="Why it is run, in one sentence.")
    why: dict[str, Any]


class TrialToRun(Trial, Budget):
    """A trial to run, and the budget of its session."""


class NoTrial(Budget):
    """Why there is no trial: to wait, paused, or done."""

    id: None
    state: Literal["wait", "paused", "done"]
    reason: str
    trial: int | None = Field(description="The trial that waits until somebody says Ready.")
    open: int = Field(description="Trials of all robots that were asked and not told.")
    events: int = Field(description="The number of the journal's last event.")


class TrialsTogether(Budget):
    """Trials to run side by side; none, with the reason."""

    trials: list[Trial]
    state: Literal["wait", "paused", "done"] | None
    reason: str | None
    trial: int | None
    open: int
    events: int


class Done(Budget):
    """The budget after something was done; with the trial, the skill or the label."""

    id: int | None = None
    outcome: Outcome | None = None
    skill: str | None = None


class Executed(BaseModel):
    """A skill that was executed on the way."""

    skill: str
    success: bool


class ToldTrial(BaseModel):
    """A trial with everything that was told about it."""

    id: int
    skill: str
    policy: str
    mode: Mode
    kind: Kind
    counted: bool
    outcome: Outcome | None
    at: str | None
    parameters: dict[str, float]
    approach: list[str]
    start: dict[str, str] = {}
    executed: list[Executed] | None
    score: float | None
    measurements: dict[str, float]
    refunded: bool
    seed: int
    why: dict[str, Any]
    corrected_from: Outcome | None = None
    by: str | None = None
    version: str | None = None
    notes: list[str] = []
    asked: str | None = None
    told: str | None = None


class Trials(BaseModel):
    """Trials in the order they were asked."""

    trials: list[ToldTrial]
    total: int


class Reason(BaseModel):
    """Why a trial is run."""

    name: str
    id: int
    reason: str = Field(description="One sentence.")


class SessionRow(BaseModel):
    """A session in a list."""

    name: str
    task: str
    robot: str | None
    strategy: str
    belief: str
    seed: int
    budget: int
    spent: int
    trials: int
    open: int
    state: Literal["active", "paused", "ended", "archived"]
    created: str


Activity = Literal["practising", "waits-for-ready", "waits-for-robot", "paused", "done"]


class ListedSession(SessionRow):
    """A session in the list of all sessions, with what happens in it now."""

    left: int
    until: str | None = Field(description="When the budget ends, if it is time.")
    activity: Activity
    goal: str | None = Field(description="The goal that the rest of the budget is spent on.")
    practises: list[str] = Field(description="Skills of the open trials, or of the last decision.")


class Sessions(BaseModel):
    """All sessions, oldest first; those that cannot be read, with the reason."""

    sessions: list[ListedSession]
    faults: list[str]


class StartPath(BaseModel):
    """The plan from one start."""

    task: str | None = None
    start: dict[str, str] | None = None
    probability: float
    goal: str | None
    plan: list[str]
    failing: list[int]


class Measured(BaseModel):
    """A measurement of the reward of the robot's own plan."""

    spent: int
    goal: str | None
    reward: float
    undiscounted: float
    ci95: list[float] | None
    executions: int | None


class Growth(BaseModel):
    """A policy now, and after the share of the budget that it will get."""

    now: float
    after: float
    low: float
    high: float
    attempts: int


class Forecast(BaseModel):
    """What the robot is worth now, and what it will be worth when the budget is spent."""

    now: float
    value: float
    low: float = Field(description="The band from low to high holds 80 % of what is believed.")
    high: float
    goal: str | None
    plan: list[str]
    left: int
    policies: dict[str, Growth]
    gaps: list[dict[str, str | float]] = Field(description="The points that each pair loses.")


class Course(BaseModel):
    """The course of a session, without its trials."""

    name: str
    task: str
    robot: str | None
    strategy: str
    belief: str
    learner: str
    approach: str
    seed: int
    budget: int
    spent: int
    settled: int = Field(description="Budget units spent on trials that were told.")
    events: int = Field(description="The number of the last event in the journal.")
    goal: str | None
    plan: list[str]
    plans: list[StartPath] = []
    allocation: dict[str, int]
    tests: dict[str, int]
    practice_episodes: int
    test_episodes: int
    skill_executions: int
    attempts: dict[str, int]
    competence: dict[str, float]
    deployed: dict[str, dict[str, float]]
    units: dict[str, dict[str, str]]
    probes: int
    losses: dict[str, Any] = Field(description="What skills keep right after others.")
    expected_reward: float
    why: dict[str, Any] | None
    reason: str | None = Field(description="Why the last decision was made, in one sentence.")
    forecast: Forecast
    unreached: dict[str, int]
    reward_before: float | None
    reward_after: float | None
    measured: list[Measured]
    largest: dict[str, float]
    warnings: list[str]
    open: int
    state: Literal["active", "paused", "ended", "archived"]
    blocked: dict[str, str]
    notes: list[str]
    seconds: float


class ShownSession(Course):
    """The course of a session: what ``deliberate show --format json`` prints, and a little more."""

    trials: list[ToldTrial]


class Settings(BaseModel):
    """What a session was started with."""

    budget: int
    strategy: str
    belief: str
    learner: str
    seed: int
    approach: str
    robot: str | None
    scene: str
    trial_seconds: float
    gate: Literal["never", "abort", "always"]
    until: str | None
    sinks: list[str]


class TaskText(BaseModel):
    """The task of a session as TOML, and the session's settings."""

    name: str
    task: str
    settings: Settings


class RobotRow(BaseModel):
    """A robot of a session."""

    name: str
    open: list[int] = Field(description="Its open trials; usually one or none.")
    trials: int = Field(description="Trials that it told.")
    outcomes: dict[Outcome, int]
    success_rate: float | None = Field(description="Successes among attempts at a precondition.")
    waits_for_ready: bool
    last_seen: str | None


class Robots(BaseModel):
    """The robots of a session, by name."""

    robots: list[RobotRow]


class TokenRow(BaseModel):
    """A token without its secret."""

    id: str
    name: str
    role: Role
    session: str | None
    created: str
    revoked: str | None


class Tokens(BaseModel):
    """All tokens, oldest first."""

    tokens: list[TokenRow]


class MadeToken(TokenRow):
    """A new token; its text is shown this once."""

    token: str


class RequestRow(BaseModel):
    """A request in the record."""

    number: int
    time: str
    token: str | None
    name: str | None
    address: str
    method: str
    path: str
    status: int


class Requests(BaseModel):
    """The last requests that changed something or were refused, newest first."""

    requests: list[RequestRow]


class JournalEvent(BaseModel):
    """The data of a message in a stream: one event of the journal."""

    session: str
    number: int
    kind: str
    time: str
    data: dict[str, Any]
