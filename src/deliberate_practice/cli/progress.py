"""Live progress of a run on stderr: a picture in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from deliberate_practice.cli.output import console, figure

if TYPE_CHECKING:
    from rich.console import Group

    from deliberate_practice.practice.loop import Progress
    from deliberate_practice.practice.session import Session
    from deliberate_practice.practice.trial import Result, Trial

REDRAW_SECONDS = 0.15
BAR_WIDTH = 24


@contextmanager
def live_progress(session: Session) -> Iterator[Progress]:
    """Show how a session goes on; gives what to call after every trial."""
    out = console(err=True)
    if not out.is_terminal:
        yield _plain_lines
        return
    from rich.live import Live

    drawn = 0.0
    with Live(console=out, transient=True, auto_refresh=False) as live:

        def draw(session: Session, trial: Trial, result: Result) -> None:
            nonlocal drawn
            if time.monotonic() - drawn > REDRAW_SECONDS:
                live.update(_picture(session, trial), refresh=True)
                drawn = time.monotonic()

        yield draw


def _plain_lines(session: Session, trial: Trial, result: Result) -> None:
    """A line for every tenth of the budget."""
    state = session.state
    budget = max(state.ledger.budget, 1)
    cost = session.task.policies[trial.policy].cost
    if state.settled * 10 // budget == (state.settled - cost) * 10 // budget:
        return
    out = console(err=True)
    out.print(
        f"{state.settled}/{state.ledger.budget} {trial.skill} {result.outcome}, "
        f"competence {figure(state.competences[trial.policy])}, "
        f"expected reward {figure(_expected(session))}",
        soft_wrap=True,
    )


def _picture(session: Session, trial: Trial) -> Group:
    """Budget bar, current skill, expected reward, and a bar of competence for each skill."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    state = session.state
    head = Table.grid(padding=(0, 2))
    head.add_row(
        ProgressBar(max(state.ledger.budget, 1), state.settled, width=BAR_WIDTH),
        f"{state.settled} of {state.ledger.budget}",
        Text(trial.skill, style="bold"),
        f"expected reward {figure(_expected(session))}",
    )
    skills = Table.grid(padding=(0, 2))
    competences = state.competences
    for name, policy in session.task.policies.items():
        if policy.practisable:
            skills.add_row(
                Text(name, style="bold" if name == trial.policy else ""),
                ProgressBar(1.0, competences[name], width=BAR_WIDTH),
                f"{competences[name]:.2f}",
                f"{state.attempts[name]} attempts",
            )
    return Group(head, skills)


def _expected(session: Session) -> float:
    from deliberate_practice.practice.evaluation import intention

    return intention(session.ground, session.state.competences).value
