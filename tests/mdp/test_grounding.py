from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pytest
from counts import examples
from hypothesis import given, settings, strategies as st
from random_tasks import random_competence, random_task

from deliberate_practice.domains.cleanup import cleanup
from deliberate_practice.foundation.errors import TaskError, TaskTooLarge
from deliberate_practice.mdp.grounding import count_reachable, ground, unreachable
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.model import Goal, Task
from deliberate_practice.task.skill import Condition, PossibleEffect, Skill

State = tuple[tuple[str, str], ...]


class PlainMDP:
    """The task in dictionaries: no pruning, no arrays."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.start: dict[State, float] = {}
        for start in task.start_states:
            state = tuple(sorted(start.state.items()))
            self.start[state] = self.start.get(state, 0.0) + start.probability
        self.moves: dict[State, list[tuple[Skill, list[tuple[bool, float, State]]]]] = {}
        self.reward: dict[State, float] = {}
        waiting = [state for state, probability in self.start.items() if probability > 0]
        while waiting:
            state = waiting.pop()
            if state in self.moves:
                continue
            self.moves[state] = []
            met = [goal.reward for goal in task.goals if holds(goal.when, dict(state))]
            if met:
                self.reward[state] = max(met)
                continue
            for skill in task.skills:
                if holds(skill.precondition, dict(state)):
                    results = [
                        (success, outcome.probability, moved(outcome, state))
                        for success in (True, False)
                        for outcome in (skill.success_effects if success else skill.failure_effects)
                        if outcome.effect != "end"
                    ]
                    self.moves[state].append((skill, results))
                    waiting += [target for _, _, target in results]

    def useful(self) -> set[State]:
        """States from which something can be earned."""
        alive = set(self.reward)
        while True:
            more = {
                state
                for state, moves in self.moves.items()
                if any(target in alive for _, results in moves for _, _, target in results)
            }
            if more <= alive:
                return alive
            alive |= more

    def value(self, competence: Mapping[str, float]) -> float:
        v = {state: self.reward.get(state, 0.0) for state in self.moves}
        for _ in range(20_000):
            change = 0.0
            for state, moves in self.moves.items():
                for skill, results in moves:
                    p = competence[skill.policy]
                    gain = skill.step_reward + self.task.discount * sum(
                        (p if success else 1 - p) * weight * v[target]
                        for success, weight, target in results
                    )
                    if gain > v[state]:
                        change = max(change, gain - v[state])
                        v[state] = gain
            if change < 1e-12:
                break
        return sum(probability * v[state] for state, probability in self.start.items())


def holds(condition: Condition, state: Mapping[str, str]) -> bool:
    return all(
        state[name] == values if isinstance(values, str) else state[name] in values
        for name, values in condition.items()
    )


def moved(outcome: PossibleEffect, state: State) -> State:
    changes = outcome.effect if isinstance(outcome.effect, Mapping) else {}
    return tuple(sorted({**dict(state), **changes}.items()))


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_states_and_value_agree_with_plain_python(seed: int, product_form: bool) -> None:
    rng = np.random.default_rng(seed)
    task = random_task(rng, product_form=product_form)
    grounded, plain = ground(task), PlainMDP(task)
    kept = {tuple(sorted(grounded.describe(i).items())) for i in range(len(grounded.start))}
    assert kept == plain.useful()
    assert grounded.counts.kept == len(kept)
    assert grounded.counts.reachable == len(plain.moves) + task.can_end
    competence = random_competence(rng, task)
    by_name = dict(zip(task.policies, competence.tolist(), strict=True))
    assert solve(grounded, competence).value == pytest.approx(plain.value(by_name), abs=1e-8)


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_arrays_keep_their_promises(seed: int) -> None:
    grounded = ground(random_task(np.random.default_rng(seed), product_form=False))
    actions, outcomes = grounded.action_state, grounded.outcome_action
    assert (np.diff(actions) >= 0).all()
    assert (np.diff(outcomes) >= 0).all()
    assert (grounded.goal[actions] < 0).all()
    assert (grounded.outcome_target >= 0).all()
    assert grounded.start.sum() <= 1 + 1e-12
    for success in (True, False):
        chosen = grounded.outcome_success == success
        total = np.bincount(outcomes[chosen], grounded.outcome_weight[chosen], len(actions))
        assert (total <= 1 + 1e-12).all()


def test_what_cannot_be_reached_is_never_reached() -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        task = random_task(rng, product_form=False)
        states = PlainMDP(task).moves
        values, skills, goals = unreachable(task)
        seen = {f"{name} = {value}" for state in states for name, value in state}
        used = {skill.name for moves in states.values() for skill, _ in moves}
        met = {g.name for g in task.goals for state in states if holds(g.when, dict(state))}
        assert not seen & set(values)
        assert not used & set(skills)
        assert not met & set(goals)


@pytest.mark.parametrize(("objects", "reachable"), [(1, 41), (4, 5001)])
def test_cleanup_has_as_many_states_as_in_the_paper(objects: int, reachable: int) -> None:
    task = cleanup(objects)
    assert task.state_count == reachable
    counts = ground(task).counts
    assert counts.total == reachable
    assert counts.reachable is not None
    assert counts.kept <= counts.reachable <= reachable


def ladder(values: int, stride: int) -> Task:
    """One variable with many values, of which every stride-th is climbed."""
    names = [str(i) for i in range(values)]
    rungs = names[::stride]
    skills = [Skill(f"Up{a}", {"at": a}, {"at": b}, 1.0) for a, b in pairwise(rungs)]
    return Task("ladder", {"at": names}, [Goal("top", 1.0, {"at": rungs[-1]})], skills, 0.9)


@pytest.mark.parametrize(
    ("values", "stride"), [(8, 1), (9, 1), (17, 1), (64, 3), (65, 4), (66, 5), (130, 1), (300, 13)]
)
def test_a_variable_may_have_many_values(values: int, stride: int) -> None:
    steps = (values - 1) // stride
    grounded = ground(ladder(values, stride))
    assert grounded.counts.kept == steps + 1
    assert grounded.counts.reachable == steps + 2  # and the failure state
    assert solve(grounded, grounded.competence).value == pytest.approx(0.9**steps)


def switches(count: int, free: int = 0) -> Task:
    """Switches to be turned on in order, and others that may be turned at any time."""
    names = [f"s{i}" for i in range(count)]
    skills = [
        Skill(
            f"Turn{i}",
            {names[i]: "off", **dict.fromkeys(names[max(i - 1, 0) : i], "on")},
            {names[i]: "on"},
            1,
        )
        for i in range(count)
    ]
    others = [f"free{i}" for i in range(free)]
    skills += [Skill(f"Turn-{n}", {n: "off"}, {n: "on"}, 1.0) for n in others]
    variables = {n: ["off", "on"] for n in (*names, *others)}
    return Task("switches", variables, [Goal("all", 1.0, {names[-1]: "on"})], skills, 0.9)


@pytest.mark.parametrize("count", [63, 64, 65, 100])
def test_there_may_be_more_than_2_to_the_64_states(count: int) -> None:
    task = switches(count)
    assert task.state_count > 2**count
    grounded = ground(task)
    assert (grounded.counts.reachable, grounded.counts.kept) == (count + 2, count + 1)
    assert solve(grounded, grounded.competence).value == pytest.approx(0.9**count)


def test_too_many_states_are_refused() -> None:
    task = switches(3, free=30)
    with pytest.raises(TaskTooLarge, match=r"states: more than 1,000 .* raise the limit"):
        ground(task, max_states=1_000)
    assert count_reachable(task) is None


def test_a_task_that_earns_nothing_is_refused() -> None:
    task = Task(
        "t", {"a": ["x", "y"]}, [Goal("g", 1.0, {"a": "y"})], [Skill("S", {}, {"a": "x"}, 1)]
    )
    with pytest.raises(TaskError, match=r"goals: no goal can be reached .*'g'.* check the skills"):
        ground(task)
