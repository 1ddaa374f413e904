"""Several tasks, or several starts of one, on the command line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command import Run

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "two_tasks.toml", tmp_path / "cups.toml")
    shutil.copy(ROOT / "tests" / "golden" / "mending.toml", tmp_path / "mending.toml")


def test_check_describes_each_task(run: Run) -> None:
    data = run("check cups.toml --format json").data
    assert data["goals"] == ["serve: tray", "tidy: shelf", "tidy: tray"]
    assert data["starts"] == 3
    assert data["tasks"] == [
        {
            "name": "serve",
            "weight": 3.0,
            "starts": 1,
            "goals": ["tray"],
            "reachable": ["tray"],
        },
        {
            "name": "tidy",
            "weight": 1.0,
            "starts": 2,
            "goals": ["shelf", "tray"],
            "reachable": ["shelf", "tray"],
        },
    ]
    assert data["warnings"] == []
    printed = run("check cups.toml").out
    assert "serve (75 %): tray (1); 1 start" in printed
    assert "tidy (25 %): shelf (2), tray (0.5); 2 starts" in printed
    assert "tasks" not in run("check mending.toml --format json").data


def test_a_written_task_file_is_the_same_task(run: Run, tmp_path: Path) -> None:
    assert run("check cups.toml --write-task again.toml").status == 0
    assert run("check again.toml --write-task third.toml").status == 0
    assert (tmp_path / "again.toml").read_bytes() == (tmp_path / "third.toml").read_bytes()


def test_a_task_without_a_reachable_goal_is_a_warning_and_none_at_all_an_error(
    run: Run, tmp_path: Path
) -> None:
    text = (tmp_path / "cups.toml").read_text()
    one = text.replace('when = { cup = "tray" }', 'when = { cup = "moon" }', 1)
    one = one.replace('"hand", "tray"]', '"hand", "tray", "moon"]')
    (tmp_path / "one.toml").write_text(one)
    data = run("check one.toml --format json").data
    assert [task["reachable"] for task in data["tasks"]] == [[], ["shelf", "tray"]]
    assert data["warnings"][:2] == [
        "task 'serve' earns nothing: none of its goals can be reached from its starts",
        "goal 'serve: tray' can never be reached",
    ]
    notes = run("allocate one.toml --budget 5 --solver local --format json").data["notes"]
    assert data["warnings"][0] in notes
    assert f"deliberate: warning: {data['warnings'][0]}.\n" in run("run one.toml --budget 1").err
    none = one.replace('{ cup = "shelf" }\n\n[[tasks.goals]]', '{ cup = "moon" }\n[[tasks.goals]]')
    none = none.replace('when = { cup = "tray" }', 'when = { cup = "moon" }')
    (tmp_path / "none.toml").write_text(none)
    refused = run("check none.toml")
    assert (refused.status, refused.out) == (2, "")
    assert "none.toml: goals: no goal can be reached from the start" in refused.err
    assert "'serve: tray', 'tidy: shelf', 'tidy: tray'" in refused.err


def test_allocate_has_a_plan_for_each_start(run: Run) -> None:
    data = run("allocate cups.toml --budget 40 --solver local --verify --format json").data
    assert data["verification"]["passed"]
    assert data["plans"][1] == {
        "task": "tidy",
        "start": {"cup": "table"},
        "probability": 0.1875,
        "goal": "shelf",
        "plan": ["PickFromTable", "PlaceOnShelf"],
        "failing": [],
    }
    plans = [
        line
        for line in run("allocate cups.toml --budget 40 --solver local").out.splitlines()
        if line.startswith("plan")
    ]
    assert len(plans) == 3
    assert plans[0].startswith("plan    serve from cup = shelf (75 %): tray: PickFromShelf ")
    starts = run("allocate mending.toml --budget 10 --solver local --format json").data
    assert [(one["task"], one["start"]["cup"]) for one in starts["plans"]] == [
        ("mending", "shelf"),
        ("mending", "floor"),
    ]
    assert "plans" not in run("allocate breakfast --budget 10 --format json").data


def test_the_frontier_switches_by_task(run: Run) -> None:
    data = run("frontier cups.toml --max-budget 34 --solver local --format json").data
    (switch,) = data["switches"]
    assert (switch["task"], switch["goal"]) == ("tidy", "tidy: shelf")
    assert len(data["plans_by_start"]) == 35
    assert [path["goal"] for path in data["plans_by_start"][34]] == ["tray", "shelf", "shelf"]
    printed = run("frontier cups.toml --max-budget 34 --solver local").out
    assert f"from {switch['budget']} on: tidy: shelf: PickFromTable " in printed


@pytest.mark.parametrize(("task", "count"), [("cups", 3), ("mending", 2)])
def test_a_run_shows_its_plans_and_starts(run: Run, task: str, count: int) -> None:
    data = run(f"run {task}.toml --budget 8 --name s --format json").data
    assert len(data["plans"]) == count
    assert sum(path["probability"] for path in data["plans"]) == pytest.approx(1.0)
    shown = run("show s --format json").data
    assert shown["plans"] == data["plans"]
    starts = {path["start"]["cup"] for path in data["plans"]}
    assert {trial["start"]["cup"] for trial in shown["trials"]} <= starts
    assert run("show s").out.count("\nplan    ") == count
    assert run("show s --plot learning.csv").status == 0


def test_ask_states_where_to_begin(run: Run) -> None:
    run("start cups.toml --budget 8 --name own")
    asked = run("ask own --evaluate PickFromSink --format json").data
    assert (asked["start"], asked["approach"]["route"]) == ({"cup": "sink"}, [])
    assert "start   cup = sink" in run("ask own").out
    run("start breakfast --budget 8 --name one")
    assert "start" not in run("ask one --format json").data


def test_strategies_are_compared_on_several_tasks(run: Run) -> None:
    data = run(
        "compare cups.toml --budgets 6 --strategies uniform,random --seeds 2 --format json"
    ).data
    assert len(data["rows"]) == 2
    for row in data["rows"]:
        assert 0 < row["mean"] <= row["clairvoyant"] * (1 + 1e-9)
        assert all(goal.startswith("serve: tray and tidy: ") for goal in row["goals"])


def test_a_robot_without_pictures_is_not_filmed(run: Run) -> None:
    refused = run("run cups.toml --budget 2 --video film.mp4")
    assert refused.status == 2
    assert "cannot be filmed" in refused.err
