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
class Take:
    """One skill of a film.

    Attributes:
        step: The skill, as it was executed.
        begin: The row of the film's states at which it begins; it ends where the next one begins.
        decisive: The row at which it is decided: a block is let go, a drawer is shut.
        success: Whether it succeeded.
        camera: Where it is seen from.
    """

    step: Step
    begin: int
    decisive: int
    success: bool
    camera: Camera


@dataclass(frozen=True, eq=False)
class Film:
    """The execution of some skills, ready to be drawn.

    Attributes:
        model: The scene as it should look.
        states: A state (``mjSTATE_FULLPHYSICS``) per step of the simulation.
        takes: The skills, in order; nothing follows one that failed.
        camera: Where the whole scene is seen from.
    """

    model: mujoco.MjModel
    states: FloatArray
    takes: Sequence[Take]
    camera: Camera

    @property
    def ends(self) -> list[int]:
        """The row at which each skill has ended."""
        return [*(take.begin for take in self.takes[1:]), len(self.states)]

    @property
    def success(self) -> bool:
        """Whether every skill succeeded."""
        return all(take.success for take in self.takes)

    @property
    def moves(self) -> bool:
        """Whether anything is done at all: a robot that finds no path stays where it is."""
        return len(self.states) > 1 + len(self.takes)

    @property
    def seconds(self) -> float:
        """How long it took [s]."""
        return len(self.states) * float(self.model.opt.timestep)


@runtime_checkable
class FilmedRobot(Protocol):
    """A robot that ``--video``, ``--picture``, ``--watch`` and ``deliberate film`` can show."""

    def film(self, steps: Sequence[Step], seed: int) -> Film:
        """The execution of some steps until the first failure.

        Args:
            steps: A plan, which begins at the task's start of the seed; or one skill that cannot
                begin there, which begins at its precondition.
            seed: Seed of everything random.
        """
        ...
