"""A film of a robot in MuJoCo: the states of an execution, and how to draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import mujoco

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.practice.robot import Step
from deliberate_practice.robots.mujoco.rendering import Camera


@dataclass(frozen=True)
class Film:
    """The execution of a plan, ready to be drawn.

    Attributes:
        model: The scene as it should look.
        states: A state (``mjSTATE_FULLPHYSICS``) per step of the simulation.
        begins: The row of ``states`` at which each skill begins.
        camera: Where the scene is seen from.
    """

    model: mujoco.MjModel
    states: FloatArray
    begins: Sequence[int]
    camera: Camera


@runtime_checkable
class FilmedRobot(Protocol):
    """A robot that ``--video``, ``--picture`` and ``--watch`` can show."""

    def film(self, plan: Sequence[Step], seed: int) -> Film:
        """The execution of a plan until its first failure, from the start of a seed."""
        ...
