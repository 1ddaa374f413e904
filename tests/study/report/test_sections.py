"""What a report says: every experiment by its own task, every row, and what is not proven."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deliberate_practice.charts.chart import Chart
from deliberate_practice.charts.palette import of_goals
from deliberate_practice.practice.domain import load_task
from deliberate_practice.study.engines import make_engine
from deliberate_practice.study.experiment import Experiment, Study, as_file_name
from deliberate_practice.study.report import possible as possible_module
from deliberate_practice.study.report.content import Section, Table
from deliberate_practice.study.report.possible import possible
from deliberate_practice.study.report.sections import all_sections
from deliberate_practice.study.report.write import write_report
from deliberate_practice.study.run_study import Finished, run_study
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill


def _experiment(name: str, budgets: list[int], task: Any = "breakfast", **rest: Any) -> Experiment:
    settings = {"strategies": ["random"], "seeds": 2, **rest}
    return Experiment(name, task, budgets, **settings)


def _run(*experiments: Experiment) -> list[Finished]:
    return run_study(Study("s", experiments), engine=make_engine(workers=1))


def _part(sections: list[Section], name: str) -> Any:
    (found,) = [part for one in sections for part in one.parts if part.name == name]
    return found


def test_every_experiment_is_on_the_frontier_of_its_own_task() -> None:
    slow, fast = _run(
        _experiment("slow", [20]), _experiment("fast", [20], parameters={"rate": 0.1})
    )
    (found,) = possible([slow, fast], 600).values()
    assert found.of(slow).stated.values[20] < 0.7 < 0.9 < found.of(fast).stated.values[20]
    stated = ["stated priors of slow", "stated priors of fast"]
    assert list(found.studies)[:2] == stated  # and those of physics, where there is a simulator
    sections = all_sections([slow, fast], None, 600)
    for name, low, high in (("slow", 0.6, 0.7), ("fast", 0.9, 1.9)):
        lines = [
            s for s in _part(sections, f"{name}-frontier").panels[0].series if s.kind == "line"
        ]
        values = {x: y for line in lines for x, y in zip(line.x, line.y, strict=True)}
        assert low < values[20] < high
    switches: Chart = _part(sections, "breakfast-possible-switches")
    assert [panel.title for panel in switches.panels][:2] == stated


def test_a_task_of_ones_own_is_not_taken_for_the_built_in_one_of_its_name() -> None:
    built_in = load_task("cleanup")
    richer = replace(built_in, goals=[replace(goal, reward=9.0) for goal in built_in.goals])
    (own,) = _run(_experiment("own", [20], richer))
    (found,) = possible([own], 600).values()
    assert list(found.studies) == ["stated priors"]


def test_a_goal_has_one_colour() -> None:
    """Also where plans are never made for one of them, or for the last one first."""
    task = load_task("breakfast")
    late = replace(task, goals=[replace(goal, reward=5.0) for goal in task.goals[::-1]])
    (found,) = _run(_experiment("late", [30], late))
    sections = all_sections([found], None, 600)
    looks = of_goals([goal.name for goal in late.goals])
    for name in ("late-frontier", "breakfast-possible-switches"):
        for series in _part(sections, name).panels[0].series:
            goal = series.name.removeprefix("frontier: ")
            assert goal not in looks or series.look == looks[goal]


def test_losses_do_not_depend_on_the_scale_of_rewards() -> None:
    task = load_task("breakfast")
    small = replace(task, goals=[replace(goal, reward=goal.reward / 100) for goal in task.goals])
    tables = []
    for stated in (replace(task, name="plain"), replace(small, name="plain")):
        (found,) = _run(_experiment("e", [30], stated))
        tables.append(_part(all_sections([found], None, 600), "plain-possible-switch-table").rows)
    assert tables[0] == tables[1]
    assert any("%" in row[-1] for row in tables[0])


def test_what_is_true_does_not_change_what_is_stated() -> None:
    stated, wrong = _run(_experiment("stated", [6]), _experiment("wrong", [6], truth={"rate": 0.5}))
    (found,) = possible([stated, wrong], 600).values()
    assert found.of(stated) == found.of(wrong) == found.studies["stated priors"]


def test_experiments_with_one_truth_share_a_column() -> None:
    finished = _run(
        _experiment("small", [6]),
        _experiment("large", [12]),
        _experiment("again", [12], seeds=3),
        _experiment("wrong", [6, 12], truth={"rate": 0.5}),
    )
    table: Table = _part(all_sections(finished, None, 600), "breakfast-execute-wrong-priors-table")
    assert table.columns[3:] == ["as stated", "rates × 1/2"]
    assert [row[2] for row in table.rows] == ["6", "12"]
    assert all("%" in cell for row in table.rows for cell in row[3:])
    three = [row for one in finished for row in one.rows if row.seeds == 3]
    assert three[0].fraction is not None
    assert table.rows[1][3] == f"{100 * three[0].fraction:.0f} %"


def test_tasks_of_one_name_are_not_mixed() -> None:
    """The same robot with two rates, each with a wrong prior: two sections."""
    other = {"parameters": {"rate": 0.1}}
    finished = _run(
        _experiment("a", [6]),
        _experiment("a-wrong", [6], truth={"rate": 0.5}),
        _experiment("b", [6], **other),
        _experiment("b-wrong", [6], **other, truth={"rate": 0.5}),
    )
    sections = all_sections(finished, None, 600)
    names = [part.name for one in sections for part in one.parts]
    assert len(set(names)) == len(names)
    titles = [one.title for one in sections if one.title.startswith("Wrong priors")]
    assert titles == [
        "Wrong priors: breakfast on curves, approach execute (a)",
        "Wrong priors: breakfast on curves, approach execute (b)",
    ]


def test_plans_of_a_general_task_are_not_called_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(possible_module, "FRONTIER_SECONDS", 0.2)
    learns = PiecewiseLinear(rate=0.05)
    go = Skill("Go", {"at": "a"}, {"at": "b"}, 0.2, failure={"at": "c"}, curve=learns)
    again = Skill("Again", {"at": "c"}, {"at": "b"}, 0.2, curve=learns)
    task = Task("general", {"at": ["a", "b", "c"]}, [Goal("b", 1.0, {"at": "b"})], [go, again])
    sections = all_sections(_run(_experiment("mine", [6], task, robot="regions")), None, 900)
    assert any("Not proven" in text for text in sections[-1].text)
    switches: Chart = _part(sections, "general-possible-switches")
    assert [panel.title for panel in switches.panels] == ["stated priors (not proven)"]
    assert "general-possible-loss" not in [part.name for part in sections[-1].parts]
    assert all(
        "best known" in s.name for s in _part(sections, "mine-frontier").panels[0].series[:-1]
    )


def test_any_name_of_a_task_makes_files(tmp_path: Path) -> None:
    task = replace(load_task("counterexample"), name="a/b: c")
    run_study(Study("s", [_experiment("one", [5], task, seeds=1)]), tmp_path)
    write_report(tmp_path)
    assert (tmp_path / "figures" / f"{as_file_name(task.name)}-possible-switches.pdf").is_file()
