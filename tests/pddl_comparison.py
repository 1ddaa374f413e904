"""Compares the task that our reader makes with the interpreter, state by state."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from pddl_interpreter import Interpreter, State

from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.model import Task, holds
from deliberate_practice.task.pddl.task import Reading, read_pddl


def read(folder: Path, domain: str, problem: str, toml: str = "") -> Reading:
    """Read texts as files; with a TOML, from its file."""
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    (folder / "problem.pddl").write_text(problem, encoding="utf-8")
    if not toml:
        return read_pddl(folder / "domain.pddl", folder / "problem.pddl")
    (folder / "task.toml").write_text(toml, encoding="utf-8")
    return read_pddl(folder / "task.toml")


def value(task: Task) -> float:
    """The optimal value of a task with its stated competences."""
    grounded = ground(task)
    return solve(grounded, grounded.competence).value


def assert_same(task: Task, oracle: Interpreter) -> int:
    """Every reachable state has the same actions, outcomes and rewards; returns their number."""
    states = oracle.reachable()
    for atoms, steps in states.items():
        state = _words(task, atoms)
        met = any(holds(goal.when, state) for goal in task.goals)
        assert met == oracle.holds(oracle.goal, atoms, {})
        if met:
            continue
        expected = {name: (outcome.states, outcome.reward) for name, outcome in steps}
        seen = set()
        for skill in task.skills:
            if not holds(skill.precondition, state):
                continue
            name = skill.name.partition("#")[0]
            seen.add(name)
            drawn: dict[State, Fraction] = {}
            for option in skill.success_effects:
                target = _after(atoms, option.effect)
                drawn[target] = drawn.get(target, Fraction(0)) + Fraction(option.probability)
            targets, reward = expected[name]
            assert drawn.keys() == targets.keys(), (name, sorted(atoms))
            for target, share in targets.items():
                assert float(drawn[target]) == pytest.approx(float(share), abs=1e-12)
            assert skill.step_reward == pytest.approx(float(reward), abs=1e-12)
        assert seen == set(expected), sorted(atoms)
    return len(states)


def _words(task: Task, atoms: State) -> dict[str, str]:
    true = {f"({' '.join(atom)})" for atom in atoms}
    return {name: "yes" if name in true else "no" for name in task.variables}


def _after(atoms: State, effect: Mapping[str, str] | str) -> State:
    assert not isinstance(effect, str)
    changed = {tuple(name[1:-1].split()): word for name, word in effect.items()}
    added = {atom for atom, word in changed.items() if word == "yes"}
    return frozenset((atoms - set(changed)) | added)
