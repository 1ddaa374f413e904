"""The reward: what the robot's own plan earns, exactly or by executing it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from counts import count
from random_tasks import random_competence, random_task

from deliberate_practice.beliefs.gaps import Losses
from deliberate_practice.foundation.errors import PartFailed, TaskError
from deliberate_practice.foundation.estimates import rate
from deliberate_practice.mdp.ground_task import GroundTask
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.practice.domain import load_task
from deliberate_practice.practice.earning import (
    exact_earnings,
    measure,
    measured_earnings,
    reward_of,
    start_seeds,
)
from deliberate_practice.practice.episode import run_episode
from deliberate_practice.practice.intention import Intention, intention
from deliberate_practice.practice.robot import Earnings, Result, Step, Trial
from deliberate_practice.practice.sessions import start_session
from deliberate_practice.robots.curves import CurveRobot
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Skill


class Believed:
    """A state whose beliefs are given; what else an intention reads does not matter."""

    def __init__(self, task: Task, competences: dict[str, float]) -> None:
        self.task, self.competences = task, competences
        self.losses = Losses()

    def step(self, skill: str) -> Step:
        return Step(skill)


def intended(grounded: GroundTask, competences: dict[str, float]) -> Intention:
    return intention(grounded, Believed(grounded.task, competences))


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
            right = intended(grounded, named)
            other = intended(grounded, mistaken)
        except TaskError:  # it pays for ever
            continue
        assert reward_of(grounded, right.rule, named) == pytest.approx(best, abs=1e-9)
        assert reward_of(grounded, other.rule, named) <= best + 1e-9


def test_the_robot_is_judged_by_its_own_plan() -> None:
    grounded = ground(load_task("counterexample"))
    believed = {"pi1": 0.1, "pi2": 0.9, "pi3": 0.9}
    planned = intended(grounded, believed)
    assert (planned.goal, planned.skills) == ("D", ("pi2", "pi3"))
    assert planned.value == pytest.approx(4 * 0.81)
    true = {"pi1": 1.0, "pi2": 0.5, "pi3": 0.5}
    assert reward_of(grounded, planned.rule, true) == pytest.approx(1.0)
    assert intended(grounded, dict.fromkeys(believed, 0.0)).goal is None


def test_trying_for_ever_earns_nothing() -> None:
    stubborn = Skill("Try", {"at": "A"}, {"at": "B"}, competence=0.5, failure="stay")
    goal = Goal("B", 1.0, {"at": "B"})
    task = Task("stubborn", {"at": ["A", "B"]}, [goal], [stubborn], discount=1.0)
    grounded = ground(task)
    actions = intended(grounded, {"Try": 0.5}).rule
    assert reward_of(grounded, actions, {"Try": 0.0}) == 0.0
    assert reward_of(grounded, actions, {"Try": 0.2}) == pytest.approx(1.0)


def test_before_practice_the_reward_is_that_of_the_stated_plan(tmp_path: Path) -> None:
    session = start_session(tmp_path / "j.db", "s", load_task("breakfast"), 10, "random", "bayes")
    executed = measure(session, CurveRobot(session.task))
    assert (executed.spent, executed.goal) == (0, "toast")
    assert executed.earnings.undiscounted == pytest.approx(0.99**2 * 0.1)
    assert executed.earnings.reward == pytest.approx(0.99**3 * executed.earnings.undiscounted)
    assert measure(session, CurveRobot(session.task)) == executed
    assert session.state.executions == [executed]  # once for each amount of practice


def test_without_discount_both_rewards_are_the_same() -> None:
    aim = intended(ground(load_task("counterexample")), {"pi1": 0.1, "pi2": 0.9, "pi3": 0.9})
    assert exact_earnings(aim, {"pi1": 1.0, "pi2": 0.5, "pi3": 0.5}) == Earnings(1.0, 1.0)


class Coins:
    """Succeeds in the trials of some seeds."""

    def __init__(self, lucky: Sequence[int]) -> None:
        self.lucky = lucky
        self.trials: list[Trial] = []

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        self.trials += trials
        return [Result("success" if t.seed in self.lucky else "failure") for t in trials]

    def earn(self, aim: Intention, executions: int) -> Earnings:
        return measured_earnings(self, aim, executions)


def test_a_plan_is_executed_as_deployed_from_the_same_starts(tmp_path: Path) -> None:
    seeds = start_seeds(20)
    robot = Coins(seeds[:5])
    with start_session(tmp_path / "j.db", "s", load_task("breakfast"), 10) as session:
        first = measure(session, robot, 20)
        assert measure(session, robot, 20) == first
        assert len(robot.trials) == 20
        assert [trial.seed for trial in robot.trials] == seeds
        assert {trial.mode for trial in robot.trials} == {"deploy"}
        assert all(
            tuple(step.skill for step in trial.steps) == first.plan for trial in robot.trials
        )
        assert first.earnings.successes == (True,) * 5 + (False,) * 15
        assert first.earnings.undiscounted == pytest.approx(0.25)  # toast is worth 1
        assert first.earnings.reward == pytest.approx(0.99**3 * 0.25)
        interval = rate(5, 20).interval
        assert interval is not None
        assert first.earnings.interval == pytest.approx(tuple(0.99**3 * end for end in interval))
        more = measure(session, robot, 40)  # another number of executions is another measurement
        assert len(more.earnings.successes) == 40
        assert session.state.executions == [first, more]
        assert session.state.spent == 0


def test_a_robot_that_would_do_nothing_earns_nothing() -> None:
    robot = Coins(())
    aim = intended(ground(load_task("counterexample")), {"pi1": 0.0, "pi2": 0.0, "pi3": 0.0})
    earned = measured_earnings(robot, aim, 10)
    assert (earned.reward, earned.undiscounted, earned.successes) == (0.0, 0.0, (False,) * 10)
    assert not robot.trials


class Walker:
    """Executes each step with a competence of its own, up to the first failure."""

    def __init__(self, competences: dict[str, float]) -> None:
        self.competences = competences

    def run(self, trials: Sequence[Trial]) -> list[Result]:
        return [self._run(trial) for trial in trials]

    def _run(self, trial: Trial) -> Result:
        rng = np.random.default_rng(trial.seed)
        return run_episode(trial, lambda step: rng.random() < self.competences[step.skill])


def costly(discount: float = 1.0) -> Task:
    """Two skills in a row, each of which costs a quarter of what the goal is worth."""
    skills = [
        Skill(name, {"at": start}, {"at": end}, competence=0.9, step_reward=-0.25)
        for name, start, end in [("First", "A", "B"), ("Second", "B", "C")]
    ]
    return Task("costly", {"at": ["A", "B", "C"]}, [Goal("C", 1.0, {"at": "C"})], skills, discount)


@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_each_executed_skill_earns_its_step_reward(discount: float) -> None:
    aim = intended(ground(costly(discount)), {"First": 0.9, "Second": 0.9})
    assert aim.skills == ("First", "Second")
    for first, second in [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0)]:
        true = {"First": first, "Second": second}
        earned, exact = measured_earnings(Walker(true), aim, 10), exact_earnings(aim, true)
        assert earned.reward == pytest.approx(exact.reward)
        assert earned.undiscounted == pytest.approx(exact.undiscounted)


def test_measured_rewards_with_step_rewards_agree_with_exact_ones() -> None:
    aim = intended(ground(costly(0.9)), {"First": 0.9, "Second": 0.9})
    true = {"First": 0.6, "Second": 0.7}
    exact = exact_earnings(aim, true)
    earned = measured_earnings(Walker(true), aim, count(20000))
    assert earned.interval is not None
    low, high = earned.interval
    assert low < earned.reward < high
    assert abs(earned.reward - exact.reward) < high - low
    assert abs(earned.undiscounted - exact.undiscounted) < 2 * (high - low)


def test_executions_that_a_robot_tells_earn_their_step_rewards() -> None:
    aim = intended(ground(costly()), {"First": 0.9, "Second": 0.9})

    class Telling:
        """Tells what it executed, refusals and aborted episodes included."""

        def __init__(self, result: Result) -> None:
            self.result = result

        def run(self, trials: Sequence[Trial]) -> list[Result]:
            return [self.result] * len(trials)

    again = (("First", False), ("First", True))
    for result, reward in [
        (Result("success", executed=again), 0.25),
        (Result("unreached", "First", executed=(("First", False),) * 2), -0.5),
        (Result("aborted", executed=again), -0.5),
        (Result("aborted"), 0.0),
        (Result("refused"), 0.0),
    ]:
        assert measured_earnings(Telling(result), aim, 3).reward == pytest.approx(reward)


def test_a_robot_that_cannot_say_what_it_earns_is_named(tmp_path: Path) -> None:
    class Shy(Coins):
        """Raises where it should answer."""

        def earn(self, aim: Intention, executions: int) -> Earnings:
            raise OSError("camera lost")

    with start_session(tmp_path / "j.db", "s", load_task("breakfast"), 10) as session:
        with pytest.raises(PartFailed, match="robot Shy raised OSError: camera lost"):
            measure(session, Shy(()))
        assert not session.state.executions
