"""A toaster with two slots and a sprung lever that lowers the bread and latches.

All of it is mechanics: the lever carries the bread; pressed far enough its hook lifts a sprung pawl
by the bevel, passes, and is held there against its spring.
"""

from __future__ import annotations

import math

import mujoco

from deliberate_practice.domains.breakfast.latch import HOOK, OVERLAP, add_hook, add_pawl
from deliberate_practice.robots.mujoco.panda import SCENE
from deliberate_practice.robots.mujoco.room import Material, add_box, add_materials, show_box

CASING = (0.26, 0.15, 0.18)
"""Length away from the robot, width and height [m]."""

SLOT = (0.16, 0.034)
"""Length and width of each slot [m]."""

TRAVEL = 0.047
"""How far the lever goes down [m]."""

LATCHED = 0.038
"""A lever that stays below this is held by the pawl [m]."""

CAUGHT = 0.0405
"""Where the pawl holds the lever [m]."""

REST = 0.125
"""Height of what the bread stands on, while the lever is up [m]."""

_APART = 0.035  # from the middle to the middle of each slot
_SLOT_X = 0.01
_KNOB = (0.017, 0.026, 0.008)
_KNOB_AT = (-CASING[0] / 2 - 0.040, 0.0, 0.142)
_PLAY = 0.001  # of the hook in the latch
_HOOK_AT = (-0.115, 0.0, 0.10)
_DOWN_AND_BACK = (0.5, 0.5, 0.5, -0.5)  # the pawl's x and y
_RUBBER = (0.02, 1), (0.9, 0.95, 0.002, 0.5, 2)  # a hand that arrives at the end is stopped softly

MATERIALS: dict[str, Material] = {
    "enamel": ((0.80, 0.20, 0.17), 0.5, 0.7),
    "chrome": ((0.74, 0.75, 0.77), 0.9, 0.8),
    "knob": ((0.13, 0.13, 0.14), 0.3, 0.4),
}


def add_toaster(spec: mujoco.MjSpec, pos: tuple[float, float, float]) -> mujoco.MjsBody:
    """Put a toaster into a scene.

    Its frame is on the ground, in the middle; its long side is along x, the lever at the near end.
    Joints: ``lever`` and ``lever_pawl`` [m], positive down and back. Sites: ``lever`` in the middle
    of the knob's upper face, ``slot`` in the middle of what the bread stands on.

    Args:
        spec: The scene.
        pos: Where its frame is [m].

    Returns:
        The body ``toaster``.
    """
    add_materials(spec, MATERIALS)
    toaster = spec.worldbody.add_body(name="toaster", pos=pos)
    _add_casing(toaster)
    _add_lever(toaster)
    x, _, z = _HOOK_AT
    at = (x - OVERLAP, 0, z - CAUGHT + HOOK + _PLAY)
    add_pawl(spec, toaster, "lever_pawl", at, (250.0, 0.012), 0.014, "chrome", _DOWN_AND_BACK)
    spec.add_exclude(bodyname1="toaster", bodyname2="lever")
    return toaster


def _add_casing(toaster: mujoco.MjsBody) -> None:
    """Solid but for the slots."""
    length, width, height = (side / 2 for side in CASING)
    feet = 0.012
    middle, tall = (feet + 2 * height) / 2, height - feet / 2
    begin, end = _SLOT_X - SLOT[0] / 2, _SLOT_X + SLOT[0] / 2
    for low, high in ((-length, begin), (end, length)):
        add_box(toaster, ((low + high) / 2, 0, middle), ((high - low) / 2, width, tall), "enamel")
    inner, outer = _APART - SLOT[1] / 2, _APART + SLOT[1] / 2
    for low, high in ((-width, -outer), (-inner, inner), (outer, width)):
        at = (_SLOT_X, (low + high) / 2, middle)
        add_box(toaster, at, (SLOT[0] / 2, (high - low) / 2, tall), "enamel")
    rim = 0.0015
    for sign in (-1, 1):  # seen, not touched
        for y in (inner, outer):
            show_box(toaster, (_SLOT_X, sign * y, 2 * height), (SLOT[0] / 2, rim, rim), "chrome")
    show_box(toaster, (0, 0, feet / 2), (length - 0.01, width - 0.01, feet / 2), "knob")
    show_box(toaster, (-length, 0, 0.118), (0.0006, 0.005, 0.036), "knob")  # where the lever runs
    show_box(toaster, (0, 0, 0.04), (length + 0.001, width + 0.001, 0.004), "chrome")


def _add_lever(toaster: mujoco.MjsBody) -> None:
    lever = toaster.add_body(name="lever")
    lever.add_joint(
        name="lever",
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=(0, 0, -1),
        range=(0, TRAVEL),
        limited=True,
        stiffness=70.0,
        springref=-0.055,
        damping=4.0,
        solref_limit=_RUBBER[0],
        solimp_limit=_RUBBER[1],
    )
    add_box(lever, _KNOB_AT, _KNOB, "knob", name="knob").mass = 0.06
    stem = -CASING[0] / 2 - 0.012
    show_box(lever, (stem, 0, _KNOB_AT[2]), (0.013, 0.004, 0.005), "chrome")
    for sign in (-1, 1):
        at = (_SLOT_X, sign * _APART, REST - 0.003)
        plate = add_box(lever, at, (SLOT[0] / 2 - 0.01, 0.012, 0.003), "chrome")
        plate.mass, plate.conaffinity = 0.03, SCENE
    lying = (math.sqrt(0.5), math.sqrt(0.5), 0, 0)
    add_hook(lever, "lever_hook", _HOOK_AT, 0.01, 0.02, "chrome", lying)
    top = (_KNOB_AT[0], 0, _KNOB_AT[2] + _KNOB[2])
    lever.add_site(name="lever", pos=top, size=(0.005,) * 3, group=4)
    lever.add_site(name="slot", pos=(_SLOT_X, _APART, REST), size=(0.005,) * 3, group=4)
