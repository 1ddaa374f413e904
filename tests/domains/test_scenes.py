"""A scene belongs to what a task is, not to what it is called."""

from __future__ import annotations

from dataclasses import replace

import pytest
from deliberate_practice.domains.scenes import has_scene, scene_of

from deliberate_practice.foundation.errors import ArgumentError
from deliberate_practice.practice.domain import embodied, load_task, make_robot
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Start, Task
from deliberate_practice.task.skill import Skill
from deliberate_practice.task.toml_reader import parse_task
from deliberate_practice.task.toml_writer import task_to_toml


def own(name: str) -> Task:
    """A task of one's own."""
    return Task(
        name=name,
        variables={"bread": ["bag", "plate"]},
        goals=[Goal("served", 1.0, {"bread": "plate"})],
        skills=[
            Skill("Serve", {"bread": "bag"}, {"bread": "plate"}, 0.2, curve=PiecewiseLinear(0.05))
        ],
    )


@pytest.mark.parametrize("name", ["breakfast", "cleanup", "cleanup-multi", "mine"])
def test_a_task_of_ones_own_has_no_scene_whatever_it_is_called(name: str) -> None:
    for use in (lambda: embodied("mujoco", own(name)), lambda: make_robot("mujoco", own(name), 0)):
        with pytest.raises(ArgumentError) as caught:
            use()
        message = str(caught.value)
        assert f"there is no simulated scene for task '{name}'" in message
        assert ("not the built-in task of that name: its variables" in message) == (name != "mine")


@pytest.mark.parametrize("name", ["breakfast", "cleanup", "cleanup-multi"])
def test_a_built_in_task_keeps_its_scene_through_files_names_and_priors(name: str) -> None:
    task = load_task(name)
    assert name in scene_of(task).tasks
    changed = replace(task.with_priors(0.2, 0.01), name="mine", discount=0.9, priors="vague")
    assert scene_of(parse_task(task_to_toml(changed))) is scene_of(task)
    assert scene_of(replace(task, skills=list(task.skills)[:-1])) is scene_of(task)


def test_what_differs_is_said() -> None:
    task = load_task("breakfast")
    first, *rest = task.skills
    state = {name: values[-1] for name, values in task.variables.items()}
    strangers = {
        "the robot has no skill 'Fly'": replace(task, skills=[replace(first, name="Fly"), *rest]),
        f"the failure of skill '{first.name}'": replace(
            task, skills=[replace(first, failure="stay"), *rest]
        ),
        f"the precondition of skill '{first.name}'": replace(
            task, skills=[replace(first, precondition={}), *rest]
        ),
        "it starts elsewhere": replace(task, starts=[Start(1.0, state)]),
    }
    for fault, stranger in strangers.items():
        assert not has_scene(stranger)
        with pytest.raises(ArgumentError, match=fault):
            scene_of(stranger)
