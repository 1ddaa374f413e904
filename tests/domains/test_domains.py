"""Our domains: the paper's sizes, their parameters, and the scenes that belong to them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from deliberate_practice.foundation.errors import ArgumentError, DeliberatePracticeError
from deliberate_practice.practice.domain import (
    DOMAINS,
    in_scene,
    load_task,
    make_robot,
    practised_task,
    scene_of,
)
from deliberate_practice.task.curves import PiecewiseLinear
from deliberate_practice.task.model import Goal, Start, Task
from deliberate_practice.task.skill import Skill
from deliberate_practice.task.toml_reader import parse_task
from deliberate_practice.task.toml_writer import task_to_toml, write_task

OURS = ["counterexample", "cleanup", "cleanup-multi", "breakfast", "kitchen"]
IN_REGIONS = ["cleanup", "cleanup-multi", "breakfast"]
IN_MUJOCO = [*IN_REGIONS, "kitchen"]


@pytest.mark.parametrize(
    ("name", "skills", "states", "practised"),
    [
        ("counterexample", 3, 5, 3),
        ("cleanup", 10, 8 * 5 + 1, 10),
        ("cleanup-multi", 22, 8 * 5**4 + 1, 22),
        ("breakfast", 7, 37, 3),
        ("kitchen", 7, 2**7 + 1, 6),
    ],
)
def test_sizes(name: str, skills: int, states: int, practised: int) -> None:
    task = load_task(name)
    assert len(task.skills) == skills
    assert task.state_count == states
    assert sum(policy.practisable for policy in task.policies.values()) == practised


def test_parameters() -> None:
    assert len(load_task("cleanup-multi", objects=6).skills) == 6 + 6 + 18
    task = load_task("breakfast", competence=0.2, rate=0.05)
    assert task.policies["StartToaster"].competence == 0.2
    assert task.policies["PickBread"].competence == 0.99
    assert load_task("cleanup", discount=0.9).discount == 0.9


@pytest.mark.parametrize("name", OURS)
def test_a_file_gives_the_same_task(name: str, tmp_path: Path) -> None:
    write_task(load_task(name), tmp_path / "task.toml")
    again = load_task(tmp_path / "task.toml")
    assert again.policies == load_task(name).policies
    assert again.state_count == load_task(name).state_count
    assert again.domain == name


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("cleanap", {}, "Did you mean 'cleanup'"),
        ("missing.toml", {}, "missing.toml"),
        ("cleanup", {"objects": 3}, "'objects' is not one of: competence, rate, discount"),
        ("breakfast", {"competence": 1.5}, r"1\.5"),
        ("cleanup-multi", {"objects": 0}, "at least 1"),
        ("cleanup-multi", {"objects": 2.5}, "whole number"),
    ],
)
def test_refuses_what_it_does_not_have(
    name: str, parameters: dict[str, float], message: str
) -> None:
    with pytest.raises(DeliberatePracticeError, match=message):
        load_task(name, **parameters)


def test_scenes() -> None:
    """A scene of a robot is imported when it is asked for, and then stays what it is."""
    pytest.importorskip("mujoco")
    scenes = {name: DOMAINS[name].scene("mujoco") for name in OURS}
    assert [name for name, scene in scenes.items() if scene] == IN_MUJOCO
    assert scenes["cleanup"] is scenes["cleanup-multi"]
    for name in OURS:
        assert DOMAINS[name].scene("curves") is None
        assert scene_of(load_task(name), "mujoco") is scenes[name]
        assert scene_of(load_task(name), "mujoco:any=1") is scenes[name]
        assert in_scene(load_task(name), "curves") == load_task(name)


@pytest.mark.parametrize("name", IN_REGIONS)
def test_regions_have_the_parameters_and_priors_of_physics(name: str) -> None:
    pytest.importorskip("mujoco")
    assert practised_task(name, "regions") == practised_task(name, "mujoco")
    assert practised_task(name, "regions:noise=0.1") == practised_task(name, "mujoco")


@pytest.mark.parametrize("name", IN_MUJOCO)
def test_measured_priors_are_used_unless_something_else_is_given(name: str) -> None:
    pytest.importorskip("mujoco")
    stated = load_task(name)
    measured = practised_task(name, "mujoco")
    assert (stated.priors, measured.priors) == ("unknown", "accurate")
    for skill in measured.skills:
        policy = measured.policies[skill.policy]
        if policy.practisable:
            assert policy.parameters
            assert policy.curve is not None
            assert policy.curve.kind == "exponential"
    given = practised_task(name, "mujoco", rate=0.01)
    assert given.priors == "unknown"
    assert given == practised_task(f"{name}:rate=0.01", "mujoco")
    assert given.policies != measured.policies
    for policy in given.policies.values():
        assert policy.parameters == measured.policies[policy.name].parameters
        if policy.practisable:
            assert isinstance(policy.curve, PiecewiseLinear)
            assert policy.curve.rate == 0.01
    assert practised_task(stated, "mujoco") is stated  # a task is taken as it is


def own(name: str, domain: str = "") -> Task:
    """A task of one's own."""
    return Task(
        name=name,
        variables={"bread": ["bag", "plate"]},
        goals=[Goal("served", 1.0, {"bread": "plate"})],
        skills=[
            Skill("Serve", {"bread": "bag"}, {"bread": "plate"}, 0.2, curve=PiecewiseLinear(0.05))
        ],
        domain=domain,
    )


@pytest.mark.parametrize("name", ["breakfast", "cleanup", "cleanup-multi", "mine"])
def test_a_task_of_ones_own_has_no_scene_whatever_it_is_called(name: str) -> None:
    task = own(name)
    assert scene_of(task, "mujoco") is None
    assert in_scene(task, "mujoco") is task
    with pytest.raises(ArgumentError) as caught:
        make_robot("mujoco", task, 0)
    message = str(caught.value)
    assert f"task '{name}' has no simulated scene; take --robot curves" in message
    assert "The domains cleanup, cleanup-multi, breakfast, kitchen have one" in message


@pytest.mark.parametrize("name", IN_MUJOCO)
def test_a_task_keeps_its_scene_through_files_names_and_priors(name: str) -> None:
    pytest.importorskip("mujoco")
    task = load_task(name)
    scene = DOMAINS[name].scene("mujoco")
    changed = replace(task.with_priors(0.2, 0.01), name="mine", discount=0.9, priors="vague")
    assert scene_of(parse_task(task_to_toml(changed)), "mujoco") is scene
    assert scene_of(replace(task, skills=list(task.skills)[:-1]), "mujoco") is scene
    assert scene_of(replace(task, goals=list(task.goals)[:1]), "mujoco") is scene
    practised = practised_task(name, "mujoco")
    assert scene_of(parse_task(task_to_toml(practised)), "mujoco") is scene
    assert scene_of(replace(task, domain=""), "mujoco") is None


def test_cleanup_takes_as_many_objects_as_a_task_has() -> None:
    pytest.importorskip("mujoco")
    for objects in (1, 2, 6):
        task = load_task("cleanup-multi", objects=objects)
        assert scene_of(task, "mujoco") is DOMAINS["cleanup"].scene("mujoco")
        assert scene_of(replace(task, domain="cleanup"), "mujoco") is not None


def test_a_task_that_names_a_domain_and_does_not_fit_is_told_why() -> None:
    pytest.importorskip("mujoco")
    task = load_task("breakfast")
    first, *rest = task.skills
    state = {name: values[-1] for name, values in task.variables.items()}
    strangers = {
        "its variables or their values differ": own("mine", "breakfast"),
        "the robot has no skill 'Fly'": replace(task, skills=[replace(first, name="Fly"), *rest]),
        f"the failure of skill '{first.name}'": replace(
            task, skills=[replace(first, failure="stay"), *rest]
        ),
        f"the precondition of skill '{first.name}'": replace(
            task, skills=[replace(first, precondition={}), *rest]
        ),
        f"the effect of skill '{first.name}'": replace(
            task, skills=[replace(first, effect="end"), *rest]
        ),
        "it starts elsewhere": replace(task, starts=[Start(1.0, state)]),
    }
    for fault, stranger in strangers.items():
        assert scene_of(stranger, "curves") is None  # where there is no scene, nothing is needed
        for use in (
            lambda task=stranger: scene_of(task, "mujoco"),
            lambda task=stranger: in_scene(task, "mujoco"),
            lambda task=stranger: make_robot("mujoco", task, 0),
        ):
            with pytest.raises(ArgumentError, match=fault) as caught:
                use()
            assert f"task '{stranger.name}': it says that it belongs to the domain 'breakfast'" in (
                str(caught.value)
            )
            assert 'leave out: domain = "breakfast"' in str(caught.value)
