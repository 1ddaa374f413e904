"""What a decision rule does: everywhere it can come to, and on its most likely path."""

from __future__ import annotations

import numpy as np
import pytest
from counts import count
from random_tasks import random_competence, random_task

from deliberate_practice.mdp.grounding import ground
from deliberate_practice.mdp.most_probable import most_probable_ways
from deliberate_practice.mdp.rule import Path, decisions, most_likely_path
from deliberate_practice.mdp.values import solve
from deliberate_practice.task.model import Goal, Start, Task
from deliberate_practice.task.skill import PossibleEffect, Skill

PLACES = ["a", "b", "c", "d", "home"]


def _task(*skills: Skill, starts: tuple[Start, ...] = ()) -> Task:
    home = Goal("home", 1.0, {"at": "home"})
    return Task("way", {"at": PLACES}, [home], skills, discount=0.9, starts=starts)


def _path(task: Task) -> Path:
    grounded = ground(task)
    return most_likely_path(grounded, solve(grounded, grounded.competence), grounded.competence)


def test_the_path_takes_the_most_probable_of_possible_effects() -> None:
    fork = [PossibleEffect(0.4, {"at": "b"}), PossibleEffect(0.6, {"at": "c"})]
    task = _task(
        Skill("Fork", {"at": "a"}, fork, 0.9),
        Skill("Left", {"at": "b"}, {"at": "home"}, 0.9),
        Skill("Right", {"at": "c"}, {"at": "home"}, 0.9),
    )
    assert _path(task) == Path(("Fork", "Right"), (), "home")


def test_of_equally_probable_paths_the_shorter_is_taken() -> None:
    fork = [PossibleEffect(0.5, {"at": "b"}), PossibleEffect(0.5, {"at": "c"})]
    task = _task(
        Skill("Fork", {"at": "a"}, fork, 0.9),
        Skill("Long", {"at": "b"}, {"at": "d"}, 1.0),
        Skill("Longer", {"at": "d"}, {"at": "home"}, 1.0),
        Skill("Short", {"at": "c"}, {"at": "home"}, 1.0),
    )
    assert _path(task).skills == ("Fork", "Short")


def test_failures_count_only_where_successes_reach_no_goal() -> None:
    task = _task(
        Skill("Try", {"at": "a"}, {"at": "b"}, 0.2, failure={"at": "c"}),
        Skill("Lucky", {"at": "c"}, {"at": "home"}, 0.5),
    )
    assert _path(task) == Path(("Try", "Lucky"), (0,), "home")
    also = Skill("Unlikely", {"at": "b"}, {"at": "home"}, 0.01)
    assert _path(_task(*task.skills, also)) == Path(("Try", "Unlikely"), (), "home")


def test_without_a_way_there_is_no_path() -> None:
    assert _path(_task(Skill("Never", {"at": "a"}, {"at": "home"}, 0.0))) == Path()


def test_decisions_cover_what_the_rule_can_come_to_and_nothing_else() -> None:
    task = _task(
        Skill("Go", {"at": "a"}, {"at": "b"}, 0.5, failure={"at": "c"}),
        Skill("On", {"at": ["b", "c"]}, {"at": "home"}, 0.5),
        Skill("Astray", {"at": "a"}, {"at": "d"}, 0.9),
        Skill("Back", {"at": "d"}, {"at": "a"}, 0.9),
    )
    grounded = ground(task)
    solution = solve(grounded, grounded.competence)
    rule = decisions(grounded, solution, grounded.competence)
    assert {state["at"]: skill for state, skill in rule} == {"a": "Go", "b": "On", "c": "On"}


def test_ways_are_as_probable_as_their_steps_and_no_other_is_more_so() -> None:
    rng = np.random.default_rng(4)
    for _ in range(count(200)):
        task = random_task(rng, product_form=False)
        grounded = ground(task, everything=True)
        p = random_competence(rng, task)
        starts = {int(s): float(grounded.start[s]) for s in np.flatnonzero(grounded.start)}
        ways = list(most_probable_ways(grounded, p, starts, failures=True))
        best = np.zeros(len(grounded.start))
        best[list(starts)] = list(starts.values())
        source = grounded.action_state[grounded.outcome_action]
        for _ in range(len(best)):
            np.maximum.at(best, grounded.outcome_target, best[source] * grounded.probabilities(p))
        assert {way.state for way in ways} == set(np.flatnonzero(best).tolist())
        found = [way.probability for way in ways]
        assert found == sorted(found, reverse=True)
        assert found == pytest.approx([best[way.state] for way in ways])
