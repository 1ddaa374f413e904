"""The exact reward: what the robot's own decision earns with the truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from counts import count
from random_tasks import random_competence, random_task

from deliberate_practice.foundation.errors import TaskError
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.earning import exact_reward, intention, reward_of
from deliberate_practice.practice.session import start_session
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill


def test_true_beliefs_earn_the_optimal_value_and_wrong_ones_less() -> None:
    rng = np.random.default_rng(0)
    for i in range(count(1000)):
        task = random_task(rng, product_form=bool(i % 2))
        grounded = ground(task)
        true, wrong = random_competence(rng, task), random_competence(rng, task)
        named = dict(zip(grounded.policy_names, true.tolist(), strict=True))
        mistaken = dict(zip(grounded.policy_names, wrong.tolist(), strict=True))
        try:
            best = solve(grounded, true).value
            right = intention(grounded, named)
            other = intention(grounded, mistaken)
        except TaskError:  # it pays for ever
            continue
        assert reward_of(grounded, right.actions, named) == pytest.approx(best, abs=1e-9)
        assert reward_of(grounded, other.actions, named) <= best + 1e-9


def test_the_robot_is_judged_by_its_own_plan() -> None:
    grounded = ground(load_task("counterexample"))
    believed = {"pi1": 0.1, "pi2": 0.9, "pi3": 0.9}
    planned = intention(grounded, believed)
    assert (planned.goal, planned.plan) == ("D", ("pi2", "pi3"))
    assert planned.value == pytest.approx(4 * 0.81)
    true = {"pi1": 1.0, "pi2": 0.5, "pi3": 0.5}
    assert reward_of(grounded, planned.actions, true) == pytest.approx(1.0)
    assert intention(grounded, dict.fromkeys(believed, 0.0)).goal is None


def test_trying_for_ever_earns_nothing() -> None:
    stubborn = Skill("Try", {"at": "A"}, {"at": "B"}, competence=0.5, failure="stay")
    goal = Goal("B", 1.0, {"at": "B"})
    task = Task("stubborn", {"at": ["A", "B"]}, [goal], [stubborn], discount=1.0)
    grounded = ground(task)
    actions = intention(grounded, {"Try": 0.5}).actions
    assert reward_of(grounded, actions, {"Try": 0.0}) == 0.0
    assert reward_of(grounded, actions, {"Try": 0.2}) == pytest.approx(1.0)


def test_before_practice_the_reward_is_that_of_the_stated_plan(tmp_path: Path) -> None:
    session = start_session(tmp_path / "j.db", "s", load_task("breakfast"), 10, "random", "bayes")
    robot = CurveRobot(session.task)
    expected = 0.99**3 * 0.99**2 * 0.1
    assert exact_reward(session.ground, robot, session.state) == pytest.approx(expected)
