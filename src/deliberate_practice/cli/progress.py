"""Progress on stderr: a live display in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from deliberate_practice.cli.heartbeat import Heartbeat
from deliberate_practice.cli.output import console, figure

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.live import Live

    from deliberate_practice.cli.bar import Bar
    from deliberate_practice.practice.robot import Result, Trial
    from deliberate_practice.practice.session import Session

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
    if not _is_live(screen):
        return Heartbeat(work, items, count, done=done)
    from deliberate_practice.cli.bar import Bar

    return Bar(screen, work, items, count, done=done)


class LiveProgress:
    """Shows how a session goes on, in a ``with`` statement: call it after every trial.

    Args:
        session: What is practised; only what it spends from now on counts for the time left.
    """

    def __init__(self, session: Session) -> None:
        self._budget, self._before = session.state.ledger.budget, session.state.settled
        self._drawn = 0.0
        self._shown: Heartbeat | Live = Heartbeat(
            "practising", "units", self._budget, done=self._before
        )
        screen = console(err=True)
        if _is_live(screen):
            from rich.live import Live

            self._shown = Live(console=screen, transient=True, auto_refresh=False)

    def __enter__(self) -> LiveProgress:
        self._shown.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._shown.__exit__(*error)

    def __call__(self, session: Session, trial: Trial, result: Result) -> None:
        """Show what became of a trial."""
        if isinstance(self._shown, Heartbeat):
            settled = session.state.settled
            part = (settled - self._before) / max(self._budget - self._before, 1)
            self._shown.update(settled, self._budget, part, lambda: _last(session, trial, result))
        elif time.monotonic() - self._drawn > REDRAW_SECONDS:
            self._shown.update(_picture(session, trial), refresh=True)
            self._drawn = time.monotonic()


def _is_live(screen: Console) -> bool:
    """Whether a display can be drawn anew: not in a file, a pipe or a dumb terminal."""
    return screen.is_interactive and screen.file.isatty()


def _last(session: Session, trial: Trial, result: Result) -> str:
    competence = session.state.competences[session.task.skill(trial.skill).policy]
    return (
        f"{_named(session, trial)} {result.outcome}, competence {figure(competence)}, "
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
        Text(_named(session, trial), style="bold"),
        f"expected reward {figure(_expected(session))}",
    )
    skills = Table.grid(padding=(0, 2))
    competences, now = state.competences, session.task.skill(trial.skill).policy
    for name, policy in session.task.policies.items():
        if policy.practisable:
            skills.add_row(
                Text(name, style="bold" if name == now else ""),
                ProgressBar(1.0, competences[name], width=BAR_WIDTH),
                f"{competences[name]:.2f}",
                f"{state.attempts[name]} attempts",
            )
    return Group(head, skills)


def _named(session: Session, trial: Trial) -> str:
    """The skill of a trial; a test is called one."""
    test = session.state.records[trial.id].kind == "test"
    return f"{trial.skill} (test)" if test else trial.skill


def _expected(session: Session) -> float:
    from deliberate_practice.practice.intention import intention

    return intention(session.ground, session.state).value
