"""Continue executions: along free paths, and by controls in physics."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import mujoco
import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.attempt import Execution
from deliberate_practice.robots.mujoco.impedance import Gains, block
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.limits import load
from deliberate_practice.robots.mujoco.motion import go, hold
from deliberate_practice.robots.mujoco.panda import FINGER_JOINTS, FORCE
from deliberate_practice.robots.mujoco.trajectory import follow
from deliberate_practice.robots.mujoco.world import World

SPEED = 0.8
"""Of free motion, as a fraction of the joints' limits."""

WAIT = 0.5
"""How long the arm stands still if there is no path home [s]."""

SETTLE = 0.25
"""How long everything may come to rest after an interaction [s]."""

NEAR_HOME = 0.15
"""An idle arm this close to its home holds it; otherwise it stays where it is [rad]."""


class Executor:
    """Continues some of several independent executions, in place, as if one by one.

    Args:
        world: The physics.
        arms: The robots, by prefix.
        homes: Joints of each robot between two skills [rad].
        gains: How stiffly they are controlled.
        watched: Sensors of one number each, of which every execution tells the largest reading.
        held: Which body each robot holds in a state; robots with empty hands are left out.
        carrying_speed: Of free motion with something in the hand, as a part of the joints' limits.
    """

    rolls_free_motion = False
    """Whether physics also rolls the free motions of an empty hand. Their paths touch nothing, so
    by default the arm is put at their ends."""

    def __init__(
        self,
        world: World,
        arms: Mapping[str, Arm],
        homes: Mapping[str, FloatArray],
        gains: Gains,
        watched: Sequence[str],
        held: Callable[[FloatArray], Mapping[str, str]],
        carrying_speed: float,
    ) -> None:
        self._world = world
        self._model = world.model
        self._arms = arms
        self._homes = homes
        self._gains = gains
        self._held = held
        self._carrying_speed = carrying_speed
        self._watched = {name: int(self._model.sensor(name).adr[0]) for name in watched}

    def go(
        self,
        done: list[Execution],
        paths: Mapping[int, tuple[FloatArray, float]],
        prefixes: Mapping[int, str],
        *,
        film: bool,
    ) -> None:
        """Move along free paths, with the fingers at some width, in place.

        Physics rolls the motion of a hand that holds something.
        """
        rolled = {}
        for index, (path, width) in paths.items():
            arm, state = self._arms[prefixes[index]], done[index].state
            held = arm.prefix in self._held(state)
            if held or self.rolls_free_motion:
                rows = self._follow(path, held)
                if len(rows) == 1:
                    rows = np.repeat(rows, round(WAIT / self._world.timestep), axis=0)
                controls = self.whole(arm, go(arm, rows, width, self._gains), state)
                rolled[index] = (controls, self._model)
                continue
            rows = self._follow(path, held) if film else path[-1:]
            shown = self._placed(state, arm, rows, width)
            before = done[index]
            done[index] = replace(
                before, state=shown[-1], film=(*before.film, shown) if film else ()
            )
        self.run(done, rolled, prefixes, film=film)

    def _placed(self, state: FloatArray, arm: Arm, rows: FloatArray, width: float) -> FloatArray:
        """States with the arm at rest at some joints, one per row; the fingers move meanwhile."""
        fingers = [int(self._model.joint(arm.prefix + joint).qposadr[0]) for joint in FINGER_JOINTS]
        dofs = [int(self._model.joint(arm.prefix + joint).dofadr[0]) for joint in FINGER_JOINTS]
        states = np.repeat(state[None], len(rows), axis=0)
        qpos, qvel = states[:, 1 : 1 + self._model.nq], states[:, 1 + self._model.nq :]
        qpos[:, arm.qpos_at] = rows
        share = np.arange(1, len(rows) + 1)[:, None] / len(rows)
        qpos[:, fingers] += share * (width / 2 - qpos[:, fingers])
        qvel[:, arm.dof_at] = 0.0
        qvel[:, dofs] = 0.0
        return states

    def run(
        self,
        done: list[Execution],
        going: Mapping[int, tuple[FloatArray, mujoco.MjModel]],
        prefixes: Mapping[int, str],
        *,
        film: bool,
    ) -> None:
        """Continue some executions in physics, in place."""
        runs = self._world.measure_all(
            [done[index].state for index in going],
            [controls for controls, _ in going.values()],
            [model for _, model in going.values()],
        )
        for index, run in zip(going, runs, strict=True):
            first = int(self._model.sensor(prefixes[index] + FORCE).adr[0])
            nq, nv = self._model.nq, self._model.nv
            states, forces = run.states, run.sensors[:, first : first + 3]
            positions, velocities = states[:, 1 : 1 + nq], states[:, 1 + nq : 1 + nq + nv]
            felt = load(
                self._arms[prefixes[index]], forces, positions, velocities, self._world.timestep
            )
            before = done[index]
            reached = {
                name: max(
                    float(run.sensors[: felt.steps, at].max()),
                    before.reached.get(name, -math.inf),
                )
                for name, at in self._watched.items()
            }
            done[index] = Execution(
                states[felt.steps - 1].copy(),
                max(felt.force, before.force),
                max(felt.speed, before.speed),
                felt.stopped,
                reached=reached,
                film=(*before.film, states[: felt.steps]) if film else (),
            )

    def _follow(self, path: FloatArray, held: bool) -> FloatArray:
        return follow(path, self._world.timestep, self._carrying_speed if held else SPEED)

    def whole(self, arm: Arm, controls: FloatArray, state: FloatArray) -> FloatArray:
        """Controls of all robots: the others hold still, and hold on to what they hold."""
        if len(self._arms) == 1:
            return controls
        whole = np.empty((len(controls), self._model.nu))
        whole[:, block(self._model, arm.prefix)] = controls
        held, data = self._held(state), self._world.view(state)
        for prefix, other in self._arms.items():
            if prefix == arm.prefix:
                continue
            joints, home = np.array(data.qpos[other.qpos_at]), self._homes[prefix]
            if np.abs(joints - home).max() < NEAR_HOME:
                joints = home
            opening = sum(float(data.joint(prefix + finger).qpos[0]) for finger in FINGER_JOINTS)
            width = 0.0 if prefix in held else opening
            whole[:, block(self._model, prefix)] = hold(other, joints, width)
        return whole
