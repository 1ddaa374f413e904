"""Progress on stderr: a live display in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from deliberate_practice.cli.heartbeat import Heartbeat
from deliberate_practice.cli.output import arrows, console, figure

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.live import Live

    from deliberate_practice.cli.bar import Bar
    from deliberate_practice.practice.robot import Result, Trial
    from deliberate_practice.practice.session import Session

REDRAW_SECONDS = 0.15
BAR_WIDTH = 24
SKILL_ROWS = 16
GAP_ROWS = 2
"""Skills that are shown: with plan, budget and reason, which may take two rows each, 24 rows."""


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
        from deliberate_practice.practice.showing.reasons import in_seconds

        self._budget, self._before = session.state.ledger.budget, session.state.settled
        self._drawn = 0.0
        units = "seconds" if in_seconds(session.state) else "units"
        self._shown: Heartbeat | Live = Heartbeat(
            "practising", units, self._budget, done=self._before
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
    """The plan, the budget, what is practised and why, the forecast, and the skills' competence.

    It fits a terminal of 24 rows: the skills that do not fit are left out, those of the plan last.
    """
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    from deliberate_practice.practice.intention import intention

    state = session.state
    aim = intention(session.ground, state)
    ahead = session.forecast()
    head = Table.grid(padding=(0, 2))
    head.add_row(
        ProgressBar(max(state.ledger.budget, 1), state.settled, width=BAR_WIDTH),
        f"{state.settled} of {state.ledger.budget}",
        f"expected reward {figure(aim.value)}, at the end {figure(ahead.value)} "
        f"({figure(ahead.low)} to {figure(ahead.high)})",
    )
    skills = Table.grid(padding=(0, 2))
    competences, now = state.competences, session.task.skill(trial.skill).policy
    for name in _shown(session, [now, *(session.task.skill(skill).policy for skill in aim.skills)]):
        skills.add_row(
            Text(name, style="bold" if name == now else ""),
            ProgressBar(1.0, competences[name], width=BAR_WIDTH),
            f"{competences[name]:.2f}",
            f"{state.attempts[name]} attempts",
        )
    return Group(
        Text(f"{aim.goal or 'nothing yet'}: {arrows(aim.skills, aim.goal)}", style="bold"),
        head,
        Text(session.why(trial.id), style="dim"),
        skills,
        *(Text(loss.text, style="dim") for loss in ahead.gaps[:GAP_ROWS]),
    )


def _shown(session: Session, first: list[str]) -> list[str]:
    """The practised policies that fit, in file order: those of the plan before others."""
    practised = [name for name, one in session.task.policies.items() if one.practisable]
    ranked = sorted(practised, key=lambda name: (name not in first, -session.state.attempts[name]))
    kept = set(ranked[:SKILL_ROWS])
    return [name for name in practised if name in kept]


def _named(session: Session, trial: Trial) -> str:
    """The skill of a trial; a test is called one, and a probe is one of the whole plan."""
    kind = session.state.records[trial.id].kind
    if kind == "probe":
        return "the whole plan"
    return f"{trial.skill} (test)" if kind == "test" else trial.skill


def _expected(session: Session) -> float:
    from deliberate_practice.practice.intention import intention

    return intention(session.ground, session.state).value
