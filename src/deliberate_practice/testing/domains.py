"""The promises of every domain."""

from __future__ import annotations

from deliberate_practice.allocation.allocate import allocate
from deliberate_practice.mdp.grounding import ground
from deliberate_practice.practice.domain import DOMAINS, Domain, Scene, make_robot
from deliberate_practice.task.toml_reader import parse_task
from deliberate_practice.task.toml_writer import task_to_toml
from deliberate_practice.testing.promise import promise
from deliberate_practice.testing.robots import check_robot


def check_domain(domain: str | Domain, *, trials: int = 2) -> None:
    """Check that a domain's task can be planned and written, and that its scenes fit the task.

    Args:
        domain: A registered name, or the domain.
        trials: Trials to run in each scene.

    Raises:
        AssertionError: A promise is broken.
        DeliberatePracticeError: The task is not sound; the message gives the reason.
    """
    name = DOMAINS.parse(domain)[0] if isinstance(domain, str) else domain.name
    known = DOMAINS[name] if isinstance(domain, str) else domain
    promise(known.name == name, f"it is offered as '{name}', but its name is '{known.name}'.")
    task = known.task()
    promise(task == known.task(), "making the task twice gives two different tasks.")
    promise(parse_task(task_to_toml(task)) == task, "a task file of its task reads differently.")
    ground(task)
    allocate(task, 10)
    known.check(task)
    for robot in known.scenes:
        scene = known.scene(robot)
        promise(
            isinstance(scene, Scene), f"its scene for the robot '{robot}' is {scene!r}, no Scene."
        )
        assert scene
        practised = scene.practised(task)
        names = [skill.name for skill in practised.skills]
        promise(
            names == [skill.name for skill in task.skills],
            f"the scene for '{robot}' changes the skills of the task.",
        )
        check_robot(scene.robot(practised, 0, 1), practised, trials=trials)
    check_robot(make_robot("curves", task, 0), task)
