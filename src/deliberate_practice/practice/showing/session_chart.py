"""A chart of a session: what was believed about each skill as practice went on."""

from __future__ import annotations

from collections.abc import Iterator

from deliberate_practice.charts.chart import Chart, Look, Panel, Series
from deliberate_practice.charts.palette import GREY, of_lines
from deliberate_practice.practice.intention import intention
from deliberate_practice.practice.journal.events import Decided
from deliberate_practice.practice.replay import State
from deliberate_practice.practice.session import Session


def session_chart(session: Session) -> Chart:
    """Believed competence by skill, and reward, against the budget spent."""
    moments = [
        (state.spent, state.competences, intention(session.ground, state).value)
        for state in _moments(session)
    ]
    spent, competences, rewards = zip(*moments, strict=True)
    names = list(session.state.allocation)
    skills = [
        Series(name, spent, [moment[name] for moment in competences], look=look)
        for name, look in of_lines(names).items()
    ]
    reward = [Series("reward, believed", spent, rewards, look=Look(GREY))]
    measured = session.state.executions
    if measured:
        reward.append(
            Series(
                "reward, measured",
                [executed.spent for executed in measured],
                [executed.earnings.reward for executed in measured],
                "points",
                look=Look("#000000", marker="circle"),
            )
        )
    label = "reward" if measured else "expected reward"
    return Chart(
        f"{session.name}: {session.task.name}, {session.settings.strategy}",
        "Above: believed competence of each practised skill against the budget spent. Below: "
        "reward of what the robot would do, as believed, and as measured where it was.",
        [
            Panel("", skills, y_label="believed competence", limits=(0, 1.02), height=1.25),
            Panel("", reward, y_label=label, limits=(0, None), height=0.65),
        ],
        "budget spent [units]",
    )


def _moments(session: Session) -> Iterator[State]:
    """The state at the start, at every decision, and now."""
    yield session.beginning()
    for event, state in session.history():
        if isinstance(event, Decided):
            yield state
    yield session.state
