"""The chart of a session: what was believed, and what was measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from deliberate_practice.charts.write import write_chart
from deliberate_practice.practice.loop import practise
from deliberate_practice.practice.session import Session
from deliberate_practice.practice.showing.session_chart import session_chart
from deliberate_practice.robots.regions import RegionRobot

Start = Callable[..., Session]


def test_a_session_that_has_not_begun_is_drawn(start: Start, tmp_path: Path) -> None:
    chart = session_chart(start(20))
    assert [list(panel.series) == [] for panel in chart.panels] == [True, False]
    write_chart(chart, tmp_path / "empty.svg")


def test_lines_end_where_beliefs_are_now(start: Start, tmp_path: Path) -> None:
    session = start(20)
    practise(session, RegionRobot(session.task))
    chart = session_chart(session)
    skills, reward = chart.panels
    practised = {record.policy for record in session.trials()}
    assert {series.name for series in skills.series} == practised
    for series in skills.series:
        assert list(series.x) == sorted(series.x)
        assert (series.x[0], series.x[-1]) == (0, session.state.spent)
        assert series.y[-1] == session.state.competences[series.name]
    assert reward.series[0].x == skills.series[0].x
    write_chart(chart, tmp_path / "all.svg")
    assert all(policy in (tmp_path / "all.svg").read_text() for policy in practised)
