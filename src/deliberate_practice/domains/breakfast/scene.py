"""The station of Breakfast: two Pandas at a table, a toaster, a microwave, bread and a bowl."""

from __future__ import annotations

import math

import mujoco

from deliberate_practice.domains.breakfast.appearance import (
    MATERIALS,
    show_bowl,
    show_bread,
    show_station,
)
from deliberate_practice.domains.breakfast.microwave import DOOR, add_microwave
from deliberate_practice.domains.breakfast.toaster import add_toaster
from deliberate_practice.robots.mujoco.camera import add_wrist_camera
from deliberate_practice.robots.mujoco.impedance import Gains, add_impedance
from deliberate_practice.robots.mujoco.panda import (
    COLLISION_GROUP,
    ROBOT,
    SCENE,
    VISUAL_GROUP,
    add_panda,
)
from deliberate_practice.robots.mujoco.room import (
    add_box,
    add_materials,
    add_surroundings,
    add_table,
    add_touch_sensors,
    set_physics,
)

LEFT, RIGHT = "left_", "right_"
"""Prefixes of the robots' names; left and right are seen from the robots."""

TABLE = (0.36, 0.62, 0.86)
"""Centre in x, and half sizes in x and y, of the table top, whose surface is at z = 0 [m]."""

BASES = {LEFT: (0.0, 0.34, 0.0), RIGHT: (0.0, -0.27, 0.0)}
TOASTER = (0.64, 0.42, 0.0)
MICROWAVE = (0.68, -0.17, 0.0)
"""Where the robots and the appliances stand [m]."""

RACK = (0.46, 0.66)
BOWL = (0.42, -0.70)
"""Where the bread's rack and the bowl are, give or take: x and y [m]."""

PRESSED = ("lever", "button")
"""What is pressed: joints, and sensors of how far they are [m]."""

ACTS_ON = {
    "PickBread": (f"{LEFT}hand", "bread"),
    "PlaceBread": ("bread", "toaster"),
    "StartToaster": (f"{LEFT}hand", "lever"),
    "OpenMicrowave": (f"{RIGHT}hand", "button"),
    "PickBowl": (f"{RIGHT}hand", "bowl"),
    "PlaceBowl": ("bowl", "microwave"),
    "CloseMicrowave": (f"{RIGHT}hand", "door"),
}
"""The bodies that touch each other when a skill acts."""

BREAD = (0.10, 0.016, 0.092)
"""Width, thickness and height of the slice [m]."""

RACK_JOINTS = ("rack_x", "rack_y", "rack_turn")
"""How the rack can be moved on the table [m], [rad]."""

RACK_BASE = 0.012
"""Height of what the bread stands on in its rack [m]."""

BOWL_SIZE = (0.060, 0.052)
"""Radius and height of the bowl [m]."""

HANDLE = (0.056, 0.016, 0.014)
"""Length, width and height of the bowl's handle [m]; it points towards the robot, along -x."""

HANDLE_Z = 0.040
"""From the underside of the bowl to the middle of its handle [m]."""

GRIP = -BOWL_SIZE[0] - 0.034
"""Where the handle is taken, from the middle of the bowl, along x [m]."""

CAMERA = "wrist"
"""The camera at the left hand."""

PERCEIVED_DOOR = "perceived_door"
"""The box that stands for the door in the planner's scene."""

CUSHION = 0.03
"""Time constant of the robots' skin, the button and the seal of the door in impacts [s]."""

REFERENCE_YAW = {LEFT: -0.7, RIGHT: 0.0}
"""Usual directions of the hands [rad]."""


def scene(
    gains: Gains | None = None, visual: bool = False, planning: bool = False
) -> mujoco.MjSpec:
    """Robots, table, appliances, bread and bowl; compile it with ``.compile()``.

    Args:
        gains: How stiffly the robots are controlled.
        visual: Whether to add what only pictures need.
        planning: Whether it is the planner's scene, in which the microwave's door cannot be
            touched, and a box that can be put anywhere, ``perceived_door``, stands for it.
    """
    spec = mujoco.MjSpec()
    spec.modelname = "breakfast"
    spec.compiler.degree = 0
    set_physics(spec)
    add_materials(spec, MATERIALS)
    add_table(spec, TABLE, "oak")
    for number, (prefix, base) in enumerate(BASES.items()):
        add_panda(spec, prefix, base, number, visual, CUSHION)
    add_wrist_camera(spec.body(f"{LEFT}hand"), CAMERA)
    add_toaster(spec, TOASTER)
    add_microwave(spec, MICROWAVE)
    for pressed in PRESSED:
        spec.add_sensor(
            name=pressed,
            type=mujoco.mjtSensor.mjSENS_JOINTPOS,
            objtype=mujoco.mjtObj.mjOBJ_JOINT,
            objname=pressed,
        )
    _cushion(spec)
    _add_rack(spec)
    _add_bread(spec, visual)
    _add_bowl(spec, visual)
    add_touch_sensors(spec, ACTS_ON.values())
    for prefix, yaw in REFERENCE_YAW.items():
        add_impedance(spec, gains or Gains(), prefix, yaw)
    if planning:
        _perceive(spec)
    if visual:
        add_surroundings(spec, TABLE)
        show_station(spec, BOWL, f"{LEFT}hand")
    return spec


def _cushion(spec: mujoco.MjSpec) -> None:
    """Make the stops that hands hit softer than steel."""
    housing = spec.geom(f"{CAMERA}_housing")
    housing.priority, housing.solref = 1, (CUSHION, 1)
    for joint in ("door", "button"):
        spec.joint(joint).solref_limit = (CUSHION, 1)


def _add_rack(spec: mujoco.MjSpec) -> None:
    """A stand that keeps the slice upright; its frame is on the ground, in the middle.

    It slides on the table by joints of its own, with much friction, because contacts with the table
    would cost more time than the rest of it.
    """
    rack = spec.worldbody.add_body(name="rack", pos=(*RACK, 0))
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    for name, kind, axis in zip(
        RACK_JOINTS, (slide, slide, hinge), ((1, 0, 0), (0, 1, 0), (0, 0, 1)), strict=True
    ):
        rack.add_joint(name=name, type=kind, axis=axis, damping=200.0)
    spec.add_exclude(bodyname1="table", bodyname2="rack")
    add_box(rack, (0, 0, RACK_BASE / 2), (0.07, 0.045, RACK_BASE / 2), "walnut").mass = 0.5
    gap = BREAD[1] / 2 + 0.003
    for x in (-0.038, 0.038):
        for side in (-1, 1):
            at = (x, side * (gap + 0.005), RACK_BASE + 0.022)
            add_box(rack, at, (0.005, 0.005, 0.022), "walnut").mass = 0.01


def _add_bread(spec: mujoco.MjSpec, visual: bool) -> None:
    bread = spec.worldbody.add_body(name="bread", pos=(*RACK, RACK_BASE + BREAD[2] / 2))
    bread.add_freejoint(name="bread")
    width, thickness, height = (side / 2 for side in BREAD)
    slice_ = add_box(bread, (0, 0, 0), (width, thickness, height), "crumb", name="bread")
    slice_.mass, slice_.friction = 0.04, (0.8, 0.01, 0.001)
    if visual:
        show_bread(spec, bread, slice_)


def _add_bowl(spec: mujoco.MjSpec, visual: bool) -> None:
    """Its frame is in the middle of its underside; nothing goes into it, so it is solid.

    For robots it is round; what it stands on only sees the square of its foot, which is cheaper.
    """
    radius, height = BOWL_SIZE
    bowl = spec.worldbody.add_body(name="bowl", pos=(*BOWL, 0))
    bowl.add_freejoint(name="bowl")
    whole = bowl.add_geom(
        name="bowl",
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        pos=(0, 0, height / 2),
        size=(radius, height / 2, 0),
        mass=0.2,
        material="stoneware",
        contype=0,
        conaffinity=ROBOT,
        group=VISUAL_GROUP,
    )
    side = radius * math.sqrt(0.5)
    foot = add_box(bowl, (0, 0, height / 2), (side, side, height / 2), "stoneware", name="foot")
    foot.mass, foot.conaffinity, foot.group = 0.0, SCENE, COLLISION_GROUP
    foot.friction = (0.7, 0.01, 0.001)
    length, wide, tall = (side / 2 for side in HANDLE)
    at = (-radius - length + 0.004, 0, HANDLE_Z)
    handle = add_box(bowl, at, (length, wide, tall), "stoneware", name="handle")
    handle.mass, handle.friction = 0.03, (0.9, 0.01, 0.001)
    if visual:
        show_bowl(spec, bowl, whole)


def _perceive(spec: mujoco.MjSpec) -> None:
    for geom in spec.body("door").geoms:
        geom.contype = geom.conaffinity = 0
    box = spec.worldbody.add_body(name=PERCEIVED_DOOR, mocap=True)
    half = (DOOR[0] / 2, DOOR[1] / 2, DOOR[2] / 2)
    add_box(box, (0, 0, 0), half, "door_frame", name=PERCEIVED_DOOR)
