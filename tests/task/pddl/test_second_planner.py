"""The states of gripper variants, as another planning library simulates them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from gripper_variants import VARIANTS
from pddl_comparison import read
from pddl_interpreter import Interpreter, State

from deliberate_practice.mdp.grounding import ground

UNREAD = ("either", "nested conditional effect")
"""Variants that the other library does not read."""

DETERMINISTIC = [
    name
    for name, variant in VARIANTS.items()
    if not {":probabilistic-effects", ":rewards"} & set(variant.used) and name not in UNREAD
]


@pytest.mark.parametrize("name", DETERMINISTIC)
def test_another_library_reaches_the_same_states(tmp_path: Path, name: str) -> None:
    pytest.importorskip("unified_planning")
    variant = VARIANTS[name]
    task = read(tmp_path, variant.domain, variant.problem).task
    theirs = _simulated(tmp_path / "domain.pddl", tmp_path / "problem.pddl")
    assert theirs == set(Interpreter(variant.domain, variant.problem).reachable())
    assert len(theirs) == ground(task, everything=True).states.shape[0]


def _simulated(domain: Path, problem: Path) -> set[State]:
    """The true atoms of every state that is reachable without passing a goal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the other library's own business
        from unified_planning.io import PDDLReader
        from unified_planning.shortcuts import SequentialSimulator, get_environment

        get_environment().credits_stream = None
        read = PDDLReader().parse_problem(str(domain), str(problem))
        with SequentialSimulator(read) as simulator:
            return _explored(read, simulator)


def _explored(problem: Any, simulator: Any) -> set[State]:
    found: set[State] = set()
    waiting = [simulator.get_initial_state()]
    fluents = [f for f in problem.initial_values if f.fluent().type.is_bool_type()]
    while waiting:
        state = waiting.pop()
        atoms = frozenset(
            (fluent.fluent().name, *map(str, fluent.args))
            for fluent in fluents
            if state.get_value(fluent).bool_constant_value()
        )
        if atoms in found:
            continue
        found.add(atoms)
        if not simulator.is_goal(state):
            waiting += [
                simulator.apply_unsafe(state, action, arguments)
                for action, arguments in simulator.get_applicable_actions(state)
            ]
    return found
