"""Several tasks as one: their values, plans and routes are those of each task alone."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from counts import count
from random_tasks import alone, random_competence, random_task, random_tasks

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.mdp.export import mdp_to_json
from deliberate_practice.mdp.grounding import count_reachable, ground
from deliberate_practice.mdp.joint_task import joint_task
from deliberate_practice.mdp.linear_program import solve_by_lp
from deliberate_practice.mdp.reachability import notes_on_goals, reachability
from deliberate_practice.mdp.routes import Route, routes
from deliberate_practice.mdp.rule import Path as RulePath, most_likely_path
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.model import Goal, ServedTask, Start, Task
from deliberate_practice.task.skill import Skill
from deliberate_practice.task.toml_reader import read_task

EXAMPLE = Path(__file__).parents[2] / "examples" / "two_tasks.toml"


def _value(task: Task, competence: FloatArray) -> float:
    try:
        grounded = ground(task)
    except TaskError:  # no goal can be reached
        return 0.0
    return solve(grounded, competence).value


def test_the_value_is_the_weighted_mean_of_the_tasks_alone() -> None:
    rng = np.random.default_rng(5)
    for i in range(count(1000)):
        task = random_tasks(rng, product_form=bool(i % 2))
        p = random_competence(rng, task)
        tasks = alone(task)
        weights = [one.weight for one in task.tasks]
        values = [one.weight * _value(tasks[one.name], p) for one in task.tasks]
        expected = math.fsum(values) / math.fsum(weights)
        grounded = ground(task)
        assert solve(grounded, p).value == pytest.approx(expected, rel=1e-9, abs=1e-12)
        if not i % 5:
            assert solve_by_lp(grounded, p) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_the_plan_from_each_start_is_that_of_its_task_alone() -> None:
    rng = np.random.default_rng(6)
    for _ in range(count(300)):
        task = random_tasks(rng, product_form=True)
        p = random_competence(rng, task)
        grounded = ground(task)
        path = most_likely_path(grounded, solve(grounded, p), p)
        found = {start.task: start for start in path.starts}
        for name, one in alone(task).items():
            expected = RulePath()
            try:
                own = ground(one)
            except TaskError:
                pass
            else:
                expected = most_likely_path(own, solve(own, p), p)
            assert found[name].skills == expected.skills
            assert found[name].goal == expected.goal
        goals = [f"{start.task}: {start.goal}" for start in path.starts if start.goal]
        assert path.goal == (" and ".join(goals) or None)
        assert math.fsum(start.probability for start in path.starts) == pytest.approx(1.0)


def test_a_task_without_others_is_left_as_it_is() -> None:
    task = random_task(np.random.default_rng(0), product_form=False)
    assert joint_task(task) is task
    assert ground(task).tasks == ()


def test_tasks_never_meet_the_goals_of_others() -> None:
    """What tidies up begins where the other task ends, and the other way round."""
    places = {"cup": ["shelf", "tray"]}
    skills = [
        Skill("Serve", {"cup": "shelf"}, {"cup": "tray"}, 0.5),
        Skill("Tidy", {"cup": "tray"}, {"cup": "shelf"}, 0.25),
    ]
    tasks = [
        ServedTask("serve", [Goal("tray", 1.0, {"cup": "tray"})]),
        ServedTask("tidy", [Goal("shelf", 1.0, {"cup": "shelf"})], [Start(1, {"cup": "tray"})]),
    ]
    grounded = ground(Task("cups", places, skills=skills, tasks=tasks, discount=1.0))
    assert solve(grounded, grounded.competence).value == pytest.approx((0.5 + 0.25) / 2)
    assert not notes_on_goals(grounded)


def test_a_task_that_earns_nothing_is_named() -> None:
    carry = Skill("Carry", {"cup": "shelf"}, {"cup": "tray"}, 0.5)
    serve = ServedTask("serve", [Goal("tray", 1.0, {"cup": "tray"})])
    wash = ServedTask("wash", [Goal("sink", 1.0, {"cup": "sink"})])
    task = Task("cups", {"cup": ["shelf", "tray", "sink"]}, skills=[carry], tasks=[serve, wash])
    (note,) = notes_on_goals(ground(task))
    assert note.startswith("task 'wash' earns nothing")
    assert reachability(task).goals == ("wash: sink",)
    assert reachability(task, most_checks=0).goals == ("wash: sink",)  # by the relaxation alone
    assert count_reachable(task) == 5  # two states of each task, and failure
    grounded = ground(task)
    path = most_likely_path(grounded, solve(grounded, grounded.competence), grounded.competence)
    assert [(start.task, start.skills, start.goal) for start in path.starts] == [
        ("serve", ("Carry",), "tray"),
        ("wash", (), None),
    ]
    idle = Task("cups", task.variables, skills=[carry], tasks=[wash])
    with pytest.raises(TaskError, match=r"no goal can be reached from the start.*'wash: sink'"):
        ground(idle)


def test_routes_begin_in_the_start_from_which_they_are_most_probable() -> None:
    task = read_task(EXAMPLE)
    everywhere = ground(task, everything=True)
    ways = routes(everywhere, everywhere.competence)
    assert set(ways) == {skill.name for skill in task.skills}
    assert (ways["PickFromSink"].start, ways["PickFromSink"].skills) == ({"cup": "sink"}, ())
    assert ways["PlaceOnShelf"].probability == pytest.approx(1 - 0.65**6)  # Pick, not from the sink
    rng = np.random.default_rng(7)
    for _ in range(count(200)):
        several = random_tasks(rng, product_form=True)
        p = random_competence(rng, several)
        found = {name: way.probability for name, way in _routes(several, p).items()}
        expected: dict[str, float] = {}
        for one in alone(several).values():
            for name, way in _routes(one, p).items():
                expected[name] = max(expected.get(name, 0.0), way.probability)
        assert found == pytest.approx(expected)


def _routes(task: Task, p: FloatArray) -> dict[str, Route]:
    return routes(ground(task, everything=True), p)


def test_the_task_is_a_variable_of_its_states_and_of_no_others() -> None:
    grounded = ground(read_task(EXAMPLE))
    state = int(np.flatnonzero(grounded.start)[0])
    assert grounded.describe(state) == {"task": "serve", "cup": "shelf"}
    assert grounded.own_state(state) == {"cup": "shelf"}
    data = mdp_to_json(grounded)
    assert data["variables"]["task"] == ["serve", "tidy"]  # type: ignore[index]
