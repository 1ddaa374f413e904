"""Progress on stderr: a live display in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from deliberate_practice.cli.heartbeat import Heartbeat
from deliberate_practice.cli.output import console, figure

if TYPE_CHECKING:
    from rich.console import Console, Group

    from deliberate_practice.cli.bar import Bar
    from deliberate_practice.practice.loop import Progress
    from deliberate_practice.practice.session import Session
    from deliberate_practice.practice.trial import Result, Trial

REDRAW_SECONDS = 0.15
BAR_WIDTH = 24


def watched(
    work: str, items: str = "", count: int | None = None, *, done: int = 0
) -> Bar | Heartbeat:
    """Show how far some work is, in a ``with`` statement: a bar in a terminal, lines elsewhere.

    Args:
        work: What is done, e.g. ``comparing``.
        items: Plural of the items that are counted, e.g. ``sessions``.
        count: Items in all; None until they are known, and where nothing is counted.
        done: Items that are finished beforehand, and took no time.
    """
    screen = console(err=True)
    if not _live(screen):
        return Heartbeat(work, items, count, done=done)
    from deliberate_practice.cli.bar import Bar

    return Bar(screen, work, items, count, done=done)


@contextmanager
def live_progress(session: Session) -> Iterator[Progress]:
    """Show how a session goes on; gives what to call after every trial."""
    screen = console(err=True)
    if not _live(screen):
        with _heartbeat(session) as progress:
            yield progress
        return
    from rich.live import Live

    drawn = 0.0
    with Live(console=screen, transient=True, auto_refresh=False) as live:

        def draw(session: Session, trial: Trial, result: Result) -> None:
            nonlocal drawn
            if time.monotonic() - drawn > REDRAW_SECONDS:
                live.update(_picture(session, trial), refresh=True)
                drawn = time.monotonic()

        yield draw


def _live(screen: Console) -> bool:
    """Whether a display can be drawn anew: not in a file, a pipe or a dumb terminal."""
    return screen.is_interactive and screen.file.isatty()


@contextmanager
def _heartbeat(session: Session) -> Iterator[Progress]:
    """Lines with the last trial; only practice of this run counts for the time left."""
    budget, before = session.state.ledger.budget, session.state.settled
    with Heartbeat("practising", "units", budget, done=before) as heartbeat:

        def tell(session: Session, trial: Trial, result: Result) -> None:
            settled = session.state.settled
            part = (settled - before) / max(budget - before, 1)
            heartbeat.update(settled, budget, part, lambda: _last(session, trial, result))

        yield tell


def _last(session: Session, trial: Trial, result: Result) -> str:
    competence = session.state.competences[trial.policy]
    return (
        f"{trial.skill} {result.outcome}, competence {figure(competence)}, "
        f"expected reward {figure(_expected(session))}"
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
