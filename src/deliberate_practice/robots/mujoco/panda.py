"""A Franka Panda with its hand, from the published figures.

Kinematics are the modified Denavit-Hartenberg parameters of the manufacturer, with its limits of
position, velocity and torque; masses and inertias are those identified by Gaz et al. (2019).
Collision geometry is primitive (capsules and boxes); the visible meshes come from the installed
``gymnasium_robotics``, and where that is missing the primitives are shown instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

import mujoco

ARM_JOINTS = tuple(f"joint{i}" for i in range(1, 8))
FINGER_JOINTS = ("finger_joint1", "finger_joint2")
JOINT_LOW = (-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973)
JOINT_HIGH = (2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973)
JOINT_VELOCITY = (2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61)
JOINT_TORQUE = (87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0)
READY = (0.0, -math.pi / 4, 0.0, -3 * math.pi / 4, 0.0, math.pi / 2, math.pi / 4)
FINGER_TRAVEL = 0.04
"""How far each finger opens [m]."""

TOOL = "tool"
"""The site between the finger tips: z points out of the hand, y from finger to finger."""

# Bits of contact: what is not the robot has SCENE in contype and ROBOT | SCENE in conaffinity; base
# and wrist of the robot touch each other, other links cannot within their joint limits.
ROBOT, SCENE, SELF = 1, 2, 4
# Two robots touch each other: the contype of each has a bit of the other's conaffinity.
_ARMS = (16, 32)
VISUAL_GROUP, COLLISION_GROUP = 2, 3
"""Groups of geoms: visible ones, and ones that only collide."""

FORCE = "force"
"""The sensor of the net force of all contacts of the hand [N], along the world's axes."""

_MESHES = "envs/assets/kitchen_franka/franka_assets/meshes/visual"
_NET_FORCE = 3  # how a contact sensor sums up: mjREDUCE in the documentation, no name in Python
_WHITE, _DARK = (0.93, 0.94, 0.95, 1.0), (0.16, 0.17, 0.19, 1.0)


def panda(visual: bool = True) -> mujoco.MjSpec:
    """The robot alone, its base at the origin, without actuators.

    Args:
        visual: Whether to show meshes, if they are installed.
    """
    spec = mujoco.MjSpec()
    spec.modelname = "panda"
    spec.compiler.degree = 0
    meshes = mesh_directory() if visual else None
    parent = spec.worldbody
    for number, link in enumerate(_LINKS):
        parent = parent.add_body(name=link.name, pos=link.pos, quat=link.quat, gravcomp=1.0)
        parent.explicitinertial = True
        parent.mass, parent.ipos, parent.fullinertia = link.mass, link.centre, link.inertia
        if number in range(1, 8):
            _add_joint(parent, number - 1)
        _add_shape(spec, parent, link.name, link.shape, meshes)
    _add_fingers(spec, parent, meshes)
    parent.add_site(name=TOOL, pos=(0, 0, 0.1034), size=(0.005, 0.005, 0.005), group=4)
    spec.add_sensor(
        name=FORCE,
        type=mujoco.mjtSensor.mjSENS_CONTACT,
        objtype=mujoco.mjtObj.mjOBJ_XBODY,  # with the fingers
        objname="hand",
        intprm=(1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE), _NET_FORCE, 1),
    )
    return spec


def add_panda(
    scene: mujoco.MjSpec,
    prefix: str,
    pos: tuple[float, float, float],
    number: int = 0,
    visual: bool = True,
    cushion: float | None = None,
    yaw: float = 0.0,
) -> None:
    """Add a robot to a scene, which may already have one.

    Args:
        scene: The scene.
        prefix: Prefix of its names.
        pos: Of its base [m].
        number: 0 or 1: the first or the second robot.
        visual: Whether to show meshes, if they are installed.
        cushion: Time constant of its skin in impacts [s]; like steel by default.
        yaw: Turn of its base about the vertical [rad].
    """
    robot = panda(visual)
    for body in robot.bodies:
        for geom in body.geoms:
            if not geom.contype:
                continue
            geom.contype |= _ARMS[number]
            geom.conaffinity |= _ARMS[1 - number]
            if cushion is not None:
                geom.priority, geom.solref = 1, (cushion, 1)
                geom.solimp = (0.95, 0.99, 0.001, 0.5, 2)
    turn = (math.cos(yaw / 2), 0.0, 0.0, math.sin(yaw / 2))
    scene.attach(robot, prefix=prefix, frame=scene.worldbody.add_frame(pos=pos, quat=turn))


def mesh_directory() -> Path | None:
    """Where the visible meshes are installed, or None."""
    directory = installed_assets() / _MESHES
    return directory if directory.is_dir() else None


def installed_assets() -> Path:
    """The folder of ``gymnasium_robotics``; one that does not exist if it is not installed."""
    package = find_spec("gymnasium_robotics")
    places = package.submodule_search_locations if package else None
    return Path(places[0] if places else "gymnasium_robotics")


_Shape: TypeAlias = Mapping[str, object]
"""Keywords of a geom in the frame of its link."""


def _capsule(
    start: tuple[float, float, float], end: tuple[float, float, float], radius: float
) -> _Shape:
    """From one point to another [m]."""
    return {"type": mujoco.mjtGeom.mjGEOM_CAPSULE, "fromto": (*start, *end), "size": (radius, 0, 0)}


def _box(pos: tuple[float, float, float], size: tuple[float, float, float]) -> _Shape:
    """Centre and half sizes [m]."""
    return {"type": mujoco.mjtGeom.mjGEOM_BOX, "pos": pos, "size": size}


@dataclass(frozen=True)
class _Link:
    """A rigid part: frame in its parent, mass [kg], centre of mass [m], inertia [kg m²], shape.

    The inertia is about the centre of mass: xx, yy, zz, xy, xz, yz.
    """

    name: str
    pos: tuple[float, float, float]
    quat: tuple[float, float, float, float]
    mass: float
    centre: tuple[float, float, float]
    inertia: tuple[float, float, float, float, float, float]
    shape: tuple[_Shape, ...]


def _add_joint(body: mujoco.MjsBody, index: int) -> None:
    torque = JOINT_TORQUE[index]
    body.add_joint(
        name=ARM_JOINTS[index],
        axis=(0, 0, 1),
        range=(JOINT_LOW[index], JOINT_HIGH[index]),
        limited=True,
        damping=1.0,
        armature=0.1,  # rotors behind their gears, seen from the joint
        actfrcrange=(-torque, torque),
        actfrclimited=True,
        actgravcomp=True,  # holding itself up counts against the torque limits
    )


def _add_shape(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    mesh: str,
    shape: tuple[_Shape, ...],
    meshes: Path | None,
) -> None:
    """Collision primitives, and the mesh in front of them if there is one."""
    colour = _DARK if mesh in ("hand", "finger") else _WHITE
    wrist = body.name in ("link5", "link6", "link7", "hand")
    base = body.name in ("link0", "link1", "link2")
    for part in shape:
        body.add_geom(
            rgba=colour,
            group=COLLISION_GROUP if meshes else VISUAL_GROUP,
            contype=ROBOT | (SELF if base else 0),
            conaffinity=SCENE | (SELF if wrist else 0),
            **part,
        )
    if meshes:
        if spec.mesh(mesh) is None:
            spec.add_mesh(name=mesh, file=str(meshes / f"{mesh}.stl"))
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=mesh,
            rgba=colour,
            group=VISUAL_GROUP,
            contype=0,
            conaffinity=0,
        )


def _add_fingers(spec: mujoco.MjSpec, hand: mujoco.MjsBody, meshes: Path | None) -> None:
    """Two fingers that move against each other, as the belt of the hand makes them."""
    for name, joint, quat in zip(
        ("left_finger", "right_finger"), FINGER_JOINTS, ((1, 0, 0, 0), (0, 0, 0, 1)), strict=True
    ):
        finger = hand.add_body(name=name, pos=(0, 0, 0.0584), quat=quat, gravcomp=1.0)
        finger.explicitinertial = True
        finger.mass, finger.inertia = 0.015, (2.375e-6, 2.375e-6, 7.5e-7)
        finger.add_joint(
            name=joint,
            type=mujoco.mjtJoint.mjJNT_SLIDE,
            axis=(0, 1, 0),
            range=(0, FINGER_TRAVEL),
            limited=True,
            damping=150.0,  # slow enough not to kick what it closes on
            armature=0.3,  # the motor behind the belt
        )
        _add_shape(spec, finger, "finger", (_STEM, _PAD), meshes)
        pad = finger.geoms[1]
        pad.name, pad.friction, pad.condim = f"{name}_pad", (1.5, 0.05, 0.001), 4
        # Rubber decides over what it touches; firmer, the grip on light things would rattle.
        pad.priority, pad.solref, pad.solimp = 1, (0.012, 1), (0.9, 0.95, 0.001, 0.5, 2)
    spec.add_equality(
        name="fingers",
        type=mujoco.mjtEq.mjEQ_JOINT,
        name1=FINGER_JOINTS[0],
        name2=FINGER_JOINTS[1],
        data=(0, 1, 0, 0, 0, *(0,) * 7),
        solref=(0.01, 1),
    )


_H = math.sqrt(0.5)
_NONE, _BACK, _FORTH = (1.0, 0.0, 0.0, 0.0), (_H, -_H, 0.0, 0.0), (_H, _H, 0.0, 0.0)
_EIGHTH = (math.cos(math.pi / 8), 0.0, 0.0, -math.sin(math.pi / 8))

_STEM = _box((0, 0.0175, 0.02), (0.0105, 0.0085, 0.02))
_PAD = _box((0, 0.007, 0.044), (0.0105, 0.007, 0.010))

_LINKS = (
    _Link(
        "link0",
        (0, 0, 0),
        _NONE,
        0.629769,
        (-0.041018, -0.00014, 0.049974),
        (0.00315, 0.00388, 0.004285, 8.2904e-7, 0.00015, 8.2299e-6),
        (_box((-0.04, 0, 0.065), (0.11, 0.09, 0.065)),),
    ),
    _Link(
        "link1",
        (0, 0, 0.333),
        _NONE,
        4.970684,
        (0.003875, 0.002081, -0.04762),
        (0.70337, 0.70661, 0.009117, -0.000139, 0.006772, 0.019169),
        (_capsule((0, 0, -0.15), (0, 0, -0.03), 0.06), _capsule((0, -0.07, 0), (0, 0, 0), 0.06)),
    ),
    _Link(
        "link2",
        (0, 0, 0),
        _BACK,
        0.646926,
        (-0.003141, -0.02872, 0.003495),
        (0.007962, 0.02811, 0.025995, -0.003925, 0.010254, 0.000704),
        (_capsule((0, 0, 0), (0, 0, 0.07), 0.06), _capsule((0, -0.15, 0), (0, -0.04, 0), 0.06)),
    ),
    _Link(
        "link3",
        (0, -0.316, 0),
        _FORTH,
        3.228604,
        (0.027518, 0.039252, -0.066502),
        (0.037242, 0.036155, 0.01083, -0.004761, -0.011396, -0.012805),
        (
            _capsule((0, 0, -0.08), (0, 0, -0.02), 0.058),
            _capsule((0.082, 0, 0), (0.082, 0.06, 0), 0.055),
        ),
    ),
    _Link(
        "link4",
        (0.0825, 0, 0),
        _FORTH,
        3.587895,
        (-0.05317, 0.104419, 0.027454),
        (0.025853, 0.019552, 0.028323, 0.007796, -0.001332, 0.008641),
        (
            _capsule((0, 0, 0), (0, 0, 0.055), 0.055),
            _capsule((-0.083, 0, 0), (-0.083, 0.07, 0), 0.055),
        ),
    ),
    _Link(
        "link5",
        (-0.0825, 0.384, 0),
        _BACK,
        1.225946,
        (-0.011953, 0.041065, -0.038437),
        (0.035549, 0.029474, 0.008627, -0.002117, -0.004037, 0.000229),
        (
            _capsule((0, 0, -0.22), (0, 0, -0.17), 0.055),
            _capsule((0, 0.03, -0.15), (0, 0.09, -0.03), 0.04),
            _capsule((0, 0, 0), (0, 0.08, 0), 0.05),
        ),
    ),
    _Link(
        "link6",
        (0, 0, 0),
        _FORTH,
        1.666555,
        (0.060149, -0.014117, -0.010517),
        (0.001964, 0.004354, 0.005433, 0.000109, -0.001158, 0.000341),
        (_capsule((0, 0, 0), (0.04, 0, 0), 0.05), _capsule((0.085, 0.02, 0), (0.085, 0, 0), 0.045)),
    ),
    _Link(
        "link7",
        (0.088, 0, 0),
        _FORTH,
        0.735522,
        (0.010517, -0.004252, 0.061597),
        (0.012516, 0.010027, 0.004815, -0.000428, -0.001196, -0.000741),
        (
            _capsule((0, 0, 0.05), (0, 0, 0.07), 0.043),
            _capsule((0.04, 0.04, 0.08), (0.02, 0.02, 0.08), 0.024),
        ),
    ),
    _Link(
        "hand",
        (0, 0, 0.107),
        _EIGHTH,
        0.73,
        (-0.01, 0, 0.03),
        (0.001, 0.0025, 0.0017, 0, 0, 0),
        (_box((0, 0, 0.032), (0.031, 0.1, 0.034)),),
    ),
)
