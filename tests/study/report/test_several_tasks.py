"""Reports on several tasks: an aim is a goal for each of them."""

from __future__ import annotations

from deliberate_practice.charts.chart import Chart
from deliberate_practice.study.aims import aims
from deliberate_practice.study.engines import make_engine
from deliberate_practice.study.experiment import Experiment, Study
from deliberate_practice.study.report.content import Table
from deliberate_practice.study.report.page import page
from deliberate_practice.study.report.sections import all_sections
from deliberate_practice.study.run_study import run_study
from deliberate_practice.task.curves import Table as TableCurve
from deliberate_practice.task.model import Goal, ServedTask, Task
from deliberate_practice.task.skill import Skill

CUPS = Task(
    "cups",
    {"cup": ["shelf", "tray", "sink"]},
    skills=[
        Skill("Serve", {"cup": "shelf"}, {"cup": "tray"}, curve=TableCurve([0.4, 0.6, 0.7, 0.8])),
        Skill("Wash", {"cup": "shelf"}, {"cup": "sink"}, curve=TableCurve([0.1, 0.2, 0.3, 0.9])),
    ],
    tasks=[
        ServedTask("serve", [Goal("tray", 1.0, {"cup": "tray"})]),
        ServedTask(
            "wash", [Goal("sink", 1.0, {"cup": "sink"}), Goal("tray", 0.5, {"cup": "tray"})]
        ),
    ],
)
EARLY, LATE = "serve: tray and wash: tray", "serve: tray and wash: sink"


def test_a_report_shows_the_goal_of_each_task() -> None:
    experiment = Experiment("cups", CUPS, [2, 6], strategies=("deliberate", "random"), seeds=2)
    (one,) = run_study(Study("several", [experiment]), engine=make_engine(workers=1))
    assert {goal for row in one.rows for goal in row.goals} <= {EARLY, LATE}
    sections = all_sections([one], None, 3600)
    text = page("Study several", sections)
    assert EARLY in text
    assert LATE in text
    parts = {part.name: part for section in sections for part in section.parts}
    stated = parts["cups-possible-switch-table"]
    assert isinstance(stated, Table)
    assert f"{EARLY} from 0, {LATE} from 3" in stated.rows[0]
    switches = parts["cups-possible-switches"]
    assert isinstance(switches, Chart)
    assert {series.name for series in switches.panels[0].series} == {EARLY, LATE}
    choices = parts["cups-choice"]
    assert isinstance(choices, Chart)
    for panel in choices.panels:  # every session is counted under some aim
        tops = dict.fromkeys(("deliberate", "random"), 0.0)
        for series in panel.series:
            for strategy, height in zip(series.x, series.y, strict=True):
                tops[str(strategy)] += height
        assert set(tops.values()) == {1.0}


def test_the_aims_of_one_task_are_its_goals_and_those_of_several_what_was_chosen() -> None:
    alone = Task("cups", CUPS.variables, CUPS.tasks[1].goals, CUPS.skills)
    assert aims(alone, ["tray", None]) == ["sink", "tray"]
    assert aims(CUPS, [LATE, None, EARLY, LATE]) == [LATE, EARLY]
