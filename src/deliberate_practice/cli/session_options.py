"""Options that the commands on sessions share, and what they report."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from deliberate_practice.practice.session import Session

Command = TypeVar("Command", bound=Callable[..., Any])

DB = Path("deliberate.db")


class JournalFile(click.ParamType[Path]):
    """A file that the journal itself checks, whatever is there."""

    name = "file"

    def convert(
        self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        """The path as it was given."""
        return Path(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        """Names of files."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


db_option = click.option(
    "--db",
    type=JournalFile(),
    default=DB,
    help="The journal that holds the sessions (deliberate.db in this folder).",
)

format_option = click.option(
    "--format",
    "output",
    type=click.Choice(["table", "json"]),
    default="table",
    help="A table for people (default) or one JSON object for programs.",
)

name_argument = click.argument("name")


def journal_option(db: Path) -> str:
    """The end of a proposed command: which journal, unless it is the default one."""
    return "" if db == DB else f" --db {shlex.quote(str(db))}"


def session_options(command: Command) -> Command:
    """NAME, the journal and the output format."""
    for decorate in (format_option, db_option, name_argument):
        command = decorate(command)
    return command


def choice_options(command: Command) -> Command:
    """How a new session decides."""
    for decorate in (
        click.option("--seed", type=int, default=0, help="For everything random (0)."),
        click.option(
            "--approach",
            type=click.Choice(["execute", "free"]),
            default="execute",
            help="Execute the skills that lead to a precondition (default), or be put there.",
        ),
        click.option(
            "--belief",
            default="bayes",
            metavar="[bayes|running-average]",
            help="What outcomes say about a skill (bayes).",
        ),
        click.option("--strategy", default="deliberate", help="Which skill is next (deliberate)."),
    ):
        command = decorate(command)
    return command


def summary(session: Session) -> dict[str, object]:
    """What a session was, spent and reached; rewards where they are known or were measured."""
    from deliberate_practice.practice.evaluation import intention

    state, settings = session.state, session.settings
    now = intention(session.ground, state.competences)
    before, after = _rewards(session)
    return {
        "name": session.name,
        "task": session.task.name,
        "robot": settings.robot,
        "strategy": settings.strategy,
        "belief": settings.belief,
        "approach": settings.approach,
        "seed": settings.seed,
        "budget": state.ledger.budget,
        "spent": state.spent,
        "goal": now.goal,
        "plan": list(now.plan),
        "allocation": state.allocation,
        "competence": state.competences,
        "deployed": {name: values for name, values in state.all_deployed.items() if values},
        "expected_reward": now.value,
        "why": _last_reason(session),
        "reward_before": before,
        "reward_after": after,
        "measured": [
            {"spent": e.spent, "goal": e.goal, "executions": len(e.rewards), "reward": e.mean}
            for e in state.executions
        ],
        "largest": _largest(session),
        "seconds": state.elapsed.total_seconds(),
    }


def _last_reason(session: Session) -> dict[str, object] | None:
    """What spoke for the last decision."""
    decisions = session.state.decisions
    return {"policy": decisions[-1].policy, **decisions[-1].why} if decisions else None


def _largest(session: Session) -> dict[str, float]:
    """The largest value of everything that was measured in trials, such as a force."""
    largest: dict[str, float] = {}
    for record in session.state.records.values():
        for name, value in (record.result.measurements if record.result else {}).items():
            largest[name] = max(value, largest.get(name, value))
    return largest


def _rewards(session: Session) -> tuple[float | None, float | None]:
    """Before and after practice: exact where the robot's truth is known, else as measured."""
    from deliberate_practice.domains.robots import SYNTHETIC, make_robot
    from deliberate_practice.practice.evaluation import KnownRobot, exact_reward

    state, settings = session.state, session.settings
    if settings.robot not in SYNTHETIC:
        measured = {executed.spent: executed.mean for executed in state.executions}
        return measured.get(0), measured.get(state.spent) if state.spent else None
    robot = make_robot(settings.robot, session.task, settings.seed)
    assert isinstance(robot, KnownRobot)  # as all synthetic ones
    return (
        exact_reward(session.ground, robot, session.beginning()),
        exact_reward(session.ground, robot, state),
    )


def ledger(session: Session) -> dict[str, object]:
    """Where a session's budget stands."""
    state = session.state
    return {
        "name": session.name,
        "budget": state.ledger.budget,
        "spent": state.spent,
        "left": state.left,
    }
