"""A picture of a session: what was believed about each skill as practice went on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deliberate_practice.allocation.figure import COLOURS, check_format
from deliberate_practice.foundation.markup import text_in_figure
from deliberate_practice.practice.events import Decided
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.session import Session

DASHES = ("-", "--", ":")


def plot_learning(session: Session, path: str | Path) -> None:
    """Draw believed competence by skill, and expected reward, against budget spent; save it.

    Args:
        session: What to draw.
        path: Where to; the ending says the format (png, pdf, svg).
    """
    from matplotlib.figure import Figure  # slow to import

    check_format(path)
    spent: list[int] = []
    rewards: list[float] = []
    competences: list[dict[str, float]] = []
    for state in _moments(session):
        spent.append(state.spent)
        competences.append(state.competences)
        rewards.append(intention(session.ground, state).value)
    practised = {record.policy for record in session.trials() if record.counted}
    figure = Figure(figsize=(7.6, 5.2), layout="constrained")
    top, below = figure.subplots(2, 1, sharex=True, height_ratios=[2, 1])
    for i, name in enumerate(name for name in session.task.policies if name in practised):
        top.plot(
            spent,
            [moment[name] for moment in competences],
            color=COLOURS[i % len(COLOURS)],
            linestyle=DASHES[i // len(COLOURS) % len(DASHES)],
            linewidth=1.8,
            label=text_in_figure(name),
        )
    top.set_ylim(-0.02, 1.02)
    top.set_ylabel("believed competence")
    title = f"{session.name}: {session.task.name}, {session.settings.strategy}"
    top.set_title(text_in_figure(title))
    if practised:
        top.legend(
            title="skill", frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0)
        )
    below.plot(spent, rewards, color="0.2", linewidth=1.8, label="believed")
    measured = session.state.executions
    if measured:
        points = [[executed.spent for executed in measured], [e.earnings.reward for e in measured]]
        below.plot(*points, "o", color=COLOURS[0], label="measured", clip_on=False)
        below.legend(frameon=False, fontsize=8, loc="upper left")
    below.set_ylim(bottom=0)
    below.set_ylabel("reward" if measured else "expected reward")
    below.set_xlabel("budget spent")
    for axes in (top, below):
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0)
    figure.savefig(path, dpi=160)


def _moments(session: Session) -> Iterator[State]:
    """The state at the start, at every decision, and now."""
    yield session.beginning()
    for event, state in session.history():
        if isinstance(event, Decided):
            yield state
    yield session.state
