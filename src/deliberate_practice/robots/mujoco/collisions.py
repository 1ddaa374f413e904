"""Whether the arm or the held object touches anything at given joint angles."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from deliberate_practice.foundation.arrays import FloatArray
from deliberate_practice.robots.mujoco.kinematics import Arm
from deliberate_practice.robots.mujoco.panda import ROBOT, SCENE

CLEARANCE = 0.004
"""How far the arm stays away from everything [m]; the compliant controller lags a little."""

SLACK = 0.0005
"""How much closer contacts at the ends of a motion may come during it [m]."""


@dataclass(frozen=True)
class Box:
    """An obstacle as perceived.

    Attributes:
        position: Of its middle [m].
        quaternion: Its orientation.
        size: Half sizes along its axes [m].
    """

    position: tuple[float, float, float]
    quaternion: tuple[float, float, float, float]
    size: tuple[float, float, float]


class CollisionChecker:
    """Collision checks for one arm in one scene, on a copy of the model made for them.

    The copy drops all pairs without the arm or the held object, which are most of the work.
    Contacts of the hand with the held object are allowed.

    >>> from deliberate_practice.robots.mujoco.panda import READY, panda
    >>> spec = panda(visual=False)
    >>> wall = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX)
    >>> wall.pos, wall.size = (0.7, 0, 0.5), (0.1, 0.5, 0.5)
    >>> wall.contype, wall.conaffinity = SCENE, ROBOT | SCENE
    >>> checker = CollisionChecker(Arm(spec.compile()))
    >>> checker.free(np.array(READY)), checker.free(np.array([0, 0.8, 0, -0.8, 0, 2.5, 0.8]))
    (True, False)

    Args:
        arm: The robot; its model is the whole scene.
        clearance: Distance below which two things touch [m].
    """

    def __init__(self, arm: Arm, clearance: float = CLEARANCE) -> None:
        self.clearance = clearance
        self.checks = 0
        self._original = arm.model
        self._model = copy.copy(arm.model)
        self._model.geom_margin[:] = clearance
        self._model.body_margin[:] = clearance
        self._model.geom_gap[:] = 0.0
        self.arm = arm
        self._data = mujoco.MjData(self._model)
        roots = self._model.body_rootid
        self._robot_bodies = np.flatnonzero(roots == roots[arm.base])
        self._held: int | None = None
        self._held_at = 0
        self._grip = np.zeros(7)
        self._excused: dict[tuple[int, int], float] = {}
        self._select()

    def look(
        self,
        qpos: FloatArray,
        held: str | None = None,
        perceived: Mapping[str, Box] | None = None,
    ) -> None:
        """Copy the present scene.

        Args:
            qpos: Positions of the whole model.
            held: Name of the body in the hand, which moves with it from now on.
            perceived: Poses of the boxes that are not in ``qpos``, by the name of their mocap
                bodies, which have one geom each.
        """
        for name, box in (perceived or {}).items():
            self._put(name, box)
        body = None if held is None else self._model.body(held).id
        if body != self._held:
            self._held = body
            self._select()
        self._excused = {}
        self._data.qpos[:] = qpos
        mujoco.mj_kinematics(self._model, self._data)
        if body is not None:
            self._held_at = int(self._model.jnt_qposadr[self._model.body_jntadr[body]])
            tool, back = self._tool(), np.empty(7)
            mujoco.mju_negPose(back[:3], back[3:], tool[:3], tool[3:])
            self._grip = _compose(back, self._data.qpos[self._held_at :][:7])

    def _put(self, name: str, box: Box) -> None:
        body = self._model.body(name)
        geom = int(body.geomadr[0])
        self._data.mocap_pos[body.mocapid[0]] = box.position
        self._data.mocap_quat[body.mocapid[0]] = box.quaternion
        self._model.geom_size[geom] = box.size
        self._model.geom_aabb[geom, 3:] = box.size
        self._model.bvh_aabb[self._model.body_bvhadr[body.id], 3:] = box.size  # a body of one geom
        self._model.geom_rbound[geom] = np.linalg.norm(box.size)

    def free(self, q: FloatArray) -> bool:
        """Whether nothing is touched at the joint angles ``q``."""
        self._place(q)
        return self._data.ncon == 0 or all(
            distance >= self._excused.get(pair, self.clearance)
            for pair, distance in self._pairs().items()
        )

    def touching(self, q: FloatArray) -> list[tuple[str, str, float]]:
        """All near pairs at ``q``, allowed or not: names of two bodies and their distance [m]."""
        self._place(q)
        names = [self._model.body(body).name for body in self._model.geom_bodyid]
        return [
            (names[first], names[second], distance)
            for (first, second), distance in self._pairs().items()
        ]

    def excuse(self, *places: FloatArray) -> None:
        """Allow the contacts present at these joint angles.

        A motion may then begin with the hand at a handle and lead away from it, not through it.
        """
        self._excused = {}
        for q in places:
            self._place(q)
            for pair, distance in self._pairs().items():
                limit = min(self.clearance, distance) - SLACK
                self._excused[pair] = min(limit, self._excused.get(pair, limit))

    def _pairs(self) -> dict[tuple[int, int], float]:
        """The least distance of every pair of geoms that is near.

        Pairs of things that stay where they are, which a scene may name, do not count.
        """
        nearest: dict[tuple[int, int], float] = {}
        contact = self._data.contact
        for pair, distance in zip(contact.geom.tolist(), contact.dist.tolist(), strict=True):
            if self._moved[pair[0]] or self._moved[pair[1]]:
                key = (pair[0], pair[1])
                nearest[key] = min(distance, nearest.get(key, distance))
        return nearest

    def _place(self, q: FloatArray) -> None:
        self.checks += 1
        self._data.qpos[self.arm.qpos_at] = q
        mujoco.mj_kinematics(self._model, self._data)
        if self._held is not None:
            self._data.qpos[self._held_at :][:7] = _compose(self._tool(), self._grip)
            mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_collision(self._model, self._data)

    def _tool(self) -> FloatArray:
        pose = np.empty(7)
        pose[:3] = self._data.site_xpos[self.arm.site]
        mujoco.mju_mat2Quat(pose[3:], self._data.site_xmat[self.arm.site])
        return pose

    def _select(self) -> None:
        """Set the contact bits of all geoms so that only pairs with the arm or its load collide."""
        original, model = self._original, self._model
        robot = np.isin(model.geom_bodyid, self._robot_bodies)
        held = model.geom_bodyid == self._held if self._held is not None else np.zeros_like(robot)
        solid = (original.geom_contype != 0) | (original.geom_conaffinity != 0)
        scene = solid & ~robot & ~held
        model.geom_contype[:], model.geom_conaffinity[:] = (
            original.geom_contype,
            original.geom_conaffinity,
        )
        model.geom_contype[scene], model.geom_conaffinity[scene] = SCENE, ROBOT
        model.geom_contype[held & solid], model.geom_conaffinity[held & solid] = ROBOT, SCENE
        self._moved: list[bool] = (robot | held).tolist()
        for bits, geom_bits in (
            (model.body_contype, model.geom_contype),
            (model.body_conaffinity, model.geom_conaffinity),
        ):
            bits[:] = 0
            np.bitwise_or.at(bits, model.geom_bodyid, geom_bits)


def _compose(frame: FloatArray, pose: FloatArray) -> FloatArray:
    """The world pose (position and quaternion, 7 numbers) of a pose in a frame."""
    result = np.empty(7)
    mujoco.mju_mulPose(result[:3], result[3:], frame[:3], frame[3:], pose[:3], pose[3:])
    return result
