"""A microwave whose door is released by a push button, springs open, and snaps shut again.

All of it is mechanics. A sprung pawl with a bevelled nose stands in front of the door's hook; the
button draws the pawl back, and a weak spring then opens the door as far as the hidden joint
``check`` says, which no force in the scene can move. Pushed shut, the hook lifts the pawl by its
bevel, passes, and is held.
"""

from __future__ import annotations

import math

import mujoco

from deliberate_practice.domains.breakfast.latch import (
    FIRM,
    HOOK,
    OVERLAP,
    QUICK,
    add_hook,
    add_pawl,
)
from deliberate_practice.domains.breakfast.markers import add_markers
from deliberate_practice.robots.mujoco.room import Material, add_box, add_materials, show_box

OPENING = (0.26, 0.30, 0.24)
"""Inner depth, width and height of the oven [m]."""

DOOR = (0.022, 0.327, 0.264)
"""Thickness, width from hinge to free edge, and height of the door [m]."""

STAND = 0.12
"""Height of the casing's underside over what the microwave stands on [m]."""

PRESS = 0.012
"""How far the button can be pressed [m]; the door is free after about 7 mm."""

WIDEST = math.radians(110)
"""Where the hinge ends [rad]."""

_WALL, _PANEL, _GAP = 0.012, 0.09, 0.007
_EDGE = DOOR[1] - OPENING[1] / 2 - _WALL  # y of the closed door's free edge
_BUTTON_HALF, _BUTTON_OUT = 0.019, 0.016
_HOOK_DEPTH, _PLAY = 0.020, 0.0012
_LATCH_DROP = 0.09  # below the middle of the door, out of the way of bowl and hand


def add_microwave(
    spec: mujoco.MjSpec, pos: tuple[float, float, float], yaw: float = 0.0, stand: float = STAND
) -> mujoco.MjsBody:
    """Put a closed microwave into a scene.

    Its frame is on the ground, below the middle of the opening, in the plane of the casing's front;
    x points into the oven. Seen from the front the hinge is on the right, the button on the left.
    Joints: ``door`` (0 is closed [rad]), ``button`` and ``pawl`` [m], ``check`` (the angle to which
    the door springs open [rad]). Sites: ``button`` in the middle of the button's face,
    ``door_edge`` outside on the door near its free edge, ``microwave_inside`` on the oven's floor.

    Args:
        spec: The scene.
        pos: Where its frame is [m].
        yaw: Its turn about the vertical [rad].
        stand: Height of the casing's underside over that [m].

    Returns:
        The body ``microwave``.
    """
    add_materials(spec, _MATERIALS)
    turn = (math.cos(yaw / 2), 0, 0, math.sin(yaw / 2))
    microwave = spec.worldbody.add_body(name="microwave", pos=pos, quat=turn)
    _add_casing(microwave, stand)
    add_markers(spec, _add_door(microwave, stand))
    _add_button(microwave, stand)
    _add_pawl(spec, microwave, stand)
    _add_check(microwave, stand)
    for moving in ("door", "button"):
        spec.add_exclude(bodyname1="microwave", bodyname2=moving)
    spring = spec.add_tendon(name="opener", springlength=(0, 0), stiffness=_OPENER)
    spring.wrap_joint("door", 1)
    spring.wrap_joint("check", -1)
    # The button pushes the pawl back, but the hook can do so without moving the button.
    release = spec.add_tendon(name="release", range=(0, 1), limited=True)
    release.solref_limit, release.solimp_limit = QUICK, FIRM
    release.wrap_joint("pawl", 1)
    release.wrap_joint("button", -1)
    return microwave


_OPENER, _DOOR_DAMPING = 0.5, 0.24  # [N m/rad], [N m s/rad]: nearly critical, open in a second

_MATERIALS: dict[str, Material] = {
    "casing": ((0.82, 0.83, 0.84), 0.4, 0.4),
    "cavity": ((0.72, 0.73, 0.72), 0.1, 0.1),
    "door_frame": ((0.24, 0.25, 0.27), 0.4, 0.4),
    "door_window": ((0.08, 0.09, 0.11), 0.8, 0.8),
    "door_inside": ((0.80, 0.80, 0.78), 0.1, 0.1),
    "push_button": ((0.93, 0.56, 0.18), 0.3, 0.3),
    "latch": ((0.70, 0.71, 0.73), 0.6, 0.6),
}


def _add_casing(microwave: mujoco.MjsBody, stand: float) -> None:
    depth, width, height = OPENING
    middle = stand + _WALL + height / 2
    right, left = -width / 2 - _WALL, _EDGE + _GAP + _PANEL
    whole, centre = (left - right) / 2, (left + right) / 2
    length = (depth + _WALL) / 2
    for z in (stand + _WALL / 2, stand + height + 1.5 * _WALL):
        add_box(microwave, (length, centre, z), (length, whole, _WALL / 2), "casing")
    add_box(
        microwave,
        (length, right + _WALL / 2, middle),
        (length, _WALL / 2, height / 2),
        "casing",
    )
    add_box(microwave, (depth + _WALL / 2, 0, middle), (_WALL / 2, width / 2, height / 2), "cavity")
    # What is behind the panel of controls is solid.
    block = (left - width / 2) / 2
    add_box(microwave, (length, width / 2 + block, middle), (length, block, height / 2), "casing")
    add_box(
        microwave,
        (-DOOR[0] / 2, left - _PANEL / 2, middle),
        (DOOR[0] / 2, _PANEL / 2, DOOR[2] / 2),
        "door_frame",
        name="panel",
    )
    if stand > 0:
        base = (length - 0.015, whole - 0.015, stand / 2)
        add_box(microwave, (length, centre, stand / 2), base, "latch")
    microwave.add_site(
        name="microwave_inside", pos=(depth / 2, 0, stand + _WALL), size=(0.005,) * 3, group=4
    )


def _add_door(microwave: mujoco.MjsBody, stand: float) -> mujoco.MjsBody:
    """Its frame: on the hinge, half way up, in the plane of the inner side; y to the free edge."""
    thickness, width, height = DOOR
    hinge = -OPENING[1] / 2 - _WALL
    middle = stand + _WALL + OPENING[2] / 2
    door = microwave.add_body(name="door", pos=(0, hinge, middle))
    door.add_joint(
        name="door",
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=(0, 0, 1),
        range=(0, WIDEST),
        limited=True,
        damping=_DOOR_DAMPING,
        solref_limit=(0.012, 1),
        solimp_limit=FIRM,
    )
    at = (-thickness / 2, width / 2, 0)
    add_box(door, at, (thickness / 2, width / 2, height / 2), "door_frame", name="door")
    pane = (0.0006, width / 2 - 0.04, height / 2 - 0.04)
    show_box(door, (-thickness, width / 2, 0), pane, "door_window")
    lining = (0.0004, width / 2 - 0.004, height / 2 - 0.004)
    show_box(door, (0, width / 2, 0), lining, "door_inside")
    reach = OPENING[1] / 2 - hinge + HOOK + 0.004  # y of the hook in the door's frame
    add_hook(door, "hook", (_HOOK_DEPTH, reach, -_LATCH_DROP), 0.012, 0.01, "latch")
    stem = (_HOOK_DEPTH / 2, reach - 0.006, -_LATCH_DROP)
    show_box(door, stem, (_HOOK_DEPTH / 2 + 0.002, 0.004, 0.01), "latch")
    door.add_site(name="door_edge", pos=(-thickness, width - 0.03, 0), size=(0.005,) * 3, group=4)
    return door


def _add_button(microwave: mujoco.MjsBody, stand: float) -> None:
    """Its frame is in the middle of its face."""
    y = _EDGE + _GAP + _PANEL / 2
    at = (-DOOR[0] - _BUTTON_OUT, y, stand + _WALL + OPENING[2] / 2)
    button = microwave.add_body(name="button", pos=at)
    button.add_joint(
        name="button",
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=(1, 0, 0),
        range=(0, PRESS),
        limited=True,
        stiffness=300.0,
        solref_limit=QUICK,
        solimp_limit=FIRM,
        springref=-0.008,
        damping=6.0,
    )
    half = (_BUTTON_OUT / 2, _BUTTON_HALF, _BUTTON_HALF)
    add_box(button, (_BUTTON_OUT / 2, 0, 0), half, "push_button", name="button").mass = 0.04
    button.add_site(name="button", pos=(0, 0, 0), size=(0.005,) * 3, group=4)


def _add_pawl(spec: mujoco.MjSpec, microwave: mujoco.MjsBody, stand: float) -> None:
    hook = OPENING[1] / 2 + HOOK + 0.004
    height = stand + _WALL + OPENING[2] / 2 - _LATCH_DROP
    at = (_HOOK_DEPTH - HOOK - _PLAY, hook - OVERLAP, height)
    add_pawl(spec, microwave, "pawl", at, (200.0, 0.015), PRESS + 0.002, "latch")


def _add_check(microwave: mujoco.MjsBody, stand: float) -> None:
    """A setting rather than a part: it weighs nothing that matters and never moves."""
    check = microwave.add_body(name="check", pos=(0.05, 0, stand), gravcomp=1.0)
    check.explicitinertial = True
    check.mass, check.inertia = 1e-4, (1e-6,) * 3
    check.add_joint(
        name="check",
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=(0, 0, 1),
        range=(0, WIDEST),
        limited=False,
        armature=1.0,
        frictionloss=50.0,
        solimp_friction=(0.9999, 0.9999, 0.001, 0.5, 2),  # it must not creep
    )
