"""The bodies of requests; unknown fields and values of other types are refused."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from deliberate_practice.foundation.checks import LARGEST_BUDGET, LARGEST_SEED, LONGEST_NAME
from deliberate_practice.practice.journal.rows import TRIAL_SECONDS
from deliberate_practice.practice.operating.operator import LONGEST_TEXT
from deliberate_practice.service.settings import Limits
from deliberate_practice.service.tokens import Role
from deliberate_practice.task.outcome import Outcome

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
Reason = Annotated[str, Field(max_length=LONGEST_TEXT)]
Count = Annotated[int, Field(ge=0, le=LARGEST_BUDGET)]
MOST_TOGETHER = 1_000
MOST_MEASUREMENTS = 1_000
MOST_EXECUTIONS = 10_000


class Body(BaseModel):
    """A request."""

    model_config = ConfigDict(extra="forbid", strict=True)


class By(Body):
    """Who does it."""

    by: Annotated[
        Name | None, Field(description="Who does this, for the record; by default the token.")
    ] = None


class NewSession(Body):
    """A session to start."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"name": "monday", "task": "breakfast", "budget": 60, "gate": "abort"}]
        }
    )

    name: Annotated[Name, Field(description="Its name, without a slash.", pattern=r"^[^/]+$")]
    task: Annotated[
        str,
        Field(
            min_length=1,
            max_length=Limits.body,
            description="The name of a domain, which may carry parameters, or the text of a task "
            "file (TOML). Files are never read.",
        ),
    ]
    budget: Annotated[Count, Field(description="Budget units.")]
    strategy: Name = "deliberate"
    belief: Name = "bayes"
    learner: Name = "cma-es"
    approach: Literal["execute", "free"] = "execute"
    seed: Annotated[int, Field(ge=0, le=LARGEST_SEED)] = 0
    gate: Annotated[
        Literal["never", "abort", "always"],
        Field(description="When a trial waits until somebody has said Ready."),
    ] = "abort"
    trial_seconds: Annotated[
        FiniteFloat,
        Field(ge=1, le=1e9, description="An open trial passes to another robot after this [s]."),
    ] = TRIAL_SECONDS
    robot: Annotated[
        Name | None,
        Field(
            description="A registered robot, e.g. mujoco: the session then has the parameters and "
            "priors of its scene. Leave it out for a robot of your own."
        ),
    ] = None


class Ask(Body):
    """A robot asks for a trial."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"robot": "left-arm", "wait": 30}]})

    robot: Annotated[
        Name,
        Field(
            description="The robot's name. A trial that it got and did not tell is offered again; "
            "two robots with one name would run the same trial."
        ),
    ]
    wait: Annotated[
        FiniteFloat,
        Field(ge=0, le=Limits.wait, description="Seconds to wait for a trial if there is none."),
    ] = 0.0
    evaluate: Annotated[
        Name | None, Field(description="A skill to run as deployed, which costs no budget.")
    ] = None
    takeover: Annotated[
        bool, Field(description="Take over an open trial of a robot that has given up.")
    ] = False
    probe: Annotated[
        bool, Field(description="Execute the whole present plan, to see how its skills compose.")
    ] = False


class AskTogether(Body):
    """A robot asks for trials that it runs side by side."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"robot": "sim", "most": 6}]})

    robot: Name
    most: Annotated[int, Field(ge=1, le=MOST_TOGETHER)]
    wait: Annotated[FiniteFloat, Field(ge=0, le=Limits.wait)] = 0.0


class Execution(Body):
    """A skill that was executed on the way."""

    skill: Name
    success: bool


class Label(Body):
    """The outcome of a trial."""

    outcome: Annotated[Outcome, Field(description="How the trial ended.")]
    at: Annotated[
        Name | None, Field(description="The skill at which the approach failed, for unreached.")
    ] = None
    score: Annotated[FiniteFloat | None, Field(description="Quality of the attempt.")] = None
    measurements: Annotated[
        dict[Name, FiniteFloat] | None,
        Field(max_length=MOST_MEASUREMENTS, description="Named numbers, e.g. a peak force."),
    ] = None
    executed: Annotated[
        list[Execution] | None,
        Field(
            max_length=MOST_EXECUTIONS,
            description="Every execution on the approach, in order, if some were repeated.",
        ),
    ] = None
    by: Annotated[Name | None, Field(description="Who labelled it.")] = None


class Tell(Label):
    """What happened in a trial."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"outcome": "success"},
                {"outcome": "failure", "score": 0.4, "measurements": {"peak_force": 31.5}},
                {"outcome": "unreached", "at": "PickBread"},
                {"outcome": "aborted", "note": "the gripper slipped"},
            ]
        }
    )

    robot: Annotated[
        Name | None, Field(description="The robot that ran it; by default the one that has it.")
    ] = None
    note: Annotated[Text | None, Field(description="A note on the trial, written once.")] = None
    version: Annotated[Name | None, Field(description="The name of what a training run made.")] = (
        None
    )
    seed: Annotated[
        int | None,
        Field(description="The trial's seed: a result of another trial is refused."),
    ] = None


class Correct(Label):
    """What really happened in a trial that was told wrongly."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"outcome": "failure"}]})


class Note(By):
    """A note."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"text": "new gripper pads"}]})

    text: Text


class Why(By):
    """A reason."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"why": "lunch"}]})

    why: Reason = ""


class Block(Why):
    """A skill that cannot be executed for now."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"skill": "StartToaster", "why": "the lever is broken"}]}
    )

    skill: Name


class Unblock(By):
    """A skill that can be executed again."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"skill": "StartToaster"}]})

    skill: Name


class Extend(Body):
    """More budget."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"budget": 20}]})

    budget: Annotated[int, Field(ge=1, le=LARGEST_BUDGET, description="Units to add.")]


class Reward(Body):
    """The reward of the robot's own plan, which it computed or measured by executions."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "spent": 60,
                    "goal": "toast",
                    "plan": ["PickBread", "PlaceBread", "StartToaster"],
                    "reward": 0.81,
                    "undiscounted": 0.83,
                    "interval": [0.7, 0.9],
                    "successes": [True, True, False],
                }
            ]
        }
    )

    spent: Annotated[Count, Field(description="Budget units spent on trials that were told.")]
    goal: Annotated[str | None, Field(max_length=Limits.body)]
    plan: Annotated[list[Name], Field(max_length=MOST_EXECUTIONS)]
    reward: FiniteFloat
    undiscounted: FiniteFloat
    interval: Annotated[list[FiniteFloat] | None, Field(min_length=2, max_length=2)] = None
    successes: Annotated[list[bool], Field(max_length=MOST_EXECUTIONS)] = []


class NewToken(Body):
    """A token to make."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"role": "robot", "name": "left-arm", "session": "monday"}]}
    )

    role: Role
    name: Name
    session: Annotated[
        Name | None, Field(description="The only session that it is for; for robots and readers.")
    ] = None
