"""Elimination of forced fall-backs: graphs of plans against the abstract MDP itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from counts import count
from random_plan_tasks import random_plan_task

from deliberate_practice.allocation.plan_form.form import PlanForm, plan_form
from deliberate_practice.allocation.plan_form.kinds import Kind, Step
from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Start, Task
from deliberate_practice.task.skill import Effect, PossibleEffect, Skill

CURVE = PiecewiseLinear(rate=0.05)


def _line(*skills: Skill, starts: tuple[Start, ...] = (), discount: float = 0.9) -> Task:
    rooms = ["a", "b", "c", "d"]
    return Task("line", {"at": rooms}, [Goal("d", 2.0, {"at": "d"})], skills, discount, starts)


def _move(name: str, begin: str, end: str, failure: Effect, step_reward: float = 0.0) -> Skill:
    return Skill(
        name,
        {"at": begin},
        {"at": end},
        failure=failure,
        competence=0.3,
        curve=CURVE,
        step_reward=step_reward,
    )


def _form(task: Task) -> PlanForm:
    form = plan_form(ground(task))
    assert isinstance(form, PlanForm), form
    return form


def _best_plan_value(form: PlanForm, p: FloatArray) -> float:
    """Value iteration on the graph of plans."""
    values = form.reward.copy()
    climbed = [kind.climb(p[list(kind.policies)]) for kind in form.kinds]
    for _ in range(len(values) + 1):
        for edge, kind in enumerate(form.kind):
            factor, cost, _ = climbed[kind]
            ahead = float(factor) * values[form.target[edge]] - float(cost)
            source = form.source[edge]
            values[source] = max(values[source], ahead)
    return float(form.weight @ values[form.starts])


@pytest.mark.parametrize("part", range(4))
def test_plans_are_worth_what_the_task_is_worth(part: int) -> None:
    rng = np.random.default_rng([1, part])
    for _ in range(count(200)):
        problem, form = random_plan_task(rng)
        for _ in range(10):
            p = rng.choice([0.0, 1e-12, 1e-6, 0.03, 0.5, 1.0], len(problem.tables))
            p = np.where(rng.random(len(p)) < 0.4, rng.random(len(p)), p)
            solution = solve(problem.ground, p)
            assert _best_plan_value(form, p) == pytest.approx(
                solution.value, rel=1e-9, abs=1e-12 * solution.scale
            )


def test_a_forced_fall_back_becomes_one_chain() -> None:
    task = _line(
        _move("ab", "a", "b", "stay"),
        _move("bc", "b", "c", {"at": "a"}),
        _move("cd", "c", "d", "stay"),
    )
    form = _form(task)
    assert sorted(len(chain) for chain in form.chain) == [1, 2]


def test_nested_fall_backs_become_one_chain() -> None:
    task = _line(
        _move("ab", "a", "b", "stay"),
        _move("bc", "b", "c", "stay"),
        _move("cd", "c", "d", {"at": "a"}),
    )
    assert [len(chain) for chain in _form(task).chain] == [3]


def test_a_ladder_without_fall_backs_stays_apart() -> None:
    task = _line(*(_move(a + b, a, b, "stay") for a, b in itertools.pairwise("abcd")))
    assert [len(chain) for chain in _form(task).chain] == [1, 1, 1]


def test_reasons_name_the_skill() -> None:
    forward = [_move(a + b, a, b, "stay") for a, b in itertools.pairwise("abcd")]
    random_effect = Skill(
        "jump",
        {"at": "a"},
        [PossibleEffect(0.5, {"at": "b"}), PossibleEffect(0.5, {"at": "c"})],
        0.5,
    )
    reason = plan_form(ground(_line(*forward, random_effect)))
    assert reason == (
        "skill 'jump' may lead to several states, and the way on from them is not forced"
    )
    paid = _line(*forward[:2], _move("cd", "c", "d", "stay", step_reward=0.5))
    assert plan_form(ground(paid)) == "skill 'cd' has a positive step reward"
    free = _line(
        *forward[:2],
        _move("cd", "c", "d", {"at": "a"}),
        starts=(Start(0.5, {"at": "a"}), Start(0.5, {"at": "c"})),
    )
    reason = plan_form(ground(free))
    assert isinstance(reason, str)
    assert "'cd'" in reason


def test_a_failure_that_helps_is_no_plan_form() -> None:
    task = _line(_move("ab", "a", "b", {"at": "c"}), _move("bd", "b", "d", "end"))
    skipping = _line(*task.skills, _move("cd", "c", "d", "end"))
    assert isinstance(plan_form(ground(skipping)), str)
    direct = _line(_move("ad", "a", "d", {"at": "d"}))
    assert plan_form(ground(direct)) == (
        "when skill 'ad' fails, the task may go on as after a success"
    )


def _random_kind(rng: np.random.Generator, length: int) -> Kind:
    """Outcomes with random weights of which some are 0."""
    steps = []
    for i in range(length):
        good = rng.dirichlet(np.ones(i + 3)) * (rng.random(i + 3) < 0.6)  # back, stay, lost, on
        good[-1] += 1 - good.sum()
        bad = rng.dirichlet(np.ones(i + 2)) * (rng.random(i + 2) < 0.6)  # back, stay, lost
        bad[-2] += 1 - bad.sum()
        steps.append(
            Step(
                policy=i,
                onward=good[-1],
                success_back=tuple(good[:i]),
                failure_back=tuple(bad[:i]),
                lost_success=good[-2],
                lost_failure=bad[-1],
                cost=float(rng.choice([0.0, 0.3])),
            )
        )
    return Kind(tuple(steps), float(rng.choice([0.5, 0.95, 0.999999])))


def _by_equations(kind: Kind, p: FloatArray) -> tuple[float, float]:
    """F and F e from the linear equations of the chain."""
    n = len(kind.steps)
    matrix, right = np.eye(n), np.zeros((n, 2))
    for i, step in enumerate(kind.steps):
        back = np.array(step.success_back) * p[i] + np.array(step.failure_back) * (1 - p[i])
        stays_good = 1 - step.onward - step.lost_success - sum(step.success_back)
        stays_bad = 1 - step.lost_failure - sum(step.failure_back)
        matrix[i, :i] -= kind.gamma * back
        matrix[i, i] -= kind.gamma * (stays_good * p[i] + stays_bad * (1 - p[i]))
        onward = kind.gamma * step.onward * p[i]
        if i + 1 < n:
            matrix[i, i + 1] -= onward
        else:
            right[i, 0] = onward
        right[i, 1] = step.cost
    factor, cost = np.linalg.solve(matrix, right)[0]
    return float(factor), float(cost)


def test_factors_solve_the_equations_of_the_chain_and_equal_their_expansions() -> None:
    rng = np.random.default_rng(5)
    expanded = 0
    for _ in range(count(2000)):
        kind = _random_kind(rng, int(rng.integers(1, 5)))
        p = rng.uniform(0.05, 1.0, len(kind.steps))
        factor, cost, missing = (float(x) for x in kind.climb(p))
        assert missing == pytest.approx(1 - factor, abs=1e-12)
        assert (factor, cost) == pytest.approx(_by_equations(kind, p), rel=1e-7)
        if kind.inverse is not None:
            expanded += 1
            terms = np.exp(kind.inverse.log_coefficient - kind.inverse.power @ np.log(p))
            assert 1 / terms.sum() == pytest.approx(factor, rel=1e-10)
        if kind.effort is not None:
            terms = np.exp(kind.effort.log_coefficient - kind.effort.power @ np.log(p))
            assert terms.sum() * factor == pytest.approx(cost, rel=1e-10, abs=1e-15)
    assert expanded > count(2000) // 10


def test_factors_have_full_relative_accuracy() -> None:
    step = {"success_back": (), "failure_back": (), "lost_success": 0.0, "cost": 0.0}
    first = Step(policy=0, onward=1.0, lost_failure=0.0, **step)  # type: ignore[arg-type] # one kind of value each
    second = Step(1, 1.0, (0.0,), (1.0,), 0.0, 0.0, 0.0)
    kind = Kind((first, second), 1.0)
    assert kind.climb(np.array([1e-12, 1e-12]))[0] == pytest.approx(1.0, rel=1e-15)
    losing = Kind((first, Step(1, 1.0, (0.0,), (0.5,), 0.0, 0.5, 0.0)), 1.0)
    p = 1e-12
    assert losing.climb(np.array([p, p]))[0] == pytest.approx(p / (p + 0.5 * (1 - p)), rel=1e-14)
    assert kind.climb(np.array([0.0, 0.5]))[0] == 0.0


def test_a_negative_coefficient_is_noticed() -> None:
    ends = Step(0, 1.0, (), (), 0.0, 1.0, 0.0)
    back = Step(1, 1.0, (0.0,), (1.0,), 0.0, 0.0, 0.0)
    assert Kind((ends, back), 0.9).inverse is None
    stays = Step(0, 1.0, (), (), 0.0, 0.0, 0.0)
    assert Kind((stays, back), 0.9).inverse is not None
