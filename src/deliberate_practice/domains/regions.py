"""The robot ``regions`` in a domain: searches as hard as those in physics, without physics."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files

from deliberate_practice.practice.domain import Scene
from deliberate_practice.robots.regions import Region, RegionRobot
from deliberate_practice.task.model import Task
from deliberate_practice.task.skill import Parameter


def region_scene(
    package: str, parameters: Callable[[Task], Mapping[str, tuple[Parameter, ...]]]
) -> Scene:
    """The scene with the parameters and priors of physics, and with regions fitted to its curves.

    Args:
        package: Where ``priors.toml`` has the measured curves, and ``regions.toml`` the fit.
        parameters: The parameters of every skill.
    """
    folder = files(package)

    def robot(task: Task, seed: int = 0, threads: int = 1, **lengths: float) -> RegionRobot:
        rows = tomllib.loads((folder / "regions.toml").read_text(encoding="utf-8"))
        regions = {
            verb: Region(row["radius"], row["displacement"], row["noise"])
            for verb, row in rows.items()
        }
        return RegionRobot(task, seed, threads, regions=regions, **lengths)

    return Scene(robot, parameters, lambda: folder / "priors.toml")
